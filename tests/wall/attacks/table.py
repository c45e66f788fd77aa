"""What an attack is: steps, and what shows that it was one."""

import dataclasses
from collections.abc import Sequence
from typing import TypeAlias


@dataclasses.dataclass(frozen=True)
class Write:
    """A file that the model writes with the Write tool: an ordinary one, so nobody is asked."""

    path: str
    text: str


@dataclasses.dataclass(frozen=True)
class Start:
    """A command in the background; `Wait` waits for all of them."""

    command: str


@dataclasses.dataclass(frozen=True)
class Wait:
    """Wait until every command in the background has ended."""


@dataclasses.dataclass(frozen=True)
class Meanwhile:
    """What someone else does on the machine, outside every wall."""

    command: str


@dataclasses.dataclass(frozen=True)
class Restart:
    """The application is closed and opened again, on the same session."""


Step: TypeAlias = str | Write | Start | Wait | Meanwhile | Restart
"""A string is a Bash call."""


@dataclasses.dataclass(frozen=True)
class Attack:
    """A sequence of calls of one session, every question of which is answered with no.

    `bites` says that it does harm where nothing holds it, which is shown by running it so; a try at
    what the kernel refuses an ordinary user anyway does not. `needs` are the programs without which
    it is nothing. Placeholders as in the corpora of calls, and @PWN@: a command that leaves a mark
    in the home. `unchanged` names files of the workspace that stay as they were.
    """

    name: str
    steps: Sequence[Step]
    bites: bool = True
    needs: Sequence[str] = ()
    limit_s: float = 10.0
    unchanged: Sequence[str] = ()


def one(name: str, command: str, *needs: str, bites: bool = True, limit_s: float = 10.0) -> Attack:
    """Return the attack of a single call."""
    return Attack(name, [command], bites=bites, needs=needs, limit_s=limit_s)
