"""Documents as sources of the offline engine, and its drafts as pdf and docx."""

import pytest

from dogent_tui.offline.conversation import EXPORT_DOCUMENT, Run
from dogent_tui.offline.documents import READ_DOCUMENT, parse_part
from dogent_tui.offline.draft import is_draft, quotation
from dogent_tui.offline.formats import wished_formats
from dogent_tui.offline.intent import intent_of
from dogent_tui.offline.sentences import sentences_of
from tests.offline.simulated_cli import CWD, WITH_DOCUMENTS, Conversation

PAGES = (
    "<!-- page 1 -->\n\n# Safety\n\nBatteries must be stored at half charge. Damaged batteries can catch fire.\n\n"
    "<!-- page 2 -->\n\n# Transport\n\nBattery transport by air needs a safety label.\n"
)
SHEETS = (
    "# Visits\n| Month | Battery sales |\n| --- | --- |\n| May | 1,204 |\n| June \\| July | 1,300 |\n"
    "# Costs\n| Item | Cost |\n| --- | --- |\n| Battery labels | 12 % |\n"
)
PLAN = "# Plan\n\nThe battery plan starts in May. It ends when every battery has a label.\n"
FILES = {"safety.pdf": PAGES, "sales.xlsx": SHEETS, "plan.docx": PLAN}
SCANNED = "Unsupported PDF: no extractable text (scanned PDF not supported). Run text recognition (OCR) on it first."


def talk(files=FILES, **options):
    return Conversation(dict(files), WITH_DOCUMENTS, **options)


def test_attached_documents_are_quoted_with_page_and_sheet():
    engine = talk()
    said = engine.ask("Write a report on batteries", *FILES)
    draft = engine.files["drafts/batteries.md"]
    assert "- Damaged batteries can catch fire. (safety.pdf, page 1)" in draft
    assert "- Battery transport by air needs a safety label. (safety.pdf, page 2)" in draft
    assert "- Month: June | July; Battery sales: 1,300 (sales.xlsx, sheet Visits)" in draft
    assert "- Item: Battery labels; Cost: 12 % (sales.xlsx, sheet Costs)" in draft
    assert "- The battery plan starts in May. (plan.docx)" in draft
    assert "from 3 files" in said
    assert "- `safety.pdf`: 3 sentences" in said
    assert engine.called("Read") == []
    assert [call.get("sheet") for call in engine.called(READ_DOCUMENT) if "sales" in call["path"]] == [None, "Costs"]


def test_a_sheet_that_is_referenced_is_the_one_that_is_read():
    engine = talk()
    engine.ask("Write a report on battery costs", "sales.xlsx", sheet="Costs")
    assert [call["sheet"] for call in engine.called(READ_DOCUMENT)] == ["Costs"]
    assert "(sales.xlsx, sheet Costs)" in engine.files["drafts/battery-costs.md"]


def test_of_a_text_the_lines_that_are_meant_are_read():
    engine = talk({"notes.md": "".join(f"A battery of type {number} lasts long.\n\n" for number in range(1, 30))})
    engine.ask("Write a report on batteries from @notes.md:9-12", "notes.md", lines="9-12")
    assert engine.called("Read") == [{"file_path": f"{CWD}/notes.md", "offset": 9, "limit": 4}]
    draft = engine.files["drafts/batteries.md"]
    assert [f"type {number} " in draft for number in (4, 5, 6, 7)] == [False, True, True, False]
    assert "in part" not in draft


def test_documents_of_the_folder_are_found_and_read_beside_the_texts():
    engine = talk({**FILES, "notes.md": "# Notes\n\nA battery is heavier than it looks.\n", "~$plan.docx": "lock"})
    said = engine.ask("Write a report on batteries")
    assert "from 4 files" in said
    assert {call["path"] for call in engine.called(READ_DOCUMENT)} == {f"{CWD}/{name}" for name in FILES}


