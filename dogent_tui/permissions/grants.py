"""What a person allowed for more than one call: keys over effects, and the rules that say the same in text.

A call is covered when every effect that was asked about is. A key holds what happens (kind), where exactly (place) and by what
kind of program; so a remembered read never allows a delete, and a remembered place never its neighbor.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.permissions.consulting import CONSULTING
from dogent_tui.permissions.disk import RealDisk, real_path
from dogent_tui.permissions.model import Decision, Effect, EffectKind

KINDS = ("read", "create", "change", "write", "delete", "move", "run", "network", "use")
"""The kinds that a rule can name. `change` includes adding to a file, `write` making it too and replacing it; `network` is for a
program, `use` for one of our tools that look through the documents."""

_COVERED_BY: Mapping[str, frozenset[str]] = {
    "create": frozenset({"create", "change", "write"}),
    "change": frozenset({"change", "write"}),
}
"""Kind → the kinds that include it, where that is more than itself."""

_FILE_TOOLS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_NETWORK_TOOLS = {"Bash", "WebFetch"}
_FILE_TOOL_FAMILY = "file tools"
_DONE = (tr("read"), tr("create"), tr("change"), tr("write"), tr("delete"), tr("move"), tr("run"))
_VERBS: Mapping[str, str] = dict(zip(KINDS, _DONE, strict=False))


@dataclass(frozen=True, slots=True)
class Grant:
    """One thing that is allowed. `kind` is one of `KINDS`.

    `place` is a real path, for `network` a host or "" for any. `program` is the program family, "" for any. `below`: everything
    in the folder `place` is meant; only a rule that a person wrote says that.
    """

    kind: str
    place: str = ""
    program: str = ""
    below: bool = False

    def covers(self, needed: "Grant") -> bool:
        """Return whether what `needed` says is allowed by this."""
        if self.kind not in _COVERED_BY.get(needed.kind, frozenset({needed.kind})):
            return False
        return (not self.program or self.program == needed.program) and self._place_covers(needed.place)

    def _place_covers(self, place: str) -> bool:
        if self.below:
            return place.startswith(self.place.rstrip("/") + "/")
        return self.place == place or (self.kind == "network" and not self.place)

    def rule(self, root: Path) -> str:
        """Return the rule for `--allow` that covers this in the workspace `root` (a real path). A rule means any program."""
        if self.kind == "network":
            return f"network:{self.program}{f'/{self.place}' if self.place else ''}"
        if self.kind == "use":
            return f"use:{self.program}"
        return f"{self.kind}:{self._shown(root)}{'/' if self.below and self.place != '/' else ''}"

    def sentence(self, root: Path) -> str:
        """Return what is allowed, for a person in the workspace `root`."""
        if self.kind == "network":
            return tr("reach {place} with {program}").format(
                place=self.place or tr("other machines"), program=self._family() or tr("any program")
            )
        if self.kind == "use":
            return tr("look through the documents with {program}").format(program=self.program)
        place = tr("everything in {root}").format(root=self._shown(root)) if self.below else self._shown(root)
        allowed = tr("{verb} {places}").format(verb=_VERBS.get(self.kind, self.kind), places=place)
        return allowed + (tr(" (by {program})").format(program=self._family()) if self.program else "")

    def _family(self) -> str:
        """Return the program for a person. What is kept of it is the same in all languages."""
        return {_FILE_TOOL_FAMILY: tr("file tools"), "Bash": tr("commands")}.get(self.program, self.program)

    def _shown(self, root: Path) -> str:
        return self.place.removeprefix(f"{root}/")


def key_of(effect: Effect) -> Grant:
    """Return the key of an effect."""
    changes = "write" if effect.replaces else "change"
    kind = {EffectKind.WRITE: changes, EffectKind.EXECUTE: "run"}.get(effect.kind, effect.kind.value)
    if kind == "network":
        return Grant(kind, (urlsplit(effect.written).hostname or "") if "://" in effect.written else "", effect.program)
    if kind == "use":
        return Grant(kind, "", effect.program)
    # Reading is the same by whatever program: what it learns, it learns. All else is another matter with another program.
    program = "" if kind == "read" else _FILE_TOOL_FAMILY if effect.program in _FILE_TOOLS else effect.program
    return Grant(kind, "" if effect.path is None else str(effect.path), program)


def keys_of(decision: Decision) -> tuple[Grant, ...]:
    """Return what has to be allowed for a call that is asked about; nothing where that cannot be remembered."""
    if decision.verdict != "ask" or not decision.rememberable:
        return ()
    return tuple(dict.fromkeys(key_of(effect) for effect in decision.asked))


def covering(grants: Iterable[Grant], decision: Decision) -> tuple[Grant, ...]:
    """Return the grants by which a call is allowed; none unless *every* effect that was asked about is covered by one."""
    held = tuple(grants)
    keys = keys_of(decision)
    if not keys and all(effect.kind is EffectKind.NETWORK for effect in decision.asked):
        keys = tuple(map(key_of, decision.asked))  # a machine without a name is never remembered, but a rule may allow all
    found = [next((grant for grant in held if grant.covers(needed)), None) for needed in keys]
    return tuple(dict.fromkeys(grant for grant in found if grant is not None)) if None not in found else ()


def parse_rule(text: str, workspace: Path, home: Path | None = None) -> Grant:
    """Return what the rule ``KIND:PLACE`` or ``network:TOOL[/HOST]`` allows. Relative places start at the workspace.

    Raises UsageError where it is no rule.
    """
    kind, _, rest = text.partition(":")
    if kind not in KINDS or not rest.strip():
        raise _no_rule(
            tr("“{text}” is not a rule."), text, tr("Write KIND:PLACE, with one of these kinds: {kinds}."), kinds=", ".join(KINDS)
        )
    if kind == "network":
        program, _, host = rest.partition("/")
        if "/" in host or not (program in _NETWORK_TOOLS or program.startswith("mcp__")):
            remedy = tr("Write network:TOOL/HOST, for example network:Bash/example.org.")
            raise _no_rule(tr("“{text}” names no tool that reaches the network."), text, remedy)
        return Grant(kind, host, program)
    if kind == "use":
        if f"mcp__dogent__{rest}" not in CONSULTING:
            names = ", ".join(tool.rpartition("__")[2] for tool in CONSULTING)
            remedy = tr("Write use:TOOL, with one of these: {names}.")
            raise _no_rule(tr("“{text}” names no tool that can be allowed."), text, remedy, names=names)
        return Grant(kind, "", rest)
    return _placed(text, kind, rest, workspace, str(home or Path.home()))


def _no_rule(message: str, text: str, remedy: str, **names: str) -> UsageError:
    return UsageError(message.format(text=text, **names), remedy.format(**names))


def _placed(text: str, kind: str, place: str, workspace: Path, home: str) -> Grant:
    spelled = home + place[1:] if place == "~" or place.startswith("~/") else place
    full = os.path.join(workspace, spelled)  # noqa: PTH118 — text in, text out: a Path would drop the slash at the end
    if any(mark in spelled for mark in "*?") and not os.path.lexists(full):
        remedy = tr("Name one place; a folder with / at its end means everything in it.")
        raise _no_rule(tr("“{text}” holds a pattern."), text, remedy)
    try:
        head, tail = os.path.split(full.rstrip("/"))
        follow = kind not in {"delete", "move"} or tail in {"", ".", ".."}
        disk = RealDisk()
        real = real_path(disk, full) if follow else str(Path(real_path(disk, head), tail))
    except ValueError as error:
        message = tr("“{text}” cannot be resolved: {error}")
        raise _no_rule(message, text, tr("Name a place that exists."), error=str(error)) from error
    return Grant(kind, real, below=full.endswith("/"))
