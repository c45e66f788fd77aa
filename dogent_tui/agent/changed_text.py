"""What a tool reports, next to its result or in its first line, about the file that it changed or
read.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_MOST = 100_000
"""The length of a change in characters; a longer one can be read in the file."""


def changed_hunks(told: object) -> tuple[tuple[str, str], ...]:
    """Return the old and the new text of each changed place of a file, with the lines around it.

    `told` is the ``toolUseResult`` of the CLI's transcript, whose ``structuredPatch`` contains the
    hunks. Empty for a new file, for no change, and for any other result: the format is internal to
    the CLI and may change.
    """
    patch = told.get("structuredPatch") if isinstance(told, Mapping) else None
    if not isinstance(patch, Sequence) or isinstance(patch, str):
        return ()
    hunks = tuple(_sides(hunk.get("lines")) for hunk in patch if isinstance(hunk, Mapping))
    return hunks if sum(len(old) + len(new) for old, new in hunks) <= _MOST else ()


def part_given(told: object, result: str) -> tuple[int, int, int] | None:
    """Return the start and end of the part of a text that a tool returned, counted from 0, and the
    total.

    In lines for the CLI's own Read, whose ``toolUseResult`` is `told`; in characters for our reader
    of Markdown files. None for any other result.
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