def test_a_long_document_is_read_in_parts_up_to_a_bound_that_is_told():
    pages = "".join(
        f"<!-- page {n} -->\n\nPage {n} says that battery number {n} is charged.\n\n" + "x\n\n" * 3000 for n in range(1, 20)
    )
    engine = talk({"long.pdf": pages})
    said = engine.ask("Write a report on batteries", "long.pdf")
    offsets = [call.get("offset", 0) for call in engine.called(READ_DOCUMENT)]
    assert offsets == [0, 20_000, 40_000, 60_000]
    assert "`long.pdf`: too large, read in part" in said
    quotes = [line for line in engine.files["drafts/batteries.md"].splitlines() if quotation(line)]
    assert "- Page 7 says that battery number 7 is charged. (long.pdf, page 7)" in quotes


@pytest.mark.parametrize("reason", [SCANNED, "plan.pdf cannot be read: Permission denied. Check its permissions."])
def test_a_document_that_cannot_be_read_is_named_and_the_others_are_quoted(reason):
    engine = talk(errors={(READ_DOCUMENT, "safety.pdf"): reason})
    said = engine.ask("Write a report on batteries", *FILES)
    assert f"- `safety.pdf`: {reason}" in said
    assert "(plan.docx)" in engine.files["drafts/batteries.md"]


def test_a_user_who_denies_a_document_ends_it():
    engine = talk(errors={(READ_DOCUMENT, "safety.pdf"): "The user denied this call."})
    assert "I stop here" in engine.ask("Write a report on batteries", *FILES)
    assert "drafts/batteries.md" not in engine.files


def test_a_question_is_answered_out_of_documents_and_again_without_reading_them_anew():
    engine = talk()
    said = engine.ask("What can catch fire?", "safety.pdf")
    assert "- Damaged batteries can catch fire. (safety.pdf, page 1)" in said
    said = engine.ask("What needs a label?")
    assert "(safety.pdf" in said
    assert engine.called(READ_DOCUMENT) == []


def test_a_section_out_of_a_new_document():
    engine = talk()
    engine.ask("Write a report on batteries", "plan.docx")
    engine.ask("add a section on fire", "safety.pdf")
    assert "## Fire\n\n- Damaged batteries can catch fire. (safety.pdf, page 1)" in engine.files["drafts/batteries.md"]


def test_chinese_drafts_name_pages_in_chinese():
    engine = talk({"安全.pdf": "<!-- page 3 -->\n\n电池必须存放在阴凉处。运输电池时需要贴标签！\n"})
    engine.ask("写一份关于电池的报告，导出为 PDF", "安全.pdf")
    draft = next(text for path, text in engine.files.items() if path.endswith(".md"))
    line = "- 电池必须存放在阴凉处。 (安全.pdf，第 3 页)"
    assert line in draft
    assert quotation(line) == ("电池必须存放在阴凉处。", "安全.pdf")
    assert [call["format"] for call in engine.called(EXPORT_DOCUMENT)] == ["pdf"]


# ── Exporting ─────────────────────────────────────────────────────────────────────────────────────


def test_a_draft_is_exported_when_the_request_says_so_and_the_warnings_are_told():
    engine = talk(warnings=("No font for Chinese was found.",))
    said = engine.ask("Write a report on batteries as PDF and as a Word document", "plan.docx")
    assert "- PDF: `drafts/batteries.pdf` (engine 1.0, 2 pages)" in said
    assert "- Word: `drafts/batteries.docx`" in said
    assert "  - Warning: No font for Chinese was found." in said
    plan = engine.called("TodoWrite")[-1]["todos"]
    assert [todo["status"] for todo in plan] == ["completed"] * 4
    assert plan[-1]["content"] == "Export as PDF + Word"


def test_the_standing_wishes_have_every_draft_exported_unless_the_request_says_otherwise():
    wishes = "You are …\n\n# The user's standing wishes for this workspace (.dogent/dogent.md)\n- Output Format: docx\n"
    engine = talk(system=wishes)
    engine.ask("Write a report on batteries", "plan.docx")
    assert [call["format"] for call in engine.called(EXPORT_DOCUMENT)] == ["docx"]
    engine = talk(system=wishes)
    engine.ask("Write a report on batteries, Markdown only", "plan.docx")
    assert engine.called(EXPORT_DOCUMENT) == []
    engine = talk(system=wishes)
    engine.ask("Write a report on batteries to out/report.pdf", "plan.docx")
    (call,) = engine.called(EXPORT_DOCUMENT)
    assert (call["format"], call["output_path"]) == ("pdf", f"{CWD}/out/report.pdf")
    assert "out/report.md" in engine.files


