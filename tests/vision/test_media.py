"""Which files may leave the machine, and in what form."""

import os
import struct

import pytest

from dogent_tui import processes
from dogent_tui.vision import media
from dogent_tui.vision.media import load_media
from dogent_tui.vision.model import Clip, ImageLimits, VideoLimits, VisionError
from dogent_tui.wall import decoder
from tests.vision.media_files import avi, box, matroska, mp4, opened, picture

IMAGES = ImageLimits(side=1000, bytes=1 << 20)
VIDEOS = VideoLimits(1 << 20, ("mp4", "mov", "webm", "mkv", "avi"))


@pytest.fixture
def load(tmp_path):
    async def load(content, name="file.png", media_type=None, images=IMAGES, videos=VIDEOS):
        path = tmp_path / name
        path.write_bytes(content)
        return await load_media(path, media_type, images, videos)

    return load


@pytest.fixture
def refused(load):
    async def refused(content, *arguments, **options):
        with pytest.raises(VisionError) as caught:
            await load(content, *arguments, **options)
        return caught.value.code, str(caught.value)

    return refused


SECRET = b"API_KEY=sk-0123456789\n"


@pytest.mark.parametrize(
    "magic", [b"BM", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF1234WEBP"]
)
async def test_what_begins_like_a_picture_and_is_none_never_leaves(refused, magic):
    code, said = await refused(magic + SECRET, "holiday.png", "image")
    assert code in {"not_media", "damaged"}
    assert "Nothing was sent." in said
    assert (await refused(magic + SECRET, "holiday.mp4", "video"))[0] == "mismatch"


@pytest.mark.parametrize("media_type", [None, "image", "video"])
@pytest.mark.parametrize(
    "content",
    [
        SECRET,
        b"",
        b"RIFF1234AVI " + SECRET,
        b"\x00\x00\x00\x18ftypisom" + SECRET * 9,
        box(b"ftyp", b"isom") + SECRET,
        box(b"ftyp", b"isom") + box(b"mdat", SECRET),
        mp4() + SECRET,
        mp4() + box(b"\0\0\0\0", SECRET),
        mp4() + bytes(7),
        mp4(handler=b"soun"),
        b"\x1a\x45\xdf\xa3" + SECRET,
        matroska(b"text"),
        avi(b"auds"),
        b"P3 1 1 255 " + SECRET,
        b"#define x_width 1\n" + SECRET,
        bytes(range(255, 0, -1)),
    ],
)
async def test_what_is_no_picture_and_no_video_never_leaves(refused, content, media_type):
    code, said = await refused(content, "holiday.png", media_type)
    assert code == "not_media"
    assert "Nothing was sent." in said
    assert "sk-0123456789" not in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (SECRET, "text, despite its name"),
        (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "an SVG drawing"),
        (b"%PDF-1.7\n", "read_document"),
        (b"ID3\4\0\0", "not in a known image"),
        (b"", "is empty"),
        (mp4()[:-5], "a video that is damaged"),
    ],
)
async def test_what_it_is_instead_is_said(refused, content, words):
    assert words in (await refused(content))[1]


async def test_the_content_decides_and_not_what_somebody_says(load, refused):
    code, said = await refused(picture(), "a.mp4", "video")
    assert (code, "it is an image" in said) == ("mismatch", True)
    code, said = await refused(mp4(), "a.png", "image")
    assert (code, "it is a video (mp4)" in said) == ("mismatch", True)
    assert (await load(picture("JPEG"), "a.mp4", "image")).mime == "image/jpeg"
    assert (await load(mp4(), "a.png")).mime == "video/mp4"


@pytest.mark.parametrize(
    ("content", "mime"),
    [
        (mp4(), "video/mp4"),
        (mp4(b"qt  "), "video/quicktime"),
        (mp4()[16:], ""),
        (box(b"wide") + mp4()[20:], "video/quicktime"),
        (mp4() + box(b"SAMS", b"of a camera"), "video/mp4"),
        (
            mp4()
            + struct.pack(">I4sQ", 1, b"free", 20)
            + bytes(4)
            + struct.pack(">I4s", 0, b"mdat")
            + b"to the end",
            "video/mp4",
        ),
        (matroska(), "video/webm"),
        (matroska(b"matroska"), "video/x-matroska"),
        (avi(), "video/x-msvideo"),
    ],
)
async def test_videos_travel_as_they_are(load, refused, content, mime):
    if not mime:
        assert (await refused(content))[0] == "not_media"
        return
    assert await load(content, "a.mov") == Clip(mime, content)


async def test_videos_have_limits(refused):
    code, said = await refused(mp4(film=bytes(1 << 21)), "a.mp4")
    assert (
        code,
        "a.mp4 is 2 MB; with this vision profile, the limit for videos is 1 MB." in said,
    ) == ("too_large", True)
    code, said = await refused(avi(), videos=VideoLimits(1 << 20, ("mp4", "mov")))
    assert (code, "accepts mp4, mov" in said, "Convert it to mp4" in said) == (
        "unsupported",
        True,
        True,
    )
    code, said = await refused(mp4(), videos=None)
    assert (code, "accepts none" in said) == ("unsupported", True)


async def test_a_picture_is_written_anew_in_a_process_of_its_own(load):
    found = await load(picture("WEBP", (2000, 500), lossless=True))
    assert (found.mime, found.width, found.height) == ("image/png", 1000, 250)
    assert "scaled down" in found.note
    with opened(found.data) as image:
        assert (image.size, image.mode, image.getpixel((20, 20))) == (
            (1000, 250),
            "RGB",
            (255, 0, 0),
        )


async def test_links_folders_pipes_and_what_is_not_there(tmp_path, load):
    await load(mp4(), "film")
    (tmp_path / "link").symlink_to("film")
    assert (await load_media(tmp_path / "link", None, IMAGES, VIDEOS)).mime == "video/mp4"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "locked").symlink_to("locked")
    wrong = {
        "pipe": "not a file",
        ".": "folder",
        "none": "There is no file",
        "locked": "cannot be read",
        "a\0b": "name is not valid",
    }
    for name, words in wrong.items():
        with pytest.raises(VisionError, match=words):
            await load_media(tmp_path / name, None, IMAGES, VIDEOS)


async def test_a_picture_that_is_too_large_on_disk_is_not_read(refused, monkeypatch):
    monkeypatch.setattr(media, "MOST_IMAGE_BYTES", 100)
    assert (await refused(picture()))[0] == "too_large"


async def test_a_decoder_that_hangs_or_crashes_is_a_sentence(refused, monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        patch.setattr(decoder, "LIMIT_S", 0.2)
        patch.setattr(processes, "python_command", lambda _: ["sleep", "600"])
        assert (await refused(picture()))[0] == "hostile"
    monkeypatch.setattr(processes, "python_command", lambda _: ["false"])
    assert (await refused(picture()))[0] == "damaged"
    monkeypatch.setattr(processes, "python_command", lambda _: [str(tmp_path / "none")])
    assert "cannot be decoded" in (await refused(picture()))[1]
