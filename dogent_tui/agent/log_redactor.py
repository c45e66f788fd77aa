"""Keeps keys out of a session's log, including keys that are streamed in several pieces."""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from dogent_tui.agent.events import (
    Event,
    MessageDropped,
    RunFinished,
    SessionLost,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ToolOutput,
    ToolResult,
    to_json,
)
from dogent_tui.settings.secrets import SHORTEST, redact, spellings

_Piece = TextDelta | ThinkingDelta | ToolOutput


class Redactor:
    """Writes events as lines without secrets.

    If a piece of a stream ends like the beginning of a secret, that end is held back until more of
    the stream arrives.
    """

    def __init__(
        self, secrets: Iterable[str], learned: Callable[[], frozenset[str]] = frozenset
    ) -> None:
        """Redact `secrets`, and what `learned` returns when a line is written: keys are looked up
        at any time.
        """
        self._learned = learned
        self._known: frozenset[str] = frozenset()
        self._secrets: tuple[str, ...] = ()
        self._spelled: tuple[str, ...] = ()
        self._held: dict[tuple[str, ...], _Piece] = {}
        self._keep_out(secrets)

    def lines(self, event: Event) -> Iterator[str]:
        """Yield the lines for `event`: usually one, more if a stream ended before it."""
        self._learn()
        if not self._secrets:
            yield to_json(event)
            return
        if isinstance(event, _Piece):
            # written even without text: it says when the stream began
            event = self._held_back(event)
        else:
            yield from (self._line(piece) for piece in self._released(event))
        yield self._line(event)

    def text(self, text: str) -> str:
        """Return `text` without secrets."""
        self._learn()
        return redact(text, self._secrets)

    def _learn(self) -> None:
        learned = self._learned()
        if learned != self._known:
            self._known = learned
            self._keep_out(learned)

    def _keep_out(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(
            {*self._secrets, *(secret for secret in secrets if len(secret) >= SHORTEST)}
        )
        self._spelled = tuple(
            {spelled for secret in self._secrets for spelled in spellings(secret)}
        )

    def _line(self, event: Event) -> str:
        return redact(to_json(event), self._spelled)

    def _held_back(self, piece: _Piece) -> _Piece:
        key = _stream(piece)
        before = self._held.pop(key, None)
        text = redact(f"{before.text}{piece.text}" if before else piece.text, self._secrets)
        begun = max((_begun(text, secret) for secret in self._secrets), default=0)
        if begun:
            self._held[key] = replace(piece, text=text[len(text) - begun :])
        return replace(piece, text=text[: len(text) - begun])

    def _released(self, event: Event) -> list[_Piece]:
        """Discard what is held of a stream whose complete text has arrived; return everything held
        if nothing more will arrive.
        """
        if isinstance(event, TextFinished | ToolResult):
            self._held.pop(_stream(event), None)
        elif isinstance(event, MessageDropped):
            self._held = {
                key: piece for key, piece in self._held.items() if key[1] != event.message_id
            }
        elif isinstance(event, RunFinished | SessionLost):
            held, self._held = list(self._held.values()), {}
            return held
        return []


def _stream(event: _Piece | TextFinished | ToolResult) -> tuple[str, ...]:
    """Return the key of the stream that `event` belongs to."""
    if isinstance(event, ToolOutput | ToolResult):
        return ("tool", event.tool_use_id)
    return (
        "thinking" if isinstance(event, ThinkingDelta) else "text",
        event.message_id,
        str(event.block),
    )


def _begun(text: str, secret: str) -> int:
    """Return the length of the longest end of `text` that is a beginning of `secret`."""
    return next(
        (
            size
            for size in range(min(len(text), len(secret) - 1), 0, -1)
            if text.endswith(secret[:size])
        ),
        0,
    )
