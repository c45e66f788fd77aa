"""A decision as the question that a person can answer: one sentence, the places, what is risky, and which answers there are."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from dogent_tui.language import ngettext, tr
from dogent_tui.permissions.consulting import CONSULTING
from dogent_tui.permissions.consulting import sentence as consulting
from dogent_tui.permissions.disk import Disk, RealDisk, real_path, walk
from dogent_tui.permissions.edits import LARGEST, edit_diff, shortened, unified_diff
from dogent_tui.permissions.grants import keys_of
from dogent_tui.permissions.model import Decision, Effect, EffectKind, ToolCall
from dogent_tui.wall.changes import Difference

Holds: TypeAlias = Literal["once", "session", "always"]
"""How long an answer can hold."""

_MOST_COUNTED = 10_000
"""Files of a folder that are counted."""
_SEVEREST_FIRST = (
    EffectKind.DELETE, EffectKind.MOVE, EffectKind.WRITE, EffectKind.CREATE, EffectKind.EXECUTE, EffectKind.NETWORK,
    EffectKind.READ, EffectKind.UNKNOWN,
)  # fmt: skip
_VERBS = {
    EffectKind.DELETE: tr("delete"),
    EffectKind.MOVE: tr("move away"),
    EffectKind.WRITE: tr("change"),
    EffectKind.CREATE: tr("create"),
    EffectKind.EXECUTE: tr("run"),
    EffectKind.READ: tr("read"),
}
_DONE = {
    EffectKind.DELETE: tr("deleted"),
    EffectKind.MOVE: tr("moved away"),
    EffectKind.WRITE: tr("changed"),
    EffectKind.CREATE: tr("created"),
}
"""Of a command that has ended."""

_FILE_VERBS: Mapping[str, str] = {
    "Read": tr("read"),
    "Write": tr("write"),
    **dict.fromkeys(("Edit", "MultiEdit", "NotebookEdit"), tr("change")),
    "Glob": tr("look for files in"),
    "Grep": tr("search in"),
    "LS": tr("list"),
}
_PLACE_KEYS = ("file_path", "notebook_path", "path")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that a call concerns, as it really resolves. `size` is in bytes, `None` where there is no plain file."""

    path: str
    kind: str
    exists: bool
    size: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is put to the person. `words` are the model's; `rules` are those that would have allowed the call beforehand.
    `ends_run`: a denial without words ends the run.

    `spans` are the risky parts of a command, in characters; `once_because` says why no answer is remembered.
    """

    sentence: str
    reasons: tuple[str, ...]
    spots: tuple[Spot, ...]
    spans: tuple[tuple[int, int], ...]
    diff: str
    words: str
    scopes: tuple[Holds, ...]
    once_because: str
    rules: tuple[str, ...]
    ends_run: bool = True


def ask_about(
    call: ToolCall, decision: Decision, workspace: Path, disk: Disk | None = None, difference: Difference | None = None
) -> Question:
    """Return the question for a call that the policy does not decide alone. Looks at the disk.

    With `difference` it is about what a command did, whose decision is that of `judge_outcome`.
    """
    disk = disk or RealDisk()
    root = Path(real_path(disk, str(workspace)))
    wording = _Wording(call, root, disk) if difference is None else _Done(call, root, disk, difference)
    keys = keys_of(decision)
    return Question(
        sentence=wording.sentence(decision.asked),
        reasons=decision.reasons,
        spots=wording.spots(decision.asked),
        spans=_spans(decision.asked) if call.tool == "Bash" else (),
        diff=wording.diff(decision.effects),
        words=_words(call),
        scopes=("once", "session", "always") if keys else ("once",),
        once_because="" if keys else _once_because(decision.asked),
        rules=tuple(key.rule(root) for key in keys),
        ends_run=call.tool not in CONSULTING,
    )


class _Wording:
    """Words for one call."""

    def __init__(self, call: ToolCall, root: Path, disk: Disk) -> None:
        self._call = call
        self._root = root
        self._disk = disk

    def sentence(self, asked: Sequence[Effect]) -> str:
        """Return what the call would do, the severest first."""
        if self._call.tool in CONSULTING and all(effect.kind is EffectKind.USE for effect in asked):
            place = next((self._shown(effect.path) for effect in asked if effect.path is not None), "")
            return _capital(consulting(self._call.tool, self._call.input, place))
        parts = []
        for kind in _SEVEREST_FIRST:
            effects = [effect for effect in asked if effect.kind is kind]
            if effects and (words := self._clause(kind, effects)):
                parts.append(words)
        if any(effect.kind is EffectKind.UNKNOWN for effect in asked) or not parts:
            parts.append(tr("do more than can be told beforehand") if parts else self._vaguely(asked))
        return _capital(_joined(parts))

    def _vaguely(self, asked: Sequence[Effect]) -> str:
        if self._call.tool == "Bash":
            return tr("run a command that cannot be fully understood") if asked else tr("run a command")
        if address := next((effect.written for effect in asked if "://" in effect.written), ""):
            return tr("open {address}").format(address=address)
        place = next((text for key in _PLACE_KEYS if isinstance(text := self._call.input.get(key), str)), "")
        if place and (verb := _FILE_VERBS.get(self._call.tool)):
            return tr("{verb} {places}").format(verb=verb, places=place)
        return tr("use {tool}").format(tool=self._call.tool.rpartition("__")[2].replace("_", " "))

    def _clause(self, kind: EffectKind, effects: Sequence[Effect]) -> str:
        places = list(dict.fromkeys(effect.path for effect in effects if effect.path is not None))
        if kind is EffectKind.NETWORK:
            return self._network(effects)
        if kind is EffectKind.UNKNOWN:
            return ""
        if not places:
            return tr("run a command that deletes files") if self._call.tool == "Bash" else ""
        verb = tr("replace") if kind is EffectKind.WRITE and all(effect.replaces for effect in effects) else _VERBS[kind]
        return tr("{verb} {places}").format(verb=verb, places=self._places(places))

    def _network(self, effects: Sequence[Effect]) -> str:
        if self._call.tool != "Bash":
            written = effects[0].written
            return tr("open {address}").format(address=written) if written else tr("reach the network")
        hosts = list(dict.fromkeys(urlsplit(effect.written).hostname or "" for effect in effects))
        if "" in hosts:
            return tr("run a command that reaches the network")
        return tr("run a command that reaches {hosts}").format(hosts=", ".join(hosts))

    def _places(self, places: Sequence[Path]) -> str:
        """Name one place; count several, with the folder that holds them."""
        outside = any(not self._inside(place) for place in places)
        beyond = tr(", outside the workspace") if outside else ""
        if len(places) == 1:
            return f"{self._named(places[0])}{beyond}"
        kinds = {found.kind for place in places if (found := self._disk.entry(str(place)))}
        one_kind = tr("{count} folders") if kinds == {"folder"} else tr("{count} files")
        counted = (one_kind if len(kinds) < 2 else tr("{count} files and folders")).format(count=len(places))
        common = Path(os.path.commonpath([str(place.parent) for place in places]))
        if common == self._root:
            return f"{counted}{beyond}"
        where = tr(" in {folder}/").format(folder=self._shown(common)) if common != Path("/") else tr(" in several folders")
        return f"{counted}{where}{beyond}"

    def _named(self, place: Path) -> str:
        found = self._disk.entry(str(place))
        if found is None or found.kind != "folder":
            return self._shown(place)
        count = self._count(str(place))
        words = tr("the folder {folder}/ with {count}") if count else tr("the folder {folder}/")
        return words.format(folder=self._shown(place), count=count)

    def spots(self, asked: Sequence[Effect]) -> tuple[Spot, ...]:
        """Return the places, each once for each thing that happens to it."""
        found: dict[tuple[str, str], Spot] = {}
        for effect in asked:
            if effect.path is not None:
                found.setdefault((str(effect.path), effect.kind.value), self._spot(effect, str(effect.path)))
        return tuple(found.values())

    def _spot(self, effect: Effect, path: str) -> Spot:
        entry = self._disk.entry(path)
        notes = [self._by_link(effect, path)]
        if entry is not None and entry.kind == "link":
            notes.append(tr("a link: what it leads to stays"))
        elif entry is not None and entry.kind == "folder":
            notes.append(self._count(path))
        elif entry is not None and entry.kind == "file" and entry.names > 1:
            notes.append(tr("the file has another name elsewhere"))
        size = entry.size if entry is not None and entry.kind == "file" else None
        kind = EffectKind.READ if effect.kind is EffectKind.USE else effect.kind
        return Spot(path, kind.value, entry is not None, size, "; ".join(filter(None, notes)))

    def _by_link(self, effect: Effect, path: str) -> str:
        """Say so where a name leads elsewhere than it reads. Names in another folder than the call's are not judged here."""
        base = self._call.cwd or self._root
        spelled = os.path.normpath(base / effect.written) if effect.written else path
        spelled = os.path.join(real_path(self._disk, str(base)), os.path.relpath(spelled, base))  # noqa: PTH118
        if os.path.normpath(spelled) == path or effect.kind in {EffectKind.DELETE, EffectKind.MOVE}:
            return ""
        leads = real_path(self._disk, os.path.normpath(spelled)) == path
        return tr("{name} leads here").format(name=effect.written) if leads else ""

    def _count(self, folder: str) -> str:
        below = walk(self._disk, folder, _MOST_COUNTED)
        if below is None:
            return tr("more than {count:,} files").format(count=_MOST_COUNTED)
        files = sum(1 for path in below if (found := self._disk.entry(path)) is not None and found.kind != "folder")
        return ngettext("{count:,} file", "{count:,} files", files).format(count=files) if below else ""

    def diff(self, effects: Iterable[Effect]) -> str:
        """Return what a Write or an Edit would change."""
        written = next((effect.path for effect in effects if effect.kind in {EffectKind.WRITE, EffectKind.CREATE}), None)
        return edit_diff(self._call.tool, self._call.input, str(written), self._disk) if written is not None else ""

    def _inside(self, place: Path) -> bool:
        return place == self._root or self._root in place.parents

    def _shown(self, place: Path) -> str:
        return place.relative_to(self._root).as_posix() if self._inside(place) else str(place)


