"""Makes small docx files of hand-written XML, for what no library writes: tracked changes,
comments, footnotes, text boxes.
"""

import zipfile
from pathlib import Path

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="{_OFFICE}" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def p(*runs: str, style: str = "") -> str:
    """A paragraph of runs."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{''.join(runs)}</w:p>"


def r(text: str, properties: str = "") -> str:
    """A run of text."""
    return (
        f"<w:r>{f'<w:rPr>{properties}</w:rPr>' if properties else ''}<w:t"
        f' xml:space="preserve">{text}</w:t></w:r>'
    )


def ins(text: str, author: str = "Ann", date: str = "2026-01-04T10:00:00Z") -> str:
    return f'<w:ins w:id="1" w:author="{author}" w:date="{date}">{r(text)}</w:ins>'


def deleted(text: str, author: str = "Bob", date: str = "2026-01-05T10:00:00Z") -> str:
    run = f'<w:r><w:delText xml:space="preserve">{text}</w:delText></w:r>'
    return f'<w:del w:id="2" w:author="{author}" w:date="{date}">{run}</w:del>'


def commented(text: str, number: int = 0) -> str:
    """Words with the comment of that number about them."""
    mark = f'w:id="{number}"/>'
    reference = f"<w:r><w:commentReference {mark}</w:r>"
    return f"<w:commentRangeStart {mark}{r(text)}<w:commentRangeEnd {mark}{reference}"


def footnote(number: int) -> str:
    """The sign of a footnote."""
    return f'<w:r><w:footnoteReference w:id="{number}"/></w:r>'


def picture(relation: str, description: str) -> str:
    """A run with an image."""
    return (
        '<w:r><w:drawing><wp:inline><wp:extent cx="9525" cy="9525"/><wp:docPr id="1" name="x"'
        f' descr="{description}"/><a:graphic>'
        "<a:graphicData"
        ' uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>'
        f'<pic:cNvPr id="0" name="x" descr="{description}"/><pic:cNvPicPr/></pic:nvPicPr>'
        f'<pic:blipFill><a:blip r:embed="{relation}"/></pic:blipFill>'
        '<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9525" cy="9525"/></a:xfrm></pic:spPr>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def text_box(*blocks: str) -> str:
    """A run with a text box, as Word writes it: in a new way, and in the old one for old
    programs.
    """
    content = f"<w:txbxContent>{''.join(blocks)}</w:txbxContent>"
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:docPr id="9"'
        ' name="box"/><a:graphic>'
        "<a:graphicData"
        ' uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>'
        f"<wps:txbx>{content}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{content}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )


def styles() -> str:
    """Titles of three levels."""
    made = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
        for level in (1, 2, 3)
    )
    return f"<w:styles {NAMESPACES}>{made}</w:styles>"


def make_docx(
    path: Path,
    *body: str,
    comments: str = "",
    footnotes: str = "",
    header: str = "",
    more: dict[str, bytes] | None = None,
) -> Path:
    """Write a docx with `body`; `comments` and `footnotes` are what is in these parts; `more` are
    parts by name.
    """
    parts: dict[str, str | bytes] = {
        "word/document.xml": (
            f"<w:document {NAMESPACES}><w:body>{''.join(body)}</w:body></w:document>"
        ),
        "word/styles.xml": styles(),
    }
    relations = {"styles": "styles.xml"}
    if comments:
        parts["word/comments.xml"] = f"<w:comments {NAMESPACES}>{comments}</w:comments>"
        relations["comments"] = "comments.xml"
    if footnotes:
        parts["word/footnotes.xml"] = f"<w:footnotes {NAMESPACES}>{footnotes}</w:footnotes>"
        relations["footnotes"] = "footnotes.xml"
    if header:
        parts["word/header1.xml"] = f"<w:hdr {NAMESPACES}>{p(r(header))}</w:hdr>"
        relations["header"] = "header1.xml"
    parts["word/media/image1.png"] = PNG
    relations["image"] = "media/image1.png"
    listed = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{name}" Target="{to}"/>'
        for name, to in relations.items()
    )
    parts["word/_rels/document.xml.rels"] = (
        f'<Relationships xmlns="{RELATIONSHIPS}">{listed}</Relationships>'
    )
    main = f'<Relationship Id="main" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
    parts["_rels/.rels"] = f'<Relationships xmlns="{RELATIONSHIPS}">{main}</Relationships>'
    parts["[Content_Types].xml"] = (
        f'<Types xmlns="{_TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="png" ContentType="image/png"/>'
        '<Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    parts |= more or {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def comment(number: int, author: str, said: str) -> str:
    return (
        f'<w:comment w:id="{number}" w:author="{author}"'
        f' w:date="2026-01-06T10:00:00Z">{p(r(said))}</w:comment>'
    )


def note(number: int, said: str) -> str:
    return f'<w:footnote w:id="{number}">{p(r(said))}</w:footnote>'
