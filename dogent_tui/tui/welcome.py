"""What an empty conversation shows: the folder, who answers, and suggested prompts."""

from collections.abc import Sequence

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.widgets import ActionRequested


class Welcome(Widget):
    """The welcome. Removed with the first run."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"welcome--name", "welcome--key", "welcome--fact"}

    def __init__(self, workspace: str, endpoint: str) -> None:
        super().__init__(id="welcome")
        self._workspace = one_line(workspace)
        self._endpoint = one_line(endpoint)
        self._requests: Sequence[str] | None = None

    def answered_by(self, endpoint: str) -> None:
        """Show another `endpoint`."""
        self._endpoint = one_line(endpoint)
        self.refresh()

    def offer(self, requests: Sequence[str]) -> None:
        """Offer `requests`; none, if there is no document to ask about."""
        self._requests = requests
        self.refresh()

    @property
    def settled(self) -> bool:
        """Whether the suggestions are known, or it is not visible."""
        return self._requests is not None or not self.display

    def _lines(self) -> list[tuple[str, str, str]]:
        """Return the lines: a key, the text and its style. In a low window only the suggestions."""
        head = [
            ("", "dogent-tui", "name"),
            ("", self._workspace, "fact"),
            ("", self._endpoint, "fact"),
            ("", "", ""),
        ]
        if self._requests is None:  # not known yet
            return [*head, ("", tr("Ask for a document, and name what it is to be made from."), "")]
        if not self._requests:
            asks = [
                ("", tr("There are no documents here yet."), ""),
                ("/sample", tr("opens a folder of them to try"), "fact"),
            ]
        else:
            asks = [
                ("Tab" if not at else "   ", request, "")
                for at, request in enumerate(self._requests)
            ]
        height = self.content_size.height
        if height < len(asks) + len(head):
            return asks[: max(1, height)]
        return [*head, *asks]

    def render(self) -> RenderResult:
        """Draw the lines, literally."""
        key, width = self.get_visual_style("welcome--key"), self.content_size.width
        styles = {name: self.get_visual_style(f"welcome--{name}") for name in ("name", "fact")}
        drawn = []
        for mark, words, style in self._lines():
            line = Content.assemble(
                (mark, key), "  " if mark else "", (words, styles[style]) if style else words
            )
            if words in (self._requests or ()):
                line = line.stylize(Style.from_meta({"request": words}))
            drawn.append(line.truncate(width, ellipsis=True))
        return Content("\n").join(drawn)

    def on_click(self, event: events.Click) -> None:
        """Choose the suggestion under the mouse."""
        event.stop()
        if request := event.style.meta.get("request"):
            self.post_message(ActionRequested("write", request))
