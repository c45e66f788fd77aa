"""What a Markdown file tries to bring into a docx, or to have fetched: nothing of it is there,
and the result says so.
"""

import asyncio
import base64
import socket
import threading
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from dogent_tui.documents.export.model import ExportRequest
from tests.documents.export.conftest import export_docx

pytestmark = pytest.mark.slow

CANARY = "canary-7f3a9c"


class Listener:
    """A server that must hear of nobody."""

    def __init__(self) -> None:
        self.heard = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.heard += 1
            connection.close()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes who waits for someone to come
        self._socket.close()
        self._thread.join(5)


@pytest.fixture(scope="module")
def listener():
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture
def secret(tmp_path) -> Path:
    """A file outside of the workspace, and an image with a text in it beside that."""
    path = tmp_path / "secret.txt"
    path.write_text(CANARY, encoding="utf-8")
    image = Image.new("RGB", (4, 4))
    image.info["comment"] = CANARY
    image.save(tmp_path / "secret.gif", comment=CANARY.encode())
    return path


PAYLOADS = {
    "iframe": '<iframe src="file://{secret}"></iframe>',
    "meta refresh": '<meta http-equiv="refresh" content="0; url=file://{secret}">',
    "object": '<object data="file://{secret}">instead</object>',
    "embed": '<embed src="file://{secret}">',
    "style": (
        '<style>@import url("{url}/style"); body {{ background: url("file://{secret}") }}</style>'
    ),
    "stylesheet": (
        '<link rel="stylesheet" href="{url}/css"><link rel="preload" href="file://{secret}">'
    ),
    "script": '<script src="{url}/js"></script><script>fetch("{url}/fetch")</script>',
    "event": '<img src="x" onerror="fetch(\'{url}/onerror\')">',
    "remote image": "![remote]({url}/image.png)",
    "remote image without a scheme": "![remote](//127.0.0.1:{port}/image.png)",
    "html image": '<p><img src="{url}/image.png"><img src="{image}"></p>',
    "local image": "![local]({image})",
    "local image by address": "![local](file://{image})",
    "image upwards": "![up](../secret.gif)",
    "encoded upwards": "![up](%2e%2e/secret.gif)",
    "text as image": "![text](../secret.txt)",
    "symbolic link": "![link](link.gif)",
    "linked folder": "![link](folder/secret.gif)",
    "reference": "![ref][r]\n\n[r]: file://{secret}",
    "svg": "![svg](evil.svg)",
    "svg address": "![svg](data:image/svg+xml;base64,{svg})",
    "data address": "![data](data:text/html;base64,{html})",
    "raw openxml": (
        '```{{=openxml}}\n<w:p><w:r><w:fldSimple w:instr="INCLUDETEXT {secret}"/></w:r></w:p>\n```'
    ),
    "inline openxml": "`<w:r><w:instrText>INCLUDEPICTURE {url}</w:instrText></w:r>`{{=openxml}}",
    "raw html": '```{{=html}}\n<iframe src="file://{secret}"></iframe>\n```',
    "tex": "\\input{{{secret}}}\n\n$$\\input{{{secret}}}$$",
    "include": '!include {secret}\n\n{{{{#include {secret}}}}}\n\n<!--#include file="{secret}" -->',
    "code file": '```{{.python include="{secret}"}}\n```',
    "file link": "[link](file://{secret})",
    "html file link": (
        '<a href="file://{secret}">link</a>\n\n<p><a href="file://{secret}">link</a></p>'
    ),
    "script link": "[link](javascript:fetch('{url}'))",
    "share": "[link](\\\\\\\\127.0.0.1\\\\share) [link](//127.0.0.1/share)",
    "metadata": (
        "---\ntitle: T\nheader-includes: '<w:p/>'\nbibliography: {secret}\nreference-doc:"
        " {secret}\ncss: {url}\n---\n"
    ),
    "metadata shown": (
        "---\ntitle: '![t]({image}) <img src={url}/t>'\nauthor: '[a](file://{secret})'\nabstract:"
        " '![x]({image})'\ninclude-before: {secret}\ntemplate: {secret}\ncsl: {url}/csl\n---\n"
    ),
    "source set": (
        "<img srcset='file://{image} 2x, {url}/set 1x'>\n\n"
        "<picture><source srcset='{image}'><img src='link.gif'></picture>"
    ),
    "style attribute": (
        '<div style="background: url(file://{image})">x</div>\n\n# y {{style="background:'
        ' url({url}/y)"}}'
    ),
    "formula": (
        "$\\href{{file://{secret}}}{{x}} \\includegraphics{{{image}}}$ $$\\url{{{url}}}"
        " \\include{{{secret}}}$$"
    ),
    "inline note": "a^[![local]({image}) <img src='{url}/note'>]",
    "definition": "Term\n: ![local]({image})\n: <img src='link.gif'>",
    "image attributes": (
        "![a]({image}){{width=2cm src='{image}'}} ![b](none.png){{#id .c link='file://{secret}'}}"
    ),
    "captions": (
        "![local]({image}){{#fig:a}}\n\n| a |\n|---|\n| b |\n\n: ![local]({image})"
        " {{#tbl:a}}\n\nSee @fig:a and @tbl:a."
    ),
    "fenced": (
        '::: {{.landscape custom-style="x" style="background:'
        ' url({url}/d)"}}\n![local]({image})\n:::\n\n[s]{{style="a" src={image}}}'
    ),
    "call-out": '> [!WARNING]\n> ![local]({image}) <iframe src="file://{secret}"></iframe>',
    "footnote": 'a[^1]\n\n[^1]: ![local]({image}) <iframe src="file://{secret}"></iframe>',
    "table": '| a |\n|---|\n| ![local]({image}) <iframe src="{url}"> |',
}
NOTHING_TO_TELL = {
    "raw openxml",
    "inline openxml",
    "raw html",
    "tex",
    "include",
    "code file",
    "metadata",
    "metadata shown",
}
NOTHING_TO_TELL |= {"style attribute", "formula"}
"""These are plain text here, or nothing at all."""


