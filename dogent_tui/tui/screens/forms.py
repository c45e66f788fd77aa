"""Forms with a few input lines, and the form that asks for a key to be pressed."""

from collections.abc import Callable, Mapping
from itertools import chain

from textual import events
from textual.widgets import Input, Label

from dogent_tui.language import tr
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.dialog import Answer, Dialog, DialogScreen, Words
from dogent_tui.tui.text_line import TextLine


class FormScreen(DialogScreen[Answer]):
    """Input lines. Enter goes to the next one, and from the last one to `finish`; if the form
    `ends_anywhere`, from any of them.
    """

    CSS_PATH = shipped("endpoint.tcss")
    ends_anywhere = False

    def __init__(
        self,
        title: str,
        keys: Mapping[str, str],
        lines: Mapping[str, tuple[str, Input]],
        *,
        id: str,  # noqa: A002
        about: str = "",
        why: str = "",
    ) -> None:
        """Ask for `lines`: the label above each, and its input, by name. `why` is shown below
        them.
        """
        self.lines = {name: line for name, (_, line) in lines.items()}
        self._words = Words("", id=f"{id}-words", classes="dialog-problem")
        parts = chain.from_iterable(
            (Label(label, markup=False), line) if label else (line,)
            for label, line in lines.values()
        )
        below = [Words(why, classes="dialog-why")] if why else []
        super().__init__(Dialog(title, keys, *parts, *below, self._words, about=about, id=id))

    def on_mount(self) -> None:
        """Show the label of the first line too: Textual scrolls the line to the middle."""
        self.call_after_refresh(self.dialog.scroll_home, animate=False)

    @property
    def entered(self) -> dict[str, str]:
        """What was typed, by line name."""
        return {name: line.value.strip() for name, line in self.lines.items()}

    def problem(self, name: str) -> str:
        """Return why what was typed in line `name` is invalid, as a sentence, or an empty
        string.
        """
        raise NotImplementedError

    def finish(self) -> None:
        """Act on the input, which is valid."""
        raise NotImplementedError

    def say(self, words: str) -> None:
        """Show an error below the lines."""
        self._words.update(words)

    def _on_input_submitted(self, event: Input.Submitted) -> None:
        names, lines = [*self.lines], [*self.lines.values()]
        last = len(lines) if self.ends_anywhere else lines.index(event.input) + 1
        for name in names[:last]:
            if problem := self.problem(name):
                self.say(problem)
                self.lines[name].focus()
                return
        self.say("")
        if last == len(lines):
            self.finish()
        else:
            self.focus_next()

    def _on_input_changed(self) -> None:
        """Remove the error, which was about other input."""
        self.say("")


class TypingScreen(FormScreen[str]):
    """Dismissed with what was typed, or with None if the user goes back."""

    def __init__(
        self,
        title: str,
        why: str,
        text: str = "",
        *,
        secret: bool = False,
        problem: Callable[[str], str] = lambda _: "",
        unset: str = "",
    ) -> None:
        """Ask for `title`, with `why` below it.

        Args:
            secret: Whether dots are shown instead of the text.
            problem: Returns why the text is invalid, or an empty string.
            unset: The value that applies while nothing is typed.
        """
        self._line = TextLine(text, placeholder=unset, password=secret)
        self._problem = problem
        keys = {"enter": tr("Confirm"), "escape": tr("Back")}
        super().__init__(title, keys, {"text": ("", self._line)}, id="typing", why=why)

    def problem(self, name: str) -> str:
        """Return why the text is invalid."""
        del name
        return self._problem(self._line.value)

    def finish(self) -> None:
        """Return the text as it is."""
        self.leave(self._line.value)


class PressKeyScreen(DialogScreen[str]):
    """Dismissed with Textual's name of the pressed key, or with None."""

    def __init__(self, title: str, problem: Callable[[str], str]) -> None:
        """Ask for a key. `problem` returns why one cannot be used, or an empty string."""
        self._problem = problem
        self._words = Words("", classes="dialog-problem")
        press = Words(tr("Press the key now."))
        super().__init__(Dialog(title, {"escape": tr("Back")}, press, self._words, id="typing"))

    def on_key(self, event: events.Key) -> None:
        """Accept the key if it can be used."""
        event.stop()
        event.prevent_default()
        if event.key == "escape":
            self.leave(None)
        elif problem := self._problem(event.key):
            self._words.update(problem)
        else:
            self.leave(event.key)