def test_the_last_draft_or_a_named_file_is_exported_alone():
    engine = talk()
    engine.ask("Write a report on batteries", "plan.docx")
    said = engine.ask("Now export it as a Word document")
    assert "- Word: `drafts/batteries.docx`" in said
    assert [name for name, _ in engine.calls] == [EXPORT_DOCUMENT]
    engine.ask("make it shorter and export it as PDF")
    assert [name for name, _ in engine.calls] == ["Read", "Write", EXPORT_DOCUMENT]
    engine = talk({"notes.md": "# Notes\n\nSome words.\n"})
    engine.ask("Export @notes.md to pdf", "notes.md")
    assert engine.calls == [(EXPORT_DOCUMENT, {"md_path": f"{CWD}/notes.md", "format": "pdf"})]


def test_an_export_that_fails_is_told_and_the_draft_stays():
    engine = talk(errors={(EXPORT_DOCUMENT, "*"): "Nothing was exported. The engine is missing. Install it."})
    said = engine.ask("Write a report on batteries as PDF", "plan.docx")
    assert "- PDF: not exported. The engine is missing. Install it." in said
    assert "I wrote **Batteries** to `drafts/batteries.md`" in said


def test_no_export_is_replaced_by_a_new_draft_that_nobody_named():
    engine = talk({**FILES, "drafts/batteries.pdf": "<!-- page 1 -->\n\nOlder words about a battery.\n"})
    engine.ask("Write a report on batteries as PDF", "plan.docx")
    assert engine.files["drafts/batteries.pdf"].startswith("<!-- page 1")
    assert "drafts/batteries-2.pdf" in engine.files


def test_an_exported_draft_is_no_source():
    draft = (
        "# T\n\n> Sentences quoted by dogent’s offline engine, no\nAI model. The file each comes from …\n\n- A battery. (a.md)"
    )
    assert is_draft(draft.replace("> ", "> **") + "**")
    engine = talk({**FILES, "drafts/old.pdf": draft})
    engine.ask("Write a report on batteries")
    assert "drafts/old.pdf" not in engine.files["drafts/batteries.md"]


@pytest.mark.parametrize(
    ("typed", "formats"),
    [
        ("Write a report on batteries in PDF format", ("pdf",)),
        ("Create a short Word document about batteries", ("docx",)),
        ("Write about batteries and export it to docx and pdf", ("docx", "pdf")),
        ("写一份关于电池的Word文档", ("docx",)),
        ("用PDF格式写一份关于电池的报告", ("pdf",)),
        ("写一份总结，保存为 电池.docx", ("docx",)),
        ("Summarize everything in the pdf", ()),
        ("Write a report about the PDF standard", ()),
        ("Write a summary of the Word document in 500 words", ()),
        ("Write about batteries, but do not export a PDF", ()),
        ("根据这份PDF写一份总结", ()),
        ("总结一下这个Word文档里的内容", ()),
    ],
)
def test_which_formats_a_request_names(typed, formats):
    assert intent_of(Run(typed), has_draft=False).formats == formats


@pytest.mark.parametrize(
    ("wishes", "formats"),
    [
        ("- **Output Format**: pdf and Word", ("pdf", "docx")),
        ("# Tone\nplain\n\n## Output Format\n\nPDF, A4.\n\n## Other\nWord", ("pdf",)),
        ("输出格式：Word", ("docx",)),
        ("Output Format: PDF when I ask for it", ()),
        ("Output Format: Markdown", ()),
        ("We write about the Word of God as PDF.", ()),
        ("", ()),
    ],
)
def test_which_formats_the_standing_wishes_name(wishes, formats):
    assert wished_formats(wishes) == formats


def test_what_is_no_answer_of_the_tool_counts_as_text():
    assert parse_part("Just a text.\n\nMore of it.").text == "Just a text.\n\nMore of it."
    assert parse_part('x.xlsx · xlsx · characters 0 to 5\nMetadata: [not json\n\nA "b"').sheets == ()


def test_a_marker_in_a_text_file_names_no_page():
    (sentence,) = sentences_of("a.md", "<!-- page 9 -->\n\nThis is a whole sentence.")
    assert sentence.place == ""
