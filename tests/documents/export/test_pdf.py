"""Exported pdf, read back: words in order, bookmarks, links, properties, fonts; the browser's
life; the engine without one.
"""

import asyncio
import io
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pymupdf
import pytest
from PIL import Image

from dogent_tui.documents.export.browser import Browser, find_browsers
from dogent_tui.documents.export.model import ExportRequest, ExportResult
from dogent_tui.documents.exporter import Exporter
from dogent_tui.documents.model import DocumentError
from tests.children import children_running

pytestmark = pytest.mark.asyncio(loop_scope="module")

A4 = (595, 842)


async def export(
    exporter: Exporter, folder: Path, text: str, **wishes: Any
) -> tuple[ExportResult, pymupdf.Document]:
    """Make a pdf of `text` in the workspace `folder`, and open it."""
    (folder / "text.md").write_text(text, "utf-8")
    request = ExportRequest(
        kind="pdf",
        markdown=folder / "text.md",
        target=folder / "out" / "text.pdf",
        root=folder,
        home=folder / "home",
        **wishes,
    )
    result = await exporter.export(request)
    return result, pymupdf.open(result.path)


def words(document: pymupdf.Document) -> str:
    return " ".join(" ".join(page.get_text().split()) for page in document)


def in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


REPORT = """---
title: A report — 报告
author: [Ada Lovelace, Grace Hopper]
subject: Engines
keywords: [analytical, 引擎]
lang: en-GB
toc: true
---

# Beginnings

First words[^1] and *some* `code`; see [the end](#the-end) or [the web](https://example.com/page).

- [x] done
- [ ] open

Term
: Its meaning.

## 中文标题

这里有一些中文，比如文字。

<!-- pagebreak -->

| Name | Value |
| --- | ---: |
| alpha | 1,5 |

## Formulas

Inline $a^2$ and costs of $5 to $6.

$$\\frac{a}{b}$$

```python
def answer():
    return 42
```

\\newpage

## The end

Last words.

[^1]: A note below.
"""


async def test_a_whole_report(exporter, tmp_path):
    result, document = await export(exporter, tmp_path, REPORT)
    assert (result.left_out, result.warnings) == ((), ())
    assert result.engine.startswith("Chromium")
    assert result.pages == document.page_count == 3
    text = words(document)
    assert in_order(
        text, "A report — 报告", "Ada Lovelace, Grace Hopper", "Contents", "Beginnings",
        "First words",
        "☑ done", "☐ open", "Term", "Its meaning", "这里有一些中文，比如文字。", "Name", "alpha",
        "1,5",
        "costs of $5 to $6", "def answer():", "return 42",
        "Last words.", "A note below.",
    )  # fmt: skip
    assert document.get_toc() == [
        [1, "Beginnings", 1],
        [2, "中文标题", 1],
        [2, "Formulas", 2],
        [2, "The end", 3],
    ]
    properties = document.metadata
    assert properties["title"] == "A report — 报告"
    assert properties["author"] == "Ada Lovelace, Grace Hopper"
    assert (properties["subject"], properties["keywords"]) == ("Engines", "analytical, 引擎")
    assert document.xref_get_key(document.pdf_catalog(), "Lang") == ("string", "en-GB")
    assert document.xref_get_key(document.pdf_catalog(), "ViewerPreferences/DisplayDocTitle") == (
        "bool",
        "true",
    )
    assert document.xref_get_key(document.pdf_catalog(), "MarkInfo/Marked") == ("bool", "true")
    assert tuple(map(round, document[0].rect.br)) == A4


async def test_links_and_the_contents_lead_to_the_right_pages(exporter, tmp_path):
    _, document = await export(exporter, tmp_path, REPORT)
    links = [link for page in document for link in page.get_links()]
    assert [link["uri"] for link in links if link["kind"] == pymupdf.LINK_URI] == [
        "https://example.com/page"
    ]
    inside = {
        document[0].get_textbox(link["from"]).split("\n")[0].strip(): link["page"]
        for link in links
        if "page" in link
    }
    assert {
        "Beginnings": 0,
        "中文标题": 0,
        "Formulas": 1,
        "The end": 2,
        "the end": 2,
    }.items() <= inside.items()
    contents = words(document).partition("Contents")[2]
    assert in_order(contents, "Beginnings 1", "中文标题 1", "Formulas 2", "The end 3")


async def test_the_contents_follow_a_change(exporter, tmp_path):
    await export(exporter, tmp_path, REPORT)
    _, document = await export(
        exporter, tmp_path, REPORT.replace("## Form", "\\newpage\n\n## Form")
    )
    assert in_order(words(document), "Beginnings 1", "Formulas 3", "The end 4", "Last words.")


