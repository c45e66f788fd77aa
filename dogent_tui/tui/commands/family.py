"""What the families of commands share."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from dogent_tui.agent.session import OpenedSession
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.ports import AppPort, ConversationPort
from dogent_tui.tui.prompt.controller import READ_ONLY

Method = Callable[[Any, str], Awaitable[str | None]]
"""A method of a family that runs a command; see `Run`."""


class Declared(NamedTuple):
    """A method marked as a command: the fields of `Command`; callable fields take the family as
    their first argument.
    """

    method: Method
    fields: dict[str, Any]


def command(
    name: str, help_: str, argument: str = "", *, key: str = "", **fields: Any
) -> Callable[[Method], Declared]:
    """Make a method of a family the command `name`, with further `fields` of `Command`. `key` is
    the id of the key binding that does the same.
    """

    def shown(family: "CommandFamily") -> str:
        return family.app.keys.shown(key) if key else ""

    fields |= {"name": name, "help": tr(help_), "argument": argument, "key": shown}
    return lambda method: Declared(method, fields | {"run": method})


def action(name: str) -> Method:
    """Return a command equivalent to a key: the action `name` of the conversation."""

    async def run(family: "CommandFamily", _: str) -> None:
        await family.app.run_action(name, family.app.conversation)

    return run


class CommandFamily:
    """A group of related commands of `app`. Each runs in the background so that it may ask the
    user. Its return value, or the DogentError or OSError it raises, is shown below the prompt.
    """

    def __init__(self, app: AppPort) -> None:
        self.app = app

    def __iter__(self) -> Iterator[Command]:
        for each in vars(type(self)).values():
            if isinstance(each, Declared):
                fields = each.fields.items()
                bound = {name: partial(one, self) for name, one in fields if callable(one)}
                yield Command(**(each.fields | bound))

    @property
    def _opened(self) -> OpenedSession:
        return self.app.opened

    @property
    def _screen(self) -> ConversationPort:
        return self.app.conversation

    async def _need_writable(self) -> None:
        """Take the conversation over into this window. Raises DogentError if that is not
        possible.
        """
        if not await self.app.session.ensure_writable():
            raise DogentError(READ_ONLY)

    def _need_idle(self) -> None:
        """Raise DogentError if the agent is working."""
        if self._opened.service.state == "running":
            raise DogentError(tr("The agent is working. Wait, or stop it first with Esc."))

    async def _ask(
        self, title: str, why: str, answers: Sequence[str], chosen: int | None = None
    ) -> int | None:
        """Let the user choose one of `answers`; see `choose`."""
        from dogent_tui.tui.screens.choice import choose

        return await choose(self.app, title, why, answers, chosen)
