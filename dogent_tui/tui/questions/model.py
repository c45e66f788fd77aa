"""The content of a permission question as lines: the sentence, the call itself, and the facts.
Independent of Textual.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from rich.cells import cell_len

from dogent_tui.agent.events import PermissionAnswer, PermissionRequested, Target
from dogent_tui.agent.tool_names import friendly_name, relative
from dogent_tui.language import sentences, tr
from dogent_tui.plain import one_line, revealed, revealed_line
from dogent_tui.records import Record
from dogent_tui.tui.attachments.model import readable_size
from dogent_tui.tui.transcript.lines import BLANK, Line, Lines, Span, crop, prefixed, wrap

_TITLES = {
    "Bash": tr("May the agent run this command?"),
    "Edit": tr("May the agent change this file?"),
    "Glob": tr("May the agent look for files here?"),
    "Grep": tr("May the agent search here?"),
    "Read": tr("May the agent read this file?"),
    "WebFetch": tr("May the agent open this page?"),
    "WebSearch": tr("May the agent search the web for this?"),
    "Write": tr("May the agent write this file?"),
}

_MOST_CHARACTERS = 200_000
"""The maximum number of characters drawn of a text; if more is missing, that is shown
prominently.
"""

_WIDE = 2
"""A counter is shown beside the title if the width is at least this multiple of its own."""
_SHORT_JSON = 60
_LABEL_COLUMN = 12
_NARROW = 48
"""Width in cells below which the labels of facts use a narrower column."""

# The effect on a place, and the style of that word.
_KINDS = {
    "read": (tr("reads"), "accent"),
    "write": (tr("changes"), "warning"),
    "create": (tr("creates"), "success"),
    "delete": (tr("deletes"), "error"),
    "move": (tr("moves"), "warning"),
    "execute": (tr("runs"), "warning"),
    "network": (tr("connects to"), "warning"),
}
_OTHER_KIND = (tr("concerns"), "accent")

_SHOWN_AS_DIFF = (
    "content",
    "new_content",
    "old_string",
    "new_string",
    "edits",
    "new_source",
    "replace_all",
)
_PATHS = ("file_path", "notebook_path", "path")
_SHOWN_AS_WORDS = ("description", "reason")

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)")


def title_lines(title: Sequence[Span], counter: Span, width: int) -> Lines:
    """Return `title` with `counter` at the right of its first line, or below it in a narrow
    window.
    """
    size = cell_len(counter.text)
    if not size or width < _WIDE * size:
        return [*wrap(title, width), *(wrap([counter], width) if size else ())]
    first, *rest = wrap(title, width - size - 2)
    gap = Span(" " * (width - first.width - size))
    return [Line((*first.spans, gap, counter)), *rest]


class Question(Record):
    """A request as shown in the workspace at `root`."""

    request: PermissionRequested
    root: str = ""

    @property
    def sentence(self) -> str:
        """The question in one sentence."""
        request = self.request
        title = (
            request.sentence
            or _TITLES.get(request.tool)
            or tr("May the agent use “{tool}”?", tool=friendly_name(request.tool))
        )
        return revealed_line(title)

    def heading(self, width: int, counter: str = "") -> Lines:
        """Return the sentence, with `counter` at the right of its first line."""
        return title_lines([Span(self.sentence, "question")], Span(counter, "muted"), width)

    def call(self, width: int) -> Lines:
        """Return the complete call: its diff or command, then every other field of its input."""
        named = self._named_elsewhere()
        fields = {key: value for key, value in self.request.input.items() if key not in named}
        lines = []
        if self.request.diff:
            lines += diff_lines(self.request.diff, width)
            fields = {key: value for key, value in fields.items() if key not in _SHOWN_AS_DIFF}
        elif isinstance(command := fields.get("command"), str):
            lines += _command(command, self.request.spans, width)
            del fields["command"]
        for key, value in fields.items():
            if not (key in _SHOWN_AS_WORDS and value == self.request.words and self.request.words):
                lines += fact(key, "muted", [Span(_written(value), "output")], width)
        return lines

    def facts(self, width: int) -> Lines:
        """Return the places, the reason for asking, why no answer can be remembered, and the
        model's own explanation.
        """
        request = self.request
        lines: Lines = []
        for target in request.targets:
            lines += self._target(target, width)
        if request.reasons:
            lines += fact(
                tr("why"), "muted", [Span(sentences(*map(one_line, request.reasons)))], width
            )
        if request.once_because:
            lines += fact(
                tr("only once"), "muted", [Span(one_line(request.once_because), "muted")], width
            )
        if request.words:
            words = [
                Span(f"“{one_line(request.words)}”", "emphasis"),
                Span(tr("  the agent’s own words, unchecked"), "muted"),
            ]
            lines += fact(tr("agent says"), "muted", words, width)
        return lines

    def _target(self, target: Target, width: int) -> Iterator[Line]:
        word, style = _KINDS.get(
            target.kind, _OTHER_KIND if not target.kind else (target.kind, "warning")
        )
        yield from fact(
            word,
            style,
            [Span(self._place(target.path), "strong"), Span(_state(target), "muted")],
            width,
        )
        if target.note:
            yield from fact("", "muted", [Span(one_line(target.note), "warning")], width)

    def _place(self, path: str) -> str:
        inside = relative(path, self.root)
        return revealed(path if inside == "." else inside).replace("\n", "␊")

    def _named_elsewhere(self) -> tuple[str, ...]:
        """The fields whose path is listed among the targets already."""
        places = {target.path for target in self.request.targets}
        given = ((key, self.request.input.get(key)) for key in _PATHS)
        return tuple(
            key
            for key, path in given
            if isinstance(path, str) and str(PurePath(self.root) / path) in places
        )


def _written(value: object) -> str:
    """Return a field of a tool's input as text: JSON, on one line if it is short."""
    if isinstance(value, str):
        return value
    short = json.dumps(value, ensure_ascii=False, default=str)
    return (
        short
        if len(short) <= _SHORT_JSON
        else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    )


