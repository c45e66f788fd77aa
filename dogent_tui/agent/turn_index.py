"""The current course of a conversation: its runs, and what was said, without what the user
rewound.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from dogent_tui.agent.events import (
    BUDGET_SPENT,
    Event,
    MessageDropped,
    Rewound,
    RunFinished,
    RunStarted,
    TextDelta,
    TextFinished,
    UsageChanged,
)


class _Begun(msgspec.Struct, frozen=True):
    """The state at the beginning of a run."""

    run_id: str
    said: int
    context_tokens: int
    is_answer: bool


MOST_EARLIER = 60_000
"""The number of characters of an earlier conversation to tell if it is not remembered; no more of a
text is kept.
"""


class Utterance(NamedTuple):
    """Who said what. `source` is the run whose prompt it is, or the agent's message that contains
    it.
    """

    who: str
    words: str
    source: str = ""


class TurnIndex:
    """Follows the events of a conversation. `said` is who said what, oldest first: prompts and
    replies.

    A text that never ended because something died is included as far as it arrived. `messages` are
    those of the agent of which anything is known, including rewound ones.
    """

    def __init__(self) -> None:
        self.said: list[Utterance] = []
        self.messages: set[str] = set()
        self.context_tokens = 0
        self._begun: list[_Begun] = []
        self._unfinished: dict[tuple[str, int], str] = {}

    def hear(self, event: Event) -> None:
        """Process an event."""
        if isinstance(event, TextDelta | TextFinished):
            self.messages.add(event.message_id)
        match event:
            case RunStarted():
                self._begin(event)
            case TextDelta():
                key = (event.message_id, event.block)
                self._unfinished[key] = (self._unfinished.get(key, "") + event.text)[-MOST_EARLIER:]
            case TextFinished():
                self._unfinished.pop((event.message_id, event.block), None)
                self._reply(event.message_id, event.text)
            case RunFinished():
                self._finish(event)
            case MessageDropped():
                self._unfinished = {
                    key: text
                    for key, text in self._unfinished.items()
                    if key[0] != event.message_id
                }
                while self.said and self.said[-1].source == event.message_id:
                    self.said.pop()
            case UsageChanged():
                self.context_tokens = event.context_tokens
            case Rewound():
                self._go_back(event.to)

    def _begin(self, event: RunStarted) -> None:
        self.end()
        is_answer = bool(event.prompt.answers)
        self._begun.append(_Begun(event.run_id, len(self.said), self.context_tokens, is_answer))
        if not event.prompt.compacts:
            self.said.append(Utterance("The user", event.prompt.text[-MOST_EARLIER:], event.run_id))

    def _finish(self, event: RunFinished) -> None:
        self.end()
        if event.code == BUDGET_SPENT and event.tokens is None:  # its prompt was never sent
            self.said = [said for said in self.said if said.source != event.run_id]

    def end(self) -> None:
        """Consider unfinished texts complete."""
        unfinished, self._unfinished = self._unfinished, {}
        for (message_id, _), text in unfinished.items():
            self._reply(message_id, text)

    def _reply(self, message_id: str, text: str) -> None:
        if text.strip():
            self.said.append(Utterance("You", text[-MOST_EARLIER:], message_id))

    def runs_from(self, run_id: str) -> list[str]:
        """Return the ids of the run `run_id` and all later ones; empty if it does not belong to the
        conversation.
        """
        ids = self.run_ids
        return ids[ids.index(run_id) :] if run_id in ids else []

    @property
    def run_ids(self) -> list[str]:
        """The ids of the runs, oldest first."""
        return [begun.run_id for begun in self._begun]

    @property
    def prompt_ids(self) -> list[str]:
        """The ids of the runs begun by a prompt, not by answers to the agent's questions."""
        return [begun.run_id for begun in self._begun if not begun.is_answer]

    def said_before(self, run_id: str) -> list[Utterance]:
        """Return what was said before the run `run_id`; everything if it does not belong to the
        conversation.
        """
        return self.said[
            : next((begun.said for begun in self._begun if begun.run_id == run_id), None)
        ]

    def _go_back(self, run_id: str) -> None:
        self._unfinished.clear()
        after = self.runs_from(run_id)
        if after:
            first = self._begun[-len(after)]
            del self._begun[-len(after) :]
            del self.said[first.said :]
            self.context_tokens = first.context_tokens


def turn_index_of(events: Iterable[Event]) -> TurnIndex:
    """Return the course of a finished conversation."""
    course = TurnIndex()
    for event in events:
        course.hear(event)
    course.end()
    return course
