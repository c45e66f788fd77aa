"""The state of a clarification form: choices, typed text and cursor. Independent of the screen."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
from rich.cells import cell_len

from dogent_tui.agent.ui_requests import Clarification, Option, Question
from dogent_tui.language import tr
from dogent_tui.plain import revealed, revealed_line
from dogent_tui.records import Json, JsonDict, Record
from dogent_tui.tui.questions.model import title_lines
from dogent_tui.tui.transcript.lines import Line, Lines, Span, crop, prefixed, wrap

MOST_NUMBERED = 9
"""Rows that a number key reaches; 0 skips the question."""


class Row(NamedTuple):
    """A row of a question that the cursor can be on. `option` is the index of the option, -1 for
    other rows.
    """

    kind: Literal["option", "text", "skip"]
    option: int = -1


class EntryDraft(Record):
    """The answer to a question so far."""

    chosen: list[str] = []
    text: str = ""
    speaks: bool = False
    skipped: bool = False


class FormDraft(Record):
    """The answers so far, by question id, and the cursor position."""

    questions: dict[str, EntryDraft] = {}
    at: int = 0
    row: int = -1


class Entry:
    """A question with its answer so far."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.rows = (
            *(Row("option", number) for number in range(len(question.options))),
            *((Row("text"),) if question.takes_text else ()),
            Row("skip"),
        )
        self.chosen = set(question.recommended)
        self.text = ""
        self.speaks = False
        """Whether the user's own words are (part of) the answer."""
        self.skipped = False

    @property
    def answer(self) -> str | list[str] | None:
        """The value of the option, the text, or a list of them for multiple choice; None if there
        is no answer.
        """
        if self.skipped:
            return None
        values = [option.value for option in self.question.options if option.value in self.chosen]
        if self.speaks and self.text.strip():
            values.append(self.text.strip())
        if self.question.multiple and self.question.options:
            return values or None
        return values[0] if values else None

    @property
    def open(self) -> bool:
        """Whether the user still has to answer or skip it."""
        return not self.skipped and self.answer is None

    def is_on(self, row: Row) -> bool:
        """Whether `row` is part of the answer."""
        if row.kind == "skip":
            return self.skipped
        if self.skipped:
            return False
        if row.kind == "text":
            return self.speaks and bool(self.text.strip())
        return self.question.options[row.option].value in self.chosen

    def choose(self, row: Row, *, toggle: bool = True) -> None:
        """Choose `row`. If it is already chosen and `toggle` is set, deselect it where that is
        possible.
        """
        if row.kind == "skip":
            self.skipped = not (self.skipped and toggle)
            return
        was_on = self.is_on(row)
        self.skipped = False
        if row.kind == "text":
            self._speak()
        elif not self.question.multiple:
            self.chosen, self.speaks = {self.question.options[row.option].value}, False
        elif was_on and toggle:
            self.chosen.discard(self.question.options[row.option].value)
        else:
            self.chosen.add(self.question.options[row.option].value)

    def write(self, text: str) -> None:
        """Use `text` as the user's own words; clearing it does not restore earlier choices."""
        self.text = text
        if text.strip():
            self.skipped = False
            self._speak()
        else:
            self.speaks = False

    def _speak(self) -> None:
        self.speaks = bool(self.text.strip())
        if self.speaks and not self.question.multiple:
            self.chosen = set()

    @property
    def first_row(self) -> int:
        """The row where the cursor enters: the chosen one, or the first."""
        return next((number for number, row in enumerate(self.rows) if self.is_on(row)), 0)

    # ── For a crash ───────────────────────────────────────────────────────────────────────────

    def draft(self) -> EntryDraft:
        """Return the answer so far."""
        return EntryDraft(sorted(self.chosen), self.text, self.speaks, self.skipped)

    def restore(self, draft: EntryDraft) -> None:
        """Restore what `draft` returned, as far as it fits this question."""
        known = [o.value for o in self.question.options if o.value in draft.chosen]
        self.chosen = set(known if self.question.multiple else known[:1])
        if self.question.takes_text:
            self.text = draft.text
            if draft.speaks:
                self._speak()
        self.skipped = draft.skipped


