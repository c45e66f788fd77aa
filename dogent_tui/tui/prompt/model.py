"""The memory of the prompt: earlier prompts, and long pastes behind their placeholders. Plain
state, independent of the screen.
"""

import re
from collections.abc import Iterable

from dogent_tui.language import tr
from dogent_tui.plain import newlines
from dogent_tui.records import Record

RECALL_LIMIT = 30
"""The number of prompts that Up and Down recall."""

FOLD_CHARACTERS = 800
FOLD_LINES = 6
"""A paste longer than either folds into a placeholder."""

SHOWN_CHARACTERS = 50_000
SHOWN_LINES = 2_000
SHOWN_LINE_CHARACTERS = 4_000
"""The maximum shown unfolded. The text area wraps a line again on each key: one of 20,000
characters took 35 ms.
"""


def can_show(text: str) -> bool:
    """Return whether `text` can be edited in the prompt without a delay on each key."""
    if len(text) > SHOWN_CHARACTERS or text.count("\n") >= SHOWN_LINES:
        return False
    return all(len(line) <= SHOWN_LINE_CHARACTERS for line in text.split("\n"))


class Recall:
    """The latest prompts, recalled with Up and Down.

    The text being typed, and edits of recalled prompts, are kept while recalling, until the next
    prompt is sent.
    """

    def __init__(self, entries: Iterable[str] = ()) -> None:
        """Recall `entries`, oldest first; only the last `RECALL_LIMIT` are used."""
        self._entries = list(entries)[-RECALL_LIMIT:]
        self._position = len(self._entries)
        self._edited: dict[int, str] = {}

    @property
    def walking(self) -> bool:
        """Whether an earlier prompt is shown instead of the unsent text."""
        return self._position < len(self._entries)

    def step(self, step: int, current: str) -> str | None:
        """Keep `current` and return the next prompt, finally the unsent text, or the previous one
        if `step` is negative; None at the ends.
        """
        target = self._position + step
        if not 0 <= target <= len(self._entries):
            return None
        self._edited[self._position] = current
        self._position = target
        shipped = self._entries[target] if target < len(self._entries) else ""
        return self._edited.get(target, shipped)

    def remember(self, text: str) -> None:
        """Add `text` as the latest prompt, unless it repeats the latest, and end recalling."""
        if text.strip() and self._entries[-1:] != [text]:
            self._entries = [*self._entries, text][-RECALL_LIMIT:]
        self._position = len(self._entries)
        self._edited.clear()


class Placeholder(Record):
    """A placeholder in a line: columns `start` to `end`, and the text behind it."""

    start: int
    end: int
    text: str


class PastedTexts:
    """Long pastes, each behind a placeholder such as ``[Pasted text #1 +1,234 lines]``.

    A text is kept until `clear`, so that undo can restore its placeholder.
    """

    _LABEL = re.compile(r"\[[^\[\]]{1,40} #\d{1,6} [^\[\]]{1,40}\]")
    """Matches any language: the text is looked up by the whole label."""
    _HINT = " #"

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._texts)

    @staticmethod
    def folds(text: str) -> bool:
        """Return whether `text` is long enough to fold when pasted."""
        return len(text) > FOLD_CHARACTERS or text.count("\n") >= FOLD_LINES

    def fold(self, text: str) -> str:
        """Store `text` and return its placeholder."""
        text = newlines(text)
        number = len(self._texts) + 1
        lines = text.count("\n") + (not text.endswith("\n"))
        size = (
            tr("+{lines:,} lines", lines=lines)
            if lines > 1
            else tr("+{count:,} characters", count=len(text))
        )
        name = tr("Pasted text")
        label = f"[{name} #{number} {size}]"
        self._texts[label] = text
        return label

    def find(self, line: str) -> list[Placeholder]:
        """Return the placeholders in `line` that stand for a stored text."""
        if not self._texts or self._HINT not in line:
            return []
        return [
            Placeholder(*match.span(), self._texts[match[0]])
            for match in self._LABEL.finditer(line)
            if match[0] in self._texts
        ]

    def at(self, line: str, column: int) -> Placeholder | None:
        """Return the placeholder that a cursor at `column` is in or touches."""
        return next(
            (found for found in self.find(line) if found.start <= column <= found.end), None
        )

    def around(self, line: str, column: int) -> Placeholder | None:
        """Return the placeholder that contains `column`, where no cursor is allowed."""
        return next((found for found in self.find(line) if found.start < column < found.end), None)

    def expand(self, text: str) -> str:
        """Return `text` with each placeholder expanded."""
        if not self._texts or self._HINT not in text:
            return text
        return self._LABEL.sub(lambda match: self._texts.get(match[0], match[0]), text)

    def clear(self) -> None:
        """Delete every text, and count from 1 again."""
        self._texts.clear()
