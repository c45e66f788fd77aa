"""Modules that are imported on first use."""

import asyncio
import importlib


async def loaded(module: str) -> None:
    """Import `module` in a thread, so that keys are handled meanwhile."""
    await asyncio.to_thread(importlib.import_module, module)
