"""Pandoc's inlines → Markdown within a line."""

import re
from collections.abc import Callable
from typing import Any

from dogent_tui.documents.pandoc.escapes import code_span, escaped, is_punctuation, link_target
from dogent_tui.documents.pandoc.tree import Node, plain_text

_DELIMITERS = {"Emph": ("*", "em"), "Strong": ("**", "strong"), "Strikeout": ("~~", "del")}
_TAGS = {"Superscript": "sup", "Subscript": "sub", "Underline": "u"}
_MERGED = (*_DELIMITERS, *_TAGS)
_HARMLESS_HTML = re.compile(
    r"</?(?:sup|sub|u|b|i|em|strong|del|s|code|kbd|mark|small)>|<br\s*/?>", re.IGNORECASE
)
_OPENING = "（「『【《〈“‘"
_CLOSING = "，。、；：！？）」』】》〉”’…,.;:!?"


class Inlines:
    """Writes inlines. `notes` collects the blocks of footnotes; `heading_ids` are what links within
    the document may point to.

    With `titles`, images keep theirs. With `marks`, tracked changes and comments, which pandoc
    leaves as spans, are written in CriticMarkup with who and when:
    ``{++inserted++}{>>Ann, 2026-01-04<<}``, ``{--deleted--}{>>…<<}``, ``{==words==}{>>Ann,
    2026-01-04: what she says<<}``; a paragraph's end that was inserted or deleted is ``{++¶++}`` or
    ``{--¶--}``.
    """

    def __init__(
        self,
        *,
        heading_ids: set[str],
        image: Callable[[str], str],
        marks: bool = False,
        titles: bool = False,
    ) -> None:
        self.notes: list[list[Node]] = []
        self._heading_ids = heading_ids
        self._image_name = image
        self._marks = marks
        self._titles = titles
        self._comments: dict[str, str] = {}
        """What is to be written where the words end that a comment is about, by the comment's id.
        """
        self._writers: dict[str, Callable[[Any], str]] = {
            "Str": self._str,
            "LineBreak": self._line_break,
            "Code": self._code,
            "Math": self._math,
            "Quoted": self._quoted,
            "Note": self._note,
            "RawInline": self._raw,
            "Link": self._link,
            "Image": self._image,
            "Span": self._span,
        }

    def write(self, nodes: list[Node]) -> str:
        """Return Markdown for `nodes`; hard line breaks are a backslash and a newline."""
        out: list[str] = []
        last = ""  # what stands right before and after an emphasis decides how it is written
        pieces = [piece for piece in map(self._piece, _merged(nodes)) if piece[0]]
        for index, (text, style) in enumerate(pieces):
            if style:
                after = pieces[index + 1][0] if index + 1 < len(pieces) else ""
                text = _styled(text, style, last, after[:1])
            if text:
                out.append(text)
                last = text[-1]
        return "".join(out)

    def _piece(self, node: Node) -> tuple[str, str]:
        """Return what a node says, and the emphasis that belongs around it, which depends on what
        stands beside it.
        """
        kind = node["t"]
        if kind in _DELIMITERS:
            return self.write(node["c"]), kind
        if kind in _TAGS:
            inner = self.write(node["c"])
            return (f"<{_TAGS[kind]}>{inner}</{_TAGS[kind]}>" if inner.strip() else inner), ""
        return self._writers[kind](node.get("c")), ""

    def _str(self, text: str) -> str:
        return escaped(re.sub(" {2,}", " ", text.translate(_NOT_IN_TEXT)), marks=self._marks)

    def _line_break(self, _: None) -> str:
        return "\\\n"

    def _code(self, contents: Any) -> str:
        return code_span(contents[1])

    def _math(self, contents: Any) -> str:
        (kind, tex), mark = (contents[0]["t"], contents[1]), "$"
        tex = " ".join(tex.split())
        return f"{mark}{tex}{mark}" if kind == "InlineMath" else f"{mark * 2}{tex}{mark * 2}"

    def _quoted(self, contents: Any) -> str:
        opening, closing = ("‘", "’") if contents[0]["t"] == "SingleQuote" else ("“", "”")
        return f"{opening}{self.write(contents[1])}{closing}"

    def _note(self, blocks: list[Node]) -> str:
        self.notes.append(blocks)
        return f"[^{len(self.notes)}]"

    def _raw(self, contents: Any) -> str:
        form, text = contents
        if form == "html":
            return text if _HARMLESS_HTML.fullmatch(text) else ""
        if form == "markdown":
            return str(text)
        return escaped(text) if form in ("tex", "latex") else ""

    def _link(self, contents: Any) -> str:
        _, inner, (target, title) = contents
        inner = without_links(inner)
        text = self.write(inner).replace("\\\n", " ").strip()
        if target.startswith("#") and target[1:] not in self._heading_ids:
            return text  # to a place that Markdown has no name for
        if not text or (
            plain_text(inner) in (target, target.removeprefix("mailto:"))
            and re.fullmatch(r"[a-z]+:[^\s<>]+", target)
        ):
            return f"<{target}>" if target and not target.startswith("#") else ""
        return f"[{_balanced(text)}]({link_target(target)}{_title(title)})"

    def _image(self, contents: Any) -> str:
        _, inner, (target, title) = contents
        alt = _balanced(escaped(plain_text(inner)))
        quoted = _title(title if self._titles else "")
        return f"![{alt}]({link_target(self._image_name(target))}{quoted})"

    def _span(self, contents: Any) -> str:
        (_, classes, pairs), inner = contents
        kind = classes[0] if classes else ""
        if not self._marks or kind not in _CHANGES:
            return self.write(inner)
        values = dict(pairs)
        who = ", ".join(
            filter(None, (values.get("author", "").strip(), values.get("date", "")[:10]))
        )
        return self._change(kind, who, values.get("id", ""), inner)

    def _change(self, kind: str, who: str, number: str, inner: list[Node]) -> str:
        if kind == "comment-start":
            said = f"{{>>{who}: {plain_text(inner)}<<}}" if who else f"{{>>{plain_text(inner)}<<}}"
            self._comments[number] = said
            return f"{_COMMENT}{number}{_COMMENT}"
        if kind == "comment-end":
            return f"{_COMMENT_END}{number}{_COMMENT_END}"
        sign = "++" if kind.endswith("insertion") else "--"
        text = "¶" if kind.startswith("paragraph-") else self.write(inner)
        return f"{{{sign}{text}{sign}}}{{>>{who}<<}}" if text.strip() else ""

    def settle_comments(self, markdown: str) -> str:
        """Return `markdown`, a whole block, with its comments where they belong: about words, or at
        a place.
        """

        def about(found: re.Match[str]) -> str:
            said = self._comments.get(found.group(1), "")
            words = found.group(2)
            return (
                f"{{=={words}==}}{said}"
                if words.strip() and "\n\n" not in words
                else f"{said}{words}"
            )

        if _COMMENT not in markdown and _COMMENT_END not in markdown:
            return markdown
        for _ in range(_COMMENTS_WITHIN):
            markdown = _ABOUT.sub(about, markdown)
        markdown = _STARTS.sub(lambda found: self._comments.get(found.group(1), ""), markdown)
        return _ENDS.sub("", markdown)


