"""Keeps keys that were meant for what was on the screen before from answering a question."""

import time
from collections.abc import Callable

import msgspec

GRACE_S = 0.5
"""Keys within this time of the question's appearance were meant for what was there before (SPEC
6).
"""
TYPING_S = 1.0
"""So long must a user who was typing have paused: the next letter of a word never answers."""


class AnswerGuard(msgspec.Struct):
    """Keeps keys that were typed before the question appeared from answering it."""

    clock: Callable[[], float] = time.monotonic
    _opens: float | None = None

    def shown(self) -> None:
        """The question is on the screen now."""
        self._opens = self.clock() + GRACE_S

    def opened(self) -> None:
        """The user opened it: every key is meant for it."""
        self._opens = self.clock()

    def typed(self) -> None:
        """A key came that was not meant for the question."""
        self._opens = self.clock() + TYPING_S

    @property
    def open(self) -> bool:
        """Whether an answer can be meant."""
        return self._opens is not None and self.clock() >= self._opens
