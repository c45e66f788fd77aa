"""One simple command, ready to be judged: its name, its arguments, and what a family of commands may do with them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from dogent_tui.language import tr
from dogent_tui.permissions.disk import walk
from dogent_tui.permissions.model import Effect, EffectKind
from dogent_tui.permissions.shell.following import follows_links
from dogent_tui.permissions.shell.recorder import Recorder
from dogent_tui.permissions.shell.state import Lines, State
from dogent_tui.permissions.shell.words import Field

_MOST_VISITED = 20_000


class Runner(Protocol):
    """What a command may ask of the walk that it is part of: to look at further commands."""

    recorder: Recorder

    def run_fields(self, fields: list[Field], state: State) -> list[State]:
        """Judge a command that is given as arguments of another one."""
        ...

    def run_text(self, text: str, state: State, span: tuple[int, int] | None) -> list[State]:
        """Judge shell text that a command is given."""
        ...

    def leave_loops(self, state: State, count: int) -> None:
        """Note that the shell may leave loops in this state."""
        ...

    def leave_function(self, state: State) -> None:
        """Note that the shell may return from a function in this state."""
        ...

    def run_script(self, field: Field, path: Path, args: list[Field], state: State) -> list[State]:
        """Judge a shell script that lies on the disk or was written by the same command."""
        ...


@dataclass
class Call:
    """A command with its expanded arguments.

    A family sets `printed` where it knows what the command may print; `True` says that a command which it ran has told.
    """

    name: str
    args: list[Field]
    state: State
    span: tuple[int, int] | None
    runner: Runner
    printed: Lines | bool = False

    @property
    def recorder(self) -> Recorder:
        """Where the effects go."""
        return self.runner.recorder

    def touch(self, kind: EffectKind, operand: Field, note: str = "") -> Path | None:
        """Note that a file operand is read, changed, deleted …"""
        return self.recorder.touch(kind, operand, self.state, self.name, note)

    def read(self, operand: Field) -> Path | None:
        """Note that a file operand is read, and what links below it lead to where the program follows them; `-` is the input."""
        if operand.text == "-":
            return None
        path = self.touch(EffectKind.READ, operand)
        if path is not None and follows_links(self.name, self.args):
            self._read_through_links(path, operand)
        return path

    def _read_through_links(self, folder: Path, operand: Field) -> None:
        rule, disk = self.recorder.rule, self.recorder.disk
        below = walk(disk, str(folder), _MOST_VISITED)
        if below is None:
            self.doubt(tr("It follows links in a folder that is too large to look through."), operand)
            return
        for path in below:
            entry = disk.entry(path)
            if entry is not None and entry.kind == "link" and not rule.inside(target := rule.resolve(path)):
                note = tr("A link below it leads here.")
                self.recorder.add(Effect(EffectKind.READ, target, operand.text, operand.span, self.name, note))

    def edit(self, operand: Field) -> Path | None:
        """Note that a file operand is changed in place, or made if it is not there."""
        path = self.recorder.resolve(operand, self.state, self.name)
        if path is not None:
            self.recorder.write_path(path, operand, self.name, append=True)
        return path

    def rewrite(self, operand: Field) -> None:
        """Note that the text of a file is changed in place: what it holds then is not known."""
        path = self.edit(operand)
        if path is not None:
            self.recorder.disk.add_file(str(path), None)

    def output(self, operand: Field, append: bool = False, text: str | None = None) -> Path | None:
        """Note that a file operand is written; `-` is the standard output."""
        if operand.text == "-":
            return None
        return self.recorder.output(operand, self.state, self.name, append, text)

    def doubt(self, note: str, operand: Field | None = None) -> None:
        """Note that the command cannot be judged, and why."""
        self.recorder.doubt(note, operand.span if operand else self.span, self.name, operand.text if operand else "")

    def execute(self) -> None:
        """Note that a program runs."""
        self.recorder.add(Effect(EffectKind.EXECUTE, None, self.name, self.span, self.name))

    def network(self, note: str) -> None:
        """Note that data may leave this machine or come in."""
        self.recorder.add(Effect(EffectKind.NETWORK, None, self.name, self.span, self.name, note))

    def lose(self, note: str, operand: Field | None = None) -> None:
        """Note that something is deleted that is not one file operand: commits, changes, whole trees."""
        where = operand or Field("", self.span)
        self.recorder.add(Effect(EffectKind.DELETE, None, where.text, where.span, self.name, note))


Handler: TypeAlias = Callable[[Call], list[State] | None]
"""Judges a command. Returns the states that may follow, `None` if it leaves the shell as it is."""
