"""`check_quotes`: checks the quotations, numbers and citations of a draft against its sources."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.progress import ToolProgress
from dogent_tui.tools.server import (
    Tool,
    ToolFailure,
    as_json,
    fitting,
    typed_tool,
    with_rows,
)

if TYPE_CHECKING:  # imported on use: otherwise 50 ms of the first request
    from dogent_tui.sources.quotes.verdicts import CheckReport

NAME = "check_quotes"

DESCRIPTION = """\
Check a Markdown draft against its sources: every quotation of four words or more, every number in
its context, every citation. The answer: a summary, then JSON with what is not verbatim. verdict:
altered (diff: delete = only in the source, insert = only in the draft), found_elsewhere (than the
draft says), not_found, unreadable_source. It says where words are, not whether they are true."""


class _Input(msgspec.Struct):
    path: str
    sources: Annotated[str, Meta(description="Folder; default: all.")] = ""
    all: Annotated[bool, Meta(description="List what is verbatim, too.")] = False
    offset: Annotated[int, Meta(description="As next_offset said.")] = 0


def checking_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tool of this module. It reads no file through a link that leads out of the
    sources.
    """
    workspace = libraries.workspace

    async def check(wanted: _Input, payload: Mapping[str, Any]) -> str:
        def place(named: str) -> Path:
            return libraries.places.of(payload, workspace.absolute(named))

        draft = await asyncio.to_thread(place, wanted.path)
        folder = await asyncio.to_thread(place, wanted.sources or ".")
        if not await asyncio.to_thread(folder.is_dir):
            raise ToolFailure("Nothing was checked: sources is not a folder.")
        with ToolProgress(libraries.tell, NAME, payload, "Checking …"):
            report = await libraries.quotes.check(
                draft, folder, root=workspace.root, stay_inside=True
            )
        return answer_text(report, offset=max(0, wanted.offset), with_verbatim=wanted.all)

    yield typed_tool(NAME, DESCRIPTION, _Input, check, "Nothing was checked")


def answer_text(report: "CheckReport", *, offset: int = 0, with_verbatim: bool = False) -> str:
    """Return the text for the model: as many findings from `offset` on as fit, and where to
    continue.
    """
    from dogent_tui.sources.quotes.words import summary

    findings = [found for found in report.findings if with_verbatim or found.verdict != "verbatim"]
    left = findings[offset:]
    shown = fitting(left) or [as_json(_without_texts(found)) for found in left[:1]]
    following = offset + len(shown)
    unreadable = [source for source in report.sources if source.state == "unreadable"][:100]
    head = {
        "schema": report.schema,
        "draft": report.draft,
        "sources_read": len(report.sources) - len(unreadable),
        "unreadable": unreadable,
        "summary": report.summary,
        "next_offset": following if following < len(findings) else None,
    }
    return f"{summary(report)}\n\n{with_rows(head, 'findings', shown)}"


def _without_texts(found: Any) -> Any:
    return msgspec.structs.replace(found, text=f"{found.text[:500]}…", diff=[])
