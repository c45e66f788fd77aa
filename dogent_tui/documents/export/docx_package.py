"""What pandoc leaves undone in the package of a docx: the properties, the settings, and the
pictures in their places.

A docx is a zip of XML parts (ECMA-376). The parts that are changed here are those that pandoc wrote
itself.
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr, unescape

import msgspec

from dogent_tui.documents.export.document import Document
from dogent_tui.documents.export.docx_body import NAMESPACES, finish_body
from dogent_tui.documents.export.docx_images import TextArea
from dogent_tui.documents.export.docx_reference import RUNNING_TITLE
from dogent_tui.documents.export.images import ExportImage
from dogent_tui.documents.export.links import refusal
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr

_IMAGE_RELATION = f"{NAMESPACES['r']}/image"
_RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?><Relationships'
    ' xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
)

_AFTER_UPDATE_FIELDS = (
    "hdrShapeDefaults|footnotePr|endnotePr|compat|docVars|rsids|mathPr|attachedSchema"
    "|themeFontLang|clrSchemeMapping"
)
"""What comes after ``w:updateFields`` in the order of CT_Settings (ECMA-376 17.15.1.78), as far as
pandoc writes it.
"""


class Finish(msgspec.Struct, frozen=True):
    """When it is `made`, what a page has room for, and what takes the places of the stand-ins.

    `fallbacks` has a PNG for those pictures that are svg.
    """

    made: datetime
    area: TextArea
    pictures: Mapping[bytes, ExportImage]
    fallbacks: Mapping[bytes, bytes]


def finish(content: bytes, document: Document, wanted: Finish) -> bytes:
    """Return the docx `content` of pandoc, finished. Raises DocumentError where it would refer to
    what is outside.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        parts = {name: package.read(name) for name in package.namelist() if not name.endswith("/")}
    picture_of = {
        name: wanted.pictures[content]
        for name, content in parts.items()
        if content in wanted.pictures
    }
    fallback_of = {name: wanted.fallbacks.get(parts.pop(name), b"") for name in picture_of}
    _relate_footnotes(parts)
    for name in ("document", "footnotes"):
        relations = f"word/_rels/{name}.xml.rels"
        parts[relations], svg_relations = _place_pictures(
            parts, parts[relations].decode(), picture_of, fallback_of
        )
        parts[f"word/{name}.xml"] = finish_body(
            parts[f"word/{name}.xml"], area=wanted.area, svg_relations=svg_relations
        )
    parts["[Content_Types].xml"] = _with_types(parts["[Content_Types].xml"].decode(), picture_of)
    if document.contents:
        parts["word/settings.xml"] = _with_update_fields(parts["word/settings.xml"])
    for name in parts:
        if name.startswith("word/header"):
            parts[name] = parts[name].replace(RUNNING_TITLE, escape(document.front.title).encode())
    parts["docProps/core.xml"] = _core_properties(document, wanted.made).encode()
    _check_relations(parts)
    return _zipped(parts, wanted.made)


# Pictures


def _relate_footnotes(parts: dict[str, bytes]) -> None:
    """Give the footnotes the relations of their pictures, which pandoc gives to the text alone: no
    program would find them.
    """
    notes, of_text = (
        parts["word/footnotes.xml"].decode(),
        parts["word/_rels/document.xml.rels"].decode(),
    )
    pictures = [
        relation
        for relation in _relations(of_text)
        if _attribute(relation, "Type") == _IMAGE_RELATION
    ]
    wanted = [
        relation for relation in pictures if f'r:embed="{_attribute(relation, "Id")}"' in notes
    ]
    if wanted:
        all_of_them = "".join(
            [*_relations(parts["word/_rels/footnotes.xml.rels"].decode()), *wanted]
        )
        parts["word/_rels/footnotes.xml.rels"] = (
            f"{_RELATIONS}{all_of_them}</Relationships>".encode()
        )


def _place_pictures(
    parts: dict[str, bytes],
    relations: str,
    picture_of: Mapping[str, ExportImage],
    fallback_of: Mapping[str, bytes],
) -> tuple[bytes, dict[str, str]]:
    """Return `relations` with the pictures in the places of their stand-ins, which are known by
    their names.

    The second is, by the id of a PNG's relation, that of the svg beside it.
    """
    beside: dict[str, str] = {}
    for relation in _relations(relations):
        name, target = _attribute(relation, "Id"), f"word/{_attribute(relation, 'Target')}"
        picture = picture_of.get(target)
        if picture is None:
            continue
        if picture.kind == "svg":
            beside[name] = f"{name}svg"
            added = _relation(name, _add_media(parts, fallback_of[target], "png"))
            added += _relation(beside[name], _add_media(parts, picture.data, "svg"))
        else:
            added = _relation(name, _add_media(parts, picture.data, picture.kind))
        relations = relations.replace(relation, added)
    return relations.encode(), beside


