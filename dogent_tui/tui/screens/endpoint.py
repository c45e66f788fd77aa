"""The form for an endpoint of one's own: its address, its key, its model. What is entered is
tried before it is kept.
"""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Label, Static

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.endpoint_url import check_url, is_anthropic, sends_keys_in_clear
from dogent_tui.settings.profiles import ANTHROPIC_URL
from dogent_tui.settings.secrets import is_missing
from dogent_tui.storage.paths import dogent_home
from dogent_tui.tui.dialog import Dialog, DialogScreen
from dogent_tui.tui.key_hints import KeyLine
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.setup.model import Choice, endpoint_profile
from dogent_tui.tui.stylesheets import stylesheet

_CONTINUES = tr("Continue, and test it at the end")
_TRIES = tr("Test the key")
_KEEPS = tr("Keep it anyway")


class EndpointScreen(Withdrawable[tuple[str, str, str]], DialogScreen[tuple[str, str, str]]):
    """Dismissed with address, key and model, or with None where the user goes back."""

    CSS_PATH = stylesheet("endpoint.tcss")
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", tr("Back"))]

    def __init__(self, choice: Choice | None = None) -> None:
        """Ask for an endpoint, or for the key of the provider of `choice`, whose address and
        model are known.
        """
        super().__init__()
        provider = choice if choice is not None and choice.kind == "provider" else None
        self._title = (
            provider.label.rstrip("…")
            if provider
            else tr("An endpoint with Anthropic’s Messages API")
        )
        self._address, self._model = (
            (provider.base_url, provider.model) if provider else (ANTHROPIC_URL, "")
        )
        self._asks_only_key = provider is not None
        self._refused: tuple[str, str, str] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the three lines."""
        with Dialog(self._title, self._keys(self._usual_key), about=tr("new model"), id="endpoint"):
            yield Label(tr("Address"), markup=False)
            yield Input(self._address, compact=True, select_on_focus=True, id="endpoint-address")
            yield Label(tr("Key (or env:NAME to read it from the environment)"), markup=False)
            yield Input(password=True, compact=True, id="endpoint-key")
            yield Label(tr("Model"), markup=False)
            yield Input(
                self._model,
                placeholder=tr("may be empty for Anthropic"),
                compact=True,
                id="endpoint-model",
            )
            yield Static("", id="endpoint-words", classes="dialog-problem", markup=False)

    def on_mount(self) -> None:
        """Begin with what is asked for."""
        self.query_one("#endpoint-key" if self._asks_only_key else "#endpoint-address").focus()

    @property
    def _usual_key(self) -> str:
        return _TRIES if self._asks_only_key else _CONTINUES

    @staticmethod
    def _keys(enter: str) -> dict[str, str]:
        return {"enter": enter, "escape": tr("Back")}

    @property
    def entered(self) -> tuple[str, str, str]:
        """Address, key and model as they are entered."""
        address, key, model = (
            self.query_one(f"#endpoint-{name}", Input).value.strip()
            for name in ("address", "key", "model")
        )
        return address.rstrip("/").removesuffix("/v1"), key, model

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        event.stop()
        last = "endpoint-model" if self._asks_only_key else event.input.id or ""
        wrong = self._wrong(last)
        self._say(wrong)
        if wrong:
            return
        if last != "endpoint-model":
            self.focus_next()
        elif self.entered == self._refused:
            self.leave(self.entered)
        else:
            self.run_worker(self._try(), exclusive=True)

    def _wrong(self, last: str) -> str:
        """Return what is wrong with the lines as far as `last`, as a sentence."""
        address, key, model = self.entered
        if problem := check_url(address):
            return tr("This {problem}.").format(problem=problem)
        if sends_keys_in_clear(address):
            return tr(
                "Without https, the key and your documents could be read in transit. Use an https"
                " address."
            )
        if last != "endpoint-address" and is_missing(key):
            return tr("It needs a key (any word if the endpoint requires none).")
        if last == "endpoint-model" and not model and not is_anthropic(address):
            return tr("Specify the model: only Anthropic’s own endpoint has a default.")
        return ""

    async def _try(self) -> None:
        """Ask the endpoint for one token. What it refuses can be kept all the same: it may only
        be down just now.
        """
        from dogent_tui.agent.profile_check import probe

        self._say(tr("Testing it…"))
        entered = self.entered
        values = endpoint_profile(*entered, {}).values
        name = one_line(entered[0].partition("://")[2])
        probed = await probe(dogent_home() / "claude.json", name, values)
        if self.entered != entered:
            return
        if probed.works:
            self.leave(entered)
            return
        self._refused = entered
        self._say(probed.words)

    def _say(self, words: str) -> None:
        refused = self.entered == self._refused
        self.query_one("#endpoint-words", Static).update(words)
        self.query_one(KeyLine).show(self._keys(_KEEPS if refused else self._usual_key))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        """Take back what was said: it was about something else."""
        event.stop()
        self._say("")

    def action_back(self) -> None:
        """Go back without an endpoint."""
        self.leave(None)
