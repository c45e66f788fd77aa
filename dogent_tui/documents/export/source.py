"""The exported Markdown file: its text, and the document's metadata in the front matter."""

import errno
import io
import os
import re
import stat
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.text.charset import encoding_of
from dogent_tui.errors import disk_remedy
from dogent_tui.language import tr
from dogent_tui.plain import newlines, one_line
from dogent_tui.records import Record
from dogent_tui.storage.places import open_real

LARGEST = 16 << 20
"""The maximum size of a Markdown file in bytes: about 4,000 pages of text."""

_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
"""As in pandoc and static site generators: YAML between two lines of dashes at the very start."""

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters allowed neither in XML nor in a pdf's text."""

_MOST_DEPTH = 6
_TRUTH = dict.fromkeys(("true", "yes", "on", "1"), True)
_TRUTH |= dict.fromkeys(("false", "no", "off", "0"), False)


PAPERS = {
    "a3": (297.0, 420.0),
    "a4": (210.0, 297.0),
    "a5": (148.0, 210.0),
    "letter": (215.9, 279.4),
    "legal": (215.9, 355.6),
}
"""Sizes of paper: width and height in millimeters."""
_OF_AUTHOR = ("name", "affiliation", "affiliations")
_SHOWN = 80
"""The number of characters of a name to show."""


class FrontMatter(Record):
    """The document's metadata; missing values are empty.

    `lang` is a BCP 47 tag (``zh-CN``). `date` is as written. `toc` is None if the front matter does
    not mention a table of contents, `number_sections` likewise. `to` is the recipient of a letter,
    line by line. `abstract` is Markdown. `notes_at_foot`: notes are on their pages in a pdf too.
    `bibliography` and `csl` name files of the workspace. `paper` is one of `PAPERS`.
    """

    title: str = ""
    subtitle: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    lang: str = ""
    subject: str = ""
    description: str = ""
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    toc: bool | None = None
    toc_depth: int = 3
    toc_title: str = ""
    number_sections: bool | None = None
    theme: str = ""
    notes_at_foot: bool = False
    to: tuple[str, ...] = ()
    bibliography: tuple[str, ...] = ()
    csl: str = ""
    paper: str = ""


class MarkdownSource(Record):
    """A Markdown file. `text` is what follows the front matter, with ``\\n`` as line ending; its
    first line is `first_line`.
    """

    path: Path
    text: str
    front: FrontMatter = FrontMatter()
    first_line: int = 1
    warnings: tuple[str, ...] = ()


def read_source(path: Path) -> MarkdownSource:
    """Read the Markdown file `path`. Blocks: call it in a thread. Raises DocumentError."""
    text, warnings = read_text(path)
    text = _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", newlines(text))
    front, begin, warnings_of_front = _front_matter(text)
    warnings += warnings_of_front
    return MarkdownSource(path, text[begin:], front, 1 + text.count("\n", 0, begin), warnings)


def read_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return the text of the Markdown file at the real path `path` as it is on disk, and warnings.
    Blocks. Raises DocumentError.
    """
    name, content = one_line(path.name), _read(path)
    try:
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        encoding = encoding_of(io.BytesIO(content))
    if not encoding:
        raise DocumentError(
            tr("{name} is not text.", name=name),
            tr("Specify a Markdown file."),
            code="unsupported",
        )
    return content.decode(encoding, "replace"), (
        tr("{name} is not UTF-8; it was read as {encoding}.", name=name, encoding=encoding),
    )


def front_matter(text: str) -> FrontMatter:
    """Return the metadata of a Markdown text."""
    return _front_matter(text.replace("\r\n", "\n").removeprefix("\ufeff"))[0]


def _front_matter(text: str) -> tuple[FrontMatter, int, tuple[str, ...]]:
    """Return the front matter, its end, and warnings."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return FrontMatter(), 0, ()
    try:
        values = _yaml(found[1])
    except ValueError as error:
        warning = tr(
            "The front matter was not understood and is left in the text: {error}.", error=error
        )
        return FrontMatter(), 0, (warning,)
    if not isinstance(values, dict):  # a rule, some text, another rule
        return FrontMatter(), 0, ()
    front, unused = _front(values)
    names = ", ".join(_with_line(name, _named(found[0])) for name in unused)
    warning = tr("An export does not use what the front matter says of {names}.", names=names)
    return front, found.end(), (warning,) * bool(unused)


def _named(text: str) -> str:
    """Return a name as we write them: case and underlines do not matter."""
    return text.lower().replace("_", "-")


def _with_line(name: str, text: str) -> str:
    """Return the name of a value in the front matter `text`, with its line."""
    found = re.search(rf"(?m)^[ \"'-]*{re.escape(_named(name))}[\"']?:", text)
    line = tr("line {line}", line=1 + text.count("\n", 0, found.start())) if found else ""
    return shown(name) + f" ({line})" * bool(line)


def read_regular(path: Path, limit: int) -> bytes:
    """Return at most `limit` + 1 bytes of the regular file at a real path. Raises OSError."""
    descriptor = open_real(path)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, tr("it is not a file"))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit + 1)
    finally:
        os.close(descriptor)


