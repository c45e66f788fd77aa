"""What is exported is read back as it was written: by the tags of a pdf, by the styles of a
docx.
"""

import re

import pymupdf
import pytest

from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.library import DocumentLibrary
from tests.documents.export.random_documents import random_document

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

_PAGE = re.compile(r"(\n\n|^)<!-- page \d+ -->(?=\n)| <!-- page \d+ -->(?!\S)|<!-- page \d+ -->")
_NOTE = re.compile(r"\n\n(\[\^\d+\]: .*)")


async def read_back(exporter, folder, text, kind="pdf"):
    source = folder / "text.md"
    source.write_text(text, "utf-8")
    result = await exporter.export(
        ExportRequest(
            kind=kind, markdown=source, target=folder / f"text.{kind}", root=folder, home=folder
        )
    )
    async with DocumentLibrary(folder / "conversions", full_page_s=60) as library:
        text = (await library.read(result.path, max_chars=1_000_000)).text
    text = _PAGE.sub("", f"{text}\n").strip()  # a note is in the place of its page
    return "\n\n".join([_NOTE.sub("", text), *_NOTE.findall(text)])


@pytest.fixture(params=["pdf", "docx", "typst"])
def written(request, exporter, typesetter, tmp_path):
    """What is read back of a text, by each of the three writers."""
    by = typesetter if request.param == "typst" else exporter
    kind = "docx" if request.param == "docx" else "pdf"
    return lambda text: read_back(by, tmp_path, text, kind)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(24))
async def test_a_random_pdf_says_what_was_written(exporter, tmp_path, seed):
    text = random_document(seed)
    assert await read_back(exporter, tmp_path, text) == text


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12))
async def test_a_random_docx_says_what_was_written(exporter, tmp_path, seed):
    text = random_document(seed)
    assert await read_back(exporter, tmp_path, text, "docx") == text


@pytest.mark.parametrize("kind", ["pdf", "docx"])
async def test_a_list_in_a_quotation_stays_in_it(exporter, tmp_path, kind):
    text = (
        "# Rules\n\n> Before all:\n>\n> - count\n> - weigh\n>   1. twice\n>   2. in the dark\n>\n"
        "> That was all.\n\nText between.\n\n- a list alone\n- of two\n\n> 1. numbered\n> 2. only"
    )
    assert await read_back(exporter, tmp_path, text, kind) == text


@pytest.mark.parametrize("kind", ["pdf", "docx"])
async def test_quotations_and_call_outs_next_to_or_in_others_stay_apart(exporter, tmp_path, kind):
    text = (
        "# T\n\n- item\n\n  > [!TIP]\n  > in it\n\n> Quoted\n>\n> > twice\n> >\n> > > and thrice\n"
        ">\n> - in it"
    )
    assert await read_back(exporter, tmp_path, text, kind) == text


async def test_markdown_between_the_tags_of_a_table_stays_in_its_cells(written):
    cells = [
        "**Mind** the `gap` here[^1]\n\n- one\n- two",
        "```\ncode\n  more\n```",
        "| a |\n|---|\n| 1 |",
    ]
    rows = "".join(f"<tr><td>\n\n{cell}\n\n</td><td>*as it is*</td></tr>\n" for cell in cells)
    assert await written(f"Before\n\n<table>\n{rows}</table>\n\nAfter\n\n[^1]: Note.") == (
        "Before\n\n<table>\n<tr><td><strong>Mind</strong> the <code>gap</code> here[^1]"
        "<ul><li>one</li><li>two</li></ul></td><td>*as it is*</td></tr>\n"
        "<tr><td><pre><code>code&#10;  more</code></pre></td><td>*as it is*</td></tr>\n"
        "<tr><td><table><tr><th>a</th></tr><tr><td>1</td></tr></table></td>"
        "<td>*as it is*</td></tr>\n"
        "</table>\n\nAfter\n\n[^1]: Note."
    )


async def test_any_block_stays_in_its_quotation_or_call_out(written):
    inside = [
        "Mind:",
        "- the gap\n- the step",
        "| of | stairs |\n| --- | --- |\n| 1 | 2 |",
        "```\none line\n```",
        "> quoted",
        "The end.",
    ]
    quoted = "\n>\n".join("\n".join(f"> {line}" for line in part.split("\n")) for part in inside)
    item = f"> [!TIP]\n{quoted}".replace("\n", "\n   ")
    text = (
        f"# Rules\n\n{quoted}\n\n> [!WARNING]\n{quoted}\n\n> [!NOTE]\n> short\n\nText between.\n\n"
        f"1. first\n\n   {item}\n\n2. second\n\n   - deep\n\n     | a | b |\n     | --- | --- |\n"
        "     | 1 | 2 |"
    )
    assert await written(text) == text


async def test_a_call_out_has_its_kind_and_its_own_title(written):
    text = (
        "::: warning\nMind the gap.\n:::\n\n> [!note]- Folded *in* Obsidian\n> Text.\n\n"
        "> [!faq]\n> Why?\n\n::: {.callout-tip}\n## As in Quarto\n\nText.\n:::\n"
    )
    assert await written(text) == (
        "> [!WARNING]\n> Mind the gap.\n\n> [!NOTE] Folded in Obsidian\n> Text.\n\n"
        "> [!NOTE] Faq\n> Why?\n\n> [!TIP] As in Quarto\n> Text."
    )


