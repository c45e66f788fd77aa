"""Images that are saved: real ones, under safe names, over nothing."""

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from dogent_tui import processes
from dogent_tui.wall import decoder
from dogent_tui.web.fetch import Fetcher
from dogent_tui.web.image_check import FORMATS, check
from dogent_tui.web.images import safe_stem, save_image
from dogent_tui.web.model import WebError

pytestmark = pytest.mark.slow


def picture(kind: str = "PNG", color: str = "blue", size: tuple[int, int] = (40, 30)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, color).save(file, kind)
    return file.getvalue()


def saved(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


async def test_an_image_is_saved_and_shown_by_its_snippet(
    fetcher: Fetcher, site: Any, tmp_path: Path
) -> None:
    url = site.add("/pictures/blue%20bridge.jpeg", picture("PNG"), "image/jpeg")
    site.add("/pictures/blue bridge.jpeg", picture("PNG"), "image/jpeg")
    found = await fetcher.fetch(url)
    assert found.image is not None
    assert found.image.path == tmp_path / "images" / "blue-bridge.png"
    assert found.image.snippet == "![blue bridge](images/blue-bridge.png)"
    assert (found.image.format, found.image.width, found.image.height) == ("png", 40, 30)
    assert (found.text, found.content_type) == ("", "image/png")
    assert found.image.path.read_bytes() == picture("PNG")


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_known_by_its_content(kind: str) -> None:
    found = check(picture(kind))
    assert (found.problem, found.format, found.width > 0) == ("", kind, True)


async def test_an_image_gets_the_extension_of_its_format(tmp_path: Path) -> None:
    found = await save_image(picture("WEBP"), Path("images"), tmp_path, "x.exe")
    assert found.path.suffix == ".webp"
    assert found.bytes == found.path.stat().st_size


async def test_nothing_is_overwritten_and_the_same_image_is_saved_once(
    fetcher: Fetcher, site: Any, tmp_path: Path
) -> None:
    blue, red = site.add("/blue", picture(color="blue")), site.add("/red", picture(color="red"))
    first = (await fetcher.fetch(blue, filename="bridge")).image
    again = (await fetcher.fetch(blue, filename="bridge.png")).image
    other = (await fetcher.fetch(red, filename="bridge")).image
    assert first is not None
    assert again == first
    assert other is not None
    assert other.path.name.startswith("bridge-")
    assert first.path.read_bytes() == picture(color="blue")
    assert len(saved(tmp_path)) == 2
    (tmp_path / "images" / "link.png").symlink_to(tmp_path / "elsewhere.png")
    await fetcher.fetch(red, filename="link")
    assert not (tmp_path / "elsewhere.png").exists()


async def test_what_is_no_image_is_an_error_and_nothing_is_saved(
    fetcher: Fetcher, site: Any, tmp_path: Path
) -> None:
    bodies = {
        "not_image": [
            b"<!doctype html><p>404",
            b"plain text",
            b"%PDF-1.4",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b"\x7fELF" + b"\0" * 60,
        ],
        "damaged": [
            picture("PNG")[:-40],
            picture("JPEG", size=(400, 300))[:700],
            b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
            b"GIF89a" + b"\0" * 3,
        ],
    }
    for code, found in bodies.items():
        for number, body in enumerate(found):
            url = site.add(f"/{code}{number}.png", body, "image/png")
            with pytest.raises(WebError) as caught:
                await fetcher.fetch(url, mode="image")
            assert caught.value.code in {code, "not_image"}
    assert not saved(tmp_path)
    with pytest.raises(WebError, match="mode image"):
        await fetcher.fetch(site.add("/x.png", picture(), "text/plain"), mode="text")


async def test_a_bomb_of_pixels_is_not_opened(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    bomb = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )
    with pytest.raises(WebError) as caught:
        await save_image(bomb, Path("images"), tmp_path, "bomb")
    assert caught.value.code == "too_large"
    assert not saved(tmp_path)


def scans_without_end() -> bytes:
    """A JPEG whose last scan, of some 80 bytes, comes a hundred thousand times: hours of
    decoding.
    """
    whole = picture("JPEG", size=(2000, 2000))
    file = io.BytesIO()
    Image.open(io.BytesIO(whole)).save(file, "JPEG", progressive=True)
    body = file.getvalue()
    last = body.rindex(b"\xff\xda")
    return body[:last] + body[last:-2] * 100_000 + body[-2:]


@pytest.mark.slow
async def test_an_image_that_is_decoded_for_hours_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, pytest.raises(WebError) as caught:
        patch.setattr(decoder, "LIMIT_S", 1.0)
        await save_image(scans_without_end(), Path("images"), tmp_path, "bomb")
    assert caught.value.code == "hostile"
    monkeypatch.setattr(processes, "python_command", lambda _: ["false"])
    with pytest.raises(WebError) as caught:
        await save_image(picture(), Path("images"), tmp_path, "crash")
    assert caught.value.code == "damaged"
    assert not saved(tmp_path)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("../../x.png", "x"),
        ("..\\..\\x.png", "x"),
        ("/etc/passwd", "passwd"),
        ("%2e%2e%2fx.png", "x"),
        ("CON", "image-CON"),
        ("con.png", "image-con"),
        ("nul.tar.gz", "image-nul.tar.gz"),
        ("COM¹.jpg", "image-COM¹"),
        ("", "image"),
        ("...", "image"),
        (".png", "image"),
        (".htaccess", "htaccess"),
        ("桥梁 图.jpg", "桥梁-图"),
        ("🌉👩‍🚀.png", "🌉👩‍🚀"),
        ("a\x00b\x1b[31m\u202egnp.png", "ab-31mgnp"),
        ("x.png ", "x"),
        ("a<b>c|d?.png", "a-b-c-d"),
        ("e\u0301te\u0301.png", "été"),
        ("photo.2026.final", "photo.2026.final"),
    ],
)
def test_names_are_made_safe(name: str, stem: str) -> None:
    assert safe_stem(name) == stem


