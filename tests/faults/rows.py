"""The rows of the fault matrix: which state × victim × fault makes sense, and in which order they
are tried.

Nothing is written by hand but these small lists; `rows` makes as many of them as are wanted. The
moment of the fault, the words that are typed and how the application ends are drawn from the row's
own seed, so that a row can be run again alone.
"""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

STATES = (
    "idle",
    "typing",
    "connecting",
    "streaming",
    "tool",
    "permission",
    "form",
    "outline",
    "review",
    "commit",
    "export",
    "rewind",
    "closing",
)

FAULTS: Mapping[str, Sequence[str]] = {
    "application": ("kill", "stop"),
    "cli": ("kill", "stop"),
    "worker": ("kill", "stop"),
    "launcher": ("kill", "stop"),
    "terminal": ("kill", "stop", "slow", "garbage", "cut"),
    "endpoint": ("kill", "stop", "slow", "garbage", "cut", "full"),
    "disk": ("full", "read-only", "gone", "stop", "slow", "garbage"),
    "network": ("gone", "stop", "slow", "garbage", "cut"),
}

_ONLY: Mapping[str, Sequence[str]] = {
    "worker": ("tool", "export"),
    "launcher": ("idle", "streaming", "tool", "permission", "commit", "closing"),
    "endpoint": (
        "idle",
        "typing",
        "connecting",
        "streaming",
        "tool",
        "permission",
        "form",
        "review",
        "closing",
    ),
    "network": ("idle", "connecting", "streaming", "tool", "permission", "form", "closing"),
}
"""Where a victim plays no part in a state, its faults are no rows. Who is not named plays one in
each.
"""

QUICK = (
    "streaming/application/kill",
    "typing/application/kill",
    "streaming/cli/kill",
    "form/cli/stop",
    "tool/worker/kill",
    "tool/launcher/kill",
    "tool/terminal/kill",
    "permission/terminal/garbage",
    "streaming/endpoint/cut",
    "connecting/network/gone",
    "streaming/disk/full",
)
"""Each victim once, and the two ways of losing text: what `make test` runs."""


class Row(NamedTuple):
    """One row. `seed` is its own: whoever has it runs the same row again."""

    state: str
    victim: str
    fault: str
    seed: int

    @property
    def name(self) -> str:
        """Its three words, as `QUICK` has them."""
        return f"{self.state}/{self.victim}/{self.fault}"


def combinations() -> list[tuple[str, str, str]]:
    """Return every state × victim × fault that makes sense."""
    return [
        (state, victim, fault)
        for victim, faults in FAULTS.items()
        for state in STATES
        if state in _ONLY.get(victim, STATES)
        for fault in faults
    ]


def rows(seed: int, count: int) -> list[Row]:
    """Return `count` rows: all combinations in a random order, then again with other moments."""
    draw = random.Random(seed)
    made: list[Row] = []
    while len(made) < count:
        round_ = combinations()
        draw.shuffle(round_)
        made += [Row(*each, draw.randrange(1 << 31)) for each in round_]
    return made[:count]


def named(names: Sequence[str], seed: int) -> list[Row]:
    """Return a row for each of `names`; one that ends in ``#SEED`` gets that seed of its own."""
    draw = random.Random(seed)
    made = []
    for name in names:
        words, _, own = name.partition("#")
        made.append(Row(*words.split("/"), int(own) if own else draw.randrange(1 << 31)))
    return made
