"""Pandoc's inlines → Markdown within a line."""

import html
import re
from collections.abc import Callable, Iterator
from itertools import chain, groupby
from typing import Any

import msgspec

from dogent_tui.documents.pandoc.escapes import (
    code_span,
    escaped,
    hidden_comment,
    is_punctuation,
    link_target,
)
from dogent_tui.documents.pandoc.tree import (
    HIDDEN,
    Node,
    plain,
    plain_text,
)

_DELIMITERS = {"Emph": "*", "Strong": "**", "Strikeout": "~~"}
_TAGS = {
    "Emph": "em", "Strong": "strong", "Strikeout": "del", "Superscript": "sup",
    "Subscript": "sub", "Underline": "u",
}  # fmt: skip
_HARMLESS_HTML = re.compile(
    r"</?(?:sup|sub|u|b|i|em|strong|del|s|code|kbd|mark|small)>|<br\s*/?>", re.IGNORECASE
)
_OPENING = "（「『【《〈“‘"
_CLOSING = "，。、；：！？）」』】》〉”’…,.;:!?"


class Shared(msgspec.Struct):
    """What the writers of a document's inlines share.

    `image` returns the displayed name of an image; those of a page keep their titles. With `marks`,
    tracked changes and comments, which pandoc represents as spans, are written in CriticMarkup with
    author and date: ``{++inserted++}{>>Ann, 2026-01-04<<}``, ``{--deleted--}{>>…<<}``,
    ``{==words==}{>>Ann, 2026-01-04: what she says<<}``; an inserted or deleted paragraph mark is
    ``{++¶++}`` or ``{--¶--}``.

    Hidden text is collected in `hidden`, for the end of its block; that of a page stays in place,
    since it is often the whole block. `heading_ids` are the targets of links within the document;
    `notes` collects the blocks of footnotes, `numbers` has that of each, which a page may refer to
    again; `comments` the text to write at the end of a comment's
    range, by the comment's id.
    """

    image: Callable[[str], str]
    marks: bool = False
    is_page: bool = False
    hidden: list[str] = []
    heading_ids: set[str] = set()
    notes: list[list[Node]] = []
    numbers: dict[bytes, int] = {}
    comments: dict[str, str] = {}


