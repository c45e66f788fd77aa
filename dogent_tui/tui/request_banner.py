"""The line above the prompt that says what the agent asked and nobody has answered yet."""

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
    """One line, hidden while nothing is open. A click does what the key does."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"banner--mark", "banner--key"}  # noqa: RUF012  (Textual's own way)

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
    kinds = Counter(request.kind for request in requests)
    forms = (one.payload for one in requests if one.kind == "clarification")
    questions = sum(len(payload.get("questions") or ()) for payload in forms)
    outlines, changes = kinds["outline_edit"], kinds["document_change"]
    asked = {
        tr("asks a question"): questions == 1,
        tr("asks {questions} questions", questions=questions): questions > 1,
        tr("proposes an outline"): outlines == 1,
        tr("proposes {outlines} outlines", outlines=outlines): outlines > 1,
        tr("proposes a change"): changes == 1,
        tr("proposes {changes} changes", changes=changes): changes > 1,
    }
    return tr("The agent {asked}", asked=listing([what for what, is_so in asked.items() if is_so]))
