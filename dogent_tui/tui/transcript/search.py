"""Searching a transcript. Independent of Textual.

Hits are counted in the content of entries, without layout, and located in drawn lines when the user
goes there.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from dogent_tui.agent.tool_names import friendly_name
from dogent_tui.plain import visible
from dogent_tui.records import Record
from dogent_tui.tui.transcript import model
from dogent_tui.tui.transcript.lines import Line


class Hit(NamedTuple):
    """Occurrence number `nth` (from 0) of the text in the entry with this number."""

    entry: int
    nth: int


Found = Sequence[tuple[int, int, int]]
"""The parts of an occurrence in drawn lines, as (line, start, end), end exclusive."""


class Search(Record):
    """A case-insensitive search, and its hits."""

    pattern: re.Pattern[str]
    hits: Sequence[Hit]

    @classmethod
    def of(cls, text: str, entries: Sequence[model.Entry]) -> "Search":
        """Search `text` in `entries`."""
        # A space may be a line break in wrapped text, or several spaces in the source.
        pattern = re.compile(r"\s+".join(re.escape(word) for word in text.split()), re.IGNORECASE)
        hits = [
            Hit(number, nth)
            for number, entry in enumerate(entries if text.strip() else ())
            if not entry.gone
            for nth, _match in enumerate(pattern.finditer(_source(entry)))
        ]
        return cls(pattern, hits)

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

        return [[*parts(*match.span())] for match in self.pattern.finditer("".join(pieces))]


def _source(entry: model.Entry) -> str:
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
