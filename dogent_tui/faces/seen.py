"""What a translator of events has to remember: texts that are being streamed, and calls that are
under way.
"""

from typing import Any, TypeAlias

from dogent_tui.agent import events

Chunk: TypeAlias = dict[str, Any]
"""One thing that is told to the other side, as JSON."""
TextEvent: TypeAlias = events.TextDelta | events.TextFinished | events.ThinkingDelta
ToolEvent: TypeAlias = events.ToolPreparing | events.ToolUse | events.ToolOutput | events.ToolResult


class Seen:
    """The texts and calls of one conversation. `longest_tail`: how much is kept of what a
    running call wrote, in characters.
    """

    def __init__(self, longest_tail: int) -> None:
        self._longest_tail = longest_tail
        self._texts: dict[tuple[str, int], str] = {}
        self._tails: dict[str, str] = {}

    def delta(self, event: events.TextDelta) -> None:
        """Take in more of a text."""
        key = (event.message_id, event.block)
        self._texts[key] = self._texts.get(key, "") + event.text

    def rest(self, event: events.TextFinished) -> tuple[bool, str]:
        """Return whether a finished text continues what was streamed of it, and what was not
        streamed.
        """
        streamed = self._texts.pop((event.message_id, event.block), "")
        continues = event.text.startswith(streamed)
        return continues, event.text[len(streamed) :] if continues else event.text

    def drop(self, message_id: str) -> None:
        """Forget the texts of a message: it comes again."""
        self._texts = {key: text for key, text in self._texts.items() if key[0] != message_id}

    def tail(self, event: events.ToolOutput) -> str:
        """Return the end of what a call has written so far."""
        written = self._tails.get(event.tool_use_id, "") + event.text
        tail = self._tails[event.tool_use_id] = written[-self._longest_tail :]
        return tail

    def end(self, call: str) -> None:
        """Forget what a call wrote."""
        self._tails.pop(call, None)


TOOL_EVENTS = (events.ToolPreparing, events.ToolUse, events.ToolOutput, events.ToolResult)


def selected_text(text: str, source: str = "") -> str:
    """Return what is selected in an editor as the model is told it."""
    named = f" from={source!r}" if source else ""
    return f"<selected_text{named}>\n{text}\n</selected_text>"