def _read(path: Path) -> bytes:
    name = one_line(path.name)
    try:
        content = read_regular(path, LARGEST)  # a plan uses real paths
    except FileNotFoundError:
        raise DocumentError(
            tr("{name} does not exist.", name=name), tr("Check the name."), code="not_found"
        ) from None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or tr("its name is not valid")).lower()
        raise DocumentError(
            tr("{name} cannot be read: {reason}.", name=name, reason=reason),
            disk_remedy(error),
        ) from None
    if len(content) > LARGEST:
        raise DocumentError(
            tr("{name} is larger than {size} MB.", name=name, size=LARGEST >> 20),
            tr("Split it into several documents."),
            code="too_large",
        )
    return content


def _yaml(text: str) -> Any:
    """Parse YAML into strings, lists and mappings. Raises ValueError with the reason."""
    import yaml  # on use

    try:
        # The base loader only creates strings: a title “Yes” stays one, and the file cannot choose
        # a type to create.
        return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        problem = one_line(error.problem or tr("not YAML"))
        reason = tr("line {line}: {problem}", line=line, problem=problem)
    except (yaml.YAMLError, ValueError, RecursionError):
        reason = tr("not YAML")
    raise ValueError(reason)


def _front(values: Mapping[str, Any]) -> tuple[FrontMatter, list[str]]:
    """Return the metadata, and the names of what is none, or is none of its kind."""
    lowered = {_named(str(key)): value for key, value in values.items()}
    unused = dict.fromkeys(lowered)

    def first(convert: Callable[[Any], Any], *names: str) -> Any:
        for name in names:
            made = convert(lowered.get(name, ""))
            if made not in ("", (), None) or not lowered.get(name, "-"):
                unused.pop(name, None)
                return made
        return convert("")

    front = FrontMatter(
        title=first(_text, "title"),
        subtitle=first(_text, "subtitle"),
        authors=first(_texts, "author", "authors"),
        date=first(_date, "date"),
        lang=first(_language, "lang", "language"),
        subject=first(_text, "subject"),
        description=first(_text, "description"),
        abstract=first(_markdown, "abstract"),
        keywords=first(partial(_texts, split=True), "keywords", "tags"),
        toc=first(_truth, "toc", "table-of-contents"),
        toc_depth=first(_depth, "toc-depth") or FrontMatter().toc_depth,
        toc_title=first(_text, "toc-title"),
        number_sections=first(_truth, "number-sections", "numbersections"),
        theme=first(_text, "theme").lower(),
        notes_at_foot=bool(first(lambda value: value == "page" or None, "footnotes")),
        to=first(_texts, "to"),
        bibliography=first(_texts, "bibliography"),
        csl=first(_text, "csl", "citation-style"),
        paper=first(
            lambda value: next((name for name in PAPERS if name in _text(value).lower()), ""),
            "papersize",
        ),
    )
    authors = lowered.get("author", lowered.get("authors"))
    for author in authors if isinstance(authors, list) else [authors]:
        if isinstance(author, dict):
            unused |= dict.fromkeys(key for key in author if key not in _OF_AUTHOR)
    return front, [*unused]


def _truth(value: Any) -> bool | None:
    return _TRUTH.get(_text(value).lower())


def _date(value: Any) -> str:
    """Return a date as written, or today's, as in Quarto."""
    return date.today().isoformat() if value == "today" else _text(value)


def _text(value: Any) -> str:
    return one_line(value) if isinstance(value, str) else ""


def _markdown(value: Any) -> str:
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else ""


def _texts(value: Any, *, split: bool = False) -> tuple[str, ...]:
    """Return the names in `value`: a string with one per line, a list of strings, or of mappings
    with a name, and perhaps an affiliation (as in pandoc's author blocks).
    """
    if isinstance(value, str):
        value = re.split(r"[,，、;；\n]" if split else "\n", value)
    entries = value if isinstance(value, list) else [value]
    return tuple(name for name in map(_name, entries) if name)


def _name(entry: Any) -> str:
    if not isinstance(entry, dict):
        return _text(entry)
    name, *places = (_flat(entry.get(key)) for key in _OF_AUTHOR)
    where = "; ".join(filter(None, places))
    return f"{name} ({where})" if name and where else name


def _flat(value: Any) -> str:
    """Return the texts in a value on one line."""
    if isinstance(value, dict):
        return ", ".join(filter(None, map(_flat, value.values())))
    return "; ".join(filter(None, map(_flat, value))) if isinstance(value, list) else _text(value)


def _depth(value: Any) -> int | None:
    text = _text(value)
    return min(max(int(text), 1), _MOST_DEPTH) if text.isdecimal() else None


def _language(value: Any) -> str:
    """Return a text if it has the form of a language tag: it becomes an attribute and a document
    property.
    """
    tag = _text(value).replace("_", "-")
    return tag if re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", tag) else ""


def shown(address: str) -> str:
    """Return `address` for a sentence: on one line, and not too long."""
    text = one_line(address)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
