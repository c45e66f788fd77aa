"""What a tool call would do, and what is decided about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = Literal["allow", "ask", "deny"]
"""`ask` waits for the user; `deny` is for what no question should offer."""


class EffectKind(StrEnum):
    """What happens to a place, or what kind of thing happens where no place can be named."""

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
    def goes(self) -> bool:
        """Whether a place is empty afterwards."""
        return self in {EffectKind.DELETE, EffectKind.MOVE}

    @property
    def writes(self) -> bool:
        """Whether a place has a content afterwards that it had not."""
        return self in {EffectKind.WRITE, EffectKind.CREATE}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model made it. `cwd` is where the session's shell stands; `None` means the
    workspace root.
    """

    tool: str
    input: Mapping[str, Any]
    cwd: Path | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that a call does.

    `path` is absolute with links resolved, `None` where it cannot be known; `written` is how the
    call spells it; `span` are the character offsets of that spelling in the command. `program`
    names the family ("rm", "git clean"). `note` says what a reader could not guess. `replaces`:
    content that was there is lost. `wildcard`: the place came out of a pattern.
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
    "always allow" can be offered, since everything asked is a plain place or program.
    """

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    asked: tuple[Effect, ...] = ()
    effects: tuple[Effect, ...] = field(default=(), repr=False)
    rememberable: bool = False
