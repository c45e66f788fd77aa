"""Copying text to the user's clipboard, and reporting truthfully whether that worked."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App

from dogent_tui.language import ngettext, tr
from dogent_tui.processes import feed_process, stream_process
from dogent_tui.records import Record

_PATIENCE_S = 2.0
"""Time limit of a clipboard tool in seconds. Tools take milliseconds, or wait for a display that
does not respond.
"""


class ClipboardTool(Record):
    """Two programs: `copy` fills the clipboard from its input, `paste` prints the clipboard."""

    copy: tuple[str, ...]
    paste: tuple[str, ...]
    encoding: str = "utf-8"


_WAYLAND = ClipboardTool(("wl-copy",), ("wl-paste", "--no-newline"))
_XCLIP = ClipboardTool(
    ("xclip", "-selection", "clipboard"), ("xclip", "-selection", "clipboard", "-o")
)
_XSEL = ClipboardTool(("xsel", "--clipboard", "--input"), ("xsel", "--clipboard", "--output"))
_MAC = ClipboardTool(("pbcopy",), ("pbpaste",))
_WINDOWS = ClipboardTool(
    ("clip.exe",),
    (
        "powershell.exe",
        "-NoProfile",
        "-Command",
        "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw",
    ),
    # clip.exe reads UTF-16; the others use the locale's encoding, which is UTF-8 wherever they are
    # in use
    encoding="utf-16",
)


async def copy(app: App[Any], text: str) -> None:
    """Copy `text`, and report the result."""
    app.notify(await copied(app, text))


async def copied(app: App[Any], text: str) -> str:
    """Copy `text` with the system's tool and through the terminal (OSC 52), and return a sentence
    about the result.

    A terminal does not report whether it accepted the text, and a tool may succeed without filling
    a clipboard. The clipboard is therefore read back, and only a match is reported as copied.
    """
    text = text.encode(errors="replace").decode()  # lone surrogates cannot be encoded
    app.copy_to_clipboard(text)
    size = ngettext("{count:,} character", "{count:,} characters", len(text), count=len(text))
    found = tool(os.environ)
    if found is not None and await _fill(found, text) and await _holds(found, text):
        return tr("Copied {size}.", size=size)
    return tr(
        "Sent {size} to the terminal to copy. If pasting doesn't work, your terminal lacks support"
        " (OSC 52).",
        size=size,
    )


def tool(environment: Mapping[str, str]) -> ClipboardTool | None:
    """Return the tools for the clipboard of the user's own machine, None if there are none.

    Over ssh there are none: a tool would fill the clipboard of the remote machine.
    """
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return None
    candidates = (
        (sys.platform == "darwin", _MAC),
        (environment.get("WAYLAND_DISPLAY"), _WAYLAND),
        (environment.get("DISPLAY"), _XCLIP),
        (environment.get("DISPLAY"), _XSEL),
        (sys.platform == "win32" or environment.get("WSL_DISTRO_NAME"), _WINDOWS),
    )
    path = environment.get("PATH")
    return next(
        (each for works, each in candidates if works and shutil.which(each.copy[0], path=path)),
        None,
    )


async def _fill(found: ClipboardTool, text: str) -> bool:
    try:
        return await feed_process(found.copy, text.encode(found.encoding), limit_s=_PATIENCE_S) == 0
    except (OSError, TimeoutError):
        return False


async def _holds(found: ClipboardTool, text: str) -> bool:
    """Say whether the clipboard holds `text`. Its line endings, and one at its end, are the
    tool's affair.
    """
    heard: list[bytes] = []
    try:
        status = await stream_process(
            found.paste, cwd=Path.cwd(), on_output=heard.append, limit_s=_PATIENCE_S
        )
    except (OSError, TimeoutError):
        return False
    return status == 0 and _comparable(b"".join(heard).decode(errors="replace")) == _comparable(
        text
    )


def _comparable(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")
