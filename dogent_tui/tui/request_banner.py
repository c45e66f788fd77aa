"""The line above the prompt that shows an open request of the agent."""

from collections import Counter
from collections.abc import Sequence

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from dogent_tui.agent.events import UiRequested
from dogent_tui.language import listing, tr

KEY = "F2"


class RequestBanner(Widget):
    """A sentence, hidden if nothing is open. A click does the same as the key."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"banner--mark", "banner--key"}

    def __init__(self) -> None:
        super().__init__(id="asked")
        self._words = ""
        self.display = False

    def show(self, requests: Sequence[UiRequested]) -> None:
        """Show what is open."""
        self._words = words(requests)
        self.display = bool(requests)
        self.refresh(layout=True)

    def render(self) -> RenderResult:
        """Draw the line."""
        mark, key = (self.get_visual_style(f"banner--{part}") for part in ("mark", "key"))
        before, _, after = tr("{key} answers").partition("{key}")
        return Content.assemble(("? ", mark), self._words, " · ", before, (KEY, key), after)

    async def on_click(self, event: events.Click) -> None:
        """Open the request."""
        event.stop()
        await self.screen.run_action("answer")


def words(requests: Sequence[UiRequested]) -> str:
    """Return a sentence about the request."""
    kinds = Counter(request.kind for request in requests)
    counts = (
        (
            sum(len(request.payload.get("questions") or ()) for request in requests),
            tr("asks a question"),
            tr("asks {questions} questions"),
        ),
        (kinds["outline_edit"], tr("proposes an outline"), tr("proposes {outlines} outlines")),
        (kinds["document_change"], tr("proposes a change"), tr("proposes {changes} changes")),
    )
    asked = [
        many.format(questions=count, outlines=count, changes=count) if count > 1 else one
        for count, one, many in counts
        if count
    ]
    return tr("The agent {asked}", asked=listing(asked))
