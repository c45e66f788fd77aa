"""What the families of commands have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.tui.commands.table import Command, Run
from dogent_tui.tui.prompt.controller import READ_ONLY

if TYPE_CHECKING:
    from dogent_tui.agent.session import OpenedSession
    from dogent_tui.tui.ports import AppPort, ConversationPort


class CommandFamily(ABC):
    """Commands of `app` that belong together. Each runs in the background, so that it may ask the
    user; what it returns, or a DogentError or OSError that it raises, is said under the prompt.
    """

    def __init__(self, app: "AppPort") -> None:
        self._app = app

    @abstractmethod
    def __iter__(self) -> Iterator[Command]:
        """Yield the commands."""

    @property
    def _opened(self) -> "OpenedSession":
        return self._app.opened

    @property
    def _screen(self) -> "ConversationPort":
        return self._app.conversation

    def _key(self, action: str) -> Callable[[], str]:
        """Return what says which key does `action` now, by the id of its binding."""
        return lambda: self._app.keys.shown(action)

    def _action(self, name: str) -> Run:
        """Return a command that does what a key does: the action `name` of the conversation."""

        async def run(_: str) -> None:
            await self._app.run_action(name, self._screen)

        return run

    async def _need_writable(self) -> None:
        """Have the conversation continue in this window. Raises DogentError where it cannot."""
        if not await self._app.session.ensure_writable():
            raise DogentError(READ_ONLY)

    def _need_idle(self) -> None:
        """Raise DogentError while the agent works."""
        if self._opened.service.state == "running":
            raise DogentError(tr("The agent is working. Wait, or stop it first with Esc."))

    async def _ask(
        self, title: str, why: str, answers: Sequence[str], chosen: int | None = None
    ) -> int | None:
        """Have one of `answers` chosen; see `choose`."""
        from dogent_tui.tui.screens.choice import choose

        return await choose(self._app, title, why, answers, chosen)