async def test_every_font_is_in_the_pdf(exporter, tmp_path):
    _, document = await export(exporter, tmp_path, REPORT)
    for number in range(document.page_count):
        for xref, _, kind, *_ in document.get_page_fonts(number):
            if kind != "Type3":  # which is made of drawings in the file
                assert document.extract_font(xref)[3], document.extract_font(xref)[0]


async def test_a_long_cell_does_not_break_the_words_and_numbers_beside_it(exporter, tmp_path):
    remark = "a long remark that has to be wrapped in its cell, of which there are a few " * 3
    address = "https://example.org/" + "a/very/long/address/" * 8
    text = (
        f"| Month | Visits | Remark |\n|---|---:|---|\n| November | 6,985 | {remark} |\n| July | 5"
        f" | {address} |\n"
    )
    _, document = await export(exporter, tmp_path, text)
    shown = [word[4] for word in document[0].get_text("words")]
    assert {"Month", "Visits", "November", "6,985"} <= set(shown)
    right = max(word[2] for word in document[0].get_text("words"))
    assert right < A4[0] - 50


async def test_the_style_sheet_of_the_workspace_decides(exporter, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "pdf.css").write_text("@page { size: A3 }")
    _, document = await export(exporter, tmp_path, "# One\n\nWords")
    assert round(document[0].rect.width) == 842
    (tmp_path / ".dogent").mkdir()
    (tmp_path / ".dogent" / "pdf.css").write_text(
        "@page { size: 10cm 12cm; margin: 1cm } h1 { color: #ff0000 }"
    )
    result, document = await export(exporter, tmp_path, "# One\n\nWords")
    assert tuple(round(side / 72 * 2.54, 1) for side in document[0].rect.br) == (10, 12)
    spans = [
        span
        for block in document[0].get_text("dict")["blocks"]
        for line in block["lines"]
        for span in line["spans"]
    ]
    heading = next(span for span in spans if span["text"].startswith("One"))
    assert heading["color"] == 0xFF0000
    assert heading["origin"][0] == pytest.approx(72 / 2.54, abs=1)
    assert result.warnings == ()


async def test_images_are_as_large_as_they_say(exporter, tmp_path):
    buffer = io.BytesIO()
    Image.new("RGB", (300, 150), "blue").save(buffer, "PNG", dpi=(300, 300))
    (tmp_path / "an image.png").write_bytes(buffer.getvalue())
    (tmp_path / "drawing.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96"'
        ' height="96" fill="red"/></svg>'
    )
    text = (
        '![An image](<an image.png>)\n\n![](an%20image.png){width=50%}\n\n<img src="an image.png"'
        " width=96>\n\n"
    )
    text += '![d](drawing.svg)\n\n![f](drawing.svg "The caption")\n'
    result, document = await export(exporter, tmp_path, text)
    assert result.left_out == ()
    widths = [round(info["bbox"][2] - info["bbox"][0]) for info in document[0].get_image_info()]
    column = document[0].rect.width - 2 * 24 / 25.4 * 72
    assert widths == [72, pytest.approx(column / 2, abs=2), 72]
    reds = [drawing for drawing in document[0].get_drawings() if drawing.get("fill") == (1, 0, 0)]
    assert [round(drawing["rect"].width) for drawing in reds] == [72, 72]
    assert "The caption" in words(document)


async def test_heads_of_a_merged_table_are_above_their_columns(exporter, tmp_path):
    text = (
        "<table><tr><th rowspan=3>Kind</th><th colspan=2>Summer</th></tr>"
        "<tr><th>day</th><th>night</th></tr><tr><th>low</th><th>high</th></tr>"
        "<tr><td>Adult</td><td>two</td><td>three</td></tr></table>"
    )
    _, document = await export(exporter, tmp_path, text)
    left = {word: x0 for x0, _, _, _, word, *_ in document[0].get_text("words")}
    assert left["Summer"] == left["day"] == left["low"] == pytest.approx(left["two"])
    assert left["Kind"] == pytest.approx(left["Adult"])


async def test_typst_sets_tasks_with_their_boxes_alone(typesetter, tmp_path):
    _, document = await export(typesetter, tmp_path, "- [x] one\n- [ ] two\n  - [ ] three\n")
    left = {word: x0 for x0, _, _, _, word, *_ in document[0].get_text("words")}
    assert left["one"] == left["two"] < left["three"]
    assert "•" not in words(document)


