"""The progress of a call of ours, reported to the waiting user."""

import asyncio
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, TypeAlias

Tell: TypeAlias = Callable[[str, Mapping[str, Any], str], None]
"""Receives the name of a tool of ours, the input of the call, and a line of plain text. Called on
the event loop.
"""

_EVERY_S = 1.0
"""Shorter calls are not reported, and no one reads more than one line per second."""


class ToolProgress:
    """Reports on one call as long as the context lasts: first after a second, then news at most
    once a second.
    """

    def __init__(self, tell: Tell, tool: str, payload: Mapping[str, Any], first: str = "") -> None:
        """Report on the call of `tool` with `payload`, starting with `first` unless there is news
        by then.
        """
        self._tell = tell
        self._call = (tool, payload)
        self._text = first
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        self._wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def say(self, text: str) -> None:
        """Report `text` unless something newer comes first."""
        self._text = text

    def count(self, done: int, total: int, what: str) -> None:
        """Report the progress of a conversion."""
        if done and total and what == "bytes":
            self.say(f"{100 * done // total} %")
        elif done and what:
            self.say(f"{done:,} of {total:,} {what}" if total else f"{done:,} {what}")

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_EVERY_S, self._pass_on)

    def _pass_on(self) -> None:
        text, self._text = self._text, ""
        if text:
            self._tell(*self._call, text)
        self._wait()
