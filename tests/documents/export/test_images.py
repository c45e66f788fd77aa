"""Images for a document: from the workspace only, and images only."""

import base64
import io
import os
from pathlib import Path

import pytest
from PIL import Image

from dogent_tui.documents.export.images import Images, identify
from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.documents.export.svg import clean_svg


def picture(kind: str = "PNG", size: tuple[int, int] = (8, 6), **options) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "red").save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work" / "text").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(picture())
    return tmp_path / "work"


def refused(root: Path, address: str) -> str:
    left_out = LeftOut()
    images = Images(root, root / "text", left_out)
    assert images.find(address) is None
    assert images.find(address) is None  # said once
    (told,) = left_out.sentences()
    return told


def test_an_image_of_the_workspace_is_found(root):
    (root / "my image.png").write_bytes(picture(dpi=(300, 300)))
    for address in (
        "../my image.png",
        "../my%20image.png",
        "../my%20image.png?raw=true",
        str(root / "my image.png"),
    ):
        image = Images(root, root / "text", LeftOut()).find(address)
        assert image is not None, address
        assert (image.kind, image.width, image.height, round(image.dpi)) == ("png", 8, 6, 300)
        assert image.data_uri.startswith("data:image/png;base64,")


@pytest.mark.parametrize(
    "address",
    [
        "../../secret.png",
        "..%2F..%2Fsecret.png",
        "../link.png",
        "../folder/secret.png",
        "/etc/passwd",
        "../../none.png",
    ],
)
def test_nothing_comes_from_outside(root, address):
    (root / "link.png").symlink_to(root.parent / "secret.png")
    (root / "folder").symlink_to(root.parent)
    assert "outside the workspace" in refused(root, address)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://127.0.0.1/a.png", "on the network"),
        ("//127.0.0.1/a.png", "on the network"),
        ("\\\\host\\a.png", "on the network"),
        ("file:///etc/passwd", "a file address"),
        ("none.png", "no such file"),
        (".", "not a file"),
        ("notes.png", "not an image"),
        ("pipe.png", "not a file"),
        ("cut.png", "damaged"),
        ("data:text/html,<b>x", "not an image"),
        ("data:image/png;base64,!!!", "not an image"),
        ("a\0b", "no such file"),
        ("http://[", "not an address"),
    ],
)
def test_what_is_no_image_is_left_out_with_a_reason(root, address, reason):
    text = root / "text"
    (text / "notes.png").write_text("root:x:0:0")
    (text / "cut.png").write_bytes(picture(size=(100, 100))[:-60])
    os.mkfifo(text / "pipe.png")
    assert reason in refused(root, address)


@pytest.mark.slow
def test_too_many_pixels_are_refused(root):
    buffer = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(buffer, "PNG")
    (root / "text" / "big.png").write_bytes(buffer.getvalue())
    assert "pixels; make it smaller" in refused(root, "big.png")


@pytest.mark.parametrize("kind", ["WEBP", "BMP", "TIFF"])
def test_rare_kinds_become_png(kind):
    image = identify(picture(kind))
    assert (image.kind, image.width) == ("png", 8)


def test_an_image_in_the_text_is_checked_as_any_other(root):
    address = "data:image/jpeg;base64," + base64.b64encode(picture("JPEG")).decode()
    image = Images(root, root, LeftOut()).find(address)
    assert image is not None
    assert image.kind == "jpeg"


SVG = """<?xml version="1.0"?><!DOCTYPE svg><?xml-stylesheet href="http://h/a.css"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="2in" height="96px" onload="x()">
<style>@import 'http://h/b.css'; a { fill: url(http://h/c.svg#d) } b { fill: url("#e") }</style>
<script>alert(1)</script><image xlink:href="file:///etc/passwd"/><image href="http://h/x.png"/>
<image href="data:image/svg+xml,x"/><foreignObject><iframe src="file:///etc/passwd"/></foreignObject>
<rect fill="u\\72l(http://h/f)" stroke="url(#e)" width="9" height="9"/><use xlink:href="#e"/></svg>"""  # noqa: E501


def test_an_svg_keeps_its_drawing_and_nothing_that_reaches_out():
    drawing = clean_svg(SVG.encode())
    assert drawing is not None
    text = drawing.data.decode()
    assert (drawing.width, drawing.height) == (192, 96)
    for wanted in ("<rect", "<use", 'href="#e"', 'stroke="url(#e)"', 'url("#e")'):
        assert wanted in text
    assert 'fill="u72l(' in text  # what was escaped means nothing any more
    for unwanted in (
        "url(h",
        "src=",
        "@im",
        "\\",
        "file:",
        "script",
        "onload",
        "iframe",
        "data:",
        "import",
    ):
        assert unwanted not in text


@pytest.mark.parametrize(
    "text",
    [
        (
            '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg'
            ' xmlns="http://www.w3.org/2000/svg">&a;</svg>'
        ),
        "<svg",
        "<html><svg/></html>",
    ],
)
def test_a_broken_or_unsafe_svg_is_none(text):
    assert clean_svg(text.encode()) is None
