"""Cutting a document into pages: every character comes exactly once, wherever one begins and
however long a page is.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.messages import Piece
from dogent_tui.documents.model import ReadOptions, Source
from dogent_tui.documents.spool import Spool
from dogent_tui.documents.store import ConversionStore, FileState, digest_of

TEXTS = st.text(st.sampled_from("ab \n中😀\u0301|"), max_size=60)
PIECES = st.lists(
    st.builds(
        Piece, TEXTS, st.builds(Source, line=st.integers(1, 9)), st.sampled_from(["\n\n", "\n", ""])
    ),
    max_size=12,
)


def spooled(folder, pieces):
    spool = Spool(folder / "test.part")
    for piece in pieces:  # one by one, as they come
        spool.append([piece])
    return spool


def whole(pieces):
    return "".join(piece.joint + piece.text for piece in pieces)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("spool")


@given(pieces=PIECES, max_chars=st.integers(1, 50), ended=st.booleans())
def test_all_pages_together_are_the_document(folder, pieces, max_chars, ended):
    spool = spooled(folder, pieces)
    text, read = whole(pieces), ""
    while len(read) < len(text) and (ended or len(text) > len(read) + max_chars):
        page = spool.page(len(read), max_chars, ended=ended)
        assert page.start == len(read)
        assert 0 < len(page.text) <= max_chars
        assert page.end == page.start + len(page.text)
        read += page.text
    assert text.startswith(read)
    if ended:
        assert read == text
    spool.close()
    spool.path.unlink(missing_ok=True)


@given(pieces=PIECES, offset=st.integers(0, 300), max_chars=st.integers(1, 300))
def test_a_page_from_anywhere_is_that_part_and_knows_its_sources(folder, pieces, offset, max_chars):
    spool = spooled(folder, pieces)
    text = whole(pieces)
    page = spool.page(offset, max_chars, ended=True)
    assert page.text == text[page.start : page.end]
    assert page.start == min(offset, len(text))
    place, where = 0, {}
    for piece in pieces:
        begin = place + len(piece.joint)
        place = begin + len(piece.text)
        where |= dict.fromkeys(range(begin, place), piece.source)
    shown = {index: found.source for found in page.shown for index in range(found.start, found.end)}
    assert shown == {
        index: source for index, source in where.items() if page.start <= index < page.end
    }
    spool.close()
    spool.path.unlink(missing_ok=True)


def pages(spool, max_chars):
    found, offset = [], 0
    while offset < spool.chars:
        page = spool.page(offset, max_chars, ended=True)
        found.append(page.text)
        offset = page.end
    return found


def test_a_page_ends_with_a_block(tmp_path):
    pieces = [
        Piece("a" * 30, joint=""),
        Piece("b" * 30),
        Piece("c" * 30, joint="\n"),
        Piece("d" * 30),
    ]
    assert pages(spooled(tmp_path, pieces), 70) == [
        "a" * 30 + "\n\n" + "b" * 30 + "\n",
        "c" * 30 + "\n\n" + "d" * 30,
    ]


def test_a_block_that_is_too_long_is_cut_at_a_line_and_one_without_lines_anywhere(tmp_path):
    lines = "".join(f"line {number}\n" for number in range(20))
    found = pages(spooled(tmp_path, [Piece(lines + "x" * 100, joint="")]), 50)
    assert found[0] == "".join(f"line {number}\n" for number in range(7))
    assert found[3] == "line 19\n" + "x" * 42
    assert found[-1] == "x" * 8
    assert max(map(len, found)) <= 50


def test_places_far_apart_are_found_again(tmp_path):
    pieces = [Piece(f"{number:06} {'x' * 993}", Source(line=number), "\n") for number in range(500)]
    spool = spooled(tmp_path, pieces)
    spool.keep(tmp_path / "kept", b"about")
    assert Spool.about(tmp_path / "kept") == b"about"
    again = Spool(tmp_path / "kept", spool.placed)
    page = again.page(400 * 1001 + 1, 6, ended=True)
    assert (page.text, page.shown[0].source.line) == ("000400", 400)


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 100, b"\xff" * 20, bytes(9)])
def test_a_file_that_is_no_conversion_is_not_taken_for_one(tmp_path, content):
    (tmp_path / "key.blocks").write_bytes(content)
    assert ConversionStore(tmp_path).find("key") is None


def test_a_block_that_fits_on_a_page_is_not_cut_however_short_the_page_before_it_gets(tmp_path):
    assert pages(spooled(tmp_path, [Piece("Title", joint=""), Piece("x\n" * 48)]), 100) == [
        "Title\n\n",
        "x\n" * 48,
    ]
    (other := tmp_path / "other").mkdir()
    title, rest, last = pages(spooled(other, [Piece("Title", joint=""), Piece("x\n" * 98)]), 100)
    assert (len(title), title[-2:], len(rest), len(last)) == (99, "x\n", 100, 4)


def test_many_read_at_once(tmp_path):
    pieces = [Piece(f"{number:06} {'x' * 93}", joint="\n") for number in range(5000)]
    spool = spooled(tmp_path, pieces)
    text = whole(pieces)
    with ThreadPoolExecutor(8) as readers:
        found = list(
            readers.map(
                lambda offset: spool.page(offset, 1000, ended=True), range(0, len(text), 7001)
            )
        )
    assert all(page.text == text[page.start : page.end] for page in found)


def test_what_another_reader_made_is_not_found(tmp_path, monkeypatch):
    (tmp_path / "reader.py").write_text("one")
    state = FileState.of(tmp_path / "reader.py")
    monkeypatch.setattr("dogent_tui.documents.store._READERS", tmp_path)

    def key():
        digest_of.cache_clear()
        return ConversionStore(tmp_path).key(state, ReadOptions())

    first, again = key(), key()
    (tmp_path / "reader.py").write_text("two")
    changed = key()
    digest_of.cache_clear()
    assert first == again != changed