async def test_a_wide_formula_is_whole(exporter, typesetter, tmp_path):
    text = f"$${' + '.join(f'a_{{{number}}}' for number in range(28))} = z$$ {{#eq:z}}\n"
    for maker in (exporter, typesetter):
        _, document = await export(maker, tmp_path, text)
        last = [word for word in document[0].get_text("words") if word[4] in {"𝑧", "(1)"}]
        assert len(last) == 2
        assert all(right < document[0].rect.width - 50 for _, _, right, *_ in last)


@pytest.mark.parametrize(
    ("text", "shown", "hidden"),
    [
        ("a <b>bold</b> <sub>2</sub><br>x <kbd>K</kbd>", "a bold 2 x K", "<"),
        ('<div align="center">\n\n**in** <i>it</i>\n\n</div>\n\nafter', "in it after", "<"),
        ("<table><tr><td colspan=2>cell</td></tr></table>", "cell", "<"),
        ("<details><summary>more</summary>hidden so far</details>", "more hidden so far", "<"),
        ("<!-- a remark -->\n\ntext", "text", "remark"),
        ("1 < 2 & 3 &gt; 2 &lt;b&gt; `<i>`", "1 < 2 & 3 > 2 <b> <i>", "&lt;"),
        ("第一行\n第二行", "第一行第二行", "行 第"),
        ("\\$5 and $\\unknowncommand{$ x", "$5 and", "$$"),
    ],
)
async def test_markup_reads_as_it_is_meant(exporter, tmp_path, text, shown, hidden):
    _, document = await export(exporter, tmp_path, text)
    assert shown in words(document)
    assert hidden not in words(document)


async def test_what_a_writer_should_know_is_told(exporter, tmp_path):
    text = "# Here\n\n[a](#nowhere) [b](#HERE) [c](other.md) ![x](gone.png) ꔀ عربي $\\nosuch{a}_$"
    result, document = await export(exporter, tmp_path, text)
    told = "\n".join(result.warnings)
    assert "Link #nowhere (line 3): no heading has that name." in told
    assert "No font on this computer includes ꔀ:" in told
    assert "Formula \\nosuch{a}_ (line 3): it was not understood" in told
    assert result.left_out == (
        "Link other.md (line 3): that file doesn't travel with the document; the text is kept.",
        "Image gone.png (line 3): no such file.",
    )
    assert [link["page"] for page in document for link in page.get_links() if "page" in link] == [0]


async def test_a_failure_leaves_the_old_file(exporter, tmp_path):
    _, document = await export(exporter, tmp_path, "# Old")
    document.close()
    target = tmp_path / "out" / "text.pdf"
    old = target.read_bytes()
    with pytest.raises(DocumentError, match="does not exist"):
        await exporter.export(
            ExportRequest(
                kind="pdf",
                markdown=tmp_path / "none.md",
                target=target,
                root=tmp_path,
                home=tmp_path,
            )
        )
    (tmp_path / "folder.pdf").mkdir()
    with pytest.raises(DocumentError, match="cannot be written"):
        await exporter.export(
            ExportRequest(
                kind="pdf",
                markdown=tmp_path / "text.md",
                target=tmp_path / "folder.pdf",
                root=tmp_path,
                home=tmp_path,
            )
        )
    assert target.read_bytes() == old
    assert sorted(path.name for path in target.parent.iterdir()) == ["text.pdf"]


async def test_progress_is_told(exporter, tmp_path):
    (tmp_path / "a.md").write_text("x")
    heard: list[str] = []
    request = ExportRequest(
        kind="pdf",
        markdown=tmp_path / "a.md",
        target=tmp_path / "a.pdf",
        root=tmp_path,
        home=tmp_path,
    )
    await exporter.export(request, heard.append)
    assert heard[0] == "Reading a.md"
    assert heard[-2:] == ["Printing", "Finishing"]


@pytest.mark.thorough
async def test_a_browser_that_died_is_started_again(browser_here, tmp_path):
    async with Exporter() as exporter:
        await export(exporter, tmp_path, "# One")
        for process in own_children():
            with suppress(psutil.NoSuchProcess):  # a browser's processes take each other along
                process.send_signal(signal.SIGKILL)
        _, document = await export(exporter, tmp_path, "# Two")
        assert "Two" in words(document)
        browsers = own_children()
        assert browsers
    _, alive = await asyncio.to_thread(psutil.wait_procs, browsers, timeout=60)
    assert alive == []


