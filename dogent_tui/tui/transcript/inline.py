"""Inline Markdown: emphasis, code, links and other content of a block, as spans."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dogent_tui.plain import visible
from dogent_tui.tui.transcript.lines import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_BARE_LINK = re.compile(r"https?://[^\s<>\"'`|，。；：！？、（）「」『』【】《》]+", re.IGNORECASE)
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
    from mdit_py_plugins.footnote.index import footnote_def

    def closed(
        rule: "Callable[[StateInline, bool], bool]",
    ) -> "Callable[[StateInline, bool], bool]":
        """Skip the search for the end of a link where there cannot be one."""
        return lambda state, silent: state.src.find("]", state.pos) >= 0 and rule(state, silent)

    made = MarkdownIt("commonmark", {"html": False, "maxNesting": max_nesting}).enable(
        ["table", "strikethrough"]
    )
    made.block.ruler.before("reference", "footnote", footnote_def, {"alt": ["paragraph"]})
    made.inline.ruler.at("link", closed(link))
    made.inline.ruler.at("image", closed(image))
    return made


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
                self._styles.pop()
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
                self._styles.pop()
                address, self._address = self._address, ""
                if address != self._label:
                    self._tell(address)
            case "image":
                self._image(token.content or "image", _clean(str(token.attrGet("src") or "")))
            case _:
                self._text(token.content)

    def _add(self, text: str, *styles: str, link: str = "") -> None:
        if text:
            link = link or _linkable(self._address)
            self._label += text if self._address else ""
            self._spans.append(Span(visible(text), " ".join([*self._styles, *styles]), link))

    def _image(self, label: str, address: str) -> None:
        self._add(f"[{label}]", "emphasis", link=_linkable(address))
        if not self._address:
            self._tell(address)

    def _tell(self, address: str) -> None:
        """Show an address that the terminal is not given to open, or it would be lost."""
        if address and not _linkable(address):
            self._add(f" ({address})", "muted")

    def _text(self, text: str) -> None:
        if self._address:
            self._add(text)
            return
        end = 0
        for match in _BARE_LINK.finditer(text):
            address = _trimmed(match[0])
            self._add(text[end : match.start()])
            end = match.start() + len(address)
            self._add(address, "link", link=_linkable(address))
        self._add(text[end:])


def _clean(address: str) -> str:
    from urllib.parse import unquote

    address = visible(address)
    return address if _linkable(address) else visible(unquote(address))


def _linkable(address: str) -> str:
    """Return `address` if a terminal can open it, otherwise an empty string."""
    # An OSC 8 sequence must contain neither control characters nor anything that ends the sequence.
    is_safe = address.lower().startswith(_LINKABLE) and address.isascii() and address.isprintable()
    return address if is_safe else ""


def _trimmed(address: str) -> str:
    """Remove punctuation that ends a sentence rather than an address; a closing bracket stays if it
    was opened in the address.
    """
    while address and address[-1] in _TRAILING:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address