def risky_parts(command: str, spans: Iterable[Sequence[int]]) -> list[tuple[str, bool]]:
    """Return `command` in parts, each with whether it is risky: `spans` are (start, end) in any
    order, and may overlap.
    """
    risky = bytearray(len(command))
    for span in spans:
        start = max(0, span[0])
        end = max(start, min(len(command), span[-1]))
        risky[start:end] = b"\1" * (end - start)
    parts = []
    start = 0
    for end in range(1, len(command) + 1):
        if end == len(command) or risky[end] != risky[start]:
            parts.append((command[start:end], bool(risky[start])))
            start = end
    return parts


def diff_lines(diff: str, width: int) -> Lines:
    """Return the lines of a unified diff without its file header; of a hunk's header, only the line
    number is shown.
    """
    lines: Lines = []
    in_hunk = False
    shown, missing = _cut(diff)
    for text in shown.removesuffix("\n").split("\n"):
        hunk = _HUNK.match(text)
        if hunk is not None:
            lines += [BLANK] if lines else []
            place = max(1, int(hunk[1]))  # the number is 0 for a deleted file
            lines.append(
                Line(
                    crop(
                        [
                            Span(
                                tr("line {line}{heading}", line=place, heading=revealed(hunk[2])),
                                "muted",
                            )
                        ],
                        width,
                    )
                )
            )
            in_hunk = True
        elif in_hunk or not text.startswith(("--- ", "+++ ")):
            lines += _diff_line(text, width)
    return lines + _missing(missing, width)


def _diff_line(text: str, width: int) -> Iterator[Line]:
    style = {"+": "added", "-": "removed", " ": "output"}.get(text[:1], "muted")
    sign = {"-": "−"}.get(text[:1], text[:1]) if style != "muted" else ""
    fill = style if style in ("added", "removed") else ""
    body = revealed(text[1:] if sign else text)
    for line in prefixed(
        wrap([Span(body, style)], width - 2), Span(f"{sign or ' '} ", style), Span("  ", style)
    ):
        yield line._replace(fill=fill)


def _command(command: str, risky: Iterable[Sequence[int]], width: int) -> Iterator[Line]:
    shown, missing = _cut(command.replace("\r\n", "\n") if not risky else command)
    spans = [
        Span(revealed(text), "code risk" if is_risky else "code")
        for text, is_risky in risky_parts(shown, risky)
    ]
    for line in prefixed(wrap(spans, width - 4), Span(" $ ", "muted"), Span("   ")):
        yield line._replace(fill="code-block")
    yield from _missing(missing, width)


def fact(label: str, style: str, spans: Sequence[Span], width: int) -> Iterator[Line]:
    """A fact beside its label, or below it if there is too little space."""
    texts = [(revealed(text), missing) for text, missing in (_cut(span.text) for span in spans)]
    shown = [span._replace(text=text) for span, (text, _missing) in zip(spans, texts, strict=True)]
    label = revealed_line(label)
    column = _LABEL_COLUMN + 2
    if width < _NARROW:
        beside = cell_len(label) + 2
        column = beside if beside + sum(cell_len(span.text) for span in shown) <= width else 2
    rest = Span(" " * column)
    if cell_len(label) + 2 > column:
        yield from wrap([Span(label, style)], width)
        label = ""
    first = Span(label + " " * (column - cell_len(label)), style)
    yield from prefixed(wrap(shown, width - column), first, rest, copied=True)
    for _text, missing in texts:
        yield from _missing(missing, width)