class ClarificationForm:
    """All questions and the cursor, which is on a row of a question or on the final line that
    sends.
    """

    def __init__(self, request: Clarification, draft: Json | None = None) -> None:
        """Ask `request`. `draft` is what `draft()` returned when the form was closed or before a
        crash.
        """
        self.request = request
        self.entries = tuple(Entry(question) for question in request.questions)
        self.counter = ""
        """The number of this request and the total; empty for a single request."""
        self.at = 0
        self.row = self.entries[0].first_row
        if draft is not None:
            self._restore(draft)

    @property
    def sending(self) -> bool:
        """Whether the cursor is on the line that sends."""
        return self.at == len(self.entries)

    @property
    def entry(self) -> Entry | None:
        """The question under the cursor."""
        return None if self.sending else self.entries[self.at]

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.entry.rows[self.row] if self.entry is not None else None

    @property
    def open_entries(self) -> list[Entry]:
        """The questions neither answered nor skipped."""
        return [entry for entry in self.entries if entry.open]

    # ── The cursor ────────────────────────────────────────────────────────────────────────────

    def move(self, step: int) -> None:
        """Move by rows within the question."""
        if self.entry is not None:
            self.row = max(0, min(len(self.entry.rows) - 1, self.row + step))

    def turn(self, step: int) -> None:
        """Move by questions; after the last one comes the line that sends, then the first one
        again.
        """
        self.go((self.at + step) % (len(self.entries) + 1))

    def go(self, at: int, row: int = -1) -> None:
        """Move to a question, at the given row or at the chosen one."""
        self.at = at
        self.row = row if row >= 0 or self.entry is None else self.entry.first_row

    def to_text(self) -> bool:
        """Move to the line for the user's own words, if the question has one."""
        if self.entry is None or not self.entry.question.takes_text:
            return False
        self.row = self.entry.rows.index(Row("text"))
        return True

    # ── Answers ───────────────────────────────────────────────────────────────────────────────

    def choose(self, *, toggle: bool = True) -> None:
        """Choose what is under the cursor, or deselect it."""
        if self.entry is not None:
            self.entry.choose(self.entry.rows[self.row], toggle=toggle)

    def number(self, digit: int) -> bool:
        """Handle a number key: choose that row, or skip the question with 0. Returns whether the
        row exists.
        """
        # The last row, which skips, has the key 0.
        if self.entry is None or digit >= len(self.entry.rows):
            return False
        self.row = (digit or len(self.entry.rows)) - 1
        self.choose()
        return True

    def confirm(self) -> None:
        """Choose what is under the cursor and go to the next question. For multiple choice, only
        go.
        """
        entry, row = self.entry, self.current
        if entry is None or row is None:
            return
        if row.kind != "option" or not entry.question.multiple:
            self.choose(toggle=False)
        self.turn(1)

    @property
    def answers(self) -> dict[str, str | list[str]]:
        """The answers by question id, without skipped and open questions."""
        return {
            entry.question.id: answer
            for entry in self.entries
            if (answer := entry.answer) is not None
        }

    # ── For a crash ───────────────────────────────────────────────────────────────────────────

    def draft(self) -> JsonDict:
        """Return the whole state as JSON, for a form of the same request."""
        answered = {entry.question.id: entry.draft() for entry in self.entries}
        draft: JsonDict = msgspec.to_builtins(FormDraft(answered, self.at, self.row))
        return draft

    def _restore(self, kept: Json) -> None:
        """Restore a draft from the disk; parts that do not fit are ignored."""
        try:
            draft = msgspec.convert(kept, FormDraft)
        except msgspec.ValidationError:
            return
        for entry in self.entries:
            entry.restore(draft.questions.get(entry.question.id, entry.draft()))
        if 0 <= draft.at <= len(self.entries):
            self.go(draft.at)
            if self.entry is not None and 0 <= draft.row < len(self.entry.rows):
                self.row = draft.row


