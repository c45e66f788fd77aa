"""The requests that wait, in the order in which they are put."""

from typing import Generic, Protocol, TypeVar

from dogent_tui.agent.events import Request

Kind = TypeVar("Kind", bound=Request)


class Shown(Protocol):
    """The screen of a request."""

    def count(self, counter: str) -> None:
        """Say which request of how many this is."""

    def cancel(self) -> None:
        """Close without an answer."""


class RequestQueue(Generic[Kind]):
    """Requests one after the other, and a counter for those that came together. `shown` is the
    screen of the current one, None while it is not put.
    """

    def __init__(self, words: str) -> None:
        """`words` are those of the counter, with ``{number}`` and ``{total}``."""
        self.waiting: tuple[Kind, ...] = ()
        self.shown: Shown | None = None
        self._words = words
        self._done = 0

    @property
    def current(self) -> Kind | None:
        """The request to put now."""
        return self.waiting[0] if self.waiting else None

    @property
    def counter(self) -> str:
        """Which request of how many this is, counted from the last time that none waited; empty
        for a single one.
        """
        total = self._done + len(self.waiting)
        return (
            self._words.format(number=self._done + 1, total=total)
            if self.waiting and total > 1
            else ""
        )

    def add(self, request: Kind) -> None:
        """Put `request` last."""
        self.waiting = (*self.waiting, request)
        if self.shown is not None:
            self.shown.count(self.counter)

    def settle(self, request_id: str) -> bool:
        """Take out a request that was answered or that nobody has to answer any more, also from
        the screen. Returns whether the screen is free for another.

        One that was never put makes the others fewer; the current one counts as done.
        """
        left = tuple(each for each in self.waiting if each.request_id != request_id)
        if left == self.waiting:
            return False
        is_current = left == self.waiting[1:]
        self.waiting, self._done = left, self._done + is_current if left else 0
        if self.shown is None:
            return True
        if is_current:
            self.shown.cancel()
        else:
            self.shown.count(self.counter)
        return False

    def clear(self) -> None:
        """Forget all of them."""
        self.waiting, self._done = (), 0
        if self.shown is not None:
            self.shown.cancel()