@pytest.mark.thorough
async def test_a_page_that_crashed_is_printed_again(browser_here, monkeypatch):
    """Nobody waits for it until the time is up."""
    from dogent_tui.documents.export import browser as browser_module

    printed, crashed = browser_module._print, []

    async def crash_first(page, html):
        if not crashed:
            crashed.append(page)
            session = await page.context.new_cdp_session(page)
            asyncio.ensure_future(session.send("Page.crash")).add_done_callback(
                lambda done: done.exception()
            )
        return await printed(page, html)

    monkeypatch.setattr(browser_module, "_print", crash_first)
    monkeypatch.setattr(browser_module, "_PRINT_LIMIT_S", 600)
    browser = Browser()
    async with asyncio.timeout(60):
        made = await browser.print("<p>Two</p>")
    await browser.close()
    assert (made.content[:5], len(crashed)) == (b"%PDF-", 1)


def own_children() -> list[psutil.Process]:
    """Return the browsers that this test started last: those whose parents are the newest
    driver's, inside its wall.
    """
    drivers = []
    for process in children_running("run-driver"):
        with suppress(psutil.NoSuchProcess):  # one that was killed may be ending
            if process.cmdline()[0].endswith("node"):
                drivers.append(process)
    return drivers[-1].children(recursive=True) if drivers else []


async def test_who_is_stopped_early_leaves_no_program_behind(browser_here, tmp_path):
    (tmp_path / "a.md").write_text("x")
    request = ExportRequest(
        kind="pdf",
        markdown=tmp_path / "a.md",
        target=tmp_path / "a.pdf",
        root=tmp_path,
        home=tmp_path,
    )
    before = set(psutil.Process().children())
    async with Exporter() as exporter:
        exporting = asyncio.ensure_future(exporter.export(request))
        while not set(psutil.Process().children()) - before:  # until something was started
            await asyncio.sleep(0)
        exporting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await exporting
    _, alive = await asyncio.to_thread(
        psutil.wait_procs, set(psutil.Process().children()) - before, timeout=10
    )
    assert alive == []
    assert not (tmp_path / "a.pdf").exists()


