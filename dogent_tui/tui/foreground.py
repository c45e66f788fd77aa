"""Longer work that a user started with a command: its progress is shown below the prompt, and Esc
stops it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line

Tell = Callable[[str], None]
"""Receives a phrase describing the progress (``Starting the browser``)."""

_Made = TypeVar("_Made")


class ForegroundTask:
    """One task at a time. `show` displays its phrase, or nothing if it is empty."""

    def __init__(self, show: Tell) -> None:
        self._show = show
        self._task: asyncio.Future[Any] | None = None
        self._is_stopped = False

    @property
    def busy(self) -> bool:
        """Whether a task is running."""
        return self._task is not None

    def need_free(self) -> None:
        """Raise DogentError if a task is running."""
        if self._task is not None:
            raise DogentError(
                tr("Something else is in progress."),
                tr("Wait for it to finish, or stop it with Esc."),
            )

    async def run(self, work: Callable[[Tell], Awaitable[_Made]], what: str = "") -> _Made | None:
        """Run `work`, passing it a callback for its progress, which starts as `what`. Returns its
        result, None if the user stopped it.

        Raises what it raises, and DogentError if another task is running.
        """
        self.need_free()
        task = asyncio.ensure_future(work(self._tell))
        self._task = task
        self._is_stopped = False
        self._tell(what)
        try:
            return await task
        except asyncio.CancelledError:
            if not self._is_stopped:  # the application ends
                raise
            return None
        finally:
            self._task = None
            self._show("")

    def stop(self) -> bool:
        """Stop the running task. Returns whether there was one."""
        if self._task is None:
            return False
        self._is_stopped = True
        self._task.cancel()
        self._show("")  # immediately: its child processes may take a second to end
        return True

    def _tell(self, what: str) -> None:
        if self._task is not None and not self._is_stopped:
            self._show(one_line(what))
