"""Readers for prose, Markdown and source code: the text as it is, in blocks that are sensible to
cut between.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from dogent_tui.documents.model import Block, Opened, ReadOptions, Report, Source
from dogent_tui.documents.text.source import TextSource

_LONG_BLOCK = 4000
"""Characters after which a block without a paragraph's end is cut at a line."""
_LONG_LINE = 4 << 20
_FENCED_CHARS = 64 << 20
"""Searched for fences: no more is ever shown of a file."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_CODE_FENCE = re.compile(r"`{3,}")


def open_text(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. Plain text goes as it is: what reads it sees a
    text, not Markdown.
    """
    return _opened("text", TextSource(path, options.encoding), _paragraphs, report)


def open_markdown(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. Each block knows the headings that it stands
    under.
    """
    return _opened("markdown", TextSource(path, options.encoding), _markdown, report)


def open_code(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. The file is one fenced block in its language."""
    source, language = TextSource(path, options.encoding), language_of(path)
    opened = _opened("code", source, lambda text: _fenced(text, language), report)
    opened.metadata["language"] = language
    return opened


def _opened(
    name: str, source: TextSource, blocks: Callable[[TextSource], Iterator[Block]], report: Report
) -> Opened:
    opened = Opened(name, {"encoding": source.encoding}, iter(()))

    def read() -> Iterator[Block]:
        for block in blocks(source):
            yield block
            report(source.read, source.size, "bytes")
        opened.metadata["lines"] = source.count
        opened.warnings.extend(source.warnings())

    opened.blocks = read()
    return opened


class _Gathered:
    """The lines of the block that is being read."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._chars = 0
        self._first = 1
        self._tight = False

    def add(self, number: int, line: str) -> None:
        if not self._lines:
            self._first = number
        self._lines.append(line)
        self._chars += len(line)

    @property
    def may_be_cut(self) -> bool:
        """Whether it is long, and ends with a line. A line of megabytes is cut all the same: it
        is nobody's text.
        """
        return self._chars >= _LONG_BLOCK and (
            self._lines[-1].endswith("\n") or self._chars >= _LONG_LINE
        )

    def take(self, headings: tuple[str, ...] = (), *, cut: bool = False) -> Iterator[Block]:
        """Yield the block and begin the next one, which continues it where it was `cut`."""
        if self._lines:
            text = "".join(self._lines).removesuffix("\n")
            yield Block(text, Source(line=self._first, headings=headings), self._tight)
            self._lines, self._chars = [], 0
        self._tight = cut


def _paragraphs(source: TextSource) -> Iterator[Block]:
    yield from _split(source, lambda _: False, lambda: ())


def _markdown(source: TextSource) -> Iterator[Block]:
    state = _MarkdownState()
    yield from _split(source, state.goes_on, lambda: tuple(title for _, title in state.headings))


class _MarkdownState:
    """Where in a Markdown text we are: under which headings, and in which fence."""

    def __init__(self) -> None:
        self.headings: list[tuple[int, str]] = []
        self._fence = ""

    def goes_on(self, line: str) -> bool:
        """Take a line and tell whether the block cannot end here: an empty line in a fence is
        none between blocks.
        """
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not fence[2].strip():
                self._fence = ""
                return True
        elif fence and not (fence[1][0] == "`" and "`" in fence[2]):
            self._fence = fence[1]
        elif heading := _HEADING.match(line):
            level = len(heading[1])
            while self.headings and self.headings[-1][0] >= level:
                self.headings.pop()
            self.headings.append((level, heading[2] or ""))
        return bool(self._fence)


def _split(
    source: TextSource, goes_on: Callable[[str], bool], headings: Callable[[], tuple[str, ...]]
) -> Iterator[Block]:
    """Cut at the first empty line of each gap, so that blocks joined again are the text, to the
    last empty line.
    """
    block = _Gathered()
    begun = False
    for number, line in enumerate(source.lines(), 1):
        inside = goes_on(line)
        if line == "\n" and begun and not inside:
            yield from block.take(headings())
            begun = False
            continue
        block.add(number, line)
        begun = begun or line.strip() != ""
        if block.may_be_cut:
            yield from block.take(headings(), cut=True)
    if begun:  # the empty lines at the end are no block
        yield from block.take(headings())


def _fenced(source: TextSource, language: str) -> Iterator[Block]:
    fence = "`" * (_longest_fence(source) + 1)
    opening, held = f"{fence}{language}\n", Block("", Source(line=1))
    for block in _split(source, lambda _: True, tuple):
        if held.markdown:
            yield held
        held = Block(opening + block.markdown, block.source, block.tight)
        opening = ""
    yield Block(f"{opening}{held.markdown}\n{fence}", held.source, held.tight)


def _longest_fence(source: TextSource) -> int:
    """Return how many backticks stand together at the most: a fence around them needs one more,
    and no less than three.
    """
    longest, seen = 2, 0
    for line in source.lines():
        seen += len(line)
        if seen > _FENCED_CHARS:
            break
        if "```" in line:
            longest = max(longest, *(len(run) for run in _CODE_FENCE.findall(line)))
    return longest


TABLES = frozenset({".csv", ".tsv", ".tab", ".psv"})
"""Names of tables in text."""

_LANGUAGES: Mapping[str, str] = {
    "bash": "sh bash zsh", "bibtex": "bib", "c": "c h", "cpp": "cpp cc cxx hpp hh hxx",
    "csharp": "cs", "css": "css", "clojure": "clj", "cmake": "cmake", "dart": "dart",
    "diff": "diff patch", "dockerfile": "dockerfile", "elixir": "ex exs", "erlang": "erl",
    "fsharp": "fs", "go": "go", "graphql": "graphql gql", "groovy": "groovy gradle",
    "haskell": "hs", "ini": "ini cfg conf properties editorconfig", "java": "java",
    "javascript": "js mjs cjs jsx", "json": "json jsonl ndjson geojson webmanifest",
    "json5": "json5", "julia": "jl", "kotlin": "kt kts", "latex": "tex sty cls", "less": "less",
    "lisp": "lisp el", "lua": "lua", "makefile": "mk", "nix": "nix", "objectivec": "m mm",
    "ocaml": "ml mli", "perl": "pl pm", "php": "php", "powershell": "ps1 psm1", "protobuf": "proto",
    "python": "py pyi pyw", "r": "r", "ruby": "rb", "rust": "rs", "scala": "scala", "scheme": "scm",
    "scss": "scss sass", "sql": "sql", "svelte": "svelte", "swift": "swift", "terraform": "tf",
    "toml": "toml", "typescript": "ts tsx mts cts", "typst": "typ", "vim": "vim", "vue": "vue",
    "xml": "xml xsd xsl xslt svg plist opml rss atom", "yaml": "yaml yml", "zig": "zig",
}  # fmt: skip
_BY_SUFFIX = {
    f".{suffix}": language
    for language, suffixes in _LANGUAGES.items()
    for suffix in suffixes.split()
}
_BY_NAME = {
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "dockerfile": "dockerfile",
    "cmakelists.txt": "cmake",
}


def language_of(path: Path) -> str:
    """Return what a fenced block of the file's text is to be called, empty where it is not
    source code.
    """
    return _BY_NAME.get(path.name.lower()) or _BY_SUFFIX.get(path.suffix.lower(), "")
