"""What an empty conversation shows: where we are, who answers, and what to press first."""

from typing import ClassVar

from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.plain import one_line

_FIRST_KEYS = (
    ("@", tr("refer to a file")),
    ("/", tr("run a command")),
    ("!", tr("run a shell command")),
    ("?", tr("all keys and commands")),
)


class Welcome(Widget):
    """The greeting. Gone with the first run."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"welcome--name", "welcome--key", "welcome--fact"}

    def __init__(self, workspace: str, endpoint: str, *, is_sample: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._is_sample = is_sample
        self._workspace = one_line(workspace)
        self._endpoint = one_line(endpoint)

    def answered_by(self, endpoint: str) -> None:
        """Greet with another `endpoint`."""
        self._endpoint = one_line(endpoint)
        self.refresh()

    def render(self) -> RenderResult:
        """Draw the greeting, literally."""
        name, key, fact = (self.get_visual_style(f"welcome--{part}") for part in ("name", "key", "fact"))
        keys = [line for mark, words in _FIRST_KEYS for line in ((f"{mark}", key), (f"  {words}\n", fact))]
        return Content.assemble(
            ("dogent-tui\n", name),
            (f"{self._workspace}\n{self._endpoint}\n\n", fact),
            tr("Ask for a document, and say what to base it on.\n\n"),
            (tr("Things to try here: /open README.md\n\n") if self._is_sample else "", fact),
            *keys,
        )
