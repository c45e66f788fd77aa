"""Readers for prose, Markdown and source code: the unchanged text, in blocks with sensible
boundaries.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path

from dogent_tui.documents.model import Block, Opened, ReadOptions, Report, Source
from dogent_tui.documents.text.source import TextSource

_LONG_BLOCK = 4000
"""The number of characters after which a block without a paragraph break is cut at the end of a
line.
"""
_LONG_LINE = 4 << 20
"""The number of characters after which even a line is cut."""
_FENCED_BYTES = 64 << 20
"""The number of characters to search for fences: no more of a file is ever shown."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_CODE_FENCE = re.compile(r"`{3,}")


def open_text(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. Plain text is unchanged: its reader sees a text, not
    Markdown.
    """
    source = TextSource(path, options.encoding)
    return _opened("text", source, _split(source, lambda _: False, []), report)


def open_markdown(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. Each block has the headings above it."""
    source = TextSource(path, options.encoding)
    return _opened("markdown", source, _markdown(source), report)


def open_code(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. The file is one fenced block in its language."""
    source, language = TextSource(path, options.encoding), language_of(path)
    opened = _opened("code", source, _fenced(source, language), report)
    opened.metadata["language"] = language
    return opened


def _opened(name: str, source: TextSource, blocks: Iterator[Block], report: Report) -> Opened:
    opened = Opened(name, {"encoding": source.encoding}, iter(()))

    def read() -> Iterator[Block]:
        for block in blocks:
            yield block
            report(source.read, source.size, "bytes")
        opened.metadata["lines"] = source.count
        opened.warnings.extend(source.warnings())

    opened.blocks = read()
    return opened


def _markdown(source: TextSource) -> Iterator[Block]:
    headings: list[tuple[int, str]] = []
    fence = ""

    def continues(line: str) -> bool:
        """Process a line, and return whether it is in a fence, where an empty line does not
        separate blocks.
        """
        nonlocal fence
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
            return True
        if found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
        elif heading := _HEADING.match(line):
            headings[:] = [above for above in headings if above[0] < len(heading[1])]
            headings.append((len(heading[1]), heading[2] or ""))
        return False

    yield from _split(source, continues, headings)


def _split(
    source: TextSource,
    continues: Callable[[str], bool],
    headings: list[tuple[int, str]],
    *,
    tight: bool = False,
) -> Iterator[Block]:
    """Cut at the first empty line of each gap, so that the joined blocks are the text, up to the
    last empty line. A long block is cut at the end of a line, and the next one continues it.

    A block belongs to `headings`, which `continues` updates while it processes the lines; if it
    returns True for a line, the block cannot end there. The first block is `tight` if it continues
    one.
    """
    held, chars, first, has_begun = list[str](), 0, 1, False
    for number, line in enumerate(source.lines(), 1):
        is_gap = not continues(line) and line == "\n" and has_begun
        if not is_gap:
            held.append(line)
            chars += len(line)
            has_begun = has_begun or not line.isspace()
            if chars < (_LONG_BLOCK if line.endswith("\n") else _LONG_LINE):
                continue
        if held:
            yield _block(held, first, headings, tight=tight)
        held, chars, first, tight = [], 0, number + 1, not is_gap
        has_begun = not is_gap
    if held and has_begun:  # the empty lines at the end are not a block
        yield _block(held, first, headings, tight=tight)


def _block(lines: list[str], first: int, headings: list[tuple[int, str]], *, tight: bool) -> Block:
    source = Source(line=first, headings=tuple(title for _, title in headings))
    return Block("".join(lines).removesuffix("\n"), source, tight)


def _fenced(source: TextSource, language: str) -> Iterator[Block]:
    """Put a fence around it that is longer than any inside."""
    searched = takewhile(lambda _: source.read < _FENCED_BYTES, source.lines())
    runs = (len(run) for line in searched for run in _CODE_FENCE.findall(line))
    fence = "`" * (max(runs, default=2) + 1)
    yield Block(f"{fence}{language}", Source(line=1))
    yield from _split(source, lambda _: True, [], tight=True)
    yield Block(fence, Source(line=max(source.count, 1)), tight=True)


_LANGUAGES: Mapping[str, str] = {
    "bash": "sh bash zsh", "bibtex": "bib", "c": "c h", "cpp": "cpp cc cxx hpp hh hxx",
    "csharp": "cs", "css": "css", "clojure": "clj", "cmake": "cmake cmakelists.txt", "dart": "dart",
    "diff": "diff patch", "dockerfile": "dockerfile", "elixir": "ex exs", "erlang": "erl",
    "fsharp": "fs", "go": "go", "graphql": "graphql gql", "groovy": "groovy gradle",
    "haskell": "hs", "ini": "ini cfg conf properties editorconfig", "java": "java",
    "javascript": "js mjs cjs jsx", "json": "json jsonl ndjson geojson webmanifest",
    "json5": "json5", "julia": "jl", "kotlin": "kt kts", "latex": "tex sty cls", "less": "less",
    "lisp": "lisp el", "lua": "lua", "makefile": "mk makefile gnumakefile", "nix": "nix",
    "objectivec": "m mm", "ocaml": "ml mli", "perl": "pl pm", "php": "php",
    "powershell": "ps1 psm1", "protobuf": "proto", "python": "py pyi pyw", "r": "r", "ruby": "rb",
    "rust": "rs", "scala": "scala", "scheme": "scm", "scss": "scss sass", "sql": "sql",
    "svelte": "svelte", "swift": "swift", "terraform": "tf", "toml": "toml",
    "typescript": "ts tsx mts cts", "typst": "typ", "vim": "vim", "vue": "vue",
    "xml": "xml xsd xsl xslt svg plist opml rss atom", "yaml": "yaml yml", "zig": "zig",
}  # fmt: skip
_BY_ENDING = {
    ending: language for language, endings in _LANGUAGES.items() for ending in endings.split()
}


def language_of(path: Path) -> str:
    """Return the language for a fenced block of the file, empty if it is not source code."""
    name = path.name.lower()
    return _BY_ENDING.get(name) or _BY_ENDING.get(name.rpartition(".")[2], "")
