"""Inline Markdown: emphasis, code, links and other content of a block, as spans."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dogent_tui.plain import visible
from dogent_tui.tui.transcript.lines import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_BARE_LINK = re.compile(r"https?://[^\s<>\"'`|，。；：！？、（）「」『』【】《》]+", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")
_TRAILING = ".,;:!?*_)]}"
_LINKABLE = ("http://", "https://", "mailto:")

_NESTED = 20
"""The nesting depth of brackets that may still be links. Each further level multiplies the cost of
every bracket of a line.
"""

_MARKS = {"strong": "strong", "em": "emphasis", "s": "strike"}
"""The style of each paired tag."""


@lru_cache(maxsize=2)
def parser(max_nesting: int = _NESTED) -> "MarkdownIt":
    """Return the parser: CommonMark with tables and strikethrough; HTML is treated as text."""
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import image, link

    def closed(
        rule: "Callable[[StateInline, bool], bool]",
    ) -> "Callable[[StateInline, bool], bool]":
        """Skip the search for the end of a link where there cannot be one."""
        return lambda state, silent: state.src.find("]", state.pos) >= 0 and rule(state, silent)

    made = MarkdownIt("commonmark", {"html": False, "maxNesting": max_nesting}).enable(
        ["table", "strikethrough"]
    )
    made.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph"]})
    made.inline.ruler.at("link", closed(link))
    made.inline.ruler.at("image", closed(image))
    return made


def _footnote(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Treat the text of each footnote as a paragraph: CommonMark would ignore it or read it as a
    link definition.
    """
    if state.is_code_block(start) or not _FOOTNOTE.match(
        state.src, state.bMarks[start] + state.tShift[start]
    ):
        return False
    if silent:
        return True
    last = start + 1
    while (
        last < end
        and not state.isEmpty(last)
        and not _FOOTNOTE.match(state.src, state.bMarks[last] + state.tShift[last])
    ):
        last += 1
    state.line = last
    opened = state.push("paragraph_open", "p", 1)
    opened.map = [start, last]
    text = state.push("inline", "", 0)
    text.content = state.getLines(start, last, state.blkIndent, False).strip()
    text.map = [start, last]
    text.children = []
    state.push("paragraph_close", "p", -1)
    return True


def inline(content: str, references: dict[str, Any], style: str = "") -> list[Span]:
    """Return the spans of `content`, with `style` as the default. `references`: the link
    definitions of the text.
    """
    md = parser()
    tokens: list[Token] = []
    md.inline.parse(content, md, {"references": references}, tokens)
    return _Inline(style).render(tokens)


class _Inline:
    """Walks inline tokens, tracking the open styles."""

    def __init__(self, style: str) -> None:
        self._styles = [style] if style else []
        self._address = ""  # of the open link
        self._label = ""
        self._spans: list[Span] = []

    def render(self, tokens: "Sequence[Token]") -> list[Span]:
        for token in tokens:
            self._token(token)
        return self._spans

    def _token(self, token: "Token") -> None:
        match token.type:
            case "strong_open" | "em_open" | "s_open":
                self._styles.append(_MARKS[token.tag])
            case "strong_close" | "em_close" | "s_close":
                self._close(_MARKS[token.tag])
            case "code_inline":
                self._add(token.content, "code-inline")
            case "softbreak":
                # A line break between two CJK characters is not a space.
                last = self._spans[-1].text[-1:] if self._spans else ""
                self._add("" if last >= "\u2e80" else " ")
            case "hardbreak":
                self._add("\n")
            case "link_open":
                self._address, self._label = _clean(str(token.attrGet("href") or "")), ""
                self._styles.append("link")
            case "link_close":
                self._close_link()
            case "image":
                self._image(token)
            case _:
                self._text(token.content)

    def _close(self, style: str) -> None:
        if style in self._styles:
            last = max(at for at, open_ in enumerate(self._styles) if open_ == style)
            del self._styles[last]

    def _add(self, text: str, *styles: str, link: str = "") -> None:
        if text:
            link = link or (self._address if _linkable(self._address) else "")
            self._label += text if self._address else ""
            self._spans.append(Span(visible(text), " ".join([*self._styles, *styles]), link))

    def _text(self, text: str) -> None:
        if self._address:
            self._add(text)
            return
        end = 0
        for match in _BARE_LINK.finditer(text):
            address = _trimmed(match[0])
            self._add(text[end : match.start()])
            end = match.start() + len(address)
            self._add(address, "link", link=address if _linkable(address) else "")
        self._add(text[end:])

    def _close_link(self) -> None:
        self._close("link")
        address, self._address = self._address, ""
        # If the terminal is given no link to open, the address must be shown, or it would be lost.
        if address and not _linkable(address) and address != self._label:
            self._add(f" ({address})", "muted")

    def _image(self, token: "Token") -> None:
        address = _clean(str(token.attrGet("src") or ""))
        label = token.content or "image"
        self._add(f"[{label}]", "emphasis", link=address if _linkable(address) else "")
        if address and not _linkable(address) and not self._address:
            self._add(f" ({address})", "muted")


def _clean(address: str) -> str:
    from urllib.parse import unquote

    address = visible(address)
    return address if _linkable(address) else visible(unquote(address))


def _linkable(address: str) -> bool:
    # An OSC 8 sequence must contain neither control characters nor anything that ends the sequence.
    return address.lower().startswith(_LINKABLE) and address.isascii() and address.isprintable()


def _trimmed(address: str) -> str:
    """Remove punctuation that ends a sentence rather than an address; a closing bracket stays if it
    was opened in the address.
    """
    while address and address[-1] in _TRAILING:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address
