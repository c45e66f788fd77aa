"""A decision as a question to the user: one sentence, the places, the risky parts, and the possible
answers.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from dogent_tui.language import ngettext, tr
from dogent_tui.permissions.consultations import CONSULTING
from dogent_tui.permissions.consultations import sentence as consulting
from dogent_tui.permissions.disk import Disk, real_path
from dogent_tui.permissions.edits import LARGEST, edit_diff, shortened, unified_diff
from dogent_tui.permissions.grants import keys_of
from dogent_tui.permissions.model import Decision, Effect, EffectKind, ToolCall
from dogent_tui.undo.changes import Difference, entries_below

Holds: TypeAlias = Literal["once", "session", "always"]
"""How long an answer can apply."""

_MOST_COUNTED = 10_000
"""The largest number of files to count in a folder."""
_VERBS = {
    EffectKind.DELETE: (tr("delete"), tr("deleted")),
    EffectKind.MOVE: (tr("move away"), tr("moved away")),
    EffectKind.WRITE: (tr("change"), tr("changed")),
    EffectKind.CREATE: (tr("create"), tr("created")),
    EffectKind.EXECUTE: (tr("run"), ""),
    EffectKind.NETWORK: ("", ""),
    EffectKind.READ: (tr("read"), ""),
}
"""By severity, for what a call would do and for what a command did."""
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
class AffectedPlace:
    """A place that a call affects, resolved. `size` is in bytes, `None` unless it is a regular
    file.
    """

    path: str
    kind: str
    exists: bool
    size: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What the user is asked. `words` are the model's; `rules` would have allowed the call in
    advance. `ends_run`: a denial without words ends the run.

    `spans` are the risky parts of a command, in characters; `once_because` says why no answer can
    be remembered.
    """

    sentence: str
    reasons: tuple[str, ...]
    targets: tuple[AffectedPlace, ...]
    spans: tuple[tuple[int, int], ...]
    diff: str
    words: str
    scopes: tuple[Holds, ...]
    once_because: str
    rules: tuple[str, ...]
    ends_run: bool = True


def ask_about(
    call: ToolCall,
    decision: Decision,
    workspace: Path,
    difference: Difference | None = None,
) -> Question:
    """Return the question for a call that the policy does not decide alone. Reads the disk.

    With `difference`, it is about what a command did, as judged by `judge_outcome`.
    """
    root = Path(real_path(Disk(), str(workspace)))
    wording = _Wording(call, root, difference)
    keys = keys_of(decision)
    return Question(
        sentence=wording.sentence(decision.asked),
        reasons=decision.reasons,
        targets=wording.affected(decision.asked),
        spans=_spans(decision.asked) if call.tool == "Bash" else (),
        diff=wording.diff(decision.effects),
        words=_words(call),
        scopes=("once", "session", "always") if keys else ("once",),
        once_because="" if keys else _once_because(decision.asked),
        rules=tuple(key.rule(root) for key in keys),
        ends_run=call.tool not in CONSULTING,
    )


