"""Themes: the look of a document, each a small data file from which the writers make their styles.

A file in `styles/themes/` has the fields of `Theme`. Its CSS sets variables that `styles/pdf.css`
uses, its docx the placeholders in `reference/`, and `styles/pdf.typ` reads it as data.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from string import Template
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.documents.export.source import PAPERS, FrontMatter
from dogent_tui.documents.export.tree import BREAK, Node, attributes, div, node, words
from dogent_tui.records import Record
from dogent_tui.storage.paths import shipped

DEFAULT = "article"
Font: TypeAlias = Literal["serif", "sans", "times"]
Align: TypeAlias = Literal["left", "center", "right"]

_CSS = {"serif": "text", "sans": "display", "times": "times"}
_WORD = {"serif": "Cambria", "sans": "Calibri", "times": "Times New Roman"}
"""Fonts that come with Word; LibreOffice has fonts of the same widths."""
_LOGICAL = {"left": "start", "center": "center", "right": "end"}
"""The sides of a page, mirrored in a right-to-left document."""
_INK = "1A1A1A"
_QUIET = {"css": "var(--quiet)", "docx": "5F6B7A"}
TITLE_STYLES = {part: part.capitalize() for part in ("title", "subtitle", "author", "date")}
TITLE_STYLES["to"] = "Recipient"
"""The styles in a docx of the parts of the title block."""


class Part(Record, forbid_unknown_fields=True):
    """A part of the title block: `size` in points, `above` in millimeters. `lines`: each name on a
    line of its own. `colored`: in the color of headings.
    """

    part: Literal["title", "subtitle", "author", "to", "date"]
    size: float
    above: float = 0
    align: Align = "left"
    bold: bool = False
    quiet: bool = False
    colored: bool = False
    lines: bool = False

    def texts(self, front: FrontMatter) -> list[str]:
        """Return its values in the front matter, one text per line."""
        found = getattr(front, "authors" if self.part == "author" else self.part)
        if isinstance(found, str):
            return [found] if found else []
        return list(found) if self.lines or not found else [", ".join(found)]


class Theme(Record, forbid_unknown_fields=True):
    """The look of a document.

    `margins` of the page are in millimeters: top, sides, bottom; `paper` is its width and height.
    `size` is in points, `line` a multiple of it; paragraphs are separated by `gap`, in lines of
    text, or begin with `indent`, in millimeters. `numbers` of pages are at the bottom, on the first
    page if `first_number`; `running` heads repeat the title. `chapters`: each heading of level 1
    begins a page. `cover`: the title block has a page of its own.
    """

    title: tuple[Part, ...]
    margins: tuple[float, float, float]
    font: Font = "serif"
    size: float = 10.5
    line: float = 1.5
    gap: float = 0.75
    indent: float = 0
    heading_font: Font = "sans"
    heading_sizes: tuple[float, float, float, float] = (20, 14.5, 12, 10.5)
    heading_color: str = "#1a1a1a"
    heading_align: Align = "left"
    accent: str = "#1d4f91"
    numbers: Literal["page / pages", "page"] = "page / pages"
    first_number: bool = True
    running: bool = True
    rule: bool = True
    cover: bool = False
    chapters: bool = False
    toc: bool = False
    number_sections: bool = False
    paper: tuple[float, float] = PAPERS["a4"]


@cache
def theme_names() -> tuple[str, ...]:
    """Return the names of the themes, the default first. Blocks."""
    names = sorted(path.stem for path in shipped("themes").glob("*.toml"))
    return (DEFAULT, *(name for name in names if name != DEFAULT))


@cache
def theme(name: str) -> Theme:
    """Return a theme of `theme_names`. Blocks."""
    file = shipped(f"themes/{name}.toml")
    return msgspec.convert(tomllib.loads(file.read_text("utf-8")), Theme)


# HTML


def as_css(theme: Theme) -> str:
    """Return the rules of the theme, for use after the built-in sheet."""
    (top, sides, bottom), (wide, high) = theme.margins, theme.paper
    head = _CSS[theme.heading_font]
    values = {
        "body": f"var(--{_CSS[theme.font]})",
        "body-cjk": "var(--display-cjk)" if theme.font == "sans" else "var(--text-cjk)",
        "head": f"var(--{head})",
        "head-cjk": "var(--display-cjk)" if head == "display" else "var(--text-cjk)",
        "size": f"{theme.size}pt",
        "line": f"{theme.line}",
        "gap": f"{theme.gap}em",
        "indent": f"{theme.indent}mm",
        "accent": theme.accent,
        "heading": theme.heading_color,
        "heading-align": _LOGICAL[theme.heading_align],
    } | {f"h{level}": f"{size}pt" for level, size in enumerate(theme.heading_sizes, 1)}
    pages = ' " / " counter(pages)' if theme.numbers == "page / pages" else ""
    rules = [
        f"@page {{ size: {wide}mm {high}mm; margin: {top}mm {sides}mm {bottom}mm }}",
        f"@page landscape {{ size: {high}mm {wide}mm }}",
        f"@page {{ @bottom-center {{ content: counter(page){pages} }} }}",
        f":root {{ {' '.join(f'--{name}: {value};' for name, value in values.items())} }}",
    ]
    conditional = {
        "@page :first { @bottom-center { content: none } }": not theme.first_number,
        "p + p { text-indent: var(--indent) }": theme.indent,
        "header.document { break-after: page }": theme.cover,
        "header.document { border: 0 }": theme.cover or not theme.rule,
        "h1 { break-before: page }": theme.chapters,
    }
    rules += [rule for rule, is_wanted in conditional.items() if is_wanted]
    for part in theme.title:
        color = _QUIET["css"] if part.quiet else theme.heading_color if part.colored else "inherit"
        rules.append(
            f"header.document .{part.part} {{ font-size: {part.size}pt; color: {color};"
            f" font-weight: {600 if part.bold else 400}; text-align: {_LOGICAL[part.align]} }}"
            f" header.document .{part.part}.first {{ margin-top: {part.above}mm }}"
        )
    return "\n".join(rules)


def _lines(theme: Theme, front: FrontMatter) -> Iterator[tuple[Part, str, bool]]:
    """Yield the lines of the title block, and whether each is the first of its part."""
    for part in theme.title:
        for place, text in enumerate(part.texts(front)):
            yield part, text, not place


def title_html(theme: Theme, front: FrontMatter) -> str:
    """Return the title block."""
    written = "".join(
        f'<p class="{part.part}{" first" * is_first}">{escape(text, quote=False)}</p>'
        for part, text, is_first in _lines(theme, front)
    )
    return f'<header class="document">{written}</header>' if written else ""


# typst


def as_data(theme: Theme, front: FrontMatter) -> dict[str, Any]:
    """Return the theme and the lines of the title block for `styles/pdf.typ`."""
    lines = [
        {**msgspec.structs.asdict(part), "text": text, "first": is_first}
        for part, text, is_first in _lines(theme, front)
    ]
    return {"theme": theme, "lines": lines}


# docx


def title_docx(theme: Theme, front: FrontMatter) -> list[Node]:
    """Return the title block as paragraphs with the styles written by `as_docx`."""
    blocks = [
        node(
            "Div",
            [attributes("", custom_style=TITLE_STYLES[part.part]), [node("Para", words(text))]],
        )
        for part in theme.title
        for text in (front.authors if part.part == "author" else part.texts(front))
    ]
    return [*blocks, *[div(BREAK, [])] * theme.cover] if blocks else []


def as_docx(theme: Theme, part: str, more: Mapping[str, str]) -> str:
    """Return a part of the reference document with the theme's values for its placeholders, and
    `more`.
    """
    top, sides, bottom = (round(length * _TWIPS) for length in theme.margins)
    wide, high = (round(length * _TWIPS) for length in theme.paper)
    has_rule = theme.rule and not theme.cover
    values: dict[str, object] = {
        "font": _WORD[theme.font],
        "headfont": _WORD[theme.heading_font],
        "size": round(theme.size * 2),
        "line": round(theme.line * _LINE),
        "gap": round(theme.gap * theme.size * 20),
        "indent": round(theme.indent * _TWIPS),
        "accent": theme.accent[1:],
        "top": top,
        "sides": sides,
        "bottom": bottom,
        "paperwidth": wide,
        "paperheight": high,
        "width": wide - 2 * sides,
        "titlerule": _RULE * has_rule,
        "headcolor": theme.heading_color[1:],
        "headalign": theme.heading_align,
        "chapterbreak": "<w:pageBreakBefore/>" * theme.chapters,
        "firstfooter": _FIRST_FOOTER * theme.first_number,
        "of": _NUMBER_OF_PAGES * (theme.numbers == "page / pages"),
    }
    for level, size in enumerate(theme.heading_sizes, 1):
        sizes = {"": size * 2, "before": size * 24, "after": size * 9}
        values |= {f"h{level}{what}": round(number) for what, number in sizes.items()}
    written: dict[str, Part] = {found.part: found for found in theme.title}
    for name in TITLE_STYLES:
        found = written.get(name) or Part(part="date", size=theme.size)
        color = theme.heading_color[1:] if found.colored else _INK
        values |= {
            f"{name}size": round(found.size * 2),
            f"{name}above": round(found.above * _TWIPS),
            f"{name}align": found.align,
            f"{name}bold": "<w:b/><w:bCs/>" * found.bold,
            f"{name}color": _QUIET["docx"] if found.quiet else color,
        }
    return Template(part).safe_substitute(values, **more)


_TWIPS = 1440 / 25.4
"""Twentieths of a point per millimeter."""
_LINE = 184
"""Word's line spacing: 240 per line of the font's own height, whereas CSS multiplies the size."""
_FIRST_FOOTER = '<w:footerReference w:type="first" r:id="rId10"/>'
_FIELD = '<w:fldSimple w:instr=" NUMPAGES "><w:r><w:t>1</w:t></w:r></w:fldSimple>'
_RULE = '<w:pBdr><w:bottom w:val="single" w:sz="6" w:space="10" w:color="BFC7D1"/></w:pBdr>'
"""A line below the last of the paragraphs with it."""
_NUMBER_OF_PAGES = f'<w:r><w:t xml:space="preserve"> / </w:t></w:r>{_FIELD}'
