"""Reads the log of an earlier conversation in order to display it again."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from dogent_tui.agent.events import Event, Notice, QueueChanged, from_json
from dogent_tui.language import tr
from dogent_tui.storage.session_log import read_lines

_OF = r'"[^{\[]*?"(?:message_id|tool_use_id)": ?"([^"]*)"(?:, ?"block": ?(\d+))?'
_PIECE = re.compile(r'\{"type": ?"(?:text_delta|tool_output)' + _OF)
"""A piece of a streamed text, as written by `to_json`: the text it belongs to."""
_WHOLE = re.compile(r'\{"type": ?"(?:text_finished|tool_result)' + _OF)
"""The complete text."""

_UNREADABLE = Notice(
    code="gap",
    message=tr("A part of the conversation is missing here: what was saved can't be read."),
)


def cut_off(events: Sequence[Event]) -> list[str]:
    """Return the prompts that were still waiting for their run when the earlier session was cut
    off.
    """
    last = next((event for event in reversed(events) if isinstance(event, QueueChanged)), None)
    return (
        [queued.prompt.text for queued in last.prompts if not queued.prompt.answers]
        if last is not None
        else []
    )


def replay_log(log: Path) -> tuple[list[Event], list[str]]:
    """Return the events of an earlier session and the prompts that it did not get to; empty if it
    cannot be read.
    """
    with suppress(OSError):
        events = list(events_of(list(read_lines(log))))
        return events, cut_off(events)
    return [], []


def events_of(lines: Sequence[str]) -> Iterator[Event]:
    """Yield the events in the `lines` of a log, without most pieces of texts that are also there in
    full.

    Nine out of ten lines are such pieces. The first of each text is kept: it says when the text
    began. Lines that are not events are replaced by a notice.
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
