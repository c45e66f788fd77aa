"""The form for a custom endpoint: address, key and model. Entries are tested before they are
saved.
"""

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.endpoint_url import check_url, is_anthropic, sends_keys_in_clear
from dogent_tui.settings.profiles import ANTHROPIC_URL
from dogent_tui.settings.secrets import is_missing
from dogent_tui.storage.paths import dogent_home
from dogent_tui.tui.screens.forms import FormScreen
from dogent_tui.tui.setup.model import Choice, endpoint_profile
from dogent_tui.tui.text_line import TextLine


class EndpointScreen(FormScreen[tuple[str, str, str]]):
    """Dismissed with address, key and model, or with None if the user goes back."""

    AUTO_FOCUS = ""

    def __init__(self, choice: Choice) -> None:
        """Ask for an endpoint, or only for the key of the provider of `choice`, whose address and
        model are known.
        """
        if choice.kind == "provider":
            title, address, model = choice.label.rstrip("…"), choice.base_url, choice.model
            self.ends_anywhere = True
        else:
            title = tr("An endpoint with Anthropic’s Messages API")
            address, model = ANTHROPIC_URL, ""
        self._enter = (
            tr("Test the key") if self.ends_anywhere else tr("Continue, and test it at the end")
        )
        self._refused: tuple[str, str, str] | None = None
        empty = tr("may be empty for Anthropic")
        lines = {
            "address": (
                tr("Address"),
                TextLine(address, id="endpoint-address"),
            ),
            "key": (
                tr("Key (or env:NAME to read it from the environment)"),
                TextLine(password=True, id="endpoint-key"),
            ),
            "model": (
                tr("Model"),
                TextLine(model, placeholder=empty, id="endpoint-model"),
            ),
        }
        super().__init__(
            title, self._keys(self._enter), lines, id="endpoint", about=tr("new model")
        )

    def on_mount(self) -> None:
        """Focus the first line asked for."""
        self.lines["key" if self.ends_anywhere else "address"].focus()

    @staticmethod
    def _keys(enter: str) -> dict[str, str]:
        return {"enter": enter, "escape": tr("Back")}

    @property
    def endpoint(self) -> tuple[str, str, str]:
        """Address, key and model as entered."""
        address, key, model = self.entered.values()
        return address.rstrip("/").removesuffix("/v1"), key, model

    def problem(self, name: str) -> str:
        """Return the error in a line."""
        address, key, model = self.endpoint
        if name == "address" and (problem := check_url(address)):
            return tr("This {problem}.", problem=problem)
        if name == "address" and sends_keys_in_clear(address):
            return tr(
                "Without https, the key and your documents could be read in transit. Use an https"
                " address."
            )
        if name == "key" and is_missing(key):
            return tr("It needs a key (any word if the endpoint requires none).")
        if name == "model" and not model and not is_anthropic(address):
            return tr("Specify the model: only Anthropic’s own endpoint has a default.")
        return ""

    def finish(self) -> None:
        """Test the endpoint; if it is entered again after a failure, save it anyway."""
        if self.endpoint == self._refused:
            self.leave(self.endpoint)
        else:
            self.run_worker(self._try(), exclusive=True)

    async def _try(self) -> None:
        """Request one token from the endpoint. A failing endpoint can be saved anyway, because it
        may only be down at the moment.
        """
        from dogent_tui.agent.profile_check import probe

        self.say(tr("Testing it…"))
        entered = self.endpoint
        values = endpoint_profile(*entered, {}).values
        name = one_line(entered[0].partition("://")[2])
        probed = await probe(dogent_home() / "claude.json", name, values)
        if self.endpoint != entered:
            return
        if probed.works:
            self.leave(entered)
            return
        self._refused = entered
        self.say(probed.reason)

    def say(self, words: str) -> None:
        """Show what is wrong, and what Enter does now."""
        super().say(words)
        is_refused = self.endpoint == self._refused
        self.dialog.keys.show(self._keys(tr("Keep it anyway") if is_refused else self._enter))
