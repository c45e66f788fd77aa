"""Copying text to where the person can paste it, and saying truthfully whether that worked."""

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress

from textual.app import App

_PATIENCE = 2.0
"""Seconds for a tool to take the text. They take milliseconds, or wait for a display that does not answer."""


async def copy(app: App[object], text: str) -> str:
    """Copy `text` with the system's tool and through the terminal (OSC 52), and return what is known of it as a sentence.

    A terminal does not say whether it took the text, so only the tool's success is called success.
    """
    text = text.encode(errors="replace").decode()  # lone surrogates, which cannot be sent
    app.copy_to_clipboard(text)
    size = f"{len(text):,} character{'' if len(text) == 1 else 's'}"
    command = tool(os.environ)
    if command and await _fed(command, text):
        return f"Copied {size}."
    return f"Gave {size} to the terminal to copy. If nothing can be pasted, it does not support that (OSC 52)."


def tool(environment: Mapping[str, str]) -> list[str]:
    """Return the command that fills the clipboard of the person's own machine from its input, empty where there is none.

    Over ssh there is none: a tool would fill the clipboard of the other machine.
    """
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return []
    candidates: list[list[str]] = []
    if sys.platform == "darwin":
        candidates.append(["pbcopy"])
    if environment.get("WAYLAND_DISPLAY"):
        candidates.append(["wl-copy"])
    if environment.get("DISPLAY"):
        candidates += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    if sys.platform == "win32" or environment.get("WSL_DISTRO_NAME"):
        candidates.append(["clip.exe"])
    return next((command for command in candidates if shutil.which(command[0], path=environment.get("PATH"))), [])


async def _fed(command: list[str], text: str) -> bool:
    """Run `command` on `text` and say whether it took it."""
    # clip.exe reads UTF-16; the others take what the locale says, which is UTF-8 wherever they are used.
    data = text.encode("utf-16" if command[0] == "clip.exe" else "utf-8")
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
    except OSError:
        return False
    try:
        await asyncio.wait_for(process.communicate(data), _PATIENCE)
    except (TimeoutError, OSError):
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        return False
    return process.returncode == 0
