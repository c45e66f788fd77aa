"""A text with sources, from reading them to the finished document, through the real CLI: an
altered and an invented quotation are found and repaired, and both exports list what is cited.
"""

import json
import re

import docx
import pymupdf
import pytest
import pytest_asyncio

from dogent_tui.agent.events import (
    PermissionAnswer,
    PermissionRequested,
    Prompt,
    RunFinished,
    ToolResult,
)
from dogent_tui.web.profiles import WebAccess, WebProfile
from tests.e2e.conftest import IN_ONE_LOOP
from tests.web.search_server import SearchServer

pytestmark = [IN_ONE_LOOP, pytest.mark.slow]

READ = "mcp__dogent__read_document"
FETCH = "mcp__dogent__web_fetch"
CHECK = "mcp__dogent__check_quotes"
EXPORT = "mcp__dogent__export_document"

REPORT = (
    "The harbour was closed to large ships in the spring of 2023.",
    "The council did not approve the second pier before the summer.",
)
SURVEY = ("Most visitors arrived by ferry and stayed for a single night.",)
PAGE = """\
<html><head><title>Fares on the ferry</title><meta name="author" content="Mira Hale">
<meta property="article:published_time" content="2025-03-04"></head>
<body><article><h1>Fares on the ferry</h1><p>A return ticket is sold at every landing stage and
on board, and it is valid for three days.</p></article></body></html>
"""
ENTRIES = """\
@report{okafor2024, author = {Okafor, Ada}, title = {The Harbour Report},
  institution = {Harbour Office}, date = {2024}, file = {Full text:report.pdf:application/pdf}}
@article{lindqvist2022, author = {Lindqvist, Per}, title = {Who Comes, and Why},
  journaltitle = {Journal of Islands}, date = {2022}, pages = {1--9}, file = {survey.pdf}}
"""
DRAFT = """\
---
title: The pier
bibliography: sources.bib
---

The report says that "the council did approve the second pier before the summer"
[@okafor2024, p. 2]. It adds that "nobody on the island was asked about any of it" [@okafor2024].

The survey found that "most visitors arrived by ferry and stayed for a single night"
[@lindqvist2022, p. 1]. A ticket "is valid for three days" [@hale-2025].
"""


def write_pdf(path, pages):
    with pymupdf.open() as pdf:
        for text in pages:
            pdf.new_page().insert_text((72, 100), text, fontsize=10)
        pdf.save(path)


@pytest_asyncio.fixture(loop_scope="module")
async def server():
    async with SearchServer() as server:
        yield server


def letters(text):
    """The letters and digits of a text: what an engine does with spaces and hyphens is its own."""
    return re.sub(r"[\W_]+", "", text)


async def test_a_text_is_written_checked_repaired_and_exported(api, server, open_service):
    profile = WebProfile("brave", name="mine", api_key="sk-of-the-provider", endpoint=server.url)
    server.answers(PAGE, Content_Type="text/html")
    page = f"{server.url}/fares"
    async with open_service(web=WebAccess(profile)) as agent:
        write_pdf(agent.root / "report.pdf", REPORT)
        write_pdf(agent.root / "survey.pdf", SURVEY)
        (agent.root / "sources.bib").write_text(ENTRIES, encoding="utf-8")
        draft = agent.root / "pier.md"

        api.call_all((READ, {"path": "report.pdf"}), (READ, {"path": "survey.pdf"}))
        api.call(FETCH, {"url": page})
        api.call("Write", {"file_path": str(draft), "content": DRAFT})
        api.call(CHECK, {"path": "pier.md"})
        api.call_all(
            ("Edit", {
                "file_path": str(draft),
                "old_string": "the council did approve",
                "new_string": "the council did not approve",
            }),
            ("Edit", {
                "file_path": str(draft),
                "old_string": ' It adds that "nobody on the island was asked about any of it"'
                " [@okafor2024].",
                "new_string": "",
            }),
        )  # fmt: skip
        api.call(CHECK, {"path": "pier.md"})
        api.call(EXPORT, {"md_path": "pier.md", "format": "docx"})
        api.call(EXPORT, {"md_path": "pier.md", "format": "pdf"})
        api.say("There they are.")
        await agent.service.submit(Prompt(f"Write about the pier, with {page}, as Word and pdf."))
        question = await agent.heard(PermissionRequested)
        await agent.service.reply(question.request_id, PermissionAnswer("allow"))
        assert (await agent.heard(RunFinished)).status == "completed"
        results = [result.content for result in agent.of(ToolResult)]
        report, survey, fetched, _, first, _, _, second, *exported = results

        assert "Cite as [@okafor2024]" in report
        assert "Cite as [@lindqvist2022]" in survey
        assert "Cite as [@hale-2025]" in fetched
        found = {
            finding["text"]: finding
            for finding in json.loads(first.partition("\n\n")[2])["findings"]
        }
        altered = found.pop("the council did approve the second pier before the summer")
        invented = found.pop("nobody on the island was asked about any of it")
        assert not found
        assert (altered["verdict"], altered["place"]["page"]) == ("altered", 2)
        assert altered["flags"] == ["negation"]
        assert invented["verdict"] == "not_found"
        assert json.loads(second.partition("\n\n")[2])["findings"] == []
        assert not [line for text in exported for line in text.splitlines() if "Warning" in line]

        written = docx.Document(str(agent.root / "pier.docx"))
        word = "\n".join(paragraph.text for paragraph in written.paragraphs)
        with pymupdf.open(agent.root / "pier.pdf") as pdf:
            printed = "\n".join(page.get_text() for page in pdf)
    printed = re.sub(r"^\s*1\s*/\s*1\s*$", "", printed, flags=re.MULTILINE)  # the page's number
    assert letters(word) == letters(printed)
    for said in (
        "(Okafor 2024, 2)",
        "(Lindqvist 2022, 1)",
        "(Mira Hale 2025)",
        "Okafor, Ada. 2024. The Harbour Report. Harbour Office.",
        "Lindqvist, Per. 2022. “Who Comes, and Why.” Journal of Islands, 1–9.",
        "Fares on the Ferry.",
    ):
        assert letters(said).lower() in letters(word).lower(), (said, word)
