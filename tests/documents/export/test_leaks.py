"""Nothing of the computer or the network gets into a pdf, whatever the Markdown or the style
sheet asks for.
"""

import io
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from dogent_tui.documents.export.browser import Browser
from dogent_tui.documents.export.model import ExportRequest, ExportResult
from dogent_tui.documents.exporter import Exporter
from tests.documents.export.conftest import Listener

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

CANARY = "CANARY-5c1f"
COLOR = (254, 1, 253)
"""Of the picture outside the workspace; nothing else is drawn in it."""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that is not the workspace, with a text and pictures that hold the canary; links
    in the workspace lead there.
    """
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text(CANARY)
    (folder / "secret.html").write_text(f"<p>{CANARY}</p>")
    (folder / "secret.css").write_text(f'body::before {{ content: "{CANARY}" }}')
    (folder / "secret.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg"><text y="20">{CANARY}</text></svg>'
    )
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), COLOR).save(buffer, "PNG")
    (folder / "secret.png").write_bytes(buffer.getvalue())
    work = tmp_path / "work"
    (work / ".dogent").mkdir(parents=True)
    (work / "link.png").symlink_to(folder / "secret.png")
    (work / "folder").symlink_to(folder)
    (work / "reaching.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' width="64" height="64"><script>fetch("x")</script><image'
        f' xlink:href="{(folder / "secret.png").as_uri()}" width="64" height="64"/><image'
        ' href="URL/svg.png" width="9" height="9"/><foreignObject width="99" height="99"><iframe'
        ' xmlns="http://www.w3.org/1999/xhtml"'
        f' src="{(folder / "secret.txt").as_uri()}"/></foreignObject></svg>'
    )
    return folder


PAYLOADS = {
    "iframe": '<iframe src="OUTSIDE/secret.txt"></iframe>\n\n<iframe src="URL/frame"></iframe>',
    "iframe srcdoc": "<iframe srcdoc=\"<img src='URL/srcdoc'>\"></iframe>",
    "meta refresh": (
        '<meta http-equiv="refresh" content="0; url=OUTSIDE/secret.html">\n\n'
        '<meta http-equiv=refresh content="0;URL/m">'
    ),
    "object": (
        '<object data="OUTSIDE/secret.txt" type="text/plain"></object>\n\n<object'
        ' data="URL/object"></object>'
    ),
    "embed": '<embed src="OUTSIDE/secret.svg">\n\n<embed src="URL/embed">',
    "style": (
        "<style>@import 'URL/a.css'; @import url(OUTSIDE/secret.css); body { background:"
        " url(OUTSIDE/secret.png) }</style>"
    ),
    "style attribute": (
        '<div style="background: url(OUTSIDE/secret.png); height: 3cm">x</div>\n\n'
        '<p style="background:url(URL/p)">y</p>'
    ),
    "link": (
        '<link rel="stylesheet" href="URL/l.css">\n\n'
        '<link rel=stylesheet href="OUTSIDE/secret.css"><link rel=prefetch href="URL/pf">'
    ),
    "script": (
        "<script>fetch('URL/script'); document.write('scripted')</script>\n\n<script"
        ' src="URL/s.js"></script>'
    ),
    "event": '<img src="none.png" onerror="fetch(\'URL/onerror\')">\n\n<b onmouseover="x()">b</b>',
    "remote image": (
        '![r](URL/remote.png) <img src="URL/tag.png"> ![p](//127.0.0.1/x.png)\n\n<img'
        ' srcset="URL/set.png 1x">'
    ),
    "local image": (
        "![l](OUTSIDE/secret.png) ![l](PATH/secret.png) ![l](../outside/secret.png)"
        " ![e](..%2Foutside%2Fsecret.png)"
    ),
    "linked image": "![s](link.png) ![f](folder/secret.png) <img src='link.png'>",
    "svg": "![v](reaching.svg)\n\n<svg><image href='URL/inline.svg'/><text>inline</text></svg>",
    "file link": (
        "[a](OUTSIDE/secret.txt) <a href='OUTSIDE/secret.txt'>b</a> [c](javascript:alert(1))"
        " <file:///etc/hostname>"
    ),
    "data page": (
        "[a](data:text/html,<b>x</b>) ![b](data:text/html;base64,PGI+) <iframe"
        " src='data:text/html,framed'></iframe>"
    ),
    "media": (
        "<video src='URL/v' poster='URL/poster'></video> "
        "<audio src='URL/a'></audio>\n\n<video><source src='URL/v2'></video>"
    ),
    "form": (
        "<form action='URL/form'><input type=image src='URL/i.png'></form>\n\n"
        "<table background='URL/t'><tr><td>x</td></tr></table>"
    ),
    "base": "<base href='URL/'>\n\n![b](based.png)",
    "formula": "$\\href{OUTSIDE/secret.txt}{x} \\includegraphics{PATH/secret.png}$",
    "reference": (
        "![r][a] ![b][] [c]\n\n[a]: OUTSIDE/secret.png\n[b]: <PATH/secret.png>\n[c]:"
        " OUTSIDE/secret.txt"
    ),
    "footnote": (
        "a[^1] b^[![i](PATH/secret.png)]\n\n[^1]: ![n](OUTSIDE/secret.png) ![n](URL/note.png) <img"
        " src='link.png'>"
    ),
    "definition": "Term\n: ![d](OUTSIDE/secret.png)\n: <img src='folder/secret.png'>",
    "table cell": "| a |\n|---|\n| ![t](PATH/secret.png) <img src='URL/cell'> |",
    "source set": (
        "<img src='none.png' srcset='OUTSIDE/secret.png 2x, URL/set2.png 1x'>\n\n"
        "<picture><source srcset='folder/secret.png'><img src='link.png'></picture>"
    ),
    "attribute": (
        "![a](none.png){style='background: url(URL/a)' src='PATH/secret.png'}\n\n"
        "# b {style='background: url(OUTSIDE/secret.png)'}"
    ),
    "front matter": (
        "---\ntitle: <img src='URL/t'> T\nauthor: '![a](OUTSIDE/secret.png)'\ndate: <iframe"
        " src='OUTSIDE/secret.txt'>\ncss: [OUTSIDE/secret.css, URL/c.css]\nheader-includes: <script"
        " src='URL/h.js'></script>\ninclude-before: OUTSIDE/secret.html\ninclude-before-body:"
        " PATH/secret.html\nbibliography: PATH/secret.txt\ncsl: URL/csl\nreference-doc:"
        " PATH/secret.txt\ntemplate: PATH/secret.html\nabstract: '![x](PATH/secret.png)'\ntoc:"
        " true\ntoc-title: <img src='URL/toc'>\nlang: \"en'><img src=URL/lang>\"\n---\n"
    ),
    "captions": (
        "![l](PATH/secret.png){#fig:a}\n\n| a |\n|---|\n| b |\n\n: ![l](OUTSIDE/secret.png)"
        " {#tbl:a}\n\n@fig:a @tbl:a"
    ),
    "fenced": (
        "::: {.landscape style='background: url(URL/d)' src='PATH/secret.png'}\n"
        "![l](PATH/secret.png)\n:::\n\n[s]{style='x' src=URL/s}"
    ),
    "call-out": "> [!WARNING]\n> ![l](PATH/secret.png) <iframe src='OUTSIDE/secret.txt'></iframe>",
    "tex": (
        "$$\\input{PATH/secret.txt}$$ $\\url{OUTSIDE/secret.txt} \\include{PATH/secret.txt}"
        " \\htmlData{src=URL/x}{y}$"
    ),
    "raw typst": (
        '```{=typst}\n#read("PATH/secret.txt")\n```\n\n`#include "PATH/secret.txt"`{=typst}'
    ),
}

SHEETS = {
    "import": "@import 'URL/i.css'; @import url(OUTSIDE/secret.css);",
    "url": (
        "body { background: url(OUTSIDE/secret.png) } h1 { background: url('URL/x.png') } p {"
        " content: url(../link.png) }"
    ),
    "font": "@font-face { font-family: x; src: url(URL/f.woff2) } body { font-family: x }",
    "escaped": (
        "body { background: u\\72l(URL/esc) } @im\\70ort 'URL/esc.css'; p { background:"
        " image-set('URL/set' 1x) }"
    ),
    "breaking out": (
        "</style><iframe src='OUTSIDE/secret.txt'></iframe><meta http-equiv=refresh"
        " content='0;URL/x'><style>"
    ),
}


async def export(
    exporter: Exporter, outside: Path, listener: Listener, text: str, sheet: str = ""
) -> ExportResult:
    """Make a pdf of a hostile text, or with a hostile style sheet."""

    def filled(template: str) -> str:
        return (
            template.replace("URL", listener.url)
            .replace("OUTSIDE", outside.as_uri())
            .replace("PATH", str(outside))
        )

    work = outside.parent / "work"
    harmless, hostile = "# Harmless\n\nHarmless words.", filled(text)
    # front matter
    parts = (hostile, harmless) if hostile.startswith("---") else (harmless, hostile)
    (work / "a.md").write_text("\n\n".join(parts) + "\n")
    reaching = work / "reaching.svg"
    reaching.write_text(filled(reaching.read_text()))
    if sheet:
        (work / ".dogent" / "pdf.css").write_text(filled(sheet))
    return await exporter.export(
        ExportRequest(
            kind="pdf",
            markdown=work / "a.md",
            target=work / "a.pdf",
            root=work.resolve(),
            home=outside.parent / "home",
        )
    )


def assert_clean(pdf: Path | bytes, listener: Listener) -> None:
    """Nothing was asked for, and nothing of what lies outside is in the pdf: as text, as a
    picture, as a link, as a file.
    """
    assert listener.asked == []
    content = pdf if isinstance(pdf, bytes) else pdf.read_bytes()
    with pymupdf.open(stream=content, filetype="pdf") as document:
        assert document.embfile_count() == 0
        for page in document:
            assert CANARY not in page.get_text()
            assert not [
                link
                for link in page.get_links()
                if not link.get("uri", "https:").startswith(("http", "mailto:"))
            ]
            pixels = page.get_pixmap(dpi=50)
            assert bytes(COLOR) not in pixels.samples
            for image in page.get_images():
                assert pymupdf.Pixmap(document, image[0]).pixel(0, 0)[:3] != COLOR


@pytest.mark.thorough_after(6)
@pytest.mark.parametrize("name", PAYLOADS)
async def test_nothing_leaks_out_of_a_hostile_text(name, exporter, outside, listener):
    result = await export(exporter, outside, listener, PAYLOADS[name])
    assert result.engine.startswith("Chromium")
    assert_clean(result.path, listener)
    # dropped as looks are, or never had an effect
    if name not in {"style attribute", "formula", "raw typst", "front matter", "tex"}:
        assert result.left_out


@pytest.mark.parametrize("name", SHEETS)
async def test_nothing_leaks_out_of_a_hostile_style_sheet(name, exporter, outside, listener):
    result = await export(exporter, outside, listener, "text", SHEETS[name])
    assert_clean(result.path, listener)
    with pymupdf.open(result.path) as document:
        assert "Harmless words." in document[0].get_text()


@pytest.mark.thorough
async def test_nothing_leaks_where_typst_sets_it_all(typesetter, outside, listener):
    result = await export(typesetter, outside, listener, "\n\n".join(PAYLOADS.values()))
    assert result.engine.startswith("typst")
    assert_clean(result.path, listener)
    assert len(result.left_out) > 15


@pytest.mark.thorough
async def test_the_browser_itself_is_a_wall(browser_here, outside, listener):
    """What got past the rewriting would still not load anything: every payload as it is, without
    the policy of our page.
    """
    everything = "\n".join(
        [*PAYLOADS.values(), *(f"<style>{sheet}</style>" for sheet in SHEETS.values())]
    )
    hostile = (
        everything.replace("URL", listener.url)
        .replace("OUTSIDE", outside.as_uri())
        .replace("PATH", str(outside))
    )
    browser = Browser()
    try:
        printed = await browser.print(f"<!DOCTYPE html><p>Harmless</p>{hostile}")
    finally:
        await browser.close()
    assert listener.asked == []
    with pymupdf.open(stream=printed.content) as document:
        for page in document:
            assert CANARY not in page.get_text()
            assert "scripted" not in page.get_text()
            assert bytes(COLOR) not in page.get_pixmap(dpi=50).samples


@pytest.mark.thorough
async def test_what_was_left_out_is_told(exporter, outside, listener):
    result = await export(
        exporter,
        outside,
        listener,
        PAYLOADS["script"] + "\n\n![x](link.png) [y](OUTSIDE/secret.txt)",
    )
    told = "\n".join(result.left_out)
    for words in (
        "<script>",
        "Image link.png (line 9): it is outside the workspace",
        "Link file://",
    ):
        assert words in told
