"""What happens to the results of a conversation: listed, opened, exported, revealed."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, cast

from dogent_tui.agent.events import Event
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.results.model import Result, Results, is_markdown, measure

if TYPE_CHECKING:
    from dogent_tui.tui.ports import AppPort, ConversationPort

ResultAction = str
"""``open``, ``export`` or ``reveal``."""


class ResultsController:
    """Keeps `results` and what is shown of them in line."""

    def __init__(self, screen: "ConversationPort") -> None:
        self.results = Results(screen.opened.workspace.root)
        self._screen = screen

    def learn(self, event: Event) -> Result | None:
        """Learn from `event` without drawing, and return what it made."""
        return self.results.handle(event)

    def show(self) -> None:
        """Draw how things are, and again once it is known how large the files are."""
        self._screen.place_sidebar()
        if self.results.entries:
            measure_all = partial(self._measure, self.results)
            self._screen.run_worker(measure_all, group="results", exclusive=True)  # type: ignore[arg-type]

    async def _measure(self, results: Results) -> None:
        root = self._screen.opened.workspace.root
        results.measured(
            await asyncio.to_thread(measure, root, [result.path for result in results.entries])
        )
        self._screen.place_sidebar()

    async def want(self, what: ResultAction, result: Result) -> None:
        """Do with `result` what a key asks for. Not to be awaited by a handler of messages:
        something may be asked.
        """
        screen = self._screen
        path = screen.opened.workspace.absolute(result.path)
        if not await asyncio.to_thread(path.exists):
            screen.prompt.notify_hint(
                tr("There is no file {typed} here.", typed=one_line(result.path)),
                warning=True,
            )
            self.show()
            return
        match what:
            case "open":
                await screen.showing.open(result.path)
            case "export":
                await self._export(result)
            case "reveal":
                from dogent_tui.tui.results.reveal import reveal  # on use

                screen.prompt.notify_hint(await reveal(path))

    async def _export(self, result: Result) -> None:
        from dogent_tui.tui.screens.choice import choose  # on use

        screen = self._screen
        if not is_markdown(result.path):
            screen.prompt.notify_hint(
                tr("Only Markdown can be exported: {name} is none.", name=one_line(result.name))
            )
            return
        kinds = ("pdf", "docx")
        app = cast("AppPort", screen.app)
        chosen = await choose(app, tr("Export {name} as", name=one_line(result.name)), "", kinds)
        if chosen is not None:
            command, typed = app.commands.find(f'/export "{result.path}" {kinds[chosen]}')
            assert command is not None
            await command.run(typed)
