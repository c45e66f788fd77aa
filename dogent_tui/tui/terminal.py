"""The terminal around the application: protected from other writers, and lent to an external
editor.
"""

import asyncio
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual.app import App

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import run_in_terminal
from dogent_tui.storage.files import private_folder
from dogent_tui.temporary import temporary_folder


@contextmanager
def own_terminal(log_file: Path) -> Iterator[None]:
    """Prevent anything but the application from writing to the terminal: other output on stderr
    goes to `log_file`.

    Native libraries and child processes write to the descriptor itself, bypassing Python. Textual
    draws on `sys.__stderr__`, which becomes a separate descriptor here.
    """
    terminal = os.dup(2 if os.isatty(2) else 1)
    log = _open_log(log_file)
    original = sys.__stderr__
    sys.__stderr__ = open(terminal, "w", encoding="utf-8", errors="replace", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    os.dup2(log, 2)
    os.close(log)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        sys.__stderr__ = original  # type: ignore[misc]
        os.close(terminal)


def _open_log(log_file: Path) -> int:
    """Open the log for appending; if that is impossible, log output is discarded and the work
    continues.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        private_folder(log_file.parent)
        return os.open(log_file, flags, 0o600)
    except OSError:
        return os.open(os.devnull, flags)


async def edit_externally(app: App[Any], name: str, content: bytes) -> bytes:
    """Suspend `app`, let the user edit a copy of `content`, called `name`, in `$VISUAL` or
    `$EDITOR`, and return the result. Raises DogentError if there is no editor.
    """
    try:
        with app.suspend():
            return await asyncio.to_thread(_edit_copy, name, content, os.environ)
    except (OSError, ValueError) as error:
        raise DogentError(
            tr("The editor did not start: {error}.", error=one_line(str(error))),
            tr("Set $EDITOR to one that is installed."),
        ) from error


def _edit_copy(name: str, content: bytes, environ: Mapping[str, str]) -> bytes:
    command = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "vi")
    with temporary_folder() as folder:
        file = folder / name
        file.write_bytes(content)
        run_in_terminal([*command, str(file)], errors=sys.__stderr__)
        return file.read_bytes()