def _state(target: Target) -> str:
    """Return the size of a place, or that it does not exist."""
    if not target.exists:
        return "  " + tr("new") if target.kind in ("create", "write") else tr("  does not exist")
    return f"  {readable_size(target.size)}" if target.size is not None else ""


def _cut(text: str) -> tuple[str, int]:
    return text[:_MOST_CHARACTERS], max(0, len(text) - _MOST_CHARACTERS)


def _missing(characters: int, width: int) -> Lines:
    if not characters:
        return []
    return wrap(
        [
            Span(
                tr(
                    "… {characters:,} more characters are not shown: deny unless you know them.",
                    characters=characters,
                ),
                "warning",
            )
        ],
        width,
    )


# ── Rows ──────────────────────────────────────────────────────────────────────────────────────────

_LEFT_FREE = 0.4
"""The share of the window left to the transcript."""
_LEAST_ROWS = 9
_FRAME = 1
_AIRY = 14
"""The number of rows for the call and the facts from which blank rows separate them, even if
something must scroll.
"""


class Rows(Record):
    """The number of rows of each part of the panel. `gap` is 1 if blank rows separate the parts,
    otherwise 0.
    """

    call: int
    facts: int
    gap: int


def room_for(window: int, *, enlarged: bool) -> int:
    """Return how many rows the panel may take in a window of `window` rows, two of which are the
    status and the keys.
    """
    whole = max(1, window - 2)
    return whole if enlarged else min(whole, max(_LEAST_ROWS, round(window * (1 - _LEFT_FREE))))


def share_rows(room: int, heading: int, call: int, facts: int, answers: int) -> Rows:
    """Distribute `room` rows: the sentence and the answers are always visible; the call and the
    facts scroll if needed.

    The row above the answers always exists. The facts get at least half of the space if they need
    it.
    """
    free = max(0, room - _FRAME - heading - answers - 1)
    gap = 1 if free >= min(call + facts + 2, _AIRY) else 0
    free = max(0, free - 2 * gap)
    facts_rows = min(facts, max(free // 2, free - call))
    return Rows(min(call, free - facts_rows), facts_rows, gap)


def scroll_cue(top: int, rows: int, lines: Sequence[Line]) -> str:
    """Describe which part of `lines` the `rows` from `top` show, and where more marked lines are;
    empty if all are visible.
    """
    if rows >= len(lines) or rows <= 0:
        return ""
    bottom = min(len(lines), top + rows)
    marked = [
        number
        for number, line in enumerate(lines)
        if any("risk" in span.style.split() for span in line.spans)
    ]
    below, above = (
        sum(number >= bottom for number in marked),
        sum(number < top for number in marked),
    )
    more = tr(" · more marked below ↓") if below else tr(" · more marked above ↑") if above else ""
    return tr(
        "rows {top}–{bottom} of {lines}{more}",
        top=top + 1,
        bottom=bottom,
        lines=len(lines),
        more=more,
    )


class Answer(Record):
    """An answer. `reply` is None for the one that first asks for text; `short` is used in narrow
    windows.
    """

    key: str
    words: str
    short: str
    reply: PermissionAnswer | None

    @property
    def allows(self) -> str:
        """The scope of what it allows, empty if it denies."""
        return self.reply.scope if self.reply and self.reply.behavior == "allow" else ""


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
"""All answers to questions asked beforehand, the safe one first."""
ANSWERS_AFTER = (STOP, DROP, KEEP, SESSION, ALWAYS, DROP_WORDS)
"""All answers to questions about what happened behind the wall."""

_GAP = 1
MARKS = ("  ", "❯ ")
"""The prefix of an answer: nothing, or the mark of the highlighted one."""

Placed = tuple[int, str]
"""The index of an answer, and how it is drawn."""


def offered(request: PermissionRequested) -> tuple[Answer, ...]:
    """Return the answers to `request`. Denying is always possible; with a reason if there is an
    agent to read it.
    """
    unread = (WORDS, STOP, DROP_WORDS) if not request.tool_use_id else ()
    return tuple(
        answer
        for answer in _answers(request)
        if answer not in unread and (not answer.allows or answer.allows in request.scopes)
    )


def _answers(request: PermissionRequested) -> tuple[Answer, ...]:
    return ANSWERS_AFTER if request.happened else ANSWERS


def why_not(request: PermissionRequested, key: str) -> str:
    """Return why the answer with `key` is not offered for `request`; empty if it is offered or does
    not exist.
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
    """Return the rows of `answers` in `width` cells: one row with full labels, otherwise with short
    ones, otherwise several.
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
