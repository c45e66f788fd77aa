"""The definition of a command, and the lookup by what was typed."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Literal

from dogent_tui.language import tr
from dogent_tui.records import Record
from dogent_tui.settings.config_check import nearest

Run = Callable[[str], Awaitable[str | None]]
"""Runs a command with the text typed after its name, and returns a line about the result, empty if
there is nothing to say.
"""

Completes = Literal["", "file", "markdown", "word"]
"""What the picker offers for the argument of a command: nothing, workspace files, Markdown files
and words, or one word.
"""


SYNONYMS = {
    "clear": "new",
    "config": "settings",
    "cost": "usage",
    "login": "setup",
    "q": "exit",
    "quit": "exit",
}
"""The names of these commands in similar programs."""


class Command(Record):
    """A command of the application. `help` is one line.

    `argument` is the name of its argument as shown to the user: ``PATH`` if required, ``[name]`` if
    optional, empty if there is none. `words` may occur among several words of an argument. `key`
    is the key that does the same, if any.

    `at_once`: running it changes something without asking. `forgets`: it archives or deletes what
    the user may want back, so it is listed last.
    """

    name: str
    help: str
    run: Run
    argument: str = ""
    completes: Completes = ""
    words: tuple[str, ...] = ()
    key: Callable[[], str] = str
    at_once: bool = False
    forgets: bool = False

    @property
    def usage(self) -> str:
        """The command as typed."""
        return f"/{self.name} {self.argument}".rstrip()

    @property
    def needs_argument(self) -> bool:
        """Whether it requires an argument."""
        return bool(self.argument) and not self.argument.startswith("[")


class CommandTable:
    """The commands by name, most frequently used first; ties keep the given order."""

    def __init__(self, *commands: Command) -> None:
        self._own = {command.name: command for command in commands}
        self._commands = self._own
        self._uses: Counter[str] = Counter()

    def offer_also(self, commands: Iterable[Command]) -> None:
        """Offer `commands` in addition to the built-in ones, replacing those offered before. A
        built-in name takes precedence.
        """
        self._commands = {**{command.name: command for command in commands}, **self._own}

    def used(self, typed: Iterable[str]) -> None:
        """Count usage from typed lines, some of which are commands."""
        self._uses.update(text[1:].split(maxsplit=1)[0] for text in typed if re.match(r"/\S", text))

    def __iter__(self) -> Iterator[Command]:
        ranked = sorted(
            self._commands.values(),
            key=lambda command: (command.forgets, -self._uses[command.name]),
        )
        first = next((number for number, command in enumerate(ranked) if not command.at_once), 0)
        return iter([ranked[first], *ranked[:first], *ranked[first + 1 :]] if ranked else [])

    def find(self, text: str) -> tuple[Command | None, str]:
        """Return the command called by `text` (``/name argument``), None if there is none, and its
        argument. Names used by other programs are accepted too.
        """
        name, _, argument = text.strip().removeprefix("/").partition(" ")
        command = self._commands.get(name) or self._commands.get(SYNONYMS.get(name, ""))
        return command, argument.strip()

    def unknown(self, text: str) -> str:
        """Return the message for an unknown command, suggesting the closest existing one."""
        name = text.strip().removeprefix("/").split(" ", 1)[0]
        near = nearest(name, self._commands)
        return tr("There is no command /{name}. ", name=name) + (
            tr("Did you mean /{near}?", near=near) if near else tr("Press ? to list them.")
        )
