"""Collects the effects of a command: turns what is spelled in it into places."""

from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.disk import OverlayDisk
from dogent_tui.permissions.model import Effect, EffectKind
from dogent_tui.permissions.paths import PathRule, Place
from dogent_tui.permissions.shell.globs import expand_glob
from dogent_tui.permissions.shell.state import State
from dogent_tui.permissions.shell.text import ANY, SOME, shown
from dogent_tui.permissions.shell.words import Field

_GOES = {EffectKind.DELETE, EffectKind.MOVE}


class Recorder:
    """The effects found so far, in order, each once.

    While `lenient`, what cannot be known is passed over in silence: that is the body of a script which lay in the workspace
    before, and whose author is not the command.
    """

    def __init__(self, rule: PathRule, disk: OverlayDisk) -> None:
        self.rule = rule
        self.disk = disk
        self.lenient = 0
        self._effects: dict[Effect, None] = {}

    @property
    def effects(self) -> tuple[Effect, ...]:
        """All effects, in the order in which they were found."""
        return tuple(self._effects)

    def add(self, effect: Effect) -> None:
        """Note one effect."""
        self._effects.setdefault(effect)

    def doubt(self, note: str, span: tuple[int, int] | None, program: str = "", written: str = "") -> None:
        """Note that something cannot be judged, and why."""
        if not self.lenient:
            self.add(Effect(EffectKind.UNKNOWN, None, written, span, program, note))

    def resolve(self, field: Field, state: State, program: str, follow: bool = True) -> Path | None:
        """Return where a file operand leads, `None` (and a doubt) where that cannot be known."""
        if field.dynamic or (state.cwd is None and not field.text.startswith("/")):
            self.doubt(
                tr("A file name of {program} is only known when the command runs.").format(program=program or tr("this")),
                field.span,
                program,
            )
            return None
        text = field.text if field.text.startswith("/") else f"{state.cwd}/{field.text}"
        try:
            return self.rule.resolve(text, follow)
        except ValueError as error:
            self.doubt(str(error), field.span, program)
            return None

    def touch(self, kind: EffectKind, field: Field, state: State, program: str, note: str = "") -> Path | None:
        """Note that a file operand is read, changed, deleted …; returns where it leads."""
        if not field.text:
            return None
        path = self.resolve(field, state, program, follow=kind not in _GOES)
        if path is not None:
            for one in (path, *self._met(path)):
                self._place(kind, one, field, program, note)
        elif kind in _GOES:
            note = tr("Which file goes is only known when the command runs.")
            self.add(Effect(kind, None, "", field.span, program, note, wildcard=field.wildcard))
        return path

    def output(self, field: Field, state: State, program: str, append: bool = False, text: str | None = None) -> Path | None:
        """Note that a file operand is written: made if it is new, else added to or replaced. `text`: all that is written."""
        if not field.text:
            return None
        path = self.resolve(field, state, program)
        if path is None:
            return None
        self.write_path(path, field, program, append)
        if self.rule.place(path) in {Place.INSIDE, Place.OUTSIDE}:
            self.disk.add_file(str(path), None if append else text)
        return path

    def write_path(self, path: Path, field: Field, program: str, append: bool = False) -> None:
        """Note a write to a resolved path."""
        if path.name.endswith(SOME):
            self._place(EffectKind.WRITE, path, field, program, replaces=not append)
            return
        for met in self._met(path):
            self.write_path(met, field, program, append)
        if ANY in str(path) or self.disk.created(str(path)) or not self.rule.exists(path):
            self._place(EffectKind.CREATE, path, field, program)
            return
        entry = self.disk.entry(str(path))
        loses = not append and (entry is None or entry.kind != "file" or entry.size > 0)
        self._place(EffectKind.WRITE, path, field, program, replaces=loses)

    def _met(self, path: Path) -> list[Path]:
        """Return what is there under a name of which a part is a number or a date that is not known yet."""
        text = str(path)
        if ANY not in text or SOME in text:
            return []
        chars = [("*", True) if char == ANY else (char, False) for char in text]
        names = expand_glob(self.disk, chars, "/", frozenset())
        found = [Path(name) for name in names or [] if self.disk.entry(name) is not None]
        return [self.rule.resolve(str(one)) for one in found]

    def _place(self, kind: EffectKind, path: Path, field: Field, program: str, note: str = "", replaces: bool = False) -> None:
        if self.rule.place(path) is not Place.STREAM:
            path = Path(shown(str(path)))
            self.add(Effect(kind, path, shown(field.text), field.span, program, note, replaces, field.wildcard))
