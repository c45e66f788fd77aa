"""What the user has allowed for more than one call: keys over effects, and rules that express the
same as text.

A call is covered if every effect that would be asked about is. A key consists of what happens
(kind), the exact place and the kind of program; so a remembered read never allows a delete, and a
remembered place never its neighbor.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.permissions.consultations import CONSULTING
from dogent_tui.permissions.model import Decision, Effect, EffectKind
from dogent_tui.permissions.paths import PathRule

KINDS = ("read", "create", "change", "write", "delete", "move", "run", "network", "use", "tool")
"""The kinds that a rule can name. `change` includes appending to a file, `write` also creating and
replacing it; `network` is for a program, `use` for one of our tools that search the documents,
`tool` for a tool of an MCP server.
"""

_COVERED_BY: Mapping[str, frozenset[str]] = {
    "create": frozenset({"create", "change", "write"}),
    "change": frozenset({"change", "write"}),
}
"""Kind → the kinds that include it, if other than itself."""

_FILE_TOOLS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_NETWORK_TOOLS = {"Bash", "WebFetch"}
_FILE_TOOL_FAMILY = "file tools"
_DONE = (tr("read"), tr("create"), tr("change"), tr("write"), tr("delete"), tr("move"), tr("run"))
_VERBS: Mapping[str, str] = dict(zip(KINDS, _DONE, strict=False))
_NO_NETWORK_TOOL = tr("“{text}” does not specify a tool that reaches the network.")
_NO_FOREIGN_TOOL = tr("“{text}” does not specify a tool of an MCP server.")


@dataclass(frozen=True, slots=True)
class Grant:
    """One grant. `kind` is one of `KINDS`.

    `place` is a real path; for `network` a host, or "" for any. `program` is the program family, ""
    for any. `below`: everything in the folder `place` is included, which only a rule written by the
    user can express.
    """

    kind: str
    place: str = ""
    program: str = ""
    below: bool = False

    def covers(self, needed: "Grant") -> bool:
        """Return whether this allows `needed`."""
        if self.kind not in _COVERED_BY.get(needed.kind, frozenset({needed.kind})):
            return False
        if self.program not in {"", needed.program}:
            return False
        if self.below:
            return needed.place.startswith(self.place.rstrip("/") + "/")
        return self.place == needed.place or (self.kind == "network" and not self.place)

    def rule(self, root: Path) -> str:
        """Return the `--allow` rule that covers this in the workspace `root` (a real path). Rules
        apply to any program.
        """
        if self.kind == "network":
            return f"network:{self.program}{f'/{self.place}' if self.place else ''}"
        if self.kind in ("use", "tool"):
            return f"{self.kind}:{self.program}"
        return f"{self.kind}:{self._shown(root)}{'/' if self.below and self.place != '/' else ''}"

    def sentence(self, root: Path) -> str:
        """Describe the grant to the user of the workspace `root`."""
        family = {_FILE_TOOL_FAMILY: tr("file tools"), "Bash": tr("commands")}
        program = family.get(self.program, self.program)  # the same in all languages
        if self.kind == "network":
            place, program = self.place or tr("other machines"), program or tr("any program")
            return tr("reach {place} with {program}", place=place, program=program)
        if self.kind == "use":
            return tr("search the documents with {program}", program=program)
        if self.kind == "tool":
            server, _, tool = program.removeprefix("mcp__").partition("__")
            words = tr("use the tool {tool} of the MCP server {server}, outside the wall")
            return words.format(tool=tool, server=server)
        place = tr("everything in {root}") if self.below else "{root}"
        place = place.format(root=self._shown(root))
        allowed = tr("{verb} {places}", verb=_VERBS.get(self.kind, self.kind), places=place)
        return allowed + (tr(" (by {program})", program=program) if program else "")

    def _shown(self, root: Path) -> str:
        return self.place.removeprefix(f"{root}/")


def key_of(effect: Effect) -> Grant:
    """Return the key of an effect."""
    kind, program = effect.kind.value, effect.program
    if kind == "network":
        host = urlsplit(effect.written).hostname if "://" in effect.written else ""
        return Grant(kind, host or "", program)
    if kind in ("use", "tool"):
        return Grant(kind, "", program)
    if effect.kind is EffectKind.WRITE:
        kind = "write" if effect.replaces else "change"
    # Reading reveals the same with any program. For all other effects the program matters.
    program = "" if kind == "read" else _FILE_TOOL_FAMILY if program in _FILE_TOOLS else program
    place = "" if effect.path is None else str(effect.path)
    return Grant("run" if kind == "execute" else kind, place, program)


def keys_of(decision: Decision) -> tuple[Grant, ...]:
    """Return the grants that a call needs; empty if its answer cannot be remembered."""
    if decision.verdict != "ask" or not decision.rememberable:
        return ()
    return tuple(dict.fromkeys(key_of(effect) for effect in decision.asked))


def covering(grants: Iterable[Grant], decision: Decision) -> tuple[Grant, ...]:
    """Return the grants that allow a call; empty unless *every* effect that would be asked about is
    covered.
    """
    held = tuple(grants)
    keys = keys_of(decision)
    if not keys and all(effect.kind is EffectKind.NETWORK for effect in decision.asked):
        # An unnamed host is never remembered, but a rule may allow all hosts.
        keys = tuple(map(key_of, decision.asked))
    found = [[grant for grant in held if grant.covers(needed)] for needed in keys]
    return tuple(dict.fromkeys(grants[0] for grants in found)) if all(found) else ()


def parse_rule(text: str, workspace: Path, home: Path | None = None) -> Grant:
    """Parse the rule ``KIND:PLACE`` or ``network:TOOL[/HOST]``. Relative places start at the
    workspace.

    Raises UsageError if it is not a rule.
    """
    kind, _, rest = text.partition(":")
    if kind not in KINDS or not rest.strip():
        remedy = tr("Write KIND:PLACE, where KIND is one of: {kinds}.")
        words = tr("“{text}” is not a valid rule.")
        raise UsageError(words.format(text=text), remedy.format(kinds=", ".join(KINDS)))
    if kind not in {"network", "tool", "use"}:
        return _placed(text, kind, rest, workspace, str(home or Path.home()))
    program, host, names = rest, "", [tool.removeprefix("mcp__dogent__") for tool in CONSULTING]
    if kind == "network":
        program, _, host = rest.partition("/")
        sure = program in _NETWORK_TOOLS or program.startswith("mcp__")
        is_known, words = sure and "/" not in host, _NO_NETWORK_TOOL
        remedy = tr("Write network:TOOL/HOST, for example network:Bash/example.org.")
    elif kind == "tool":
        is_known = bool(re.fullmatch(r"mcp__(?!dogent__).+__.*", rest, re.DOTALL))
        words, remedy = _NO_FOREIGN_TOOL, tr("Write tool:mcp__SERVER__TOOL.")
    else:
        is_known, words = rest in names, tr("“{text}” does not specify a tool that can be allowed.")
        remedy = tr("Write use:TOOL, where TOOL is one of: {names}.", names=", ".join(names))
    if not is_known:
        raise UsageError(words.format(text=text), remedy)
    return Grant(kind, host, program)


def _placed(text: str, kind: str, place: str, workspace: Path, home: str) -> Grant:
    spelled = home + place[1:] if place == "~" or place.startswith("~/") else place
    full = spelled if spelled.startswith("/") else f"{workspace}/{spelled}"
    if any(mark in spelled for mark in "*?") and not os.path.lexists(full):
        message = tr("“{text}” contains a pattern.", text=text)
        raise UsageError(
            message, tr("Specify one place; a folder ending in / means everything in it.")
        )
    try:
        rule = PathRule(workspace, Path(home))
        real = str(rule.resolve(full, follow=kind not in {"delete", "move"} or full.endswith("/")))
    except ValueError as error:
        message = tr("“{text}” cannot be resolved: {error}", text=text, error=error)
        raise UsageError(message, tr("Specify a place that exists.")) from error
    return Grant(kind, real, below=full.endswith("/"))
