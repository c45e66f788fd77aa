"""What a tool says beside its result, or in its first line, about the file that it changed or
read.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_MOST = 100_000
"""Characters of a change that are kept: a longer one is read in the file."""


def changed_hunks(told: object) -> tuple[tuple[str, str], ...]:
    """Return what stood where a file was changed and what stands there now, each with the lines
    around it.

    `told` is the ``toolUseResult`` of the CLI's transcript, in which ``structuredPatch`` holds the
    hunks. Empty for a new file, for what changed nothing, and for what is no such report: it is the
    CLI's own affair and may look different some day.
    """
    patch = told.get("structuredPatch") if isinstance(told, Mapping) else None
    if not isinstance(patch, Sequence) or isinstance(patch, str):
        return ()
    hunks = tuple(_sides(hunk.get("lines")) for hunk in patch if isinstance(hunk, Mapping))
    return hunks if sum(len(old) + len(new) for old, new in hunks) <= _MOST else ()


def part_given(told: object, result: str) -> tuple[int, int, int] | None:
    """Return where the part of a text begins and ends that a tool gave, counted from 0, and how
    much there is.

    In lines where it is the CLI's own Read, whose ``toolUseResult`` is `told`; in characters where
    it is our reader of Markdown files. None for any other result, or where it does not say.
    """
    file = told.get("file") if isinstance(told, Mapping) else None
    if isinstance(file, Mapping):
        start, count, total = file.get("startLine"), file.get("numLines"), file.get("totalLines")
        if isinstance(start, int) and isinstance(count, int) and isinstance(total, int):
            return start - 1, start - 1 + count, total
        return None
    try:
        known = json.loads(result.partition("\n")[0])
    except ValueError:
        return None
    if not isinstance(known, dict) or not {"path", "size", "modified"} <= known.keys():
        return None
    total = int(known.get("characters", 1))
    return int(known.get("offset", 0)), int(known.get("next_offset", total)), total


def _sides(lines: Any) -> tuple[str, str]:
    signed = (
        [line for line in lines if isinstance(line, str)] if isinstance(lines, Sequence) else []
    )
    old = [line[1:] for line in signed if line[:1] in (" ", "-")]
    new = [line[1:] for line in signed if line[:1] in (" ", "+")]
    return "\n".join(old), "\n".join(new)
