"""Copying to the clipboard, and the truth about whether it worked."""

import asyncio
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress

_TOOLS: Sequence[tuple[Sequence[str], Sequence[str], str]] = (
    (("pbcopy",), ("pbpaste",), ""),
    (("wl-copy",), ("wl-paste", "--no-newline"), "WAYLAND_DISPLAY"),
    (("xclip", "-selection", "clipboard"), ("xclip", "-selection", "clipboard", "-o"), "DISPLAY"),
    (("xsel", "--clipboard", "--input"), ("xsel", "--clipboard", "--output"), "DISPLAY"),
)
"""The command that takes the text, the one that gives it back, and the variable without which neither can work."""

_LIMIT_S = 2.0


async def copy_with_system_tool(text: str, environ: dict[str, str]) -> bool:
    """Give `text` to the system's clipboard and read it back. True only if it is really there. Never raises."""
    for put, get, needs in _TOOLS:
        if (
            (needs and not environ.get(needs))
            or shutil.which(put[0]) is None
            or (put[0] == "pbcopy" and sys.platform != "darwin")
        ):
            continue
        with suppress(OSError, TimeoutError):
            await _run(put, text.encode())
            return (await _run(get, b"")).decode(errors="replace") == text
    return False


async def _run(command: Sequence[str], data: bytes) -> bytes:
    # xclip and wl-copy stay behind to serve the clipboard: their output must not be waited for.
    reads = asyncio.subprocess.DEVNULL if data else asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=reads, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(data), _LIMIT_S)
    except TimeoutError:
        process.kill()
        raise
    return output or b""


def copied_sentence(text: str, *, confirmed: bool) -> str:
    """Return what to tell the person: what is known, and no more."""
    amount = f"{len(text):,} character{'' if len(text) == 1 else 's'}"
    if confirmed:
        return f"Copied {amount}."
    return f"Sent {amount} to the terminal's clipboard. If pasting brings nothing, the terminal does not take it (OSC 52)."
