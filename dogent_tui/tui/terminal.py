"""The terminal around the application: protected from other writers, and lent to an external
editor.
"""

import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dogent_tui.processes import run_in_terminal
from dogent_tui.storage.files import private_folder


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


def edit_externally(text: str, environ: Mapping[str, str]) -> str:
    """Let the user edit `text` in `$VISUAL` or `$EDITOR`, and return it. Blocks. Raises OSError if
    there is no editor.
    """
    return (
        edit_copy("prompt.md", text.encode(), environ).decode(errors="replace").removesuffix("\n")
    )


def edit_copy(name: str, content: bytes, environ: Mapping[str, str]) -> bytes:
    """Let the user edit a copy of `content`, called `name`, and return the result. Blocks.

    Raises OSError if there is no editor, ValueError if `$EDITOR` cannot be parsed.
    """
    command = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory(prefix="dogent-") as folder:
        file = Path(folder) / name
        file.write_bytes(content)
        run_in_terminal([*command, str(file)], errors=sys.__stderr__)
        return file.read_bytes()
