"""The commands about the documents of the workspace, and about what makes them."""

import asyncio
import importlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from dogent_tui.errors import AgentError, DogentError
from dogent_tui.language import tr
from dogent_tui.tui.commands.table import Command, shown_key

if TYPE_CHECKING:
    from dogent_tui.agent.conversation import ServerState
    from dogent_tui.tui.checking.controller import Checking
    from dogent_tui.tui.exporting.controller import Exporting
    from dogent_tui.tui.ports import AppPort


class DocumentCommands:
    """The commands about documents, which open over what `app` shows."""

    def __init__(self, app: "AppPort") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        yield Command(
            "check",
            tr("Check the quotes, numbers and citations of a document"),
            self._check,
            "[FILE.md]",
            "markdown",
            words=("next", "previous", "passages"),
        )
        yield Command(
            "doctor", tr("Show the engines, and how to fix what is missing"), self._doctor
        )
        yield Command(
            "export",
            tr("Export a Markdown file as pdf or docx"),
            self._export,
            "[FILE.md] [pdf|docx] [THEME] [OUT] [checked]",
            "markdown",
            words=("pdf", "docx", "checked"),
        )
        shows = tr("Open a document beside the conversation, or close it")
        yield Command(
            "open", shows, self._open, "[PATH]", "file", key=shown_key(self._app, "document")
        )
        yield Command(
            "sources",
            tr("List the sources that were read or added here, each with the key to cite it by"),
            self._sources,
            "[add | remove KEY]",
            "word",
            words=("add", "remove"),
        )
        yield Command(
            "outline",
            tr("Rearrange the sections of a Markdown file"),
            self._outline,
            "FILE.md",
            "markdown",
        )

    async def _export_typed(self, typed: str) -> None:
        await asyncio.to_thread(
            importlib.import_module, "dogent_tui.tui.exporting.controller"
        )  # keys come between
        await self._exporting.export(typed)

    async def _check_typed(self, typed: str) -> None:
        await asyncio.to_thread(
            importlib.import_module, "dogent_tui.tui.checking.controller"
        )  # keys come between
        await self._checking.check(typed)

    @cached_property
    def _checking(self) -> "Checking":
        from dogent_tui.tui.checking.controller import Checking

        return Checking(self._app)

    async def _check(self, typed: str) -> str:
        self._app.run_worker(
            self._check_typed(typed), group="check"
        )  # a list is shown, and the palette must not wait for it
        return ""

    @cached_property
    def _exporting(self) -> "Exporting":
        from dogent_tui.tui.exporting.controller import Exporting

        return Exporting(self._app)

    async def _doctor(self, _: str) -> str:
        from dogent_tui.agent.doctor import as_text, examine
        from dogent_tui.tui.screens.page import PageScreen

        opened = self._app.opened

        async def found() -> str:
            servers: Sequence[ServerState] = ()
            if opened.service.begun:  # the doctor starts no agent
                with suppress(AgentError):
                    servers = await opened.service.servers()
            return as_text(await examine(opened.workspace, servers))

        self._app.push_screen(PageScreen(tr("What is installed, and what is missing"), found))
        return ""

    async def _export(self, typed: str) -> str:
        self._app.run_worker(
            self._export_typed(typed), group="export"
        )  # it asks, and the palette must not wait for it
        return ""

    async def _open(self, path: str) -> str:
        screen = self._app.conversation
        if path:
            await asyncio.to_thread(
                importlib.import_module, "dogent_tui.tui.pane.controller"
            )  # keys come between
            return await screen.documents.open(path)
        if not screen.has_document:
            return tr("Specify a document: /open PATH.")
        screen.showing.close()
        await screen.documents.close()
        return tr("Document closed.")

    async def _sources(self, typed: str) -> str:
        action, _, key = typed.partition(" ")
        records = self._app.opened.libraries.sources
        if action == "remove":
            removed = await asyncio.to_thread(records.remove, key.strip().removeprefix("@"))
            words = (
                tr("The source {key} was removed.") if removed else tr("There is no source {key}.")
            )
            return words.format(key=key.strip())
        if action == "add":
            self._app.run_worker(self._add_source(), group="sources")
            return ""
        if action:
            return tr("Usage: /sources, /sources add, or /sources remove KEY.")
        self._app.run_worker(self._list_sources(), group="sources")
        return ""

    async def _add_source(self) -> None:
        """Have a source typed in, and keep it."""
        from dogent_tui.tui.screens.source import SourceScreen
        from dogent_tui.tui.screens.withdrawable import answer_of

        opened, prompt = self._app.opened, self._app.conversation.prompt
        typed = await answer_of(self._app, SourceScreen(opened.workspace))
        if typed is None:
            return
        try:
            key = await asyncio.to_thread(opened.libraries.sources.add, typed)
        except (OSError, DogentError) as error:
            prompt.notify_hint(tr("The source was not kept: {error}.").format(error=error))
            return
        prompt.notify_hint(
            tr("Cite it as [@{key}].").format(key=key)
            if key
            else tr("The source was not kept: you don't trust this folder.")
        )

    async def _list_sources(self) -> None:
        """Have a source chosen, and open it beside the conversation."""
        from dogent_tui.tui.screens.choice import choose

        screen = self._app.conversation
        records = await asyncio.to_thread(self._app.opened.libraries.sources.all)
        if not records:
            screen.prompt.notify_hint(
                tr("No sources yet: web pages that the agent reads are kept here. /sources add.")
            )
            return
        rows = [
            " · ".join(filter(None, (f"@{each.key}", each.title or each.url, each.published[:10])))
            for each in records
        ]
        chosen = await choose(
            self._app, tr("Sources"), tr("What was read or added here. Enter opens one."), rows, 0
        )
        if chosen is not None:
            record = records[chosen]
            screen.prompt.notify_hint(await screen.documents.open(record.document or record.file))

    async def _outline(self, path: str) -> str:
        if not path:
            return tr("Specify a Markdown file: /outline FILE.md.")
        from dogent_tui.tui.outline.edit_command import edit_document

        app = self._app
        completions = app.conversation.prompt.completions
        return await edit_document(app, app.opened.workspace, app.edits, path, completions)
