"""Searching a transcript or a document. Independent of Textual.

Hits are counted in the content of entries, without layout, and located in drawn lines when the user
goes there.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from dogent_tui.agent.tool_names import friendly_name
from dogent_tui.plain import visible
from dogent_tui.tui.transcript import model
from dogent_tui.tui.transcript.lines import Line


class Hit(NamedTuple):
    """Occurrence number `nth` (from 0) of the text in the entry with this number."""

    entry: int
    nth: int


Found = Sequence[tuple[int, int, int]]
"""The parts of an occurrence in drawn lines, as (line, start, end), end exclusive."""


_BREAK = r"[*_`~]*\s[\s*_`~>]*"
"""A space of the text may be a line break in the source, in a quotation, or beside the marks of a
style.
"""
_WITHIN_WIDE = re.compile("(?<=[\u2e80-\U0010ffff])(?!$)")
_JOINED = r"(?:\n[\s>]*)?"
"""A line break after a wide character is not drawn."""


class Search:
    """A case-insensitive search for `text`, and its hits in the entries that were added."""

    def __init__(self, text: str = "") -> None:
        self.text = text.strip()
        self.hits: list[Hit] = []
        words = (_WITHIN_WIDE.sub(lambda _: _JOINED, re.escape(word)) for word in self.text.split())
        self._pattern = re.compile(_BREAK.join(words), re.IGNORECASE)
        self._entries = 0

    def add(self, sources: Iterable[str]) -> None:
        """Search the contents of further entries too."""
        for number, source in enumerate(sources, self._entries):
            found = self._pattern.finditer(source) if self.text else ()
            self.hits += (Hit(number, nth) for nth, _match in enumerate(found))
            self._entries = number + 1

    def found(self, lines: Sequence[Line]) -> list[Found]:
        """Return the occurrences in `lines`, including those that continue on the next line."""
        if not self.hits:
            return []
        texts = [line.text[line.decoration :] for line in lines]
        pieces = [text + line.glue for line, text in zip(lines, texts, strict=True)]
        starts = [*accumulate(map(len, pieces), initial=0)]

        def parts(start: int, end: int) -> Iterator[tuple[int, int, int]]:
            number = bisect_right(starts, start) - 1
            while number < len(lines) and starts[number] < end:
                shift = lines[number].decoration - starts[number]
                last = starts[number] + len(texts[number])
                yield number, max(start, starts[number]) + shift, min(end, last) + shift
                number += 1

        return [[*parts(*match.span())] for match in self._pattern.finditer("".join(pieces))]


def source_of(entry: model.Entry) -> str:
    """Return what is searched in `entry`, empty if it is not shown."""
    if entry.gone:
        return ""
    match entry:
        case model.Reply():
            return visible(entry.text)
        case model.UserTurn():
            return visible(entry.prompt.text)
        case model.ToolCall():
            values = [
                value if isinstance(value, str) else json.dumps(value, default=str)
                for value in entry.input.values()
            ]
            return visible("\n".join([friendly_name(entry.name), *values, entry.result or ""]))
        case model.Plan():
            return visible("\n".join(todo.content for todo in entry.todos))
        case model.Asked():
            return visible(f"{entry.title}\n{entry.detail}")
        case model.Notice():
            return visible(f"{entry.message}\n{entry.remedy}")
        case model.Outcome():
            return visible(f"{entry.reason}\n{entry.remedy}")
    return ""
