"""Prevents keys that were meant for the previous screen from answering a question."""

import time
from collections.abc import Callable

import msgspec
from textual import events

GRACE_S = 0.5
"""Keys within this many seconds after the question appeared were meant for the previous screen
(SPEC 6).
"""
TYPING_S = 1.0
"""Seconds that a typing user must have paused, so that the next letter of a word never answers."""


class AnswerGuard(msgspec.Struct):
    """Prevents keys typed before the question appeared from answering it."""

    clock: Callable[[], float] = time.monotonic
    _opens: float | None = None

    def shown(self) -> None:
        """The question is visible now."""
        self._opens = self.clock() + GRACE_S

    def opened(self) -> None:
        """The user opened it: every key is meant for it."""
        self._opens = self.clock()

    def typed(self) -> None:
        """A key arrived that was not meant for the question."""
        self._opens = self.clock() + TYPING_S

    def pass_on(self, event: events.Key, typed: Callable[[str], object]) -> None:
        """Give a key that was not meant for the question to `typed`, if it is printable."""
        if event.is_printable or event.key in ("enter", "escape", "backspace"):
            self.typed()
        if event.is_printable and event.character:
            typed(event.character)
        event.stop()
        event.prevent_default()

    @property
    def open(self) -> bool:
        """Whether a key can be meant as an answer."""
        return self._opens is not None and self.clock() >= self._opens
