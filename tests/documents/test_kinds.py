"""What a file is told to be, and the sentences for what cannot be read."""

import io
import zipfile

import pytest

from dogent_tui.documents.kinds import READERS, kind_of
from dogent_tui.documents.model import DocumentError

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def zipped(**members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            path = name.replace("__", "/").replace("_xml", ".xml").replace("_bin", ".bin")
            # of 1980: the same in each of the processes that run the tests
            archive.writestr(zipfile.ZipInfo(path), content)
    return data.getvalue()


DOCX = zipped(word__document_xml="<w/>")
XLSX = zipped(xl__workbook_xml="<w/>")


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.docx", DOCX, "docx"),
        ("a.txt", DOCX, "docx"),  # what is in it counts, not the name
        (
            "a.docx",
            zipped(
                **{
                    "[Content_Types]_xml": (
                        "<Override ContentType='x.wordprocessingml.document.main+xml'/>"
                    )
                }
            ),
            "docx",
        ),
        ("a.xlsx", XLSX, "workbook"),
        ("a", XLSX, "workbook"),
        ("a.pptx", zipped(ppt__presentation_xml=""), "pptx"),
        ("a.odt", zipped(mimetype="application/vnd.oasis.opendocument.text"), "odt"),
        ("a.oth", zipped(mimetype="application/vnd.oasis.opendocument.text-web"), "odt"),
        ("a.epub", zipped(mimetype="application/epub+zip"), "epub"),
        ("a.pdf", b"%PDF-1.7\n", "pdf"),
        ("a.txt", b"junk\n%PDF-1.4\n", "pdf"),
        ("a.doc", b"{\\rtf1 }", "rtf"),
        ("a.ipynb", b'{"cells": []}', "ipynb"),
        ("a.html", b"<p>x</p>", "html"),
        ("page", b"\xef\xbb\xbf\n<!DOCTYPE html><p>", "html"),
        ("a.xls", b"<html><table>", "html"),  # as banks write it
        ("a.xls", b"a\tb", "table"),
        ("a.doc", b"Date: x\nContent-Type: multipart/related", "html"),
        ("a.txt", b"<html>", "text"),
        ("a.md", b"<html>", "markdown"),
        ("a.CSV", b"a,b", "table"),
        ("a.tsv", b"a\tb", "table"),
        ("a.py", b"x = 1", "code"),
        ("Makefile", b"all:", "code"),
        ("a.txt", b"x", "text"),
        ("README", b"", "text"),
        ("a.weird", b"plain", "text"),
    ],
)
def test_kinds(tmp_path, name, content, kind):
    (tmp_path / name).write_bytes(content)
    assert kind_of(tmp_path / name) == kind
    assert kind in READERS


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n", "unsupported", "an image, which* dogent-tui analyze"),
        ("a.txt", b"\xff\xd8\xff\xe0", "unsupported", "an image, which* dogent-tui analyze"),
        ("a.webp", b"RIFF\x00\x00\x00\x00WEBPVP8 ", "unsupported", "an image"),
        ("a.bmp", b"BM\x00\x00\x00\x00", "unsupported", "an image"),
        ("a.mp4", b"\0\0\0\x18ftypisom", "unsupported", "a video,* analyze_media"),
        ("a.gz", b"\x1f\x8b\x08", "unsupported", "an archive,* Unpack"),
        ("a.zip", zipped(notes="x"), "unsupported", "an archive,* Unpack"),
        (
            "a.doc",
            OLE + "WordDocument".encode("utf-16-le"),
            "unsupported",
            "old binary format* docx",
        ),
        ("a.msg", OLE, "unsupported", "old binary format"),
        (
            "a.docx",
            OLE + "EncryptedPackage".encode("utf-16-le"),
            "encrypted",
            "protected* without a password",
        ),
        (
            "a.odp",
            zipped(mimetype="application/vnd.oasis.opendocument.presentation"),
            "unsupported",
            "pptx",
        ),
        ("a.fodt", b"<?xml?><office:document x=''>", "unsupported", "in XML, which* odt first"),
        ("a.docx", DOCX[:-30], "damaged", "damaged Word document"),
        ("a.xlsx", b"a,b\n1,2\n", "damaged", "not a workbook, despite its name"),
        ("a.pdf", b"<html>not found</html>", "damaged", "not a pdf, despite its name"),
    ],
)
def test_what_cannot_be_read_is_a_sentence_with_a_remedy(tmp_path, name, content, code, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DocumentError) as raised:
        kind_of(tmp_path / name)
    error = raised.value
    assert error.code == code
    assert error.message.startswith(name)
    assert error.message.endswith(".")
    assert error.remedy.endswith(".")
    for part in words.split("* "):
        assert part.rstrip(",") in str(error)