_CHANGES = (
    "insertion", "deletion", "paragraph-insertion", "paragraph-deletion", "comment-start",
    "comment-end",
)  # fmt: skip
_COMMENT, _COMMENT_END = "\ue0f0", "\ue0f1"
"""Stand for where the words begin and end that a comment is about, until the block is whole."""
_COMMENTS_WITHIN = 8
"""Comments about words that are within the words of another comment, and so on: what is deeper
stands where it begins.
"""
_NOT_IN_TEXT = {ord(_COMMENT): None, ord(_COMMENT_END): None}
_ABOUT = re.compile(
    f"{_COMMENT}([^{_COMMENT}]*){_COMMENT}([^{_COMMENT}{_COMMENT_END}]*){_COMMENT_END}\\1{_COMMENT_END}"
)
_STARTS = re.compile(f"{_COMMENT}([^{_COMMENT}]*){_COMMENT}")
_ENDS = re.compile(f"{_COMMENT_END}([^{_COMMENT_END}]*){_COMMENT_END}")


def without_links(nodes: list[Node]) -> list[Node]:
    """Return the words of links in place of links, which Markdown does not have within each
    other.
    """
    out: list[Node] = []
    for node in nodes:
        if node["t"] in ("Link", "Span", "Cite"):
            out += without_links(node["c"][1])
        elif node["t"] in _MERGED or node["t"] == "SmallCaps":
            out.append({"t": node["t"], "c": without_links(node["c"])})
        else:
            out.append(node)
    return out