class _Wording:
    """Words for one call: for what it would do, or, with a difference whose content is still in a
    layer, for what it did.
    """

    def __init__(self, call: ToolCall, root: Path, difference: Difference | None) -> None:
        self._call = call
        self._root = root
        self._disk = Disk()
        self._difference = difference
        changes = difference.changes if difference is not None else ()
        self._after = {str(root / change.path): change.after for change in changes}

    def sentence(self, asked: Sequence[Effect]) -> str:
        """Return the effects, the most severe first."""
        if asked and all(effect.kind is EffectKind.USE for effect in asked):
            places = [self._shown(effect.path) for effect in asked if effect.path is not None]
            words = consulting(self._call.tool, self._call.input, "".join(places[:1]))
            return words[:1].upper() + words[1:]
        parts = [words for kind in _VERBS if (words := self._clause(kind, asked))]
        if any(effect.kind is EffectKind.TOOL for effect in asked):
            parts.append(self._foreign())
        if self._difference is not None:
            if any(effect.path is None for effect in asked):
                parts.append(tr("lost history or uncommitted changes in a Git repository"))
            return tr("The command {done}", done=_joined(parts))
        if not parts:
            parts = [self._vaguely(asked)]
        elif any(effect.kind is EffectKind.UNKNOWN for effect in asked):
            parts.append(tr("do more than can be predicted"))
        words = _joined(parts)
        return words[:1].upper() + words[1:]

    def _clause(self, kind: EffectKind, asked: Sequence[Effect]) -> str:
        effects = [effect for effect in asked if effect.kind is kind]
        places = list(dict.fromkeys(one.path for one in effects if one.path is not None))
        if not places:
            return self._placeless(kind, effects) if effects and self._difference is None else ""
        verb = _VERBS[kind][self._difference is not None]
        if self._difference is None and all(effect.replaces for effect in effects):
            verb = tr("replace")
        return tr("{verb} {places}", verb=verb, places=self._places(places))

    def _vaguely(self, asked: Sequence[Effect]) -> str:
        if self._call.tool == "Bash":
            unclear = tr("run a command that can't be fully analyzed")
            return unclear if asked else tr("run a command")
        if address := next((effect.written for effect in asked if "://" in effect.written), ""):
            return tr("open {address}", address=address)
        places = [text for key in _PLACE_KEYS if isinstance(text := self._call.input.get(key), str)]
        if any(places[:1]) and (verb := _FILE_VERBS.get(self._call.tool)):
            return tr("{verb} {places}", verb=verb, places=places[0])
        return tr("use {tool}", tool=self._call.tool.rpartition("__")[2].replace("_", " "))

    def _foreign(self) -> str:
        server, _, tool = self._call.tool.removeprefix("mcp__").partition("__")
        words = tr("use {tool} of the MCP server {server}")
        return words.format(tool=tool.replace("_", " "), server=server)

    def _placeless(self, kind: EffectKind, effects: Sequence[Effect]) -> str:
        if self._call.tool != "Bash":
            address, network = effects[0].written, kind is EffectKind.NETWORK
            opened = tr("open {address}") if address else tr("reach the network")
            return opened.format(address=address) if network else ""
        if kind is not EffectKind.NETWORK:
            return tr("run a command that deletes files")
        hosts = dict.fromkeys(urlsplit(effect.written).hostname or "" for effect in effects)
        if "" in hosts:
            return tr("run a command that reaches the network")
        return tr("run a command that reaches {hosts}", hosts=", ".join(hosts))

    def _places(self, places: Sequence[Path]) -> str:
        """Name a single place; otherwise give the number and the common folder."""
        outside = any(not place.is_relative_to(self._root) for place in places)
        beyond = tr(", outside the workspace") if outside else ""
        entries = [self._disk.entry(str(place)) for place in places]
        kinds = {entry.kind for entry in entries if entry is not None}
        if len(places) == 1 and kinds == {"folder"}:
            count = self._count(str(places[0]))
            words = tr("the folder {folder}/ with {count}") if count else tr("the folder {folder}/")
            return f"{words.format(folder=self._shown(places[0]), count=count)}{beyond}"
        if len(places) == 1:
            return f"{self._shown(places[0])}{beyond}"
        counted = tr("{count} folders") if kinds == {"folder"} else tr("{count} files")
        counted = tr("{count} files and folders") if len(kinds) > 1 else counted
        common = Path(os.path.commonpath([str(place.parent) for place in places]))
        where = tr(" in {folder}/", folder=self._shown(common))
        where = tr(" in several folders") if common == Path("/") else where
        where = "" if common == self._root else where
        return f"{counted.format(count=len(places))}{where}{beyond}"

    def affected(self, asked: Sequence[Effect]) -> tuple[AffectedPlace, ...]:
        """Return the places, once per effect."""
        found = {(effect.path, effect.kind): effect for effect in asked if effect.path is not None}
        return tuple(self._affected(effect, str(path)) for (path, _), effect in found.items())

    def _affected(self, effect: Effect, path: str) -> AffectedPlace:
        entry, notes = self._disk.entry(path), []
        if self._difference is not None:
            moved = effect.kind is EffectKind.MOVE and effect.written
            notes.append(tr("to {place}", place=effect.written) if moved else "")
        elif effect.kind not in {EffectKind.DELETE, EffectKind.MOVE}:
            notes.append(self._by_link(effect.written, path))
        if entry is not None and entry.kind == "link":
            notes.append(tr("a link: its target stays"))
        elif entry is not None and entry.kind == "folder":
            notes.append(self._count(path))
        elif entry is not None and entry.kind == "file" and entry.names > 1:
            notes.append(tr("the file also has another name elsewhere"))
        found = (one for one in (entry, self._after.get(path)) if one is not None)
        size = next((one.size for one in found if one.kind == "file"), None)
        kind = EffectKind.READ if effect.kind is EffectKind.USE else effect.kind
        note = "; ".join(filter(None, notes))
        return AffectedPlace(path, kind.value, entry is not None, size, note)

    def _by_link(self, written: str, path: str) -> str:
        """Warn if a name resolves to something else than it reads. Names relative to another folder
        are not judged here.
        """
        base = self._call.cwd or self._root
        relative = os.path.relpath(os.path.normpath(base / written) if written else path, base)
        spelled = os.path.normpath(f"{real_path(self._disk, str(base))}/{relative}")
        leads = spelled != path and real_path(self._disk, spelled) == path
        return tr("{name} points here", name=written) if leads else ""

    def _count(self, folder: str) -> str:
        kinds: list[str] = []
        with suppress(OSError):
            kinds += (
                entry.kind for _, entry in islice(entries_below(folder, ""), _MOST_COUNTED + 2)
            )
        if len(kinds) > _MOST_COUNTED + 1:
            return tr("more than {count:,} files", count=_MOST_COUNTED)
        files = len(kinds) - kinds.count("folder")
        words = ngettext("{count:,} file", "{count:,} files", files, count=files)
        return words if kinds[1:] else ""

    def diff(self, effects: Iterable[Effect]) -> str:
        """Return what a Write or an Edit would change, or how the files in question changed."""
        places = {one.path: one.replaces for one in effects if one.kind.writes and one.path}
        if self._difference is None:
            place = next(map(str, places), "")
            return edit_diff(self._call.tool, self._call.input, place) if place else ""
        found = []
        for path, replaces in places.items():
            shown = self._shown(path)
            exists = self._disk.entry(str(path)) is not None
            old = self._disk.text(str(path), LARGEST) if exists else ""
            new = self._disk.text(f"{self._difference.upper}/{shown}", LARGEST)
            if old is not None and new is not None and old != new and not replaces:
                found.append(unified_diff(old, new, shown))
        return shortened("\n".join(found))

    def _shown(self, place: Path) -> str:
        return str(place.relative_to(self._root) if place.is_relative_to(self._root) else place)


def _spans(asked: Iterable[Effect]) -> tuple[tuple[int, int], ...]:
    """Return the risky parts in order, overlapping ones merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted({effect.span for effect in asked if effect.span is not None}):
        before = merged.pop() if merged and start <= merged[-1][1] else (start, end)
        merged.append((before[0], max(end, before[1])))
    return tuple(merged)


def _once_because(asked: Sequence[Effect]) -> str:
    pattern = tr("The file pattern may match other files next time, so you'll be asked every time.")
    found = any(effect.wildcard and not effect.note for effect in asked)
    return pattern if found else tr("You'll be asked every time.")


def _words(call: ToolCall) -> str:
    """Return the reason given by the model, if any."""
    keys = ("reason", "summary") if call.tool.startswith("mcp__") else ("description",)
    return next((text.strip() for key in keys if isinstance(text := call.input.get(key), str)), "")


def _joined(parts: Sequence[str]) -> str:
    *first, last = parts
    return tr("{first} and {last}", first=", ".join(first), last=last) if first else last
