"""Reading the log of an earlier conversation, so that it can be shown again."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from dogent_tui.agent.events import Event, Notice, QueueChanged, from_json
from dogent_tui.language import tr
from dogent_tui.storage.session_log import read_lines

_OF = r'"[^{\[]*?"(?:message_id|tool_use_id)": ?"([^"]*)"(?:, ?"block": ?(\d+))?'
_PIECE = re.compile(r'\{"type": ?"(?:text_delta|tool_output)' + _OF)
"""A piece of a text that streamed, as `to_json` writes it: what it is a piece of."""
_WHOLE = re.compile(r'\{"type": ?"(?:text_finished|tool_result)' + _OF)
"""The whole text."""

_UNREADABLE = Notice(
    level="warning",
    code="gap",
    message=tr("A part of the conversation is missing here: what was saved can't be read."),
    remedy="",
)


def cut_off(events: Sequence[Event]) -> list[str]:
    """Return the prompts that still waited for their run when the earlier session was cut off."""
    last = next((event for event in reversed(events) if isinstance(event, QueueChanged)), None)
    return (
        [queued.prompt.text for queued in last.prompts if not queued.prompt.answers]
        if last is not None
        else []
    )


def told_by(log: Path) -> tuple[list[Event], list[str]]:
    """Return what happened in an earlier session, and the prompts that it did not come to;
    nothing where that cannot be read.
    """
    with suppress(OSError):
        events = list(earlier_events(log))
        return events, cut_off(events)
    return [], []


def earlier_events(log: Path) -> Iterator[Event]:
    """Yield the events of `log`, as `events_of` does. Raises OSError."""
    yield from events_of(list(read_lines(log)))


def events_of(lines: Sequence[str]) -> Iterator[Event]:
    """Yield the events that stand in `lines` of a log, without most pieces of texts that stand
    there whole as well.

    Nine lines of ten are such pieces. The first of each stays: it says when the text began. For
    lines that are no events there is a notice.
    """
    whole = {found.groups() for line in lines if (found := _WHOLE.match(line))}
    begun = set()
    is_gap = False
    for line in lines:
        piece = _PIECE.match(line)
        if piece is not None and piece.groups() in whole:
            if piece.groups() in begun:
                continue
            begun.add(piece.groups())
        try:
            event = from_json(line)
        except ValueError:
            if not is_gap:
                yield _UNREADABLE
            is_gap = True
        else:
            is_gap = False
            yield event
