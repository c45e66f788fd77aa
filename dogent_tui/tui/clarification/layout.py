"""A question of the form as lines of text, each with the row that it belongs to."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.cells import cell_len

from dogent_tui.language import tr
from dogent_tui.plain import one_line, revealed
from dogent_tui.tui.clarification.model import MOST_NUMBERED, ClarificationForm, Entry, Row
from dogent_tui.tui.transcript.lines import Line, Span, crop, prefixed, wrap

CURSOR = "❯ "

_HEAD = -1


class Placed(NamedTuple):
    """A line, and the number of the row that it shows; -1 for the question itself."""

    line: Line
    row: int = _HEAD


def _shown(text: str) -> str:
    """Return a label or a question as one paragraph: what goes back is what is seen."""
    return one_line(revealed(text))


def heading(form: ClarificationForm, width: int) -> list[Line]:
    """Return the title, after which of several requests it is, with the number of open questions
    at its right.
    """
    left, total = len(form.open_entries), len(form.entries)
    counter, style = (
        (tr("{left} of {total} open", left=left, total=total), "warning")
        if left
        else (tr("all answered"), "success")
    )
    which = [Span(f"{form.counter} · ", "muted")] if form.counter else []
    title = [*which, Span(_shown(form.request.title), "heading1")]
    taken = cell_len(counter)
    if width < 3 * taken:
        return [*wrap(title, width), *wrap([Span(counter, style)], width)]
    first, *rest = wrap(title, width - taken - 2)
    gap = width - first.width - taken
    return [Line((*first.spans, Span(" " * gap), Span(counter, style))), *rest]


def preface(form: ClarificationForm, width: int) -> list[Line]:
    """Return the agent's reason, in its own paragraphs."""
    return (
        wrap([Span(revealed(form.request.preface), "muted")], width) if form.request.preface else []
    )


def question_lines(entry: Entry, cursor: int | None, width: int) -> list[Placed]:
    """Return the question and its options. `cursor` is the row under the cursor, None where that
    is in another question.
    """
    return [Placed(line) for line in _question(entry, width)] + [
        Placed(line, number)
        for number, row in enumerate(entry.rows)
        if row.kind == "option"
        for line in _option(entry, number, row, width, here=number == cursor)
    ]


def skip_lines(entry: Entry, cursor: int | None, width: int) -> list[Placed]:
    """Return the line that leaves the question to the agent."""
    number = len(entry.rows) - 1
    skipped = entry.skipped
    words = tr("Skipped: the agent decides") if skipped else tr("Skip this question")
    mark = row_mark(entry, number, cursor)
    style = "" if skipped or number == cursor else "muted"
    return [Placed(Line(crop((*mark, Span(words, style)), width)), number)]


def row_mark(entry: Entry, number: int, cursor: int | None) -> tuple[Span, ...]:
    """Return what stands before a row: the cursor, whether it is chosen, and its key."""
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


def _question(entry: Entry, width: int) -> Iterable[Line]:
    mark = (
        Span("– ", "muted")
        if entry.skipped
        else Span("? ", "warning")
        if entry.open
        else Span("✓ ", "success")
    )
    spans = [Span(_shown(entry.question.question), "strong")]
    if header := _shown(entry.question.header):
        spans.insert(0, Span(f"{header} · ", "muted"))
    if entry.question.multiple and entry.question.options:
        spans.append(Span(tr("  choose any number with Space"), "muted"))
    return prefixed(wrap(spans, width - 2), mark, Span("  "))


def _option(entry: Entry, number: int, row: Row, width: int, *, here: bool) -> Iterator[Line]:
    option = entry.question.options[row.option]
    on = entry.is_on(row)
    label = "muted" if entry.skipped else "strong" if on else ""
    spans = [Span(_shown(option.label), label)]
    if option.value in entry.question.recommended:
        spans.append(Span("  " + tr("recommended"), "muted" if entry.skipped else "success"))
    mark = row_mark(entry, number, number if here else None)
    indent = Span(" " * sum(cell_len(span.text) for span in mark))
    room = width - cell_len(indent.text)
    first, *rest = wrap(spans, room)
    yield Line((*mark, *first.spans))
    yield from prefixed(rest, indent)
    if option.description:
        yield from prefixed(wrap([Span(_shown(option.description), "muted")], room), indent)