def _merged(nodes: list[Node]) -> list[Node]:
    """Join what Word cuts into runs: like emphasis, and words, side by side. Unwrap what Markdown
    has no word for.
    """
    out: list[Node] = []
    words: list[str] = []
    for node in _unwrapped(nodes):
        kind = node["t"]
        if kind == "Str":
            words.append(node["c"])
        elif kind in ("Space", "SoftBreak"):
            words.append(" ")
        else:
            if words:
                out.append({"t": "Str", "c": "".join(words)})
                words = []
            if out and out[-1]["t"] == kind and kind in _MERGED:
                out[-1] = {"t": kind, "c": [*out[-1]["c"], *node["c"]]}
            else:
                out.append(node)
    if words:
        out.append({"t": "Str", "c": "".join(words)})
    return out


def _unwrapped(nodes: list[Node]) -> list[Node]:
    out: list[Node] = []
    for node in nodes:
        kind = node["t"]
        if kind == "Span" and not (node["c"][0][1] and node["c"][0][1][0] in _CHANGES):
            out += _unwrapped(node["c"][1])
        elif kind == "SmallCaps":
            out += _unwrapped(node["c"])
        elif kind == "Cite":
            out += _unwrapped(node["c"][1])
        else:
            out.append(node)
    return out


def _styled(inner: str, style: str, before: str, after: str) -> str:
    """Put emphasis around `inner` so that CommonMark sees it as such: delimiters that flank words,
    else tags.

    Spaces at its ends, and punctuation that would keep it from closing, go outside.
    """
    delimiter, tag = _DELIMITERS[style]
    core = inner.strip()
    if not core:
        return inner
    lead, trail = inner[: inner.index(core[0])], inner[len(inner.rstrip()) :]
    if core.endswith("\\"):  # a hard break at its end
        core, trail = core[:-1].rstrip(), "\\" + trail
        if not core:
            return inner
    previous, following = (before + lead)[-1:], (trail + after)[:1]
    if not _opens(previous, core):
        stripped = core.lstrip(_OPENING)
        lead, core = lead + core[: len(core) - len(stripped)], stripped
    if not _closes(core, following):
        stripped = core.rstrip(_CLOSING)
        core, trail = stripped, core[len(stripped) :] + trail
    if not core:
        return lead + trail
    previous, following = (before + lead)[-1:], (trail + after)[:1]
    clash = previous == delimiter[0] or following == delimiter[0]
    if clash or not _opens(previous, core) or not _closes(core, following):
        return f"{lead}<{tag}>{core}</{tag}>{trail}"
    return f"{lead}{delimiter}{core}{delimiter}{trail}"


def _opens(previous: str, core: str) -> bool:
    return (
        not previous
        or previous.isspace()
        or is_punctuation(previous)
        or not is_punctuation(core[:1] or " ")
    )


def _closes(core: str, following: str) -> bool:
    return (
        not following
        or following.isspace()
        or is_punctuation(following)
        or not is_punctuation(core[-1:] or " ")
    )


def _balanced(text: str) -> str:
    """Escape brackets in the words of a link, of which one without its other would end it; images
    and notes have both.
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
