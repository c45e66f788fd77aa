"""Checking a draft on request: which draft, the list of findings, and the passage of each beside
the conversation.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from dogent_tui.language import phrases, tr
from dogent_tui.markdown_search.model import is_markdown
from dogent_tui.plain import one_line
from dogent_tui.sources.quotes.verdicts import CheckReport, Finding
from dogent_tui.sources.quotes.words import difference, summary, verdict, where
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.screens.choice import choose

NEXT, PREVIOUS, PASSAGES = "next", "previous", "passages"
_MOST_PASSAGES = 8
_LONG = 70


class Checking:
    """`/check` for `app`. Remembers the last check and the last finding visited."""

    def __init__(self, app: AppPort) -> None:
        self._app = app
        self._draft = ""
        self._findings: list[Finding] = []
        self._at = -1

    async def check(self, typed: str) -> str:
        """Run the command with the arguments `typed`, and return a message about the result. Must
        not be awaited in a message handler, because it may show a list. Raises DogentError.
        """
        step = {NEXT: 1, PREVIOUS: -1}.get(typed.strip(), 0)
        if typed.strip() == PASSAGES:
            return await self._passages()
        if step and self._findings:
            return await self._step(step)
        return await self._check("" if step else typed.strip())

    async def _check(self, typed: str) -> str:
        screen, opened = self._app.conversation, self._app.opened
        name = (
            typed.removeprefix("@").strip('"')
            or opened.libraries.open_document
            or screen.results.last_markdown
            or self._draft
        )
        if not name:
            return tr("Specify a Markdown file: /check FILE.md.")
        path = opened.workspace.absolute(name)
        if not is_markdown(path.name) or not opened.workspace.contains(path):
            return tr("{name} is not a Markdown file of this folder.", name=name)
        draft, quotes = await asyncio.to_thread(path.resolve), opened.libraries.quotes
        report = await screen.foreground.run(
            lambda _: quotes.check(draft, opened.workspace.root, stay_inside=True),
            tr("Checking {name}", name=draft.name),
        )
        if report is None:
            return tr("The check was stopped.")
        if screen.has_document:
            screen.documents.checked()
        if opened.workspace.relative(path) != self._draft:
            self._draft, self._at = opened.workspace.relative(path), -1
        self._findings = [found for found in report.findings if found.verdict != "verbatim"]
        if not self._findings:
            return summary(report)
        return await self._choose(report)

    async def _choose(self, report: CheckReport) -> str:
        """Show the list with the finding after the last one visited highlighted, and go to the
        user's choice.
        """
        rows = [_row(found) for found in self._findings]
        following = min(self._at + 1, len(rows) - 1)
        chosen = await choose(self._app, one_line(self._draft), summary(report), rows, following)
        if chosen is None:
            return summary(report)
        self._at = chosen
        return await self._show()

    async def _step(self, step: int) -> str:
        self._at = (self._at + step) % len(self._findings)
        return await self._show()

    async def _show(self) -> str:
        """Open the passage of a finding beside the conversation, or the draft if there is no
        passage, and describe it.
        """
        found = self._findings[self._at]
        if found.source is None:
            await self._open(self._draft, {"line": found.line})
        else:
            await self._open(found.source, found.place)
        counted = tr("{number} of {count}", number=self._at + 1, count=len(self._findings))
        return f"{counted} · {_row(found)}" + (f" · {difference(found)}" if found.diff else "")

    async def _open(self, name: str, place: Mapping[str, Any]) -> str:
        """Open a document beside the conversation, at a position."""
        page, sheet = str(place.get("page", "")), place.get("sheet", "")
        documents = await self._app.conversation.load_documents()
        return await documents.open(name, line=place.get("line", 0), pages=page, sheet=sheet)

    async def _passages(self) -> str:
        """Show the source passages closest to the lines selected in the open document, and open the
        user's choice.
        """
        screen, opened = self._app.conversation, self._app.opened
        name = opened.libraries.open_document
        chosen = screen.documents.view.chosen if screen.has_document else None
        if not name or chosen is None or not is_markdown(name):
            return tr("Choose the lines of a claim in the open document first.")
        draft = await asyncio.to_thread(opened.workspace.absolute(name).resolve)
        text = await asyncio.to_thread(draft.read_text, "utf-8", "replace")
        claim = "\n".join(text.split("\n")[chosen[0] : chosen[1]])
        quotes, root = opened.libraries.quotes, opened.workspace.root
        found = await screen.foreground.run(
            lambda _: quotes.nearest(claim, draft, root, _MOST_PASSAGES),
            tr("Checking {name}", name=draft.name),
        )
        if not found:
            return tr("No passage comes near.") if found == [] else tr("The check was stopped.")
        rows = [one_line(f"{where(each.source, each.place)} · {each.text}") for each in found]
        why = tr("The nearest passages of the sources. Whether they say so is for you to judge.")
        picked = await choose(self._app, one_line(claim)[:_LONG], why, rows, 0)
        return "" if picked is None else await self._open(found[picked].source, found[picked].place)


def _row(found: Finding) -> str:
    text = one_line(" ".join(found.text.split()))
    shown = text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
    parts = (
        tr("line {line}", line=found.line),
        verdict(found),
        f"“{shown}”",
        where(found.source, found.place),
    )
    return one_line(phrases(*parts))
