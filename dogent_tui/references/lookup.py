"""References to files in a prompt: ``@path``, ``@path#Sheet``, ``@"a b.docx"#"My sheet"``,
``@path:10-40``.

An unquoted path ends at the next blank or punctuation mark, ASCII or full-width, except for ``. - _
/ ~ +`` inside it. A quoted path may contain anything, with the escapes ``\\"``, ``\\\\``, ``\\n``
and ``\\r``. ``a@b.c`` is an e-mail address, and ``@@name`` a document template.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from dogent_tui.records import Record
from dogent_tui.storage.paths import Workspace


class Reference(Record):
    """A reference as typed: ``text[start:end]``, including the ``@``. `lines`: the first and last
    line requested, counted from 1.

    `written_lines` is their spelling, including the colon, because it may turn out to be part of
    the name.
    """

    start: int
    end: int
    path: str
    sheet: str | None = None
    quoted: bool = False
    lines: tuple[int, int] | None = None
    written_lines: str = ""

    @property
    def key(self) -> "ReferenceKey":
        """The key that distinguishes the references of a prompt."""
        return self.path, self.sheet, self.lines


ReferenceKey = tuple[str, str | None, tuple[int, int] | None]
"""Path, sheet and lines, as written."""


class ResolvedReference(Record):
    """What a reference points to. `reference` may be shorter than the given one: text that followed
    without a blank is left out.

    `path` is relative to the workspace if it is inside, absolute otherwise. `type` is the
    lower-case extension, ``folder``, or ``file`` without an extension. `size` is in bytes, None for
    a folder or a missing file.
    """

    reference: Reference
    path: str
    absolute: Path
    name: str
    type: str
    sheet: str | None
    size: int | None
    exists: bool


# What ends an unquoted path: blanks and controls, ASCII punctuation except ``. - _ / ~ +``,
# general punctuation, CJK punctuation (not 々〆〇, which are letters), vertical and small forms,
# full-width forms other than letters and digits.
_ENDS = (
    r"\s\x00-\x1f\x7f-\x9f"
    r"!-*,:-@\[-^`{-}"
    r"\u00a1\u00a7\u00ab\u00b6\u00bb\u00bf"
    r"\u2000-\u206f\u3000-\u3004\u3008-\u3020\u3030\ufe10-\ufe1f\ufe30-\ufe6f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufeff"
)
_BARE = re.compile(f"[^{_ENDS}]+")
_QUOTED = re.compile(r'"((?:[^"\\\n\r]|\\[^\n\r])*)"|“([^”\n\r]*)”')
_LINES = re.compile(r":(\d{1,9})(?:-(\d{1,9}))?(?![A-Za-z0-9_])", re.ASCII)
_CELLS = re.compile(
    r"!\$?[A-Z]{1,3}\$?(?:\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?|:\$?[A-Z]{1,3})(?!\w)",
    re.ASCII | re.IGNORECASE,
)
_ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n", r"\r": "\r"}
_ESCAPE = re.compile(r'\\[\\"nr]')

# Scripts written without blanks between words (Chinese, Japanese; Korean, whose particles directly
# follow a name). Their punctuation already ends a path, so whole blocks will do. Compiled on first
# use: that takes 3 ms each.
_CJK = r"\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_CUT = rf"[.\-+~]*(?=[{_CJK}])|(?=\.\.|--)"
_WORD_BEFORE = rf"[^\W{_CJK}]|[+%/\\@]"

_LONGEST_CUT = 1024
"""A longer path is not searched for an existing part: no text after a name is that long, and each
attempt asks the disk.
"""


def find_references(text: str) -> list[Reference]:
    """Return the references in `text`, as typed and in order, without reading the disk. Never
    raises.
    """
    return list(_scan(text))


def _scan(text: str) -> Iterator[Reference]:
    at = text.find("@")
    while at >= 0:
        reference = _reference_at(text, at)
        if reference is not None:
            yield reference
        at = text.find("@", reference.end if reference else _after_run(text, at))


def _after_run(text: str, at: int) -> int:
    """Return the end of the ``@`` signs that begin at `at`: several in a row do not begin a
    reference.
    """
    while at < len(text) and text[at] == "@":
        at += 1
    return at


def _reference_at(text: str, at: int) -> Reference | None:
    if at and not text[at - 1].isspace() and re.match(_WORD_BEFORE, text[at - 1]):
        return None  # an e-mail address, or a handle in a link
    path, quoted, end = _name_at(text, at + 1)
    if not path:
        return None
    sheet: str | None = None
    if text.startswith("#", end):
        name, _, sheet_end = _name_at(text, end + 1)
        if name:
            cells = _CELLS.match(text, sheet_end)
            sheet, end = (name + cells[0], cells.end()) if cells else (name, sheet_end)
    lines = _LINES.match(text, end)
    if lines is None:
        return Reference(at, end, path, sheet, quoted)
    first, last = int(lines[1]), int(lines[2] or lines[1])
    return Reference(
        at, lines.end(), path, sheet, quoted, (min(first, last), max(first, last)), lines[0]
    )


def _name_at(text: str, start: int) -> tuple[str, bool, int]:
    """Return the path or sheet that begins at `start`, whether it is quoted, and its end. An empty
    one counts as none.
    """
    if quoted := _QUOTED.match(text, start):
        name = (
            quoted[2]
            if quoted[1] is None
            else _ESCAPE.sub(lambda found: _ESCAPES[found[0]], quoted[1])
        )
        return name, True, quoted.end()
    bare = _BARE.match(text, start)
    name = _without_full_stop(bare[0]) if bare else ""
    return name, False, start + len(name)


def _without_full_stop(name: str) -> str:
    """Return `name` without the punctuation of the sentence it ends; ``.`` and ``..`` as last
    folder are kept.
    """
    if name.endswith(("/.", "/..")):
        return name
    return name.rstrip(".-")


def format_reference(
    path: str, sheet: str | None = None, lines: tuple[int, int] | None = None
) -> str:
    """Return the reference to `path`, quoted if necessary: `find_references` returns the same path,
    sheet and lines.
    """
    named = f"@{_format_name(path)}" + ("" if sheet is None else f"#{_format_name(sheet)}")
    return named if lines is None else f"{named}:{format_lines(lines)}"


def format_lines(lines: tuple[int, int]) -> str:
    """Return the first and last line, counted from 1, of a reference: ``10-40``, or ``7`` for one
    line.
    """
    first, last = lines
    return str(first) if first == last else f"{first}-{last}"


def _format_name(name: str) -> str:
    if _name_at(name, 0) == (name, False, len(name)):
        return name
    escaped = (
        name.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n").replace("\r", r"\r")
    )
    return f'"{escaped}"'


def resolve(reference: Reference, workspace: Workspace) -> ResolvedReference:
    """Return what `reference` points to. Reads the disk; never raises.

    The whole path wins if it exists. An unquoted path may be followed by text without a blank,
    as in ``@报告.md的内容``: then its longest existing part is meant. ``@C#notes.md`` and
    ``@log:10-40`` are files with these names if they exist.
    """
    for candidate in _readings(reference):
        found = _look(workspace.absolute(candidate.path))
        if found is None or (stat.S_ISDIR(found.st_mode) and _names_a_file(reference, candidate)):
            continue
        return _resolved(candidate, workspace, found)
    return _resolved(reference, workspace, None)


def _readings(reference: Reference) -> Iterator[Reference]:
    """Yield the ways to read `reference`, the most likely first."""
    if reference.written_lines and not reference.quoted and reference.sheet is None:
        yield replace(
            reference,
            path=f"{reference.path}{reference.written_lines}",
            lines=None,
            written_lines="",
        )
    yield reference
    if reference.quoted:
        return
    if reference.sheet is not None:
        yield replace(reference, path=f"{reference.path}#{reference.sheet}", sheet=None)
    if len(reference.path) > _LONGEST_CUT:
        return
    cuts = [cut.start() for cut in re.finditer(_CUT, reference.path)]
    for cut in reversed(cuts):
        shorter = reference.path[:cut]
        # Cutting right after a slash would turn a missing file into its parent folder.
        if shorter and not shorter.endswith("/"):
            yield replace(
                reference, path=shorter, end=reference.start + 1 + cut, sheet=None, lines=None
            )


def _names_a_file(whole: Reference, candidate: Reference) -> bool:
    """Return whether the rest of `whole` after `candidate` continues as a path, in which case a
    folder was not meant.
    """
    rest = whole.path[len(candidate.path) :] if len(candidate.path) < len(whole.path) else ""
    return "/" in rest or "." in rest


def _look(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):  # missing, unreadable, too long, or with a zero byte
        return None


def _resolved(
    reference: Reference, workspace: Workspace, found: os.stat_result | None
) -> ResolvedReference:
    absolute, mode = workspace.absolute(reference.path), found.st_mode if found else 0
    path = workspace.relative(absolute)
    name = PurePosixPath(path).name or absolute.name or path
    kind = PurePosixPath(name).suffix[1:].lower() or "file"
    if stat.S_ISDIR(mode):
        kind = "folder"
    if path == ".":
        name = workspace.root.name or "/"
    return ResolvedReference(
        reference,
        path,
        absolute,
        name,
        kind,
        reference.sheet,
        size=found.st_size if found and stat.S_ISREG(mode) else None,
        exists=found is not None,
    )
