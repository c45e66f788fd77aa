"""Processes of ours, behind the wall, that decode what others made: they may hang, grow and crash
on what they get, and the application does not.
"""

import contextlib
import os

_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
_DATA_BYTES = 1 << 30
"""Memory that such a process may fill."""


async def decoded(module: str, request: bytes, limit_s: float) -> bytes:
    """Return what `main` of our `module` answers to `request`, nothing where it crashed.

    Raises TimeoutError after `limit_s` seconds, and OSError where it does not start.
    """
    import asyncio  # on use: the processes themselves need none of it
    from pathlib import Path

    from dogent_tui.processes import end_tree, python_command, talk_process
    from dogent_tui.wall.own import walled

    command = await asyncio.to_thread(walled, python_command(module))
    environment = {key: value for key, value in os.environ.items() if key in _PASSED_ON}
    process = await talk_process(command, cwd=Path("/"), env=environment)
    try:
        async with asyncio.timeout(limit_s):
            output, _ = await process.communicate(request)
    finally:
        await asyncio.shield(end_tree(process))
    return output


def limit_process() -> None:
    """Bound what this process may fill, and let others go first."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_DATA_BYTES, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        os.nice(5)