def _with_types(types: str, picture_of: Mapping[str, ExportImage]) -> bytes:
    """Return the list of content types, with those of the pictures and without those of their
    stand-ins.
    """
    for name in picture_of:
        types = re.sub(rf'<Override PartName="/{re.escape(name)}"[^>]*/>', "", types)
    kinds = {picture.kind for picture in picture_of.values()} | {"png"}
    added = "".join(
        f'<Default Extension="{kind}" ContentType="image/{"svg+xml" if kind == "svg" else kind}" />'
        for kind in sorted(kinds)
        if f'Extension="{kind}"' not in types
    )
    return re.sub(r"(<Types[^>]*>)", rf"\1{added}", types, count=1).encode()


def _relations(part: str) -> list[str]:
    """Return the elements of a part of relations, as text."""
    return re.findall(r"<Relationship\s[^>]*>", part)


def _attribute(element: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', element)
    return found[1] if found else ""


def _relation(name: str, target: str) -> str:
    return f'<Relationship Type="{_IMAGE_RELATION}" Id="{name}" Target="{target}" />'


def _add_media(parts: dict[str, bytes], data: bytes, kind: str) -> str:
    """Add a picture, once however often it is shown, and return its target."""
    target = f"media/image-{hashlib.sha256(data).hexdigest()[:16]}.{kind}"
    parts[f"word/{target}"] = data
    return target


def _with_update_fields(settings: bytes) -> bytes:
    """Have a program that can count pages put them into the table of contents when it opens the
    document.

    As text: a reference document's settings may name namespaces that only its attributes use, which
    no parser would keep.
    """
    text = settings.decode()
    if "<w:updateFields" in text:
        return settings
    return re.sub(
        rf"(<(?:w|m):(?:{_AFTER_UPDATE_FIELDS})\b|</w:settings>)",
        r'<w:updateFields w:val="true"/>\1',
        text,
        count=1,
    ).encode()


# The package


def _core_properties(document: Document, now: datetime) -> str:
    """Return the properties of the document (ECMA-376 part 2, 11.1), with those that pandoc drops:
    keywords, and the time.
    """
    front, made = document.front, now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    texts = {
        "dc:title": document.title,
        "dc:subject": front.subject,
        "dc:creator": "; ".join(front.authors),
        "cp:keywords": ", ".join(front.keywords),
        "dc:description": front.description,
        "dc:language": front.lang,
    }
    elements = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in texts.items() if text)
    times = "".join(
        f'<dcterms:{name} xsi:type="dcterms:W3CDTF">{time}</dcterms:{name}>'
        for name, time in (("created", _written(front.date) or made), ("modified", made))
    )
    spaces = {
        "cp": "http://schemas.openxmlformats.org/package/2006/metadata/core-properties",
        "dc": "http://purl.org/dc/elements/1.1/",
        "dcterms": "http://purl.org/dc/terms/",
        "xsi": "http://www.w3.org/2001/XMLSchema-instance",
    }
    declared = " ".join(
        f"xmlns:{prefix}={quoteattr(address)}" for prefix, address in spaces.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><cp:coreProperties'
        f" {declared}>{elements}{times}</cp:coreProperties>"
    )


def _written(date: str) -> str:
    """Return the date of the front matter as a time, empty where it is none that a program can
    tell.
    """
    try:
        return datetime.fromisoformat(date).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return ""


def _check_relations(parts: Mapping[str, bytes]) -> None:
    """The last wall: whoever opens the document fetches nothing and opens nothing unasked, wherever
    a reference came from.
    """
    for name, part in parts.items():
        if not name.endswith(".rels"):
            continue
        for relation in _relations(part.decode("utf-8", "replace")):
            if 'TargetMode="External"' not in relation:
                continue
            if not _attribute(relation, "Type").endswith("/hyperlink") or refusal(
                unescape(_attribute(relation, "Target"))
            ):
                raise DocumentError(
                    tr("The document would refer to a file or address outside itself."),
                    code="hostile",
                )


def _zipped(parts: Mapping[str, bytes], made: datetime) -> bytes:
    """Return the package; the list of its content types comes first, as Word has it."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package:
        for name in sorted(
            parts, key=lambda name: (name != "[Content_Types].xml", not name.startswith("_rels"))
        ):
            entry = zipfile.ZipInfo(name, made.timetuple()[:6])
            entry.compress_type = (
                zipfile.ZIP_STORED
                if name.endswith((".png", ".jpeg", ".gif"))
                else zipfile.ZIP_DEFLATED
            )
            package.writestr(entry, parts[name])
    return content.getvalue()