@given(st.text(max_size=400))
@example("x" * 300)
@example("桥" * 300)
@example("👩‍🚀" * 100)
def test_every_name_is_one_on_every_system(name: str) -> None:
    stem = safe_stem(name)
    assert stem
    assert len(f"{stem}-0123456789abcdef.tiff".encode()) < 200
    assert PurePosixPath(stem).name == PureWindowsPath(stem).name == stem
    assert not PureWindowsPath(f"{stem}.png").is_reserved()
    assert not set(stem) & set('/\\:*?"<>|\0')
    assert not stem.startswith((".", "-", " "))
    assert not stem.endswith((".", " "))


@pytest.mark.slow
async def test_long_and_strange_names_are_saved_in_the_images_folder(
    fetcher: Fetcher, site: Any, tmp_path: Path
) -> None:
    url = site.add("/x", picture())
    for name in ("../../x.png", "CON", "🌉", "y" * 300, "~/.ssh/id", "a/b/c", "$(echo)", "-rf"):
        image = (await fetcher.fetch(url, filename=name)).image
        assert image is not None
        assert image.path.parent == tmp_path / "images"
        assert (
            tmp_path / image.snippet.partition("](")[2].removesuffix(")")
        ).exists() or "%" in image.snippet
    assert len(saved(tmp_path)) == 8


@pytest.mark.parametrize("folder", ["../outside", "/tmp/outside", "link"])
async def test_nothing_is_saved_outside_of_the_workspace(folder: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (root / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WebError) as caught:
        await save_image(picture(), Path(folder), root, "x")
    assert caught.value.code == "bad_folder"
    assert not saved(tmp_path)


async def test_a_folder_that_cannot_be_made_is_told(
    tmp_path: Path, make_fetcher: Callable[..., Fetcher]
) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(WebError) as caught:
        await save_image(picture(), Path("file/images"), tmp_path, "x")
    assert caught.value.code == "bad_folder"
    assert saved(tmp_path) == ["file"]
