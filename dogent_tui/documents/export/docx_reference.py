"""The document that provides the styles of an exported docx: the workspace's, the home's, or ours,
which is the folder `reference/` with a theme's values, zipped on demand.
"""

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dogent_tui.documents.export.document import Document, language_of
from dogent_tui.documents.export.docx_images import TextArea
from dogent_tui.documents.export.images import LeftOutError, read_own
from dogent_tui.documents.export.links import refusal
from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.export.themes import Theme, as_docx
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.archive import BROKEN, check_archive, parse_part
from dogent_tui.documents.terms import TRADITIONAL, is_right_to_left
from dogent_tui.language import tr
from dogent_tui.storage.paths import display_path

RUNNING_TITLE = b"The title of the document"
"""The placeholder for the title in the built-in page header."""

NAME = "reference.docx"
"""The name of a reference document in ``.dogent`` of the workspace, and in dogent's home folder."""

_PARTS = Path(__file__).with_name("reference")
SPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
}

_FONTS = {
    "zh-CN": "Microsoft YaHei",
    "zh-TW": "Microsoft JhengHei",
    "ja-JP": "Yu Gothic",
    "ko-KR": "Malgun Gothic",
}
"""Language → East Asian font: those installed with Word on Windows and on the Mac. If they are
missing, as on Linux, programs use their own font for the language, which is set as well.
"""

_A4 = TextArea(453.5, 700.2)

_MOST_BYTES = 32 << 20
_CARRIED = re.compile(
    r"word/_rels/(header|footer|footnotes|theme|fontTable|numbering|styles)\w*\.xml\.rels"
)
"""The parts of a reference document that pandoc copies, with all their references."""


class Reference(NamedTuple):
    """A reference document: its `content`, and the space on a page. `warnings` are about those that
    were skipped, and about its paper. `styles` are those of the built-in one.
    """

    content: bytes
    area: TextArea
    warnings: tuple[str, ...]
    styles: bytes
    width: float
    """That of its paper in millimeters, 0 if it says none."""


def find_reference(request: ExportRequest, document: Document) -> Reference:
    """Return the reference document of the workspace, or of the home, or the built-in one, which is
    for the theme, the language and the scripts of `document`. Blocks: use a thread.
    """
    warnings: list[str] = []
    root, theme, front, text = request.root, document.theme, document.front, document.source.text
    ours = built_in(theme, east_asian_language(front.lang, text), front.lang, text)
    for path, inside in ((root / ".dogent" / NAME, root), (request.home / NAME, None)):
        if not path.is_file():
            continue
        where = f".dogent/{NAME}" if inside else display_path(path)
        try:
            own = _read(_checked(path, inside), warnings, ours)
            if front.paper and own.width and abs(own.width - theme.paper[0]) > 1:
                said = tr("`papersize` was not used: the paper is that of {where}.", where=where)
                own = own._replace(warnings=(*own.warnings, said))
            return own
        except DocumentError as error:
            warnings.append(
                tr("The styles of {where} were not used. {error}", where=where, error=error)
            )
    return _read(ours, warnings, ours)


def built_in(theme: Theme, east_asian: str = "zh-CN", lang: str = "", text: str = "") -> bytes:
    """Return the built-in reference document, with the font for one of the languages of
    `east_asian_language`.

    Quotations have their line on the side where the lines of `text` begin. The proofing language
    for other scripts is `lang`; American English if that is empty, East Asian or written from right
    to left.
    """
    is_latin = lang and not lang.lower().startswith(("zh", "ja", "ko"))
    leftward = is_right_to_left(lang, text)
    latin = lang if is_latin and not leftward else "en-US"
    languages = {"asianfont": _FONTS[east_asian], "asian": east_asian, "language": latin}
    languages["side"] = "right" if leftward else "left"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package:
        for part in filter(Path.is_file, sorted(_PARTS.rglob("*"))):
            written = as_docx(theme, part.read_text("utf-8"), languages)
            package.writestr(part.relative_to(_PARTS).as_posix(), written)
    return content.getvalue()


def east_asian_language(lang: str, text: str) -> str:
    """Return the East Asian language of a document: that of `lang`, or the one indicated by the
    scripts in `text`.

    Han characters alone count as simplified Chinese.
    """
    given = lang.lower()
    if not given.startswith(("zh", "ja", "ko")):
        given = language_of(text, least=0)
    if TRADITIONAL.match(given):
        return "zh-TW"
    return {"ja": "ja-JP", "ko": "ko-KR"}.get(given[:2], "zh-CN")


def within(element: Any, path: str) -> list[Any]:
    """Return the matches of an XPath."""
    return list(element.xpath(path, namespaces=SPACES))


def refers_outside(parts: Mapping[str, bytes]) -> bool:
    """Return whether opening a package with these `parts` would fetch or open anything. Links to
    the web and to mailboxes do not.
    """
    for name, part in parts.items():
        for relation in parse_part(part, name) if name.endswith(".rels") else ():
            kind, target = relation.get("Type", ""), relation.get("Target", "")
            is_link = kind.endswith("/hyperlink") and not refusal(target)
            if relation.get("TargetMode") == "External" and not is_link:
                return True
    return False


def _read(content: bytes, warnings: list[str], ours: bytes) -> Reference:
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        parse_part(package.read("word/styles.xml"), NAME)
        body = parse_part(package.read("word/document.xml"), NAME)
    sizes = _sizes(body)
    with zipfile.ZipFile(io.BytesIO(ours)) as package:
        styles = package.read("word/styles.xml")
    return Reference(content, _area(sizes), tuple(warnings), styles, sizes.get("w", 0) / 72 * 25.4)


def _sizes(body: Any) -> dict[str, float]:
    """Return the sides and margins of the paper in points, by their names in the file."""
    given = "(//w:sectPr)[last()]/*[self::w:pgSz or self::w:pgMar]/@*[number() = number()]"
    return {one.attrname.partition("}")[2]: abs(float(one)) / 20 for one in within(body, given)}


def _area(sizes: dict[str, float]) -> TextArea:
    """Return the space on a page, that of A4 if there is none."""
    wide, high = (
        sizes.get(side, 0) - sum(sizes.get(margin, 0) for margin in margins)
        for side, *margins in (("w", "left", "right"), ("h", "top", "bottom"))
    )
    return TextArea(wide, high) if min(wide, high) > 0 else _A4


def _checked(path: Path, root: Path | None) -> bytes:
    """Return the content of the reference document. Raises DocumentError if it is not one, or would
    fetch something when opened.
    """
    try:
        content = read_own(path, root, _MOST_BYTES)
        check_archive(path)
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            parts = {name: package.read(name) for name in package.namelist()}
    except (LeftOutError, OSError, RuntimeError, ValueError, *BROKEN) as error:
        raise DocumentError(tr("{name} cannot be read: {error}.", name=NAME, error=error)) from None
    if not {"word/styles.xml", "word/document.xml"} <= parts.keys():
        raise DocumentError(tr("{name} is not a docx.", name=NAME))
    if refers_outside({name: parts[name] for name in parts if _CARRIED.fullmatch(name)}):
        raise DocumentError(
            tr("A header or footer of {name} refers to something outside it.", name=NAME)
        )
    return content
