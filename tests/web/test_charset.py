"""Bytes of the web as text, and what kind of content they are."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.html.charset import codec_for, decode
from dogent_tui.web.content_type import sniff

CHINESE = "明天的会议改到星期三下午三点，请各位准时参加，并带上上次讨论的材料。"
RUSSIAN = "Заседание перенесено на среду, просим всех принести материалы прошлого обсуждения."
FRENCH = "L’été dernier, le comité s’est réuni à Genève : décision reportée."
JAPANESE = "会議は水曜日の午後に変更されました。資料をお持ちください。"


def page(text: str, charset: str) -> str:
    return (
        "<!doctype html><html><head><meta"
        f" charset={charset}></head><body><p>{text}</p></body></html>"
    )


@pytest.mark.parametrize(
    ("text", "label", "codec"),
    [
        (CHINESE, "gb2312", "gb18030"),
        (CHINESE, "x-gbk", "gb18030"),
        (RUSSIAN, "windows-1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (FRENCH, "ISO-8859-1", "cp1252"),
        (FRENCH, "utf-8", "utf-8"),
        (JAPANESE, "Shift_JIS", "cp932"),
        (JAPANESE, "EUC-JP", "euc_jp"),
        (JAPANESE, "iso-2022-jp", "iso2022_jp"),
    ],
)
def test_header_meta_and_guess_lead_to_the_text(text: str, label: str, codec: str) -> None:
    body = page(text, label).encode(codec)
    for header in (f"text/html; charset={label}", "text/html", 'text/html; charset="nonsense"'):
        assert text in decode(body, header, markup=True)[0]
    assert text in decode(text.encode(codec) * 5, f"text/plain; charset={label}", markup=False)[0]


def test_a_mark_and_utf8_win_over_what_is_said() -> None:
    assert decode(b"\xef\xbb\xbf" + FRENCH.encode(), "text/html; charset=latin1", markup=True) == (
        FRENCH,
        "utf-8",
    )
    assert decode(FRENCH.encode("utf-16"), "text/html; charset=utf-8", markup=True)[0] == FRENCH
    assert decode(FRENCH.encode(), "text/html; charset=iso-8859-1", markup=True) == (
        FRENCH,
        "utf-8",
    )
    assert (
        CHINESE
        in decode(
            page(CHINESE, "utf-8").encode("gb18030"), "text/html; charset=utf-8", markup=True
        )[0]
    )
    assert decode(page("plain", "utf-16").encode(), "", markup=True)[0] == page("plain", "utf-16")


@pytest.mark.parametrize(
    ("text", "codec", "label"),
    [
        (CHINESE, "gb18030", "iso-8859-1"),
        (RUSSIAN, "cp1251", "iso-8859-1"),
        ("圖書館新館將於下個月一日正式開放，閱覽座位增加到兩千一百個。", "big5", "gb2312"),
    ],
)
def test_a_header_that_the_letters_contradict_is_not_believed(text, codec, label) -> None:
    body = f"<p>{text}</p>".encode(codec)
    assert text in decode(body, f"text/html; charset={label}", markup=True)[0]


@pytest.mark.parametrize(
    "label",
    [
        "",
        "utf-7",
        "rot13",
        "zlib",
        "unicode_escape",
        "idna",
        "punycode",
        "x-user-defined",
        "\x00",
        "undefined",
    ],
)
def test_codecs_that_are_no_encodings_of_text_are_not_used(label: str) -> None:
    assert codec_for(label) == ""


@given(st.binary(max_size=300), st.text(max_size=40))
def test_any_bytes_become_text_and_have_a_kind(body: bytes, header: str) -> None:
    assert isinstance(decode(body, header, markup=True)[0], str)
    assert sniff(body, header).kind in {"page", "text", "image", "document", "other"}


@pytest.mark.parametrize(
    ("body", "declared", "kind", "content_type"),
    [
        (b"\x89PNG\r\n\x1a\n....", "text/html", "image", "image/png"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "", "image", "image/webp"),
        (b"\0\0\0\x1cftypavif", "", "image", "image/avif"),
        (b"%PDF-1.7\n", "text/html", "document", "application/pdf"),
        (b"PK\x03\x04 and more", "text/plain", "document", "application/zip"),
        (b"<!-- hello -->\n <HTML>", "", "page", "text/html"),
        (b"\xef\xbb\xbf  <!DOCTYPE html><p>", "application/json", "page", "text/html"),
        ("<!doctype html><p>ü".encode("utf-16"), "", "page", "text/html"),
        (
            b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="x">',
            "application/xhtml+xml",
            "page",
            "text/html",
        ),
        (b"<!doctype html><p>how to make a %PDF-1.4 file", "", "page", "text/html"),
        (b"<p>words", "", "page", "text/html"),
        (b"<p>words", "text/plain", "text", "text/plain"),
        (b'<svg xmlns="http://www.w3.org/2000/svg">', "image/svg+xml", "text", "image/svg+xml"),
        (b'<?xml version="1.0"?><rss></rss>', "application/rss+xml", "text", "application/rss+xml"),
        (b'[{"a": 1}]', "", "text", "application/json"),
        (b"[not json", "", "text", "text/plain"),
        (b"# Title", "text/markdown", "text", "text/markdown"),
        (b"", "text/html", "page", "text/html"),
        (b"", "", "text", "text/plain"),
    ],
)
def test_content_tells_what_it_is(body: bytes, declared: str, kind: str, content_type: str) -> None:
    found = sniff(body, declared)
    assert (found.kind, found.content_type) == (kind, content_type)


def test_json_is_told_without_making_anything_of_it() -> None:
    body = b"[" + b"[]," * 200_000 + b"[]]"
    tracemalloc.start()
    try:
        assert sniff(body, "").content_type == "application/json"
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < len(body) * 4  # a list for each was over thirty times as much
    assert sniff(b"[" * 1_000_000, "").content_type == "text/plain"


@pytest.mark.parametrize(
    ("text", "encoding", "label"),
    [
        ("Городской совет обсудил новый план развития транспорта.", "cp1251", "windows-1251"),
        ("Городской совет обсудил новый план развития.", "iso8859-5", "iso-8859-5"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "iso8859-2", "iso-8859-2"),
        ("市政府昨天公布了新的交通方案。", "gb18030", "gb2312"),
        ("市は新しい交通計画を発表しました。", "cp932", "shift_jis"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "cp1250", "windows-1250"),
        ("Der Fluß führte größere Mengen Wasser über die Brücke.", "cp1252", "iso-8859-1"),
    ],
)
@pytest.mark.parametrize("wrong", ["iso-8859-1", "windows-1251", "utf-8"])
def test_where_server_and_page_disagree_the_bytes_decide(
    text: str, encoding: str, label: str, wrong: str
) -> None:
    for header, meta in ((wrong, label), (label, wrong)):
        body = f"<!doctype html><meta charset={meta}><p>{text}<p>{text}".encode(encoding)
        assert text in decode(body, f"text/html; charset={header}", markup=True)[0]
