"""What a tool call would do, and the decision about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = Literal["allow", "ask", "deny"]
"""`ask` waits for the user; `deny` is for what must not even be asked."""


class EffectKind(StrEnum):
    """What happens to a place, or what kind of thing happens if no place can be named."""

    READ = "read"
    WRITE = "write"
    CREATE = "create"
    DELETE = "delete"
    MOVE = "move"
    EXECUTE = "execute"
    NETWORK = "network"
    USE = "use"
    TOOL = "tool"
    UNKNOWN = "unknown"

    @property
    def removes(self) -> bool:
        """Whether nothing is left at the place."""
        return self in {EffectKind.DELETE, EffectKind.MOVE}

    @property
    def writes(self) -> bool:
        """Whether the place has new content afterwards."""
        return self in {EffectKind.WRITE, EffectKind.CREATE}

    @property
    def changes(self) -> bool:
        """Whether what is at the place is different afterwards."""
        return self.removes or self.writes


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model made it. `cwd` is the working directory of the session's shell; `None`
    means the workspace root.
    """

    tool: str
    input: Mapping[str, Any]
    cwd: Path | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of a call.

    `path` is absolute and resolved, `None` if unknown; `written` is its spelling in the call;
    `span` are the character offsets of that spelling in the command. `program` is the program
    family ("rm", "git clean"). `note` adds what a reader could not guess. `replaces`: existing
    content is lost. `wildcard`: the place came from a pattern.
    """

    kind: EffectKind
    path: Path | None = None
    written: str = ""
    span: tuple[int, int] | None = None
    program: str = ""
    note: str = ""
    replaces: bool = False
    wildcard: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a call. The reasons are sentences, the targets real paths.

    `asked` are the effects that led to `ask` or `deny`, `effects` are all of them. `rememberable`:
    "always allow" can be offered, because everything asked about is a plain place or program.
    """

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    asked: tuple[Effect, ...] = ()
    effects: tuple[Effect, ...] = field(default=(), repr=False)
    rememberable: bool = False
