"""Diagrams of Mermaid: drawn, and harmless whatever is in them."""

import re
import zipfile

import pymupdf
import pytest

from dogent_tui.documents.export import diagrams
from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.exporter import Exporter
from dogent_tui.documents.library import DocumentLibrary

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


def request(folder, text, kind="pdf"):
    source = folder / "text.md"
    source.write_text(text, "utf-8")
    return ExportRequest(
        kind=kind, markdown=source, target=folder / f"text.{kind}", root=folder, home=folder
    )


async def drawings(exporter, folder, *texts):
    """Return the drawings in a docx, as text, and the result."""
    blocks = "\n\n".join(f"```mermaid\n{text}\n```" for text in texts)
    result = await exporter.export(request(folder, blocks, "docx"))
    with zipfile.ZipFile(result.path) as package:
        names = [name for name in package.namelist() if name.endswith(".svg")]
        pictures = [name for name in package.namelist() if name.endswith(".png")]
        assert 0 < len(pictures) <= len(names) or not names  # those that look the same are one
        return [package.read(name).decode() for name in names], result


@pytest.mark.thorough
async def test_a_diagram_is_drawn_with_its_words_and_number(exporter, tmp_path):
    text = (
        '``` {.mermaid #fig:way caption="The way"}\ngraph LR\n  A[Gauge] --> B[Forecast 预报]\n```'
        "\n\nSee @fig:way.\n\n```mermaid\njourney\n  section Day\n    Walking: 5: Me\n```\n"
    )
    result = await exporter.export(request(tmp_path, text))
    assert (result.warnings, result.left_out) == ((), ())
    page = pymupdf.open(result.path)[0].get_text()
    assert {"Gauge", "预报", "See", "Walking"} <= set(page.split())
    assert "graph LR" not in page
    assert page.replace("\N{NO-BREAK SPACE}", " ").count("Figure 1") == 2
    (svg,), docx = await drawings(exporter, tmp_path, "graph LR\n  A[Gauge] --> B[Forecast 预报]")
    assert docx.warnings == ()
    assert "Gauge" in svg
    assert "marker-end" in svg


@pytest.mark.thorough
async def test_a_drawn_diagram_is_read_back_as_what_it_was_drawn_from(exporter, tmp_path):
    block = '```mermaid\ngraph LR\n  A[Gauge] --> B["[x] 预报"]\n\n    B --> C\n```'
    pdf = await exporter.export(request(tmp_path, f"# The way\n\n{block}\n"))
    docx = await exporter.export(request(tmp_path, block, "docx"))
    async with DocumentLibrary(tmp_path / "conversions", full_page_s=60) as library:
        assert (await library.read(docx.path)).text == block
        assert block in (await library.read(pdf.path)).text


@pytest.mark.thorough
async def test_what_is_no_diagram_stays_as_text_and_is_told_with_its_line(exporter, tmp_path):
    result = await exporter.export(request(tmp_path, "Text\n\n```mermaid\nnonsense here\n```\n"))
    (warning,) = result.warnings
    assert "(line 4): it is shown as text" in warning
    assert "nonsense here" in pymupdf.open(result.path)[0].get_text()


@pytest.mark.thorough
async def test_without_a_browser_it_stays_as_text(typesetter, tmp_path):
    result = await typesetter.export(request(tmp_path, "```mermaid\ngraph LR\n  A --> B\n```\n"))
    assert any("shown as text" in warning for warning in result.warnings)
    assert "graph LR" in pymupdf.open(result.path)[0].get_text()


HOSTILE = {
    "click": 'graph LR\n A --> B\n click A "javascript:alert(1)"\n click B call alert(1)',
    "link": 'graph LR\n A --> B\n click A href "ADDRESS/link" _blank',
    "html": 'graph LR\n A["<img src=ADDRESS/x onerror=alert(1)>word"] --> B',
    "script": 'graph LR\n A["<script>fetch(`ADDRESS/s`)</script>word"] --> B',
    "loose": (
        '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}'
        '}%%\ngraph LR\n A["<iframe src=ADDRESS/f></iframe>word"] --> B'
    ),
    "css": (
        '%%{init: {"themeCSS": "@import url(ADDRESS/c); * {background: url(ADDRESS/b)}"}}%%\n'
        "graph LR\n A --> B"
    ),
    "style": "graph LR\n A --> B\n style A fill:url(ADDRESS/s),background:url(file:///etc/passwd)",
    "image": 'flowchart TD\n A@{ img: "ADDRESS/i.png", label: "word", w: 60, h: 60 }',
    "file": 'flowchart TD\n A@{ img: "file:///etc/passwd", label: "word", w: 60, h: 60 }',
    "sequence": "sequenceDiagram\n participant A\n link A: Site @ ADDRESS/l\n A->>A: word",
    "variables": '%%{init: {"themeVariables": {"primaryColor": "red;} * {x: url(ADDRESS/v)"}}}%%\n'
    "graph LR\n A --> B",
}


@pytest.mark.thorough
async def test_nothing_of_a_hostile_diagram_runs_or_loads(exporter, tmp_path, listener):
    """All of them in one document: a browser reads three megabytes of script for each one."""
    texts = [text.replace("ADDRESS", listener.url) for text in HOSTILE.values()]
    made, result = await drawings(exporter, tmp_path, *texts)
    told = [warning for warning in result.warnings if "shown as text" in warning]
    assert len(made) + len(told) + "".join(told).count("(2 times") == len(HOSTILE)
    for svg in made:
        for bad in ("<script", "foreignObject", "javascript:", "file:", "<iframe", "@import"):
            assert bad not in svg, svg
        assert not re.search(r"\son\w+=|href=\"(?!#)|url\((?![\"']?#|&quot;#)", svg), svg
    blocks = "\n\n".join(f"```mermaid\n{text}\n```" for text in texts)
    await exporter.export(request(tmp_path, blocks))
    assert listener.asked == []


@pytest.mark.thorough
async def test_a_huge_one_is_text(exporter, tmp_path):
    edges = "\n".join(f"  n{number} --> n{number + 1}" for number in range(6000))
    made, result = await drawings(exporter, tmp_path, f"graph LR\n{edges}")
    assert made == []
    assert "too long" in result.warnings[0]


@pytest.mark.thorough
async def test_one_that_takes_too_long_is_text_and_the_next_export_works(
    exporter, tmp_path, monkeypatch
):
    graph = "graph LR\n  A --> B"
    with monkeypatch.context() as patch:
        patch.setattr(diagrams, "_LIMIT_S", 0.02)
        made, result = await drawings(exporter, tmp_path, graph, "graph LR\n  C --> D", "pie\n")
        assert made == []
        assert len(result.warnings) == 3
    made, _ = await drawings(exporter, tmp_path, graph)
    assert len(made) == 1


@pytest.mark.thorough
async def test_a_document_without_diagrams_starts_no_browser(tmp_path):
    def find():
        raise AssertionError

    async with Exporter(find) as exporter:
        result = await exporter.export(request(tmp_path, "Text\n", "docx"))
    assert result.warnings == ()