class _Done(_Wording):
    """Words for what a command did, whose result lies in a layer: on the disk all is still as it was before."""

    def __init__(self, call: ToolCall, root: Path, disk: Disk, difference: Difference) -> None:
        super().__init__(call, root, disk)
        self._upper = difference.upper
        self._after = {str(root / change.path): change.after for change in difference.changes}

    def sentence(self, asked: Sequence[Effect]) -> str:
        """Return what the command did, the severest first."""
        parts = []
        for kind, verb in _DONE.items():
            if places := list(dict.fromkeys(one.path for one in asked if one.kind is kind and one.path is not None)):
                parts.append(tr("{verb} {places}").format(verb=verb, places=self._places(places)))
        if any(effect.path is None for effect in asked):
            parts.append(tr("lost history or uncommitted changes of a Git repository"))
        return tr("The command {done}").format(done=_joined(parts))

    def _spot(self, effect: Effect, path: str) -> Spot:
        spot = super()._spot(replace(effect, written=""), path)
        after = self._after.get(path)
        if spot.size is None and after is not None and after.kind == "file":
            spot = replace(spot, size=after.size)
        if effect.kind is EffectKind.MOVE and effect.written:
            note = tr("to {place}").format(place=effect.written)
            spot = replace(spot, note="; ".join(filter(None, (note, spot.note))))
        return spot

    def diff(self, effects: Iterable[Effect]) -> str:
        """Return how the texts of files that are asked about changed."""
        found = []
        for effect in effects:
            if effect.kind in {EffectKind.WRITE, EffectKind.CREATE} and effect.path is not None and not effect.replaces:
                shown = self._shown(effect.path)
                old = self._disk.text(str(effect.path), LARGEST) if self._disk.entry(str(effect.path)) else ""
                new = self._disk.text(f"{self._upper}/{shown}", LARGEST)
                if old is not None and new is not None and old != new:
                    found.append(unified_diff(old, new, shown))
        return shortened("\n".join(found))


def _spans(asked: Iterable[Effect]) -> tuple[tuple[int, int], ...]:
    """Return the risky parts in order, overlapping ones as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted({effect.span for effect in asked if effect.span is not None}):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _once_because(asked: Sequence[Effect]) -> str:
    if any(effect.wildcard and not effect.note for effect in asked):
        return tr("It names files by a pattern, which may find others the next time, so it is asked about every time.")
    return tr("This is asked about every time.")


def _words(call: ToolCall) -> str:
    """Return the reason that the model gave, if it gave one."""
    keys = ("reason", "summary") if call.tool.startswith("mcp__") else ("description",)
    return next((text.strip() for key in keys if isinstance(text := call.input.get(key), str)), "")


def _joined(parts: Sequence[str]) -> str:
    *first, last = parts
    return tr("{first} and {last}").format(first=", ".join(first), last=last) if first else last


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
