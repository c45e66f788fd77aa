"""The pandoc program: where it is, and how it is run: in its sandbox, with a bound on its memory
and on its time.
"""

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import IO

from dogent_tui.documents.model import DocumentError, damaged
from dogent_tui.language import tr
from dogent_tui.processes import Halt, run_to_end
from dogent_tui.records import Record
from dogent_tui.wall.own import own_environment, walled

HEAP_MB = 320
"""What pandoc's heap may grow to. It then has up to 510 MB resident, and below 600 MB with
whoever runs it (measured).
"""
LIMIT_S = 120.0
"""For a machine so busy that it takes that long: a document of 1,000 pages takes ten seconds. Who
reads one ends it sooner, after a few seconds of processor time (`documents/workers.py`).
"""
MINIMUM = (3, 1)
"""Older ones have no `Figure` in their tree (3.0), and write no docx in their sandbox."""

_UNKNOWN_READER = 21
"""Exit status of pandoc (its manual, "Exit codes")."""
_MAX_WARNINGS = 20
_REMEDY = tr(
    "Reinstall dogent-tui, whose package pypandoc_binary brings pandoc, or install pandoc from"
    " https://pandoc.org/installing.html."
)


class Output(Record):
    """What pandoc wrote, and its warnings, each without the word."""

    data: bytes
    warnings: list[str]


@cache
def _found() -> tuple[Path, tuple[int, ...]]:
    """Return the newest pandoc that `pypandoc` finds and can start, with its version: that of its
    wheel, of PATH, of the usual folders, or what PYPANDOC_PANDOC names. Takes 0.1 s.

    Raises DocumentError (`engine_missing`).
    """
    logging.getLogger("pypandoc").setLevel(logging.CRITICAL + 1)  # it would write to the terminal
    try:
        import pypandoc

        path, stated = pypandoc.get_pandoc_path(), pypandoc.get_pandoc_version()
    except (ImportError, AttributeError, OSError):  # an OSError where there is none
        missing = tr("This kind of document needs pandoc, which is not installed.")
        raise DocumentError(missing, _REMEDY, code="engine_missing") from None
    version = tuple(int(number) for number in re.findall(r"\d+", stated))
    if version < MINIMUM:
        needed, has = (".".join(map(str, numbers)) for numbers in (MINIMUM, version))
        raise DocumentError(
            tr(
                "The pandoc on PATH is too old: {has}; {needed} or later is required.",
                has=has,
                needed=needed,
            ),
            _REMEDY,
            code="engine_missing",
        )
    return Path(shutil.which(path) or path), version


def pandoc_path() -> Path:
    """Return the pandoc that `pypandoc` finds. Raises DocumentError (`engine_missing`)."""
    return _found()[0]


def pandoc_version() -> tuple[int, ...]:
    """Return the numbers of the version of `pandoc_path()`. Raises DocumentError."""
    return _found()[1]


def pandoc_places() -> list[Path]:
    """Return where `pandoc_path` may find it, beside what came with our wheels: for a process
    that sees little.
    """
    found = shutil.which("pandoc")
    return [Path(found), Path(found).resolve()] if found else []


def pandoc_command(arguments: Sequence[str]) -> list[str]:
    """Return the command that runs pandoc with `arguments` in its sandbox. Raises DocumentError."""
    return [str(pandoc_path()), "--sandbox", "+RTS", f"-M{HEAP_MB}M", "-RTS", *arguments]


def run_pandoc(
    arguments: Sequence[str],
    source: IO[bytes] | bytes,
    *,
    name: str,
    halt: Halt | None = None,
    readable: Sequence[str | Path] = (),
    writable: Sequence[str | Path] = (),
) -> Output:
    """Run pandoc with `arguments` and `source` on its standard input, and return what it writes on
    its output.

    `name` is the document's, for the sentences of errors; `readable` are files and folders that
    `arguments` name, `writable` such folders. Blocks. Raises DocumentError (`too_large` where it
    needs more memory than `HEAP_MB`, `timeout`, `damaged`, `engine_missing`).
    """
    command = walled(
        pandoc_command(arguments), readable=(*readable, pandoc_path()), writable=writable
    )
    environment = {**own_environment(), "LC_ALL": "C.UTF-8"}
    try:
        done = run_to_end(
            command, stdin=source, cwd=Path(os.sep), env=environment, limit_s=LIMIT_S, halt=halt
        )
    except subprocess.TimeoutExpired:
        late = tr(
            "{name} takes too long to convert: more than {limit_s:.0f} seconds.",
            name=name,
            limit_s=LIMIT_S,
        )
        raise DocumentError(late, _SMALLER, code="timeout") from None
    except OSError as error:
        wrong = tr("pandoc could not be started: {strerror}.", strerror=error.strerror)
        raise DocumentError(wrong, code="engine_missing") from error
    said = done.stderr[:_MAX_STDERR].decode("utf-8", "replace")
    if done.returncode:
        raise _failure(name, done.returncode, said)
    return Output(done.stdout, _warnings(said))


_SMALLER = tr("Split it into smaller documents, or save it again with the program that created it.")
_MAX_STDERR = 65_536


def _failure(name: str, status: int, said: str) -> DocumentError:
    if re.search("heap exhausted|out of memory|stack overflow", said, re.IGNORECASE):
        return DocumentError(
            tr("{name} exceeds the memory limit for converting a document.", name=name),
            _SMALLER,
            code="too_large",
        )
    if status == _UNKNOWN_READER:
        unknown = tr("This pandoc cannot read the format of {name}.", name=name)
        return DocumentError(
            unknown, tr("Install the package pypandoc_binary."), code="engine_missing"
        )
    if status < 0:
        crashed = tr("pandoc crashed on {name} (signal {status}).", name=name, status=-status)
        return DocumentError(crashed, _SMALLER, code="failed")
    reason = " ".join(said.split())[:200].rstrip(".") or tr("status {status}", status=status)
    return damaged(
        tr("{name} is damaged, or not what its name says: {reason}.", name=name, reason=reason)
    )


def _warnings(said: str) -> list[str]:
    """Return the warnings in what pandoc said: each begins a line, and may continue in indented
    ones.
    """
    found = re.findall(r"^\[WARNING\] (.*(?:\n[ \t]+.*)*)", said, re.MULTILINE)
    return list(dict.fromkeys(" ".join(warning.split()) for warning in found))[:_MAX_WARNINGS]