async def test_definitions_of_a_pdf_are_apart_from_their_terms(exporter, tmp_path):
    found = await read_back(exporter, tmp_path, "# T\n\nTerm\n: First.\n\n  Second.\n")
    assert found == "# T\n\nTerm\n\nFirst.\n\nSecond."


async def test_a_list_may_begin_at_zero(exporter, tmp_path):
    text = "# T\n\n0. zero\n1. one\n\nWords.\n\n- dot"
    assert await read_back(exporter, tmp_path, text) == text


async def test_rows_without_text_and_covered_ones_stay(exporter, tmp_path):
    text = (
        "# T\n\n| a | b |\n| --- | --- |\n|  |  |\n| 1 | 2 |\n\n"
        '<table>\n<tr><td rowspan="2">all</td><td rowspan="2">both</td></tr>\n<tr></tr>\n'
        "<tr><td>c</td><td>d</td></tr>\n</table>"
    )
    assert await read_back(exporter, tmp_path, text) == text


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "text",
    [
        "> Words\n>\n> \\newpage\n>\n> after",
        "- item\n\n  ::: landscape\n  after\n  :::",
        "<table><tr><td rowspan=2>a<td rowspan=2>b<tr></tr><tr><td>after<td>d</table>",
        "one<br>two\n: after",
        f"{'a' * 300} after",
        "7. seven\n\n   1. after\n",
        "| / a |\n|---|\n| - b |\n\n- / after\n- = c\n",
    ],
)
async def test_typst_sets_what_it_would_not_take(typesetter, tmp_path, text):
    await read_back(typesetter, tmp_path, f"# T\n\n{text}")
    with pymupdf.open(tmp_path / "text.pdf") as pdf:
        words = "".join(page.get_text() for page in pdf).replace("\n", "")  # of the page's area
    assert "after" in words
    assert ("7. after" in words, "a" * 300 in words) == (False, "a" * 300 in text)


async def test_a_list_written_in_a_cell_of_a_pipe_table_stays_one(exporter, tmp_path):
    cell = "before<ul><li>one $y$</li><li>two <strong>bold</strong></li></ul>after"
    text = f"# T\n\n| a | b |\n| --- | --- |\n| x | {cell} |\n"
    for kind in ("pdf", "docx"):
        assert f"<td>{cell}</td>" in await read_back(exporter, tmp_path, text, kind)


async def test_a_note_of_several_blocks_is_one(written):
    text = (
        "# T\n\nText[^1], more[^2].\n\n[^1]: A note with code:\n\n    ```\n    x = 1\n    ```\n\n"
        "[^2]: Another note."
    )
    found = await written(text)
    assert sorted(found.split("\n\n")) == sorted(text.split("\n\n"))


async def test_what_is_in_lines_of_text_is_read_back(written):
    words = "words " * 12
    text = (
        "# With `code`, *emphasis* and CO<sub>2</sub>[^1]\n\n## A [link](https://example.com/x)\n\n"
        "> Before\n>\n> ---\n>\n> after\n\n---\n\n**Date:** 1 May\\\n**Place:** Berlin\n\n"
        f"A {words}`code of some words` at the end, then {words}**words in bold** and so"
        " on.\n\n"
        "| a | b[^2] |\n| --- | --- |\n| 1 | 2 |\n\n[^1]: One.\n\n[^2]: Two."
    )
    assert await written(text) == text


@pytest.mark.parametrize("kind", ["pdf", "docx"])
async def test_broken_lines_are_read_back(exporter, tmp_path, kind):
    text = "# T\n\nOne\\\ntwo words\\\n*three*\n\n- item\\\n  more\n\n| a | b |\n| --- | --- |\n"
    text += "| x<br>y | word and *more*, with **so much** text that a cell of it `breaks` twice |"
    assert await read_back(exporter, tmp_path, text, kind) == text


@pytest.mark.parametrize("kind", ["pdf", "docx"])
async def test_a_paragraph_in_another_direction_ends_on_its_own_side(exporter, tmp_path, kind):
    english = "Words in English, more than in the other script, so that these are the document's."
    text = f"# T\n\n{english}\n\nשלום עולם הזה (2024).\n\n- one\n- שלום."
    assert await read_back(exporter, tmp_path, text, kind) == text
    if kind == "pdf":
        with pymupdf.open(tmp_path / "text.pdf") as pdf:
            [(_, _, right, _, *_)] = [one for one in pdf[0].get_text("words") if one[4] == "הזה"]
            [(_, _, end, _, *_)] = [one for one in pdf[0].get_text("words") if "2024" in one[4]]
        assert end < right


async def test_tasks_in_a_quotation_keep_their_boxes(exporter, tmp_path):
    text = "# T\n\n> Before\n>\n> - [ ] one\n> - [x] two\n>\n> After"
    assert await read_back(exporter, tmp_path, text, "docx") == text


async def test_units_and_ranges_of_numbers_in_arabic_stay(exporter, tmp_path):
    text = "# العنوان\n\nزاد العدد 25% بين 2029-2030 في الميناء (نوع B-12) حتى نهاية السنة."
    assert await read_back(exporter, tmp_path, text) == text


async def test_items_in_hebrew_keep_their_numbers(exporter, tmp_path):
    text = "1. לתקן את הרציף הצפוני\n2. לקנות מנוף חדש מסוג B-12\n3. להכשיר את העובדים"
    assert await read_back(exporter, tmp_path, text) == text
