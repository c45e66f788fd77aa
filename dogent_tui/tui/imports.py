"""Modules that are imported once they are wanted."""

import asyncio
import importlib


async def loaded(module: str) -> None:
    """Import `module` in a thread, so that keys come between."""
    await asyncio.to_thread(importlib.import_module, module)
