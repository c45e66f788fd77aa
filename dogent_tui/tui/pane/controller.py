"""The document in the pane: opening, following the file, attaching lines, closing."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dogent_tui.agent.events import Attachment, Event, RunFinished, RunStarted, ToolResult
from dogent_tui.errors import DogentError
from dogent_tui.language import ngettext, tr
from dogent_tui.markdown_search.model import is_markdown
from dogent_tui.plain import one_line
from dogent_tui.references.lookup import (
    Reference,
    ResolvedReference,
    find_references,
    format_lines,
    resolve,
)
from dogent_tui.tui.clipboard import copy
from dogent_tui.tui.foreground import Tell
from dogent_tui.tui.pane.pane import DocumentPane
from dogent_tui.tui.pane.reading import DocumentReading, Part
from dogent_tui.tui.pane.text import (
    Changes,
    MarkdownText,
    Moved,
    Stamp,
    changes,
    read_markdown_text,
    stamp_of,
)
from dogent_tui.tui.pane.view import PaneView

if TYPE_CHECKING:
    from textual.timer import Timer

    from dogent_tui.sources.quotes.marks import CheckedDraft
    from dogent_tui.tui.pane.rows import Unit
    from dogent_tui.tui.ports import ConversationPort

LOOK_EVERY_S = 1.0
"""Seconds between two checks whether the file changed, each one system call."""


class OpenDocument(msgspec.Struct, eq=False):
    """The open document. `text` is the content of a Markdown file when last read, or reads any
    other format; `before` are the lines of the file when the last run began.

    `is_result`: the agent wrote it, and the user opened no other. `is_growing`: what is shown is
    not on the disk yet.
    """

    path: Path
    name: str
    text: MarkdownText | DocumentReading
    is_result: bool = False
    is_growing: bool = False
    before: Sequence[str] | None = None
    stamp: Stamp | None = None
    problem: str = ""


class PaneController:
    """Keeps `pane`, the file behind it and the attachments of the next prompt consistent. Sheet and
    lines may be given with the path.
    """

    def __init__(self, screen: "ConversationPort") -> None:
        self.pane = DocumentPane()
        self.open_document: OpenDocument | None = None
        self._screen = screen
        self._carried: Attachment | None = None
        self._turn = asyncio.Lock()
        self._timer: Timer | None = None
        self._marked: CheckedDraft | None = None

    @property
    def view(self) -> PaneView:
        """The widget of the document."""
        return self.pane.view

    # ── Opening and closing ───────────────────────────────────────────────────────────────────────

    async def open(self, typed: str, *, line: int = 0, pages: str = "", sheet: str = "") -> str:
        """Open what `typed` names: a path, or a reference with a sheet or lines. Returns a message
        about the result.

        For a Markdown file, go to `line`, counted from 1; for other documents, show only `pages` or
        `sheet`.
        """
        found = await asyncio.to_thread(_named, typed, self._screen)
        if found is None or not found.exists:
            return tr("There is no file {typed} here.", typed=one_line(typed))
        name = one_line(found.path)
        if found.type == "folder":
            return tr("{name} is a folder. Specify a document in it.", name=name)
        text = self._unread(found.absolute, found.sheet or sheet, pages)
        document = OpenDocument(found.absolute, found.path, text)
        lines = found.reference.lines
        try:
            if not await self._show(document, upto=lines[1] if lines is not None else line):
                return tr("{name} was not opened.", name=name)
        except DogentError as error:
            return one_line(str(error))
        if lines is not None and document.text.has_lines:
            self._choose(lines)
        if line and document.text.has_lines:
            self.view.reveal(line - 1)
        return tr(
            "{name} is open. {key} switches between it and the conversation.",
            name=name,
            key=self._screen.key_of("document"),
        )

    # ── What the agent writes ─────────────────────────────────────────────────────────────────────

    @property
    def is_result(self) -> bool:
        """Whether the open document was written by the agent and may be replaced by the next
        one.
        """
        return self.open_document is not None and self.open_document.is_result

    def shows(self, name: str) -> bool:
        """Whether the document `name` is open."""
        return (
            self.open_document is not None
            and self.open_document.path == self._screen.opened.workspace.absolute(name)
        )

    async def show_growing(self, name: str, text: str) -> None:
        """Show the beginning of a Markdown text that is about to be written to `name`, and
        follow its end.
        """
        if not is_markdown(name):
            return
        markdown = await asyncio.to_thread(MarkdownText, text)
        async with self._turn:
            document = self.open_document
            if document is None or not self.shows(name):
                path = self._screen.opened.workspace.absolute(name)
                document = OpenDocument(path, name, markdown, is_result=True)
                await self._take(document, covers=False)
            document.is_growing = True
            document.text, document.before = markdown, None
            self.view.changes = Changes()
            self.view.grow(markdown.parts, markdown.definitions)
        self._draw_title()

    async def end_growing(self) -> None:
        """Show the file on the disk after a text was about to be written there; if there is none,
        show nothing.
        """
        document = self.open_document
        if document is None or not document.is_growing:
            return
        document.is_growing = False
        if await asyncio.to_thread(document.path.exists):
            await self._look(document)
        elif document is self.open_document:
            await self.close()

    async def show_result(self, name: str, hunks: Sequence[tuple[str, str]] = ()) -> None:
        """Show the file `name`, which the agent wrote, with the `hunks` that just changed.

        Raises DogentError.
        """
        path = self._screen.opened.workspace.absolute(name)
        if self.open_document is not None and self.open_document.path == path:
            await self._look(self.open_document)
            return
        document = OpenDocument(path, name, self._unread(path), is_result=True)
        await self._show(document, hunks)

    async def _show(
        self,
        document: OpenDocument,
        hunks: Sequence[tuple[str, str]] = (),
        upto: int | None = None,
    ) -> bool:
        """Read `document`, if the user opens it up to line `upto`, and make it the open one. False
        if the user stopped it. Raises DogentError; then the previous one stays open.
        """
        async with self._turn:
            parts = await self._read(document, upto)
            if not parts:
                return False
            lines = document.text.lines
            document.before = await asyncio.to_thread(_put_back, lines, hunks)
            await self._take(document, covers=upto is not None)
            self.view.show(parts, document.text.definitions)
            if hunks and isinstance(document.text, MarkdownText):
                changed = await asyncio.to_thread(changes, document.before, lines)
                self._show_changes(changed)
                self._reveal(changed)
        self._tell_the_tools()
        self._draw_title()
        self._read_headings()
        return True

    def _reveal(self, changed: Changes) -> None:
        first = min((*changed.added[:1], *changed.cut[:1]), default=None)
        if first is not None:
            self.view.reveal(first)

    def _unread(
        self, path: Path, sheet: str = "", pages: str = ""
    ) -> MarkdownText | DocumentReading:
        if is_markdown(path.name):
            return MarkdownText("")
        return DocumentReading(self._screen.opened.libraries.documents, path, sheet, pages)

    async def _read(self, document: OpenDocument, upto: int | None) -> Sequence[Part]:
        """Read the beginning of `document`, or all of it if it is Markdown. Raises DogentError."""
        document.stamp = await asyncio.to_thread(stamp_of, document.path)
        if isinstance(document.text, MarkdownText):
            document.text = await asyncio.to_thread(read_markdown_text, document.path)
            return document.text.parts
        if upto is None:
            return (await document.text.more(),)
        return await self._in_sight(document.text, upto)

    async def _take(self, document: OpenDocument, *, covers: bool) -> None:
        """Make `document` the open one. If the user opened it, it `covers` the conversation in a
        narrow window and is checked every second; events announce what the agent writes.
        """
        self.view.choose(None)
        self.open_document = document
        self.view.scrolled = False
        self._follow(covers)
        await self._screen.conversation_layout.show_pane(self.pane, covers=covers)
        self.view.changes = Changes()
        self.view.has_lines = document.text.has_lines
        self.view.has_more = document.text.has_more

    def _follow(self, follows: bool) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.pane.set_interval(LOOK_EVERY_S, self.look) if follows else None

    async def _in_sight(self, reading: DocumentReading, upto: int) -> Sequence[Part]:
        """Read the beginning of a document, of a text up to line `upto`, which takes a while.
        Nothing if the user stopped it.
        """

        async def read(tell: Tell) -> Sequence[Part]:
            def report(done: int, total: int, what: str) -> None:
                words = tr("Reading: {done:,} of {total:,} {what}") if total else tr("Reading")
                tell(words.format(done=done, total=total, what=what))

            tell(tr("Reading"))
            parts = [await reading.more(report)]
            while reading.has_lines and reading.has_more and reading.line_ends < upto:
                parts.append(await reading.more(report))
            return parts

        return await self._screen.foreground.run(read) or ()

    async def close(self) -> None:
        """Close the document."""
        self.view.choose(None)
        self._carry(None)
        self.open_document = None
        self._tell_the_tools()
        self._follow(False)
        await self._screen.conversation_layout.take_pane()
        self.pane = DocumentPane()

    # ── Following the file ────────────────────────────────────────────────────────────────────────

    def handle(self, event: Event) -> None:
        """Update from `event`: changes after the start of a run count as its changes, and a tool
        result may mean a change.
        """
        document = self.open_document
        if document is None:
            return
        if isinstance(event, RunStarted):
            document.before = document.text.lines
            self._show_changes(Changes())
            self._screen.conversation_layout.uncover()
        elif isinstance(event, ToolResult | RunFinished) and not document.is_growing:
            self.look()
            self.checked()

    def checked(self) -> None:
        """Note that a document may have been checked."""
        self.pane.run_worker(self._mark_verdicts(), group="verdicts", exclusive=True)

    def look(self) -> None:
        """Check whether the file changed."""
        if self.open_document is not None and not self._turn.locked():
            self.pane.run_worker(self._look(self.open_document), group="follow")

    async def _look(self, document: OpenDocument) -> None:
        async with self._turn:
            stamp = await asyncio.to_thread(stamp_of, document.path)
            if document is not self.open_document or stamp == document.stamp or document.is_growing:
                return
            document.stamp, document.problem = stamp, ""
            try:
                if stamp is None:
                    document.problem = tr("the file is gone")
                elif isinstance(document.text, MarkdownText):
                    await self._read_again(document)
                else:
                    document.text = self._unread(document.path, document.text.sheet)
                    parts = await self._read(document, None)
                    if document is self.open_document:
                        self.view.has_more = document.text.has_more
                        self.view.show(parts, {}, None)
                        self._read_headings()
            except DogentError as error:
                document.problem = str(error)
            self._draw_title()

    async def _read_again(self, document: OpenDocument) -> None:
        now = await asyncio.to_thread(read_markdown_text, document.path)
        old = document.text.lines
        if document.before is None:  # it was shown while being written
            document.before = now.lines
        changed, moved = await asyncio.to_thread(_compared, document.before, old, now.lines)
        if document is not self.open_document:
            return
        document.text = now
        if now.lines != old:
            chosen, is_looked_at = self.view.chosen, self.view.scrolled or self.view.has_focus
            self.view.show(now.parts, now.definitions, top=moved.line(self.view.top_line))
            if chosen is not None:
                self.view.choose(moved.lines(*chosen))
            if document.is_result and not is_looked_at:
                self._reveal(await asyncio.to_thread(changes, old, now.lines))
        self._show_changes(changed)
        self._read_headings()

    def _show_changes(self, changed: Changes) -> None:
        self.view.changes = changed
        self._draw_title()

    def _read_headings(self) -> None:
        self.pane.run_worker(self._take_headings(), group="headings", exclusive=True)

    async def _take_headings(self) -> None:
        document = self.open_document
        if document is not None:
            text = document.text
            headings = await asyncio.to_thread(lambda: text.headings)
            if text is document.text:
                self.view.headings = [heading.line for heading in headings]
        self._marked = None
        await self._mark_verdicts()

    async def _mark_verdicts(self) -> None:
        """Mark the findings in the document if it was checked since the last time."""
        document = self.open_document
        if document is None:
            return
        checked = self._screen.opened.libraries.checked.get(document.path)
        if checked is None or checked is not self._marked:
            self._marked = checked
            text = document.text
            found = await asyncio.to_thread(checked.verdicts, text.lines) if checked else {}
            if text is document.text:
                self.view.verdicts = found

    def _more(self, document: OpenDocument) -> None:
        """Read more of a converted document, which the user has nearly read or searches."""
        if document.text.has_more and not self._turn.locked():
            self.pane.run_worker(self._read_on(document, document.text), group="follow")

    async def _read_on(self, document: OpenDocument, text: MarkdownText | DocumentReading) -> None:
        async with self._turn:
            while (
                isinstance(text, DocumentReading)
                and document.text is text
                and document is self.open_document
                and self.view.near_end
            ):
                try:
                    part = await text.more()
                except DogentError as error:
                    document.problem = str(error)
                    self.view.has_more = False
                    break
                self.view.has_more = text.has_more
                self.view.append(part)
            self._draw_title()
            self._read_headings()

    # ── What goes with the next prompt ────────────────────────────────────────────────────────────

    def _chosen(self) -> None:
        """Attach the selected lines to the next prompt, or nothing if none are selected."""
        lines = self.view.chosen
        self._carry(self._attachment(lines) if lines is not None else None)
        self._draw_title()

    def attachments_changed(self) -> None:
        """Clear the selection after its lines were sent or detached."""
        if self._carried is not None and self._carried not in self._screen.attachments.pending:
            self._carried = None
            self.view.choose(None)
            self._draw_title()

    def session_changed(self) -> None:
        """Reset for another session."""
        self._carried = None
        self.view.choose(None)
        self._tell_the_tools()

    def _choose(self, lines: tuple[int, int]) -> None:
        """Select lines by number, counted from 1, as far as they exist."""
        assert self.open_document is not None
        count = len(self.open_document.text.lines)
        if 1 <= lines[0] <= count:
            chosen = (lines[0] - 1, min(lines[1], count))
            self.view.choose(chosen)
            self.view.reveal(chosen[0])

    def _attachment(self, lines: "Unit | None" = None) -> Attachment:
        assert self.open_document is not None
        document, path = self.open_document, self.open_document.path
        named = format_lines((lines[0] + 1, lines[1])) if lines is not None else None
        kind = path.suffix[1:].lower() or "file"
        return Attachment(document.name, path.name, kind, document.text.sheet or None, named)

    def _carry(self, attachment: Attachment | None) -> None:
        if attachment == self._carried:
            return
        attachments, before = self._screen.attachments, self._carried
        self._carried = attachment
        if before is not None:
            attachments.remove(before)
        if attachment is not None:
            attachments.attach(attachment)
        self._screen.attaching.show()

    def _tell_the_tools(self) -> None:
        """Let a proposal without a path apply to the open document, if it is a text of the
        workspace other than the agent's instructions.
        """
        document, opened = self.open_document, self._screen.opened
        is_text = document is not None and isinstance(document.text, MarkdownText)
        name = document.name if document is not None and is_text else ""
        is_ours = (
            bool(name)
            and opened.workspace.contains(name)
            and not any(part.startswith(".") for part in Path(name).parts)
        )
        opened.libraries.open_document = name if is_ours else ""

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────────

    async def want(self, what: str) -> None:  # noqa: C901  (one flat table of requests)
        """Do what the pane or the user requests."""
        document = self.open_document
        if document is None:
            return
        match what:
            case "ask":
                if self._carried is None:
                    self._screen.attachments.attach(self._attachment())
                    self._screen.attaching.show()
                await self.leave()
            case "leave":
                if not self._let_go():
                    await self.leave()
            case "contents":
                await self._show_contents(document)
            case "look":
                self.look()
            case "chosen":
                self._chosen()
            case "more":
                self._more(document)
            case "copy":
                first, end = self.view.chosen or (0, None)
                await copy(self._screen.app, "\n".join(document.text.lines[first:end]))
            case "close":
                self._screen.showing.close()
                await self.leave()
                await self.close()

    def _let_go(self) -> bool:
        """End the selection, or else the search. False if there is neither."""
        if self.view.chosen is not None:
            self.view.choose(None)
        elif self.pane.search.is_open:
            self.pane.search.action_close()
        else:
            return False
        return True

    async def leave(self) -> None:
        """Focus the prompt, and show the conversation if the pane covers it."""
        self._screen.prompt.focus_editor()
        self._screen.conversation_layout.uncover()

    async def toggle(self) -> None:
        """Focus the document, or return from it to the prompt."""
        await (self.leave() if self.pane.has_focus_within else self.go())

    async def go(self) -> None:
        """Focus the document."""
        await self._screen.conversation_layout.show_pane(self.pane)
        self.view.focus()

    async def _show_contents(self, document: OpenDocument) -> None:
        from dogent_tui.tui.screens.offers import Offer, show_offers  # on use

        offers = [
            Offer(
                tr("{name} (hidden)", name=one.name) if one.is_hidden else one.name,
                partial(self._open_sheet, document, one.name),
            )
            for one in document.text.sheets
        ]
        words = tr("Find a sheet…")
        if not offers:
            words, headings = (
                tr("Find a heading…"),
                await asyncio.to_thread(lambda: document.text.headings),
            )
            top = min((heading.level for heading in headings), default=1)
            offers = [
                Offer(
                    "  " * (heading.level - top) + one_line(heading.title),
                    partial(self.view.show_line, heading.line),
                )
                for heading in headings
            ]
        if offers:
            show_offers(self._screen.app, one_line(document.name), words, offers)
        else:
            self._screen.notify(tr("There are no headings in this document."))

    async def _open_sheet(self, document: OpenDocument, sheet: str) -> None:
        said = await self.open(document.name, sheet=sheet)
        if document is self.open_document:  # it could not be read
            self._screen.notify(said)

    def _draw_title(self) -> None:
        document = self.open_document
        if document is None:
            return
        chosen = self.view.chosen
        lines = format_lines((chosen[0] + 1, chosen[1])) if chosen else ""
        goes = changed = ""
        if "-" in lines:
            goes = tr("lines {lines} will be sent with the next prompt", lines=lines)
        elif lines:
            goes = tr("line {lines} will be sent with the next prompt", lines=lines)
        if count := len(self.view.changes.added):
            changed = ngettext("{count:,} line changed", "{count:,} lines changed", count)
        elif self.view.changes.cut:
            changed = tr("lines deleted")
        growing = tr("being written") if document.is_growing else ""
        facts, *warnings = document.text.note.split("\n")
        changed = changed.format(count=count)
        sheet = document.text.sheet
        name = f"{document.name}#{sheet}" if sheet else document.name
        self.pane.say(name, document.problem, growing, goes, changed, *warnings, facts)


def _compared(
    before: Sequence[str], old: Sequence[str], now: Sequence[str]
) -> tuple[Changes, Moved]:
    return changes(before, now), Moved(old, now)


def _put_back(lines: Sequence[str], hunks: Sequence[tuple[str, str]]) -> list[str]:
    """Return `lines` as they were before `hunks` changed."""
    text = "\n".join(lines)
    for old, new in hunks:
        text = text.replace(new, old, 1)
    return text.split("\n")


def _named(typed: str, screen: "ConversationPort") -> ResolvedReference | None:
    """Return what a user names: a literal path, which may contain blanks, or a reference."""
    workspace, path = screen.opened.workspace, typed.strip().removeprefix("@").strip('"')
    whole = resolve(Reference(0, 0, path, quoted=True), workspace) if path else None
    if whole is not None and whole.exists:
        return whole
    references = find_references(f"@{typed.strip().removeprefix('@')}")
    return resolve(references[0], workspace) if references else whole
