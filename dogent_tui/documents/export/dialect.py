"""The Markdown that is exported: CommonMark with tables, footnotes, definition lists, task lists, formulas and image sizes."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PAGE_BREAK = re.compile(r"\\(?:newpage|pagebreak|clearpage)\s*")
_SIZE = re.compile(r"""(width|height)=["']?(\d+(?:\.\d+)?(?:px|%|cm|mm|in|pt|em)?)["']?(?=[\s}])""")
_SIZES = re.compile(r"\{(?:\s*(?:" + _SIZE.pattern + r"|[.#][\w-]+))+\s*\}")
"""What pandoc calls the attributes of an image; its classes and names mean nothing here."""
_ATTRIBUTE = r"""(?:[#.][\w:.-]+|-|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s"'}]+))"""
_ATTRIBUTES = re.compile(r"\{\s*" + _ATTRIBUTE + r"(?:\s+" + _ATTRIBUTE + r")*\s*\}")
"""What pandoc calls the attributes of a heading; of these, its name (``{#name}``) is heard."""
_TOC_MARK = re.compile(r"\[\[?_?toc_?\]\]?", re.IGNORECASE)


@cache
def parser() -> MarkdownIt:
    """Return the parser. HTML is recognised, so that it can be rewritten; addresses are judged when they are written."""
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.tasklists import tasklists_plugin

    markdown = MarkdownIt("commonmark", {"html": True, "linkify": True}).enable(["table", "strikethrough", "linkify"])
    if markdown.linkify is not None:
        markdown.linkify.set({"fuzzy_link": False, "fuzzy_email": False})  # notes.md is no site in Moldova
    markdown.use(footnote_plugin).use(deflist_plugin).use(tasklists_plugin)
    markdown.use(
        dollarmath_plugin, allow_space=False, allow_digits=False, allow_labels=False, allow_blank_lines=False, double_inline=True
    )
    markdown.add_render_rule("footnote_caption", _footnote_number)
    markdown.validateLink = _any_address  # type: ignore[method-assign]
    return markdown


def _any_address(url: str) -> bool:  # noqa: ARG001
    return True


def _footnote_number(_renderer: object, tokens: Sequence[Token], idx: int, *_: object) -> str:
    return str(tokens[idx].meta["id"] + 1)


def parse(text: str, env: dict[str, object]) -> list[Token]:
    """Return the tokens of `text`, with page breaks and the place of the table of contents as tokens of their own."""
    tokens = parser().parse(text, env)
    parsed: list[Token] = []
    position = 0
    while position < len(tokens):
        _take_sizes(tokens[position].children or [])
        if tokens[position].type == "heading_open":
            _take_name(tokens[position], tokens[position + 1].children or [])
        mark = _mark(tokens, position)
        if mark:
            parsed.append(Token(mark, "", 0, map=tokens[position].map, block=True))
            position += 3
        else:
            parsed.append(tokens[position])
            position += 1
    return parsed


def _mark(tokens: list[Token], position: int) -> str:
    """Return what the paragraph at `position` stands for, empty where it is but a paragraph."""
    if tokens[position].type != "paragraph_open" or position + 2 >= len(tokens):
        return ""
    content = tokens[position + 1].content
    if _PAGE_BREAK.fullmatch(content):
        return "page_break"
    return "toc_mark" if tokens[position].level == 0 and _TOC_MARK.fullmatch(content.strip()) else ""


def _take_sizes(children: list[Token]) -> None:
    """Give images the size that stands behind them in braces, as pandoc has it: ``{width=50%}``."""
    for image, text in pairwise(children):
        found = _SIZES.match(text.content) if image.type == "image" and text.type == "text" else None
        if found is not None:
            text.content = text.content[found.end() :]
            for name, value in _SIZE.findall(found[0]):
                image.attrSet(name, value)


def _take_name(heading: Token, children: list[Token]) -> None:
    """Keep the name that stands in braces at the end of a heading as the `name` of its `meta`."""
    last = children[-1] if children else None
    at = last.content.rfind("{") if last is not None and last.type == "text" else -1
    if last is None or at < 0 or not _ATTRIBUTES.fullmatch(last.content[at:]):
        return
    words = last.content[at + 1 : -1].split()
    last.content = last.content[:at].rstrip()
    heading.meta["name"] = next((word[1:] for word in words if word.startswith("#")), "")


def walk(tokens: list[Token]) -> Iterator[Token]:
    """Yield all tokens in the order of the text, those inside of others too."""
    for token in tokens:
        yield token
        if token.children:
            yield from walk(token.children)


def plain_text(token: Token) -> str:
    """Return the words of an inline token, without what marks them."""
    parts = []
    for child in token.children or []:
        if child.type in {"text", "code_inline", "text_special", "math_inline", "math_inline_double"}:
            parts.append(child.content)
        elif child.type == "image":
            parts.append(plain_text(child))
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
    return "".join(parts)
