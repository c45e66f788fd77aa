"""Work that a user asked for by a command and that takes a while: told of under the prompt, and
stopped with Esc.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from dogent_tui.plain import one_line

Tell: TypeAlias = Callable[[str], None]
"""Takes a phrase for what happens (``Starting the browser``)."""

_Made = TypeVar("_Made")


class ForegroundTask:
    """One piece of work at a time. `show` draws the phrase for it, nothing where it is empty."""

    def __init__(self, show: Tell) -> None:
        self._show = show
        self._task: asyncio.Future[Any] | None = None
        self._is_stopped = False

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return self._task is not None

    async def run(self, work: Callable[[Tell], Awaitable[_Made]], what: str = "") -> _Made | None:
        """Do `work`, which is given what to tell its progress to; `what` is told first. Returns
        what it returns, None where the user stopped it.

        Raises what it raises. Nothing else may be under way.
        """
        assert self._task is None
        task: asyncio.Future[_Made] = asyncio.ensure_future(work(self._tell))
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
        """Stop what is under way. Returns whether there was anything."""
        if self._task is None:
            return False
        self._is_stopped = True
        self._task.cancel()
        self._show("")  # at once: what it started may take a second to end
        return True

    def _tell(self, what: str) -> None:
        if self._task is not None and not self._is_stopped:
            self._show(one_line(what))
