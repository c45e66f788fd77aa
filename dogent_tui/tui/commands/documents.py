"""The commands about the documents of the workspace."""

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

from dogent_tui.errors import DogentError
from dogent_tui.language import phrases, tr
from dogent_tui.tui.commands.family import CommandFamily, command
from dogent_tui.tui.imports import loaded

if TYPE_CHECKING:
    from dogent_tui.tui.checking.controller import Checking
    from dogent_tui.tui.exporting.controller import Exporting


class DocumentCommands(CommandFamily):
    """The commands about documents, whose screens open over `app`."""

    @command(
        "open",
        "Open a document beside the conversation, or close it",
        "[PATH]",
        completes="file",
        key="document",
    )
    async def _open(self, path: str) -> str:
        screen = self._screen
        if path:
            return await (await screen.load_documents()).open(path)
        if not screen.has_document:
            return tr("Specify a document: /open PATH.")
        screen.showing.close()
        await screen.documents.close()
        return tr("Document closed.")

    @cached_property
    def _exporting(self) -> "Exporting":
        from dogent_tui.tui.exporting.controller import Exporting

        return Exporting(self.app)

    @command(
        "export",
        "Export a Markdown file as pdf or docx",
        "[FILE.md] [pdf|docx] [THEME] [OUT] [checked]",
        completes="markdown",
        words=("pdf", "docx", "checked"),
    )
    async def _export(self, typed: str) -> str:
        await loaded("dogent_tui.tui.exporting.controller")
        return await self._exporting.export(typed)

    @cached_property
    def _checking(self) -> "Checking":
        from dogent_tui.tui.checking.controller import Checking

        return Checking(self.app)

    @command(
        "check",
        "Check the quotes, numbers and citations of a document",
        "[FILE.md]",
        completes="markdown",
        words=("next", "previous", "passages"),
    )
    async def _check(self, typed: str) -> str:
        await loaded("dogent_tui.tui.checking.controller")
        return await self._checking.check(typed)

    @command(
        "outline", "Rearrange the sections of a Markdown file", "FILE.md", completes="markdown"
    )
    async def _outline(self, path: str) -> str:
        if not path:
            return tr("Specify a Markdown file: /outline FILE.md.")
        from dogent_tui.tui.outline.edit_command import edit_document

        return await edit_document(self.app, path)

    @command(
        "sources",
        "List the sources that were read or added here, each with the key to cite it by",
        "[add | remove KEY]",
        completes="word",
        words=("add", "remove"),
    )
    async def _sources(self, typed: str) -> str | None:
        action, _, key = typed.partition(" ")
        records = self._opened.libraries.sources
        if action == "remove" and key.strip():
            removed = await asyncio.to_thread(records.remove, key.strip().removeprefix("@"))
            words = (
                tr("The source {key} was removed.") if removed else tr("There is no source {key}.")
            )
            return words.format(key=key.strip())
        if action == "add":
            return await self._add_source()
        if action:
            return tr("Usage: /sources, /sources add, or /sources remove KEY.")
        return await self._list_sources()

    async def _add_source(self) -> str:
        """Have the user type in a source, and save it."""
        from dogent_tui.tui.screens.source import SourceScreen
        from dogent_tui.tui.screens.withdrawable import answer_of

        opened = self._opened
        typed = await answer_of(self.app, SourceScreen(opened.workspace))
        if typed is None:
            return ""
        try:
            key = await asyncio.to_thread(opened.libraries.sources.add, typed)
        except (OSError, DogentError) as error:
            return tr("The source was not kept: {error}.", error=error)
        if not key:
            return tr("The source was not kept: you don't trust this folder.")
        return tr("Cite it as [@{key}].", key=key)

    async def _list_sources(self) -> str:
        """Have the user choose a source, and open it beside the conversation."""
        records = await asyncio.to_thread(self._opened.libraries.sources.all)
        if not records:
            return tr(
                "No sources yet: web pages that the agent reads are kept here, and what you enter"
                " with /sources add."
            )
        rows = [
            phrases(f"@{each.key}", each.title or each.url, each.published[:10]) for each in records
        ]
        why = tr("What was read or added here. Enter opens one.")
        chosen = await self._ask(tr("Sources"), why, rows, 0)
        if chosen is None:
            return ""
        record = records[chosen]
        documents = await self._screen.load_documents()
        return await documents.open(record.document or record.file)