class Inlines:
    """Writes inlines as Markdown within a line, each kind by the method of the same name."""

    delimited = frozenset(_DELIMITERS)
    """The kinds of emphasis that are not always tags."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._is_in_link = False

    def write(self, nodes: list[Node]) -> str:
        """Return Markdown for `nodes`; hard line breaks are a backslash and a newline."""
        out: list[str] = []
        last = ""  # how to write emphasis depends on the adjacent characters
        pieces = [piece for piece in map(self._piece, _merged(nodes)) if piece[0]]
        for index, (text, style) in enumerate(pieces):
            if style:
                after = pieces[index + 1][0] if index + 1 < len(pieces) else ""
                text = _styled(text, style, last, after[:1])
            if text:
                out.append(text)
                last = text[-1]
        return "".join(out)

    def without_links(self, nodes: list[Node]) -> str:
        """Return Markdown for `nodes` with links replaced by their text, since Markdown does not
        allow nested links.
        """
        before, self._is_in_link = self._is_in_link, True
        text = self.write(nodes)
        self._is_in_link = before
        return text

    def _piece(self, node: Node) -> tuple[str, str]:
        """Return the text of a node and the emphasis to put around it, which depends on the
        adjacent characters.
        """
        kind = node["t"]
        if kind in self.delimited:
            return self.write(node["c"]), kind
        if kind in _TAGS:
            inner = self.write(node["c"])
            if all(inside["t"] == "Note" for inside in node["c"]):
                return inner, ""  # the program raised its number
            return (f"<{_TAGS[kind]}>{inner}</{_TAGS[kind]}>" if inner.strip() else inner), ""
        return getattr(self, f"_of_{kind.lower()}")(node.get("c")), ""

    def _of_str(self, text: str) -> str:
        return escaped(re.sub(" {2,}", " ", text.translate(_NOT_IN_TEXT)), marks=self._shared.marks)

    def _of_linebreak(self, _: None) -> str:
        return "\\\n"

    def _of_code(self, contents: Any) -> str:
        return code_span(contents[1])

    def _of_math(self, contents: Any) -> str:
        mark = "$" if contents[0]["t"] == "InlineMath" else "$$"
        return f"{mark}{' '.join(contents[1].split())}{mark}"

    def _of_quoted(self, contents: Any) -> str:
        opening, closing = "‘’" if contents[0]["t"] == "SingleQuote" else "“”"
        return f"{opening}{self.write(contents[1])}{closing}"

    def _of_note(self, blocks: list[Node]) -> str:
        notes, following = self._shared.notes, len(self._shared.notes) + 1
        key = msgspec.msgpack.encode(blocks if self._shared.is_page else following)
        number = self._shared.numbers.setdefault(key, following)
        notes += [blocks] * (number == following)
        return f"[^{number}]"

    def _of_rawinline(self, contents: Any) -> str:
        form, text = contents
        if form == "html":
            return text if _HARMLESS_HTML.fullmatch(text) else ""
        if form == "markdown":
            return str(text)
        return escaped(text) if form in ("tex", "latex") else ""

    def _of_link(self, contents: Any) -> str:
        _, inner, (target, title) = contents
        if target == HIDDEN:
            words = plain_text(inner)
            if self._shared.is_page:
                return hidden_comment(words, "on the page")
            self._shared.hidden += [words] if words else []
            return ""
        return self.write(inner) if self._is_in_link else self._linked(inner, target, title)

    def _linked(self, inner: list[Node], target: str, title: str) -> str:
        text = self.without_links(inner).replace("\\\n", " ").strip()
        if target.startswith("#") and target[1:] not in self._shared.heading_ids:
            return text  # to a place without a name in Markdown
        if not text or (
            plain_text(inner) in (target, target.removeprefix("mailto:"))
            and re.fullmatch(r"[a-z]+:[^\s<>]+", target)
        ):
            shown = plain_text(inner) if text else target
            return f"<{shown}>" if target and not target.startswith("#") else ""
        return f"[{_balanced(text)}]({link_target(target)}{_title(title)})"

    def _of_image(self, contents: Any) -> str:
        _, inner, (target, title) = contents
        alt = _balanced(escaped(plain_text(inner)))
        quoted = _title(title if self._shared.is_page else "")
        return f"![{alt}]({link_target(self._shared.image(target))}{quoted})"

    def _of_span(self, contents: Any) -> str:
        (_, (kind, *_), pairs), inner = contents
        if not self._shared.marks:
            return self.write(inner)
        values = dict(pairs)
        number = values.get("id", "")
        who = ", ".join(
            filter(None, (values.get("author", "").strip(), values.get("date", "")[:10]))
        )
        if kind == "comment-start":
            self._shared.comments[number] = f"{{>>{who}{': ' * bool(who)}{plain_text(inner)}<<}}"
            return f"{_COMMENT}{number}{_COMMENT}"
        if kind == "comment-end":
            return f"{_COMMENT_END}{number}{_COMMENT_END}"
        sign = "++" if kind.endswith("insertion") else "--"
        text = "¶" if kind.startswith("paragraph-") else self.write(inner)
        return f"{{{sign}{text}{sign}}}{{>>{who}<<}}" if text.strip() else ""

    def settle_comments(self, markdown: str) -> str:
        """Return `markdown`, a complete block, with its comments in place: about words, or at a
        position.
        """

        def about(found: re.Match[str]) -> str:
            said, words = self._shared.comments.get(found[1], ""), found[2]
            is_short = words.strip() and "\n\n" not in words
            return f"{{=={words}==}}{said}" if is_short else f"{said}{words}"

        if _COMMENT not in markdown and _COMMENT_END not in markdown:
            return markdown
        for _ in range(_COMMENTS_WITHIN):
            markdown = _ABOUT.sub(about, markdown)
        markdown = _STARTS.sub(lambda found: self._shared.comments.get(found[1], ""), markdown)
        return _ENDS.sub("", markdown)


class HtmlInlines(Inlines):
    """Writes inlines of the same document as HTML, in which Markdown is not interpreted. Notes are
    named as in Markdown.
    """

    delimited = frozenset()

    def _of_str(self, text: str) -> str:
        return html.escape(re.sub(" {2,}", " ", text.translate(_NOT_IN_TEXT)), quote=False)

    def _of_linebreak(self, _: None) -> str:
        return "<br>"

    def _of_code(self, contents: Any) -> str:
        return f"<code>{html.escape(contents[1], quote=False)}</code>"

    def _of_math(self, contents: Any) -> str:
        return html.escape(super()._of_math(contents), quote=False)

    def _linked(self, inner: list[Node], target: str, title: str) -> str:
        del title
        if target.startswith("#"):
            return self.write(inner)
        return f'<a href="{html.escape(target)}">{self.without_links(inner)}</a>'

    def _of_image(self, contents: Any) -> str:
        _, inner, (target, _) = contents
        name, alt = html.escape(self._shared.image(target)), html.escape(plain_text(inner))
        return f'<img src="{name}" alt="{alt}">'


_CHANGES = frozenset([
    "insertion", "deletion", "paragraph-insertion", "paragraph-deletion", "comment-start",
    "comment-end",
])  # fmt: skip
_COMMENT, _COMMENT_END = "\ue0f0", "\ue0f1"
"""Placeholders for the beginning and end of a comment's range, until the block is complete."""
_COMMENTS_WITHIN = 8
"""The nesting depth of comments; deeper ones are written where they begin."""
_NOT_IN_TEXT = dict.fromkeys(map(ord, (_COMMENT, _COMMENT_END, "\N{SOFT HYPHEN}")))
_ABOUT = re.compile(
    f"{_COMMENT}([^{_COMMENT}]*){_COMMENT}([^{_COMMENT}{_COMMENT_END}]*){_COMMENT_END}\\1{_COMMENT_END}"
)
_STARTS = re.compile(f"{_COMMENT}([^{_COMMENT}]*){_COMMENT}")
_ENDS = re.compile(f"{_COMMENT_END}([^{_COMMENT_END}]*){_COMMENT_END}")


