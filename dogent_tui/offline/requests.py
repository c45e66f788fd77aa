"""What a prompt asks for: a closed grammar of verbs with slots (`words.toml`). Anything else is not
a request.

The first clause of a prompt with a verb determines the request. The others fill slots: save it as,
begin with, export it.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence

import msgspec

from dogent_tui.offline.words import Language, figures, language_of, pattern, terms, words

_FILE = pattern("file").pattern
_LEADS = r"(?:\b(?:and|or|with|from|in|of|using|to|into|as|based on)\b|[,，、和与用从在根据把\s])*"
_WRITES = ("draft", "add", "outline", "contents")
_ON_FILES = ("count", "outline", "export", "open", "summarize", "draft", "contents")
_PAGE = 400
"""Words."""


class Request(msgspec.Struct):
    """A request. `files` are the existing files it names, `missing` those that do not exist.

    `topic` is its subject, `target` the file to write, `headings` those for the text; `old` and
    `new` belong to a replacement, `new` is also a literal text to add. `words` is the length of a
    draft, `lines` that of a summary, 0 if unspecified; `only`: a language.
    """

    verb: str
    language: Language
    topic: str = ""
    files: list[str] = []
    missing: list[str] = []
    target: str = ""
    headings: list[str] = []
    formats: list[str] = []
    old: str = ""
    new: str = ""
    words: int = 0
    lines: int = 0
    only: str = ""


def parse_request(typed: str, attached: Sequence[str], paths: Sequence[str]) -> Request:
    """Return what `typed` asks for.

    Args:
        typed: the prompt.
        attached: the files that it refers to with ``@``.
        paths: the existing files, which may also be named plainly.
    """
    clauses = pattern("clause").split(" ".join(typed.split()))
    said = [pattern("polite").sub("", part.strip()) for part in clauses]
    read = [(*_verb(part), part) for part in said if part]
    rank = {"ask": 1, "phrase": 2, "none": 2, "thanks": 2}
    read = sorted(read, key=lambda found: rank.get(found[0], 0)) or [("none", {}, "")]
    verb, slots, text = read[0]
    whole = "\n".join(said)
    request = Request(verb, language_of(typed), files=list(attached))
    _name_files(request, typed, paths)
    if not request.files and verb in _ON_FILES:
        request.files = _described(_first("described", without_files(text)), paths)
    if request.verb == "summarize" and request.target:
        request.verb = verb = "draft"
    bare = without_files(text)
    about = _first("topic", bare) or ("" if request.files else _first("topic_of", bare))
    asked = whole if verb in ("ask", "phrase", "compare", "open") else ""
    topic = without_files(slots.get("what") or asked or about)
    request.topic = pattern("article").sub("", topic) if verb == "add" else topic
    quoted = re.findall(r"[“\"「『‘'](.+?)(?:[”」』]|[\"’'](?!\w))", text)
    if verb == "add" and quoted:
        request.new = quoted[0]
        request.target = request.target or next(iter(request.files), "")
    if verb == "replace":
        pair = quoted[:2] if quoted[1:] else map(without_files, (slots["old"], slots["new"]))
        request.old, request.new = pair
    if verb == "draft":
        listed = pattern("between").split(_first("headings", whole))
        named = (one.strip(' ."“”') for one in (_first("first", whole), *listed))
        request.headings = [name[:1].upper() + name[1:] for name in named if name]
    request.words = int(_PAGE * _number(_first("pages", whole)))
    request.lines = int(_number(_first("lines", whole)))
    if any(found[0] == "export" for found in read):
        kinds = re.findall("pdf|docx|word", whole.casefold())
        request.formats = list(dict.fromkeys("pdf" if one == "pdf" else "docx" for one in kinds))
    request.only = next((name for name in ("en", "zh") if pattern(f"in_{name}").search(whole)), "")
    return request


def _verb(clause: str) -> tuple[str, Mapping[str, str]]:
    bare = clause.strip(" .!。！~")
    for verb in words()["verbs"]:
        if found := pattern(verb).fullmatch(bare):
            slots = {name: value for name, value in found.groupdict().items() if value}
            return verb, {name.partition("_")[0]: value for name, value in slots.items()}
    if pattern("idle").match(bare):
        return "none", {}
    return ("ask" if pattern("asks").match(clause) else "phrase"), {}


def _name_files(request: Request, typed: str, paths: Sequence[str]) -> None:
    """Distinguish the named files from the file to write."""
    known = {name.casefold(): path for path in reversed(paths) for name in _names(path)}
    held = [name for name in sorted(known, key=len, reverse=True) if name in typed.casefold()]
    names = "|".join([*map(re.escape, held), "(?!)"])
    other = r"[^\W\u3400-\u9fff]"
    # Chinese does not separate a name from the words before it, so existing files come first.
    is_here = re.compile(rf"(?i)(?<!-)(?<!{other})(?:{names})(?!\.?{other})")
    rest = is_here.sub(lambda found: " " * len(found[0]), typed)
    for found in (*is_here.finditer(typed), *pattern("file").finditer(rest)):
        name = found[0].lstrip("@")
        path, before = known.get(name.casefold(), ""), typed[: found.end() - len(name)]
        writes, is_source = request.verb in _WRITES, pattern("source").search(before)
        # A missing file is the one to write, unless it is named as a source.
        makes = not is_source and (writes or request.verb == "summarize")
        makes = makes or request.verb == "export"
        if (makes and not path) or (writes and pattern("target").search(before)):
            request.target = path or name
        else:
            (request.files if path else request.missing).append(path or name)
    request.files = [path for path in dict.fromkeys(request.files) if path != request.target]


def _names(path: str) -> list[str]:
    """Return the possible names of a file: its path, or its name, also without the extension unless
    that is a plain word, or a draft's topic.
    """
    name = posixpath.basename(path)
    stem = name.rpartition(".")[0]
    is_telling = (re.search(r"[-_]", stem) or not stem.isascii()) and len(stem) > 2
    is_telling = is_telling and not path.startswith("drafts/")
    return [stem, name, path] if is_telling else [name, path]


def _described(said: str, paths: Sequence[str]) -> list[str]:
    """Return the files whose names match the description `said`: “the minutes”, “the grant
    letter”.
    """
    meant = set(terms(said))
    names = {path: set(terms(posixpath.basename(path).rpartition(".")[0])) for path in paths}
    most = max((len(meant & name) for name in names.values()), default=0)
    # Most of the words must be in their names: otherwise it is a topic.
    is_enough = 2 * most >= max(1, len(meant))
    return [path for path, name in names.items() if is_enough and len(meant & name) == most]


def without_files(text: str) -> str:
    """Return `text` without file names and the words that introduce them, and without the language
    to quote in.
    """
    for name in ("in_en", "in_zh"):
        text = pattern(name).sub("", text)
    text = re.sub(rf"(?i)[“\"'`]?(?:{_FILE})[”\"'`]?\s*(?:里的?|中的?)?", "\0", text)
    text = re.sub(f"{_LEADS}\0", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split()).strip(" .,;:!?。，；：！？\"'“”")


def _first(name: str, text: str) -> str:
    found = pattern(name).search(text)
    return next((part for part in found.groups() if part), "").strip() if found else ""


def _number(said: str) -> float:
    """Return the number in words or digits, 0 for none, and a half for “half”."""
    return next(iter(figures(said)), 0.5 if said else 0.0)
