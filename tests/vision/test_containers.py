"""What a video says beside its pictures does not travel with it."""

import io
import struct

import pytest

from dogent_tui.vision.containers import video_format, without_metadata
from tests.vision.media_files import avi, box, matroska, mp4

PLACE = b"+48.8577+002.295/"


def film(kind):
    if kind in {"mp4", "mov"}:
        whole = mp4(b"isom" if kind == "mp4" else b"qt  ", film=b"pictures" * 9)
        at = whole.index(b"moov") - 4
        length = int.from_bytes(whole[at : at + 4], "big")
        told = box(b"udta", box(b"\xa9xyz", PLACE)) + box(b"meta", bytes(4) + PLACE)
        inner = whole[at + 8 : at + length] + told
        return whole[:at] + box(b"moov", inner) + box(b"uuid", PLACE) + whole[at + length :]
    if kind == "webm":
        tags = b"\x12\x54\xc3\x67" + bytes([0x80 | len(PLACE)]) + PLACE
        cluster = b"\x1f\x43\xb6\x75" + bytes([0x80 | 8]) + b"pictures"
        return matroska()[:-64] + tags + cluster + tags
    listed = b"INFO" + b"ILOC" + struct.pack("<I", len(PLACE) + 1) + PLACE + b"\0"
    whole = avi() + b"LIST" + struct.pack("<I", len(listed)) + listed
    return b"RIFF" + struct.pack("<I", len(whole) - 8) + whole[8:]


@pytest.mark.parametrize("kind", ["mp4", "mov", "webm", "avi"])
def test_where_a_film_was_made_is_taken_out(kind):
    made = film(kind)
    assert PLACE in made
    clean = without_metadata(kind, made)
    assert PLACE not in clean
    assert len(clean) == len(made)
    assert video_format(io.BytesIO(clean)) == video_format(io.BytesIO(made)) == kind
    assert clean.count(b"pictures") == made.count(b"pictures")
    assert without_metadata(kind, clean) == clean


@pytest.mark.parametrize("kind", ["mp4", "webm", "avi"])
def test_half_a_film_is_no_error(kind):
    made = film(kind)
    for end in range(0, len(made), 7):
        assert len(without_metadata(kind, made[:end])) == end
