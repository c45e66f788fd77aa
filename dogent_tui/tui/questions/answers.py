"""The answers to a permission question: which are offered, why others are not, and where each
stands.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
from rich.cells import cell_len

from dogent_tui.agent.events import PermissionAnswer, PermissionRequested
from dogent_tui.language import tr


class Answer(msgspec.Struct, frozen=True):
    """One answer. `reply` is None for the one that asks for words first; `short` is for narrow
    windows.
    """

    key: str
    words: str
    short: str
    reply: PermissionAnswer | None


DENY = Answer("n", tr("Deny"), tr("Deny"), PermissionAnswer("deny"))
ONCE = Answer("y", tr("Allow once"), tr("Allow once"), PermissionAnswer("allow"))
SESSION = Answer("s", tr("This session"), tr("Session"), PermissionAnswer("allow", "session"))
ALWAYS = Answer(
    "a", tr("Always in this workspace"), tr("Always here"), PermissionAnswer("allow", "always")
)
KEEP = Answer("y", tr("Keep"), tr("Keep"), PermissionAnswer("allow"))
DROP = Answer("d", tr("Discard and continue"), tr("Discard"), PermissionAnswer("deny", drops=True))
STOP = Answer("n", tr("Discard and stop"), tr("Stop"), PermissionAnswer("deny"))
WORDS = Answer("e", tr("Deny and say why"), tr("Deny, say why"), None)

DROP_WORDS = Answer("e", tr("Discard and say why"), tr("Discard, say why"), None)

ANSWERS = (DENY, ONCE, SESSION, ALWAYS, WORDS)
"""All answers to what would happen, in their order: the safe one first."""
ANSWERS_AFTER = (STOP, DROP, KEEP, SESSION, ALWAYS, DROP_WORDS)
"""All answers to what happened behind the wall."""

_FOR_SCOPE = {"once": (ONCE, KEEP), "session": (SESSION,), "always": (ALWAYS,)}
_GAP = 1
MARKS = ("  ", "❯ ")
"""What stands before an answer: nothing, or the mark of the highlighted one."""

Placed: TypeAlias = tuple[int, str]
"""The number of an answer, and what is drawn of it."""


def offered(request: PermissionRequested) -> tuple[Answer, ...]:
    """Return the answers to `request`. Denying is always one of them; with words where there is
    an agent to read them.
    """
    allowed = [answer for scope in request.scopes for answer in _FOR_SCOPE[scope]]
    denying = (DENY, WORDS, STOP, DROP, DROP_WORDS) if request.tool_use_id else (DENY, DROP)
    return tuple(answer for answer in _answers(request) if answer in denying or answer in allowed)


def _answers(request: PermissionRequested) -> tuple[Answer, ...]:
    return ANSWERS_AFTER if request.happened else ANSWERS


def why_not(request: PermissionRequested, key: str) -> str:
    """Return why the answer of `key` is not offered to `request`, empty where it is, or where
    there is no such answer.
    """
    answer = next((answer for answer in _answers(request) if answer.key == key), None)
    if answer is None or answer in offered(request):
        return ""
    if answer is WORDS:
        return tr("The agent did not ask this, so there is no one to tell why.")
    return tr(
        "“{words}” is not offered here. {remedy}",
        words=answer.words,
        remedy=request.once_because or tr("This answer can't be saved."),
    )


def answer_rows(answers: Sequence[Answer], width: int) -> tuple[tuple[Placed, ...], ...]:
    """Return the rows on which `answers` stand in `width` cells: one row of whole words, else of
    short ones, else several.
    """
    for words in ([answer.words for answer in answers], [answer.short for answer in answers]):
        labels = [
            f"{MARKS[0]}{text} {answer.key} " for answer, text in zip(answers, words, strict=True)
        ]
        rows = _filled(labels, width)
        if len(rows) == 1:
            break
    return rows


def _filled(labels: Sequence[str], width: int) -> tuple[tuple[Placed, ...], ...]:
    rows: list[list[Placed]] = [[]]
    used = 0
    for number, label in enumerate(labels):
        if rows[-1] and used + _GAP + cell_len(label) > width:
            rows.append([])
            used = 0
        used += cell_len(label) + (_GAP if rows[-1] else 0)
        rows[-1].append((number, label))
    return tuple(tuple(row) for row in rows)


def answer_at(rows: Sequence[Sequence[Placed]], x: int, y: int) -> int | None:
    """Return the number of the answer drawn at cell (`x`, `y`)."""
    if not 0 <= y < len(rows):
        return None
    start = 0
    for number, label in rows[y]:
        if start <= x < start + cell_len(label):
            return number
        start += cell_len(label) + _GAP
    return None
