"""Where a picture was taken does not come along with it; its pixels and which side is up do."""

import base64
import io

import pytest
from PIL import Image

from dogent_tui.documents.export.images import identify
from dogent_tui.image_files import without_metadata
from dogent_tui.vision.file_kinds import IMAGE, kind_of
from dogent_tui.vision.model import ImageLimits
from dogent_tui.vision.pixels import prepare

SECRET = "48.8577 2.295"

HEIC = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAb5tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAA"
    "AAAAAAAAADRpbG9jAAAAAERAAAIAAQAAAAAB4gABAAAAAAAAABoAAgAAAAAB/AABAAAAAAAAAHQAAAA4aWluZgAAAAAA"
    "AgAAABVpbmZlAgAAAAABAABodmMxAAAAABVpbmZlAgAAAQACAABFeGlmAAAAAA5waXRtAAAAAAABAAAA/WlwcnAAAADd"
    "aXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAq"
    "QgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQAN"
    "AAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAIAAAAAEAAAAAAAAAAv///+AAAAACAAAAEHBp"
    "eGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAABppcmVmAAAAAAAAAA5jZHNjAAIAAQABAAAAlm1kYXQA"
    "AAAWKAGvWOb06r//5Wu//qP8h8oAJ5Gp3wAAAAZFeGlmAABNTQAqAAAACAACAQ8AAgAAAA0AAAAmiCUABAAAAAEAAAA0"
    "AAAAAENBTkFSWS1tYWtlcgAAAAIAAQACAAAAAk4AAAAAAgAFAAAAAwAAAFIAAAAAAAAANAAAAAEAAAAfAAAAAQAAAAAA"
    "AAAB"
)
"""A red photo of 64 by 32 pixels, whose Exif has a maker and a place."""


def picture(form, **options):
    image = Image.effect_noise((40, 20), 90).convert("RGB")
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = SECRET
    stream = io.BytesIO()
    image.save(stream, form, exif=exif, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("JPEG", {"comment": SECRET, "xmp": SECRET.encode()}),
        ("JPEG", {"progressive": True}),
        ("PNG", {}),
        ("WEBP", {"xmp": SECRET.encode()}),
        ("WEBP", {"lossless": True}),
    ],
)
def test_metadata_are_taken_out_and_pixels_stay(form, options):
    made = picture(form, **options)
    assert SECRET.encode() in made
    clean = without_metadata(made)
    assert SECRET.encode() not in clean
    with Image.open(io.BytesIO(made)) as before, Image.open(io.BytesIO(clean)) as after:
        assert after.tobytes() == before.tobytes()
        assert after.format == form
        assert after.getexif().get(0x0112) == (6 if form == "JPEG" else None)
    assert without_metadata(clean) == clean


def test_what_is_broken_or_unknown_stays_as_it_is():
    for made in (picture("JPEG"), picture("PNG"), picture("WEBP")):
        for end in range(0, len(made), 97):
            assert without_metadata(made[:end]) is not None
    assert without_metadata(b"GIF89a\0\0") == b"GIF89a\0\0"


def test_the_photo_of_a_phone_is_seen_without_its_place():
    assert b"CANARY" in HEIC
    drawn = identify(HEIC)
    assert (drawn.kind, drawn.width, drawn.height) == ("png", 64, 32)
    assert b"CANARY" not in drawn.data
    made, data = prepare(HEIC, ImageLimits(side=100, bytes=100_000))
    assert (made.problem, made.mime, made.width) == ("", "image/jpeg", 64)
    assert b"CANARY" not in data
    assert Image.open(io.BytesIO(data)).getpixel((30, 15))[0] > 150
    assert kind_of(io.BytesIO(HEIC)) == IMAGE


@pytest.mark.parametrize("form", ["JPEG", "PNG", "AVIF", "WEBP"])
def test_what_goes_into_a_document_says_nothing_of_its_maker(form):
    exif = Image.Exif()
    exif[0x010F] = "CANARY-maker"
    stream = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(stream, form, exif=exif)
    assert b"CANARY" in stream.getvalue()
    assert b"CANARY" not in identify(stream.getvalue()).data
