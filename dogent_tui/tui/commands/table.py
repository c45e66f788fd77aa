"""What a command is, and how it is found by what was typed."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.language import tr

Run: TypeAlias = Callable[[str], Awaitable[str | None]]
"""Runs a command with what was typed after its name, and returns the one line that says what it
did, if anything is to be said.
"""

Completes: TypeAlias = Literal["", "file", "markdown", "word"]
"""What the picker offers for the argument of a command: nothing, files of the workspace,
Markdown files and words, one word.
"""


SYNONYMS = {
    "clear": "new",
    "config": "settings",
    "cost": "usage",
    "login": "setup",
    "q": "exit",
    "quit": "exit",
}
"""What other programs of this kind call these commands."""


class Command(msgspec.Struct, frozen=True):
    """A command of the application. `help` is one line.

    `argument` is how its argument is named to the user, ``PATH`` where it is needed, ``[name]``
    where it is not, empty where it takes none. `words` may stand in an argument of several.
    `key` names the key that does the same, where one does.

    `at_once`: running it changes something without a question. `forgets`: it archives or deletes
    what the user may want again, so it is listed last.
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
        """How it is typed."""
        return f"/{self.name} {self.argument}".rstrip()

    @property
    def needs_argument(self) -> bool:
        """Whether it cannot run by its name alone."""
        return bool(self.argument) and not self.argument.startswith("[")


class CommandTable:
    """The commands by name, those first that the user runs most; where there is no difference,
    in the order given.
    """

    def __init__(self, *commands: Command) -> None:
        self._own = {command.name: command for command in commands}
        self._commands = self._own
        self._uses: Counter[str] = Counter()

    def offer_also(self, commands: Iterable[Command]) -> None:
        """Offer `commands` beside our own, in place of those offered so before. Where a name is
        taken, ours is meant.
        """
        self._commands = {**{command.name: command for command in commands}, **self._own}

    def used(self, typed: Iterable[str]) -> None:
        """Count what was typed, of which some are commands."""
        self._uses.update(text[1:].split(maxsplit=1)[0] for text in typed if re.match(r"/\S", text))

    def __iter__(self) -> Iterator[Command]:
        ranked = sorted(
            self._commands.values(),
            key=lambda command: (command.forgets, -self._uses[command.name]),
        )
        first = next((number for number, command in enumerate(ranked) if not command.at_once), 0)
        return iter([ranked[first], *ranked[:first], *ranked[first + 1 :]] if ranked else [])

    def find(self, text: str) -> tuple[Command | None, str]:
        """Return the command that `text` (``/name argument``) calls, None where there is none,
        and its argument. Names that other programs use are understood too.
        """
        name, _, argument = text.strip().removeprefix("/").partition(" ")
        command = self._commands.get(name) or self._commands.get(SYNONYMS.get(name, ""))
        return command, argument.strip()

    def unknown(self, text: str) -> str:
        """Return the sentence for a command that does not exist, with the nearest one that does."""
        name = text.strip().removeprefix("/").split(" ", 1)[0]
        near = get_close_matches(name, self._commands, n=1)
        return tr("There is no command /{name}. ", name=name) + (
            tr("Did you mean /{near}?", near=near[0]) if near else tr("Press ? to list them.")
        )