def _merged(nodes: list[Node]) -> list[Node]:
    """Join runs split by Word: adjacent emphasis of the same kind, words, and links to the same
    place. Unwrap nodes without a Markdown equivalent.
    """
    out: list[Node] = []
    for kind, group in groupby(_unwrapped(nodes), _joined_kind):
        same = list(group)
        if kind == "Str":
            out.append(plain("".join(node.get("c", " ") for node in same)))
        elif kind in _TAGS:
            out.append({"t": kind, "c": list(chain.from_iterable(node["c"] for node in same))})
        elif same[0]["t"] == "Link":
            attributes, _, target = same[0]["c"]
            inner = list(chain.from_iterable(node["c"][1] for node in same))
            out.append({"t": "Link", "c": [attributes, inner, target]})
        else:
            out += same
    return out


def _joined_kind(node: Node) -> str:
    kind: str = node["t"]
    if kind == "Link":
        return f"Link {node['c'][2]}"
    return "Str" if kind in ("Space", "SoftBreak") else kind


def _unwrapped(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        kind = node["t"]
        if kind == "SmallCaps":
            yield from _unwrapped(node["c"])
        elif kind == "Cite" or (kind == "Span" and not set(node["c"][0][1][:1]) & _CHANGES):
            yield from _unwrapped(node["c"][1])
        else:
            yield node


def _styled(inner: str, style: str, before: str, after: str) -> str:
    """Put emphasis around `inner` so that CommonMark recognizes it: with flanking delimiters,
    otherwise with tags.

    Spaces at its ends, and punctuation that would prevent closing, are moved outside.
    """
    delimiter, tag = _DELIMITERS[style], _TAGS[style]
    core = inner.strip()
    if not core:
        return inner
    lead, trail = inner[: inner.index(core[0])], inner[len(inner.rstrip()) :]
    if core.endswith("\\"):  # a hard break at its end
        core, trail = core[:-1].rstrip(), "\\" + trail
        if not core:
            return inner
    if not _flanks((before + lead)[-1:], core[:1]):
        stripped = core.lstrip(_OPENING)
        lead, core = lead + core[: len(core) - len(stripped)], stripped
    if not _flanks((trail + after)[:1], core[-1:]):
        stripped = core.rstrip(_CLOSING)
        core, trail = stripped, core[len(stripped) :] + trail
    if not core:
        return lead + trail
    previous, following = (before + lead)[-1:], (trail + after)[:1]
    clash = delimiter[0] in (previous, following)
    if clash or not _flanks(previous, core[:1]) or not _flanks(following, core[-1:]):
        return f"{lead}<{tag}>{core}</{tag}>{trail}"
    return f"{lead}{delimiter}{core}{delimiter}{trail}"


def _flanks(outside: str, inside: str) -> bool:
    """Return whether a delimiter between two characters opens or closes emphasis of the inner one
    (CommonMark 0.31, 6.2).
    """
    return (
        not outside
        or outside.isspace()
        or is_punctuation(outside)
        or not is_punctuation(inside or " ")
    )


def _balanced(text: str) -> str:
    """Escape unbalanced brackets in the text of a link, which would end it; those of images and
    notes are balanced.
    """
    depth = 0
    for bracket in re.findall(r"(?<!\\)[\[\]]", text):
        depth += 1 if bracket == "[" else -1
        if depth < 0:
            break
    return text if depth == 0 else re.sub(r"(?<!\\)([\[\]])", r"\\\1", text)


def _title(title: str) -> str:
    words = " ".join(title.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f' "{words}"' if words else ""