@pytest.mark.thorough_after(6)
@pytest.mark.parametrize("kind", PAYLOADS)
def test_a_payload_neither_leaks_nor_fetches_and_is_told(kind, secret, listener, tmp_path):
    root = tmp_path / "workspace"
    root.mkdir()
    url, image = f"http://127.0.0.1:{listener.port}", secret.with_suffix(".gif")
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image'
        f' href="{url}/a.png"/><image href="file://{image}"/></svg>'
    )
    (root / "evil.svg").write_text(svg, encoding="utf-8")
    (root / "link.gif").symlink_to(image)
    (root / "folder").symlink_to(secret.parent)
    html = f'<iframe src="file://{secret}"></iframe>'
    text = PAYLOADS[kind].format(
        secret=secret,
        image=image,
        url=url,
        port=listener.port,
        svg=base64.b64encode(svg.encode()).decode(),
        html=base64.b64encode(html.encode()).decode(),
    )
    (root / "report.md").write_text(f"{text}\n\nThe text stays.\n", encoding="utf-8")
    request = ExportRequest(
        kind="docx",
        markdown=root / "report.md",
        target=root / "report.docx",
        root=root,
        home=tmp_path / "home",
    )
    result = asyncio.run(export_docx(request))

    with zipfile.ZipFile(result.path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    assert not [name for name, part in parts.items() if CANARY.encode() in part]
    assert listener.heard == 0
    assert b"The text stays." in parts["word/document.xml"]
    for name, part in parts.items():
        if name.endswith(".rels"):
            assert b"file:" not in part
            assert b"127.0.0.1" not in part
            assert b"javascript" not in part
    for field in (b"<w:instrText", b"<w:fldSimple", b"<w:altChunk"):
        assert field not in parts["word/document.xml"]
    if kind not in NOTHING_TO_TELL and "svg" not in kind:
        assert result.left_out
    for name, part in parts.items():
        if name.endswith(".svg"):
            assert b"127.0.0.1" not in part
            assert b"file:" not in part
