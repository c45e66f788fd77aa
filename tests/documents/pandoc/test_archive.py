"""The check before a zip-based document is opened."""

import struct
import zipfile

import pytest

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc import archive
from dogent_tui.documents.pandoc.archive import check_archive
from tests.documents.pandoc.made_docx import make_docx, p, r


def refused(path):
    with pytest.raises(DocumentError) as error:
        check_archive(path)
    assert path.name in error.value.message
    assert error.value.remedy
    return error.value


def made(path, **parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in parts.items():
            out.writestr(name.replace("__", "/"), content)
    return path


def test_a_document_passes(tmp_path):
    check_archive(make_docx(tmp_path / "fine.docx", p(r("Text"))))


def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    error = refused(made(tmp_path / "bomb.docx", word__document=b" " * (2 << 20)))
    assert error.code == "hostile"
    assert "word/document grows" in error.message
    monkeypatch.setattr(archive, "MAX_MEMBER", 1000)
    assert "a single part" in refused(made(tmp_path / "large.docx", part=bytes(2000))).message
    monkeypatch.setattr(archive, "MAX_TOTAL", 1500)
    assert (
        "unpacks to" in refused(made(tmp_path / "sum.docx", one=bytes(900), two=bytes(900))).message
    )


def test_too_many_parts_are_refused(tmp_path):
    path = tmp_path / "many.docx"
    with zipfile.ZipFile(path, "w") as out:
        for number in range(archive.MAX_MEMBERS + 1):
            out.writestr(f"{number}", b"")
    assert refused(path).code == "hostile"


def test_a_directory_that_claims_to_be_huge_is_refused_unread(tmp_path):
    path = tmp_path / "claims.docx"
    path.write_bytes(
        b"PK\x03\x04" + b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 65535, 65535, 0xFFFFFFF0, 0, 0)
    )
    assert refused(path).code == "hostile"


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "..\\x", "C:/x"])
def test_names_that_lead_out_are_refused(tmp_path, name):
    path = tmp_path / "names.docx"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(name, b"")
    assert refused(path).code == "hostile"


ENTITIES = '<?xml version="1.0"?><!-- > --><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'


@pytest.mark.parametrize(
    "content", [ENTITIES.encode(), ENTITIES.encode("utf-16"), ENTITIES.encode("utf-16-le")]
)
def test_entities_are_refused(tmp_path, content):
    assert refused(made(tmp_path / "entities.odt", **{"content.xml": content})).code == "hostile"


def test_books_may_name_their_document_type_and_office_documents_may_not(tmp_path):
    page = b'\xef\xbb\xbf<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x" "y"><html/>'
    check_archive(made(tmp_path / "book.epub", **{"page.xhtml": page}))
    assert (
        refused(
            made(tmp_path / "page.docx", **{"page.xml": page, "[Content_Types].xml": "<Types/>"})
        ).code
        == "hostile"
    )


def test_entities_behind_a_long_comment_are_not_overlooked(tmp_path):
    hidden = f"<!--{'x' * 70_000}-->{ENTITIES}"
    assert refused(made(tmp_path / "hidden.docx", **{"a.xml": hidden})).code == "damaged"


def ole(stream):
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000) + stream.encode("utf-16-le") + bytes(100)
    )


@pytest.mark.parametrize(
    ("stream", "code", "word"),
    [
        ("EncryptedPackage", "encrypted", "password"),
        ("WordDocument", "unsupported", ".docx"),
        ("PowerPoint Document", "unsupported", ".pptx"),
        ("something", "unsupported", "password"),
    ],
)
def test_old_and_encrypted_documents_say_what_to_do(tmp_path, stream, code, word):
    path = tmp_path / "old.docx"
    path.write_bytes(ole(stream))
    error = refused(path)
    assert error.code == code
    assert word in error.remedy


def test_an_encrypted_open_document_is_told(tmp_path):
    manifest = '<manifest><file-entry><encryption-data checksum="x"/></file-entry></manifest>'
    path = made(
        tmp_path / "secret.odt",
        mimetype="application/vnd.oasis.opendocument.text",
        **{"META-INF__manifest.xml": manifest},
    )
    assert refused(path).code == "encrypted"


def test_the_corpus_of_broken_and_hostile_files(shared_documents):
    assert refused(shared_documents / "docx" / "own_adv_bomb_para20.docx").code == "hostile"
    assert refused(shared_documents / "docx" / "own_adv_bomb_para100.docx").code == "hostile"
