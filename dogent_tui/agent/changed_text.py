"""What a tool of the CLI says beside its result about the file that it changed."""

from collections.abc import Mapping, Sequence
from typing import Any

_MOST = 100_000
"""Characters of a change that are kept: a longer one is read in the file."""


def changed_hunks(told: object) -> tuple[tuple[str, str], ...]:
    """Return what stood where a file was changed and what stands there now, each with the lines around it.

    `told` is the ``toolUseResult`` of the CLI's transcript, in which ``structuredPatch`` holds the hunks. Empty for a new file,
    for what changed nothing, and for what is no such report: it is the CLI's own affair and may look different some day.
    """
    patch = told.get("structuredPatch") if isinstance(told, Mapping) else None
    if not isinstance(patch, Sequence) or isinstance(patch, str):
        return ()
    hunks = tuple(_sides(hunk.get("lines")) for hunk in patch if isinstance(hunk, Mapping))
    return hunks if sum(len(old) + len(new) for old, new in hunks) <= _MOST else ()


def _sides(lines: Any) -> tuple[str, str]:
    signed = [line for line in lines if isinstance(line, str)] if isinstance(lines, Sequence) else []
    old = [line[1:] for line in signed if line[:1] in (" ", "-")]
    new = [line[1:] for line in signed if line[:1] in (" ", "+")]
    return "\n".join(old), "\n".join(new)
