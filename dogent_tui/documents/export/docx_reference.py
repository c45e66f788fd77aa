"""The document whose styles an exported docx takes on: the workspace's, the home's, or ours, made
of the parts in `reference/`.

Ours is put together when it is wanted: what ships are four XML files that a user can read and a
version control can compare.
"""

import io
import os
import re
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

from dogent_tui.documents.export.themes import DEFAULT, Theme, as_docx
from dogent_tui.documents.export.themes import theme as named_theme
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.archive import check_archive
from dogent_tui.language import tr
from dogent_tui.storage.paths import display_path

RUNNING_TITLE = b"The title of the document"
"""What the built-in page header has in the place of the title."""

NAME = "reference.docx"
"""What a reference document is called in ``.dogent`` of the workspace, and in the home folder of
dogent.
"""

_PARTS = Path(__file__).with_name("reference")
_BODY, _EAST_ASIA = 'w:eastAsia="Microsoft YaHei"', 'w:eastAsia="zh-CN"'
_LATIN = f'w:val="en-US" {_EAST_ASIA}'

_FONTS = {
    "zh-CN": "Microsoft YaHei",
    "zh-TW": "Microsoft JhengHei",
    "ja-JP": "Yu Gothic",
    "ko-KR": "Malgun Gothic",
}
"""The East Asian font of each language: those that Word brings along, on Windows and on the Mac.
Where they are missing, as on Linux, a program takes the font that it has for the language, which is
set beside it.
"""

_TRADITIONAL = ("zh-tw", "zh-hk", "zh-mo", "zh-hant")

_MOST_BYTES = 32 << 20
_CARRIED = re.compile(
    r"word/_rels/(header|footer|footnotes|theme|fontTable|numbering|styles)\w*\.xml\.rels"
)
"""The parts of a reference document that pandoc takes over, whatever they refer to."""

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

_CONTENT_TYPES = f"""{_HEAD}<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml" ContentType="{_WORD}.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="{_WORD}.styles+xml"/>
<Override PartName="/word/header1.xml" ContentType="{_WORD}.header+xml"/>
<Override PartName="/word/footer1.xml" ContentType="{_WORD}.footer+xml"/>
<Override PartName="/docProps/app.xml"
    ContentType="application/vnd.openxmlformats-officedocument.extended-properties+xml"/>
</Types>
"""

_APP = f"""{_HEAD}<Properties xmlns="{_OFFICE.replace("relationships", "extended-properties")}">\
<Application>dogent-tui</Application></Properties>
"""


class Reference(NamedTuple):
    """A reference document. `path` is None for the built-in one; `warnings` are about those that
    were passed over.
    """

    content: bytes
    path: Path | None
    warnings: tuple[str, ...]


def find_reference(root: Path, home: Path, theme: Theme, *, lang: str, text: str) -> Reference:
    """Return the reference document of the workspace `root`, else of `home`, else the built-in one.

    That one is of `theme`, for the language `lang` (BCP 47, may be empty) and the scripts of
    `text`. Blocks: for a thread.
    """
    warnings: list[str] = []
    for path, inside in ((root / ".dogent" / NAME, root), (home / NAME, None)):
        if not path.is_file():
            continue
        try:
            return Reference(_checked(path, inside), path, tuple(warnings))
        except DocumentError as error:
            where = f".dogent/{NAME}" if inside else display_path(path)
            warnings.append(
                tr("The styles of {where} were not used. {error}").format(where=where, error=error)
            )
    content = built_in(east_asian_language(lang, text), lang, theme)
    return Reference(content, None, tuple(warnings))


