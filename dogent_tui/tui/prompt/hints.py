"""The line below the prompt: a problem, a key that acts on its second press, or the available
keys.
"""

from collections.abc import Sequence

import msgspec
from rich.cells import cell_len

from dogent_tui.language import PHRASE_GAP, phrases, tr
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.tui.prompt.editor import Mode, SecondPress

HINTS: dict[Mode, str] = {
    "prompt": tr("Enter sends · @ file · / command · ? help"),
    "shell": tr("Enter runs this in your shell, in the workspace"),
    "command": tr("Enter runs the command · Tab completes it"),
}
RUNS = tr("Enter runs {usage}")
AGAIN: dict[SecondPress, str] = {
    "quit": tr("Ctrl+C again to quit"),
    "clear": tr("Esc again clears the prompt · ↑ brings it back"),
}
BUSY = tr("Esc stops the agent · Enter queues your next prompt · ? help")
STOPS = tr("Esc stops it")
UNFOLD = tr("Ctrl+O shows the pasted text · Ctrl+G opens it in your editor")
LONGEST_NAME = 60


class Hint(Record):
    """A sentence for the user. `warning`: it reports a problem. `is_usual`: it only lists keys."""

    text: str
    warning: bool = False
    is_usual: bool = False


class Hints(msgspec.Struct):
    """The candidates for the line below the prompt.

    `notice` is a temporary sentence; `warns` whether it reports something not done. `doing`
    describes a running task of the user. `problems` are unresolved references. `offer` is what
    could be done while nothing is typed, `usage` the full form of the typed command, `document` how
    to see what was written last. `width` is the room for the usual keys in cells, 0 if unlimited.
    """

    mode: Mode = "prompt"
    armed: SecondPress = ""
    notice: str = ""
    warns: bool = False
    busy: bool = False
    doing: str = ""
    problems: Sequence[str] = ()
    on_pasted_text: bool = False
    offer: str = ""
    usage: str = ""
    document: str = ""
    width: int = 0

    def best(self) -> Hint:
        """Return the most important hint."""
        if self.armed:
            return Hint(AGAIN[self.armed])
        if self.notice:
            return Hint(self.notice, self.warns)
        if self.doing:
            return Hint(f"{self.doing}… · {STOPS}")
        if self.problems:
            first, others = shortened(self.problems[0]), len(self.problems) - 1
            more = tr("{first}, and {count} more", first=first, count=others)
            return Hint(more if others else first, True)
        if self.on_pasted_text:
            return Hint(UNFOLD)
        if self.mode != "prompt":
            return Hint(RUNS.format(usage=self.usage) if self.usage else HINTS[self.mode])
        if self.offer and not self.busy:
            return Hint(self.offer)
        usual = BUSY if self.busy else HINTS["prompt"]
        return Hint(self._fitting(phrases(self.document, usual)), is_usual=True)

    def _fitting(self, keys: str) -> str:
        """Return as many of `keys` as there is room for. The last one, which shows all others,
        stays.
        """
        *first, last = keys.split(PHRASE_GAP)
        while first and 0 < self.width < cell_len(PHRASE_GAP.join([*first, last])):
            first.pop()
        return PHRASE_GAP.join([*first, last])


def shortened(text: str) -> str:
    """Return `text` on one line, shortened in the middle if it is long."""
    text = one_line(text)
    return (
        text
        if len(text) <= LONGEST_NAME
        else f"{text[: LONGEST_NAME // 2]}…{text[-LONGEST_NAME // 2 :]}"
    )
