"""Screens that ask: each is left once, and is taken away where nobody has to answer any more."""

import asyncio
from typing import TYPE_CHECKING, Any, Generic, TypeVar

Answer = TypeVar("Answer")

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen as _Screen
# no screen itself: Textual takes the styles of the first base that is one, and these would hide a
# `ModalScreen`
else:

    class _Screen(Generic[Answer]):
        """What this is mixed into."""


class Withdrawable(_Screen[Answer], Generic[Answer]):
    """A screen that is dismissed with an answer, or with None where it was withdrawn. Put it before
    the screen among the bases.

    It is left by `leave` alone: an answer and a withdrawal may meet, and a key that is pressed
    twice would else take away the screen beneath as well.
    """

    _is_left = False
    _is_withdrawn = False

    def cancel(self) -> None:
        """Close without an answer, at once or as soon as what lies over it is closed."""
        self._is_withdrawn = True
        if self.app.screen is self:
            self.leave(None)

    def on_screen_resume(self) -> None:
        """Close where nobody has to answer any more."""
        if self._is_withdrawn:
            self.leave(None)

    def leave(self, answer: Answer | None) -> None:
        """Leave with `answer`, once."""
        if not self._is_left:
            self._is_left = True
            self.dismiss(answer)


async def answer_of(app: "App[Any]", screen: Withdrawable[Answer]) -> Answer | None:
    """Show `screen` and return its answer, None for none. Not to be awaited by a handler of
    messages: the answer is one, too.
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
            screen.cancel()