def built_in(east_asian: str = "zh-CN", lang: str = "", theme: Theme | None = None) -> bytes:
    """Return the built-in reference document, with the font for one of the languages of
    `east_asian_language`.

    Words in other scripts are spelled as in `lang`; American English where that is empty or East
    Asian itself.
    """
    theme = theme or named_theme(DEFAULT)
    styles = as_docx(theme, _part("styles.xml")).replace(
        _BODY, f'w:eastAsia="{_FONTS[east_asian]}"', 1
    )
    if lang and not lang.lower().startswith(("zh", "ja", "ko")):
        styles = styles.replace(_LATIN, f'w:val="{lang}" {_EAST_ASIA}', 1)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", _CONTENT_TYPES)
        package.writestr(
            "_rels/.rels",
            _relationships(officeDocument="word/document.xml", extended="docProps/app.xml"),
        )
        package.writestr("docProps/app.xml", _APP)
        package.writestr("word/document.xml", as_docx(theme, _part("document.xml")))
        package.writestr(
            "word/styles.xml", styles.replace(_EAST_ASIA, f'w:eastAsia="{east_asian}"', 1)
        )
        package.writestr("word/header1.xml", _part("header.xml"))
        package.writestr("word/footer1.xml", as_docx(theme, _part("footer.xml")))
        parts = _relationships(styles="styles.xml", footer="footer1.xml", header="header1.xml")
        package.writestr("word/_rels/document.xml.rels", parts)
    return content.getvalue()


def east_asian_language(lang: str, text: str) -> str:
    """Return the East Asian language that a document is set for: that of `lang`, else what the
    scripts in `text` tell.

    Han characters alone count as simplified Chinese.
    """
    given = lang.lower().replace("_", "-")
    if given.startswith("zh"):
        return "zh-TW" if given.startswith(_TRADITIONAL) else "zh-CN"
    if given.startswith(("ja", "ko")):
        return "ja-JP" if given.startswith("ja") else "ko-KR"
    if any("\u3040" <= char <= "\u30ff" for char in text):
        return "ja-JP"
    return "ko-KR" if any("\uac00" <= char <= "\ud7a3" for char in text) else "zh-CN"


def _part(name: str) -> str:
    return (_PARTS / name).read_text(encoding="utf-8")


def _relationships(**targets: str) -> str:
    """Return the relationships of a part. The ids of footer and header are those that
    `document.xml` names.
    """
    lines = []
    for number, (kind, target) in enumerate(targets.items(), 1):
        kind_url = f"{_OFFICE}/{'extended-properties' if kind == 'extended' else kind}"
        name = {"footer": "rId10", "header": "rId11"}.get(kind, f"rId{number}")
        lines.append(f'<Relationship Id="{name}" Type="{kind_url}" Target="{target}"/>')
    return (
        f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{"".join(lines)}</Relationships>\n'
    )


def _checked(path: Path, root: Path | None) -> bytes:
    """Return what the reference document holds. Raises DocumentError where it is none, or would
    fetch something when opened.
    """
    from defusedxml.ElementTree import fromstring  # on use

    if root is not None and not Path(os.path.realpath(path)).is_relative_to(root):
        raise DocumentError(
            tr("{name} is a link that points outside the workspace.").format(name=NAME)
        )
    check_archive(path)
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise DocumentError(
                tr("{name} is larger than {size} MB.").format(name=NAME, size=_MOST_BYTES >> 20)
            )
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            if (
                "word/styles.xml" not in package.namelist()
                or "word/document.xml" not in package.namelist()
            ):
                raise DocumentError(tr("{name} is not a docx.").format(name=NAME))
            for name in ("word/styles.xml", "word/document.xml"):
                fromstring(package.read(name))
            relations = [
                package.read(name) for name in package.namelist() if _CARRIED.fullmatch(name)
            ]
    # Of damaged XML come a SyntaxError or a ValueError.
    except (
        OSError,
        RuntimeError,
        ValueError,
        SyntaxError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise DocumentError(
            tr("{name} cannot be read: {error}.").format(name=NAME, error=error)
        ) from None
    if any(b'TargetMode="External"' in part for part in relations):
        raise DocumentError(
            tr("A header or footer of {name} refers to something outside it.").format(name=NAME)
        )
    return content
