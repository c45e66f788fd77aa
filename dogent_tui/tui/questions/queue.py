"""The questions that wait, in the order in which they are put."""

from dogent_tui.agent.events import PermissionRequested
from dogent_tui.language import tr


class QuestionQueue:
    """Questions one after the other, and a counter for those that came together. Plain state,
    without a screen.
    """

    def __init__(self) -> None:
        self._waiting: list[PermissionRequested] = []
        self._done = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def current(self) -> PermissionRequested | None:
        """The question to put now."""
        return self._waiting[0] if self._waiting else None

    @property
    def counter(self) -> str:
        """Which question of how many this is, counted from the last time that none waited; empty
        for a single one.
        """
        total = self._done + len(self._waiting)
        return (
            tr("question {number} of {total}").format(number=self._done + 1, total=total)
            if self._waiting and total > 1
            else ""
        )

    def add(self, request: PermissionRequested) -> None:
        """Put `request` last."""
        self._waiting.append(request)

    def settle(self, request_id: str) -> None:
        """Take out a question that was answered or that nobody has to answer any more.

        One that was never put makes the others fewer; the current one counts as done.
        """
        if self._waiting and self._waiting[0].request_id == request_id:
            self._done += 1
        self._waiting = [request for request in self._waiting if request.request_id != request_id]
        if not self._waiting:
            self._done = 0