CURSOR = "❯ "


def heading(form: ClarificationForm, width: int) -> Lines:
    """Return the title and the position among several requests, with the number of open questions
    on the right.
    """
    left, total = len(form.open_entries), len(form.entries)
    counter = Span(tr("all answered"), "success")
    if left:
        counter = Span(tr("{left} of {total} open", left=left, total=total), "warning")
    which = [Span(f"{form.counter} · ", "muted")] if form.counter else []
    return title_lines(
        [*which, Span(revealed_line(form.request.title), "heading1")], counter, width
    )


def preface(form: ClarificationForm, width: int) -> Lines:
    """Return the agent's reason, with its paragraphs."""
    return wrap([Span(revealed(form.request.preface), "muted")], width)


def row_lines(entry: Entry, number: int, cursor: int | None, width: int) -> Iterator[Line]:
    """Yield an option, the label of the field for the user's own words, or the line that skips the
    question. `cursor` is the row under the cursor, None if it is in another question.
    """
    row, mark = entry.rows[number], row_mark(entry, number, cursor)
    if row.kind == "option":
        yield from _option(entry, entry.question.options[row.option], mark, width)
        return
    words = style = ""
    if row.kind == "skip":
        words = tr("Skipped: the agent decides") if entry.skipped else tr("Skip this question")
        style = "" if entry.skipped or number == cursor else "muted"
    yield Line(crop((*mark, Span(words, style)), width))


def row_mark(entry: Entry, number: int, cursor: int | None) -> tuple[Span, ...]:
    """Return the prefix of a row: cursor, choice mark and key."""
    row = entry.rows[number]
    on = entry.is_on(row)
    key = "0" if row.kind == "skip" else str(number + 1) if number < MOST_NUMBERED else " "
    if row.kind == "text" and not entry.question.options:
        mark, key = " ", " "
    elif row.kind == "skip":
        mark = "–" if on else " "
    elif entry.question.multiple:
        mark = "■" if on else "□"
    else:
        mark = "●" if on else "○"
    return (
        Span(CURSOR if number == cursor else "  ", "accent"),
        Span(f"{mark} ", "on" if on else "muted"),
        Span(f"{key} ", "key" if number == cursor else "muted"),
    )


def question_lines(entry: Entry, width: int) -> Iterable[Line]:
    """Return the question, marked as answered or not."""
    mark = (
        Span("– ", "muted")
        if entry.skipped
        else Span("? ", "warning")
        if entry.open
        else Span("✓ ", "success")
    )
    spans = [Span(revealed_line(entry.question.question), "strong")]
    if header := revealed_line(entry.question.header):
        spans.insert(0, Span(f"{header} · ", "muted"))
    if entry.question.multiple and entry.question.options:
        spans.append(Span(tr("  choose any number with Space"), "muted"))
    return prefixed(wrap(spans, width - 2), mark, Span("  "))


def _option(entry: Entry, option: Option, mark: Sequence[Span], width: int) -> Iterator[Line]:
    is_on = option.value in entry.chosen
    label = "muted" if entry.skipped else "strong" if is_on else ""
    spans = [Span(revealed_line(option.label), label)]
    if option.value in entry.question.recommended:
        spans.append(Span("  " + tr("recommended"), "muted" if entry.skipped else "success"))
    indent = Span(" " * sum(cell_len(span.text) for span in mark))
    room = width - cell_len(indent.text)
    first, *rest = wrap(spans, room)
    yield first._replace(spans=(*mark, *first.spans), decoration=len(indent.text))
    yield from prefixed(rest, indent)
    if option.description:
        yield from prefixed(wrap([Span(revealed_line(option.description), "muted")], room), indent)
