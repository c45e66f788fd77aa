"""The line above the prompt that says what the agent asked and nobody has answered yet."""

from collections.abc import Sequence

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from dogent_tui.agent.events import UiRequested
from dogent_tui.language import listing, tr

KEY = "F2"


class RequestBanner(Widget):
    """One line, hidden while nothing is open. A click does what the key does."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"banner--mark", "banner--key"}

    def __init__(self) -> None:
        super().__init__(id="asked")
        self._words = ""
        self.display = False

    def show(self, requests: Sequence[UiRequested]) -> None:
        """Say what is open."""
        self._words = words(requests)
        self.display = bool(requests)
        self.refresh()

    def render(self) -> RenderResult:
        """Draw the line."""
        mark, key = (self.get_visual_style(f"banner--{part}") for part in ("mark", "key"))
        before, _, after = tr("{key} answers").partition("{key}")
        return Content.assemble(("? ", mark), self._words, " · ", before, (KEY, key), after)

    async def on_click(self, event: events.Click) -> None:
        """Open what is asked."""
        event.stop()
        await self.screen.run_action("answer")


def words(requests: Sequence[UiRequested]) -> str:
    """Return what is asked, as a sentence."""
    questions = sum(
        len(request.payload.get("questions") or ())
        for request in requests
        if request.kind == "clarification"
    )
    asked = (
        [
            tr("asks a question")
            if questions == 1
            else tr("asks {questions} questions", questions=questions)
        ]
        if questions
        else []
    )
    outlines = sum(request.kind == "outline_edit" for request in requests)
    if outlines:
        asked.append(
            tr("proposes an outline")
            if outlines == 1
            else tr("proposes {outlines} outlines", outlines=outlines)
        )
    changes = sum(request.kind == "document_change" for request in requests)
    if changes:
        asked.append(
            tr("proposes a change")
            if changes == 1
            else tr("proposes {changes} changes", changes=changes)
        )
    return tr("The agent {asked}", asked=listing(asked))
