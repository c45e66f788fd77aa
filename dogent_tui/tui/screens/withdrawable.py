"""Screens that ask: each is dismissed once, and is closed when its question becomes obsolete."""

import asyncio
from typing import TYPE_CHECKING, Any, Generic, TypeVar

Answer = TypeVar("Answer")

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen as _Screen
# not a screen itself: Textual takes the styles of the first base that is one, and these would hide
# those of `ModalScreen`
else:

    class _Screen(Generic[Answer]):
        """The screen this is mixed into."""


class Withdrawable(_Screen[Answer], Generic[Answer]):
    """A screen dismissed with an answer, or with None if it was withdrawn. Must precede the screen
    among the bases.

    Only `leave` dismisses it: Textual closes whichever screen is on top, such as a question that
    has just arrived, or the one below.
    """

    _is_left = False
    _answer: Answer | None = None

    def on_screen_resume(self) -> None:
        """Close if it was left below another screen."""
        if self._is_left and self.app.screen is self:
            self.dismiss(self._answer)

    def leave(self, answer: Answer | None) -> None:
        """Dismiss with `answer`, once: immediately, or as soon as the screens above it are
        closed.
        """
        if not self._is_left:
            self._is_left, self._answer = True, answer
            self.on_screen_resume()

    async def action_dismiss(self, result: Answer | None = None) -> None:
        """Leave."""
        self.leave(result)


async def answer_of(app: "App[Any]", screen: Withdrawable[Answer]) -> Answer | None:
    """Show `screen` and return its answer, None if there is none. Must not be awaited in a message
    handler: the answer is a message, too.
    """
    answered: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()

    def settle(answer: Answer | None) -> None:
        if not answered.done():
            answered.set_result(answer)

    await app.push_screen(screen, settle)
    try:
        return await answered
    finally:
        if not answered.done():  # the caller is gone
            screen.leave(None)
