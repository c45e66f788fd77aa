"""Processes of our own, behind the wall, that decode untrusted data: they may hang, grow or crash
without affecting the application.
"""

import contextlib
import os
import resource

_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
_DATA_BYTES = 1 << 30
"""The memory limit of such a process."""
LIMIT_S = 60.0
"""The time limit: a large image takes two seconds, and some would take hours. Other programs go
first.
"""


async def decoded(module: str, request: bytes) -> bytes:
    """Return the answer of `main` in our `module` to `request`; empty if the process crashed.

    Raises TimeoutError after `LIMIT_S` seconds, and OSError if the process does not start.
    """
    import asyncio  # not at the top: the decoders themselves do not need it
    from pathlib import Path

    from dogent_tui.processes import end_tree, python_command, talk_process
    from dogent_tui.wall.own import walled

    command = await asyncio.to_thread(walled, python_command(module))
    environment = {key: value for key, value in os.environ.items() if key in _PASSED_ON}
    process = await talk_process(command, cwd=Path("/"), env=environment)
    try:
        async with asyncio.timeout(LIMIT_S):
            output, _ = await process.communicate(request)
    finally:
        await asyncio.shield(end_tree(process))
    return output


def limit_process() -> None:
    """Limit the memory of this process and lower its priority."""
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_DATA_BYTES, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        os.nice(5)