KILLED = """
import asyncio, sys
from pathlib import Path
from dogent_tui.documents.export.browser import Browser

async def main():
    browser = Browser()
    await browser.print("<p>x</p>")
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_nothing_stays_behind_a_kill(browser_here, tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=environment, cwd=Path(__file__).parents[3]
    ) as process:
        assert process.stdout is not None
        assert await asyncio.to_thread(process.stdout.readline) == b"ready\n"
        started = psutil.Process(process.pid).children(recursive=True)
        assert len(started) > 2
        process.kill()
    _, alive = await asyncio.to_thread(psutil.wait_procs, started, timeout=60)
    assert alive == []
    assert [path.name for path in tmp_path.iterdir() if "playwright" in path.name] == []


async def test_who_gives_up_a_browser_whose_driver_is_killed_hears_of_no_error(browser_here):
    browser = Browser()
    starting = asyncio.create_task(browser.start())
    driver = None
    while driver is None:
        driver = next(iter(children_running("driver")), None)
        await asyncio.sleep(0)
    starting.cancel()
    driver.kill()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await browser.close()


@pytest.mark.thorough
async def test_the_whole_report_without_a_browser(typesetter, tmp_path):
    result, document = await export(typesetter, tmp_path, REPORT)
    assert result.engine.startswith("typst")
    assert "No browser" in result.warnings[0]
    assert "made with typst instead" in result.warnings[0]
    assert result.left_out == ()
    text = words(document)
    assert in_order(
        text, "A report — 报告", "Ada Lovelace, Grace Hopper", "Contents", "First words", "done",
        "Its meaning",
        "这里有一些中文，比如文字。", "alpha", "costs of $5 to $6", "def answer():", "Last words.",
    )  # fmt: skip
    assert "A note below." in text
    assert document.get_toc() == [
        [1, "Beginnings", 1],
        [2, "中文标题", 1],
        [2, "Formulas", 2],
        [2, "The end", 3],
    ]
    assert document.metadata["author"] == "Ada Lovelace, Grace Hopper"
    assert document.metadata["title"] == "A report — 报告"
    targets = [
        link["page"] for page in document for link in page.get_links() if link.get("page", -1) >= 0
    ]
    assert 2 in targets
    assert "https://example.com/page" in [
        link.get("uri") for page in document for link in page.get_links()
    ]


@pytest.mark.thorough
async def test_typst_sets_formulas_whose_names_it_has_no_more_and_shows_others_as_tex(
    typesetter, tmp_path
):
    text = r"$a \cap b \otimes c \ominus d \odot e$ and $\bigcap_i x_i$"
    text += r" and $\begin{vmatrix} a \end{vmatrix} \begin{Vmatrix} b \end{Vmatrix}$"
    result, document = await export(typesetter, tmp_path, text)
    assert not [warning for warning in result.warnings if "TeX" in warning]
    assert all(sign in words(document) for sign in "∩⊗⊖⊙⋂")
    result, document = await export(typesetter, tmp_path, r"Text $\llbracket x \rrbracket$")
    assert [warning for warning in result.warnings if "shown as TeX" in warning]
    assert r"\llbracket" in words(document)


async def test_typst_finds_places_that_have_no_words(typesetter, tmp_path):
    code = "\n".join(f"line {number}" for number in range(99))
    text = (
        "## One {#one}\n\n[]{#two}Text [a](#one), [b](#two), [c](#three), @lst:d.\n\n"
        f'```{{#lst:d caption="Long"}}\n{code}\n```\n\n::: {{.abstract #three}}\nLast\n:::\n'
    )
    _, document = await export(typesetter, tmp_path, text)
    assert "Text a, b, c, Listing 1." in words(document).replace("\N{NO-BREAK SPACE}", " ")
    assert "line 98" in words(document)


async def test_typst_draws_images_and_takes_its_own_signs_as_text(typesetter, tmp_path):
    Image.new("RGB", (900, 90), "blue").save(tmp_path / "wide.png")
    (tmp_path / "drawing.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96"'
        ' height="96" fill="red"/></svg>'
    )
    text = (
        '# #let "x\\\n\n![w](wide.png "Cap")\n\n![d](drawing.svg)\n\n#panic() @ref <lab> $5 [link]'
        " `#x` *a\\_b* = / + - ~\n"
    )
    result, document = await export(
        typesetter, tmp_path, f"---\ntitle: '#panic(\"x\\\")'\n---\n{text}"
    )
    assert '#panic("x\\")' in words(document)
    assert "#panic() @ref" in words(document)
    assert len(document[0].get_image_info()) == 1
    assert document[0].get_image_info()[0]["bbox"][2] < document[0].rect.width
    assert result.warnings[1:] == ()


@pytest.mark.thorough
async def test_a_browser_that_does_not_start_is_passed_over(browser_here, tmp_path):
    broken = tmp_path / "broken-browser"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    browser = Browser(lambda: [broken, *find_browsers()])
    try:
        assert (await browser.print("<p>x</p>")).content.startswith(b"%PDF-")
        assert browser.path != broken
    finally:
        await browser.close()
    async with Exporter(lambda: [broken]) as exporter:
        result, _ = await export(exporter, tmp_path, "# One")
    assert result.engine.startswith("typst")
    assert "No browser on this computer starts (broken-browser" in result.warnings[0]


async def test_notes_are_at_the_foot_of_their_pages_where_the_file_asks(tmp_path):
    text = "One.[^1]\n\n\\newpage\n\nTwo.[^2]\n\n[^1]: The first note.\n\n[^2]: The second.\n"
    source = tmp_path / "notes.md"
    request = ExportRequest(
        kind="pdf", markdown=source, target=tmp_path / "notes.pdf", root=tmp_path, home=tmp_path
    )
    (tmp_path / "pdf.css").write_text("p { color: red }")
    source.write_text(f"---\ntitle: Notes\nfootnotes: page\n---\n\n{text}")

    async with Exporter(list) as exporter:
        result = await exporter.export(request)
    assert result.engine.startswith("typst")
    (warning,) = result.warnings
    assert "pdf.css were not used" in warning
    pages = [page.get_text() for page in pymupdf.open(result.path)]
    assert ["The first note" in text for text in pages] == [True, False]
    assert ["The second" in text for text in pages] == [False, True]


async def test_no_child_of_another_thread_can_hold_the_driver_s_script_open():
    """What is open for writing somewhere cannot be executed, and a child has what its parent has
    open until it executes its program.
    """
    script = """if True:
        import os, sys
        opened = []
        def hear(event, args):
            if event == "open" and str(args[0]).endswith("/node") and args[2] & os.O_ACCMODE:
                opened.append(args)
        sys.addaudithook(hear)
        from pathlib import Path
        from dogent_tui.documents.export.browser import _driver
        with _driver([Path(sys.executable)]):
            place = Path(os.environ["PLAYWRIGHT_NODEJS_PATH"])
            print(os.access(place, os.X_OK), place.read_text().startswith("#!/bin/sh"), opened)
    """
    command = [sys.executable, "-c", script]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True True []\n"
