"""The layout of each kind of entry: an entry and a width → lines. `markdown` draws replies."""

import difflib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.cells import cell_len

from dogent_tui.agent import events as ev
from dogent_tui.agent.failures import retry_reason
from dogent_tui.agent.tool_names import (
    friendly_name,
    input_summary,
    relative,
    result_summary,
    review_words,
)
from dogent_tui.language import phrases, tr
from dogent_tui.plain import one_line, visible
from dogent_tui.records import JsonDict, Record
from dogent_tui.tui.questions.model import fact
from dogent_tui.tui.transcript import model
from dogent_tui.tui.transcript.lines import (
    BLANK,
    Line,
    Lines,
    Span,
    crop,
    hanging,
    prefixed,
    styled,
    wrap,
)
from dogent_tui.tui.transcript.markdown import markdown_lines
from dogent_tui.tui.widgets import duration

_LONG_TURN = 12
"""The number of lines from which a prompt is folded."""

_EXCERPT_LINES = 300
_EXCERPT_CHARACTERS = 40_000
"""The number of characters shown of a result, a prompt or a written file. The rest is mentioned,
not drawn.
"""

_MOST_OF_DIFF = 12
_MOST_OF_LINE = 3
"""Rows of a change, and of a line in it, shown on a folded card."""
_BEFORE_DIFFERENCE = 40
"""Characters of a long line shown before the first difference."""

SHELL_OF_THE_AGENT = "Bash"
"""The tool whose changes are shown even on a folded card, because they are what was asked about."""

SPINNER = "◐◓◑◒"


_Changes = Sequence[tuple[str, str]]
"""The old and the new text."""


class Look(Record):
    """What the lines depend on besides the entry. `now` is the time of events; `frame` advances the
    spinner.
    """

    width: int
    unfolded: bool = False
    cwd: str = ""
    now: float = 0.0
    frame: int | None = None


def foldable(entry: model.Entry) -> bool:
    """Return whether `entry` has more to show than it shows at first."""
    match entry:
        case model.ToolCall():
            return bool(entry.input) or entry.result is not None
        case model.Thinking():
            return bool(entry.text.strip())
        case model.Plan():
            return entry.finished
        case model.Compacted():
            return bool(entry.told.summary)
        case model.UserTurn():
            lines = entry.prompt.text.count("\n")
            return (
                lines >= _LONG_TURN
                or (entry.is_outline and lines > 0)
                or len(entry.prompt.text) > _LONG_TURN * 150
            )
    return False


def entry_lines(entry: model.Entry, look: Look) -> Lines:  # noqa: C901  (one flat table of entries)
    """Return the lines of `entry`, without space around them."""
    match entry:
        case model.UserTurn():
            return _user_turn(entry, look)
        case model.Thinking():
            return _thinking(entry, look)
        case model.Reply():
            return markdown_lines(entry.text, look.width)
        case model.ToolCall():
            return _tool_call(entry, look)
        case model.Plan():
            return _plan(entry, look)
        case model.Asked():
            return _asked(entry, look)
        case model.Compacted():
            return _compacted(entry.told, look)
        case model.Notice():
            return _sentence(*_LEVELS[entry.level], entry.message, entry.remedy, look.width)
        case model.Waiting():
            return _sentence("…", "warning", _waiting(entry.reason), "", look.width)
        case model.Outcome():
            return _outcome(entry, look)
    return []


_FOLDED = Span("  │ ", "rule")
"""The prefix of the lines that an entry shows when unfolded."""


def money(dollars: float) -> str:
    """Return an amount for display, small ones to the hundredth of a cent."""
    return f"${dollars:.2f}" if dollars >= 0.1 else f"${dollars:.4f}"


def _line(width: int, *spans: Span) -> Line:
    return Line(crop(spans, width))


def _fold_mark(look: Look) -> Span:
    return Span("▾ " if look.unfolded else "▸ ", "muted")


# ── What the user sent, what the model thought ──────────────────────────────────────────────────


def _user_turn(turn: model.UserTurn, look: Look) -> Lines:
    text, rest = _excerpt(turn.prompt.text.strip("\n"))
    width, folds = look.width - 3, foldable(turn)
    more = f"▾ {rest}".rstrip() if folds else ""
    most = None
    if folds and not look.unfolded:
        if turn.is_outline:  # its message; the editor showed the rest
            text = text.partition("\n")[0]
        text, most = text[: _LONG_TURN * 200], _LONG_TURN - 2
        count = turn.prompt.text.count("\n") + 1
        more = tr("▸ {count:,} lines in total", count=count)
    lines = wrap([Span(text, "user")], width)[:most]
    if more:
        lines.append(_mark(more, width))
    bar = Span("▌ ", "user-bar")
    return [line._replace(fill="user-block") for line in prefixed(lines, bar)]


def _thinking(thinking: model.Thinking, look: Look) -> Lines:
    seconds = thinking.ended - thinking.started
    title, last = tr("Thinking…"), ""
    if thinking.finished:
        title = tr("Thought")
        if seconds >= 1:
            title += tr(" for {seconds}", seconds=duration(seconds))
    elif not look.unfolded and (text := thinking.text.strip()):
        last = f"  {one_line(text.rpartition(chr(10))[2][-400:])}"
    head = _line(look.width, _fold_mark(look), Span(title, "thinking"), Span(last, "muted"))
    if not look.unfolded:
        return [head]
    body = (styled(line, "thinking") for line in markdown_lines(thinking.text, look.width - 4))
    return [head, *prefixed(body, _FOLDED)]


# ── Tool calls ────────────────────────────────────────────────────────────────────────────────────


def _tool_call(call: model.ToolCall, look: Look) -> Lines:
    indent = "  " * min(call.depth, 4)
    width = look.width - len(indent)
    name, summary = friendly_name(call.name), input_summary(call.input, look.cwd)
    mark, style, words = _tool_state(call, look)
    left = width - 2 - cell_len(name)
    room = left - 2 - 6
    if summary:
        room = max(min(36, room // 2), room - cell_len(summary))
        summary = f"  {summary}"
    told = Span(f" {words}" if words else "", style if style in {"error", "warning"} else "muted")
    end = [Span("  "), Span(mark, style), *crop([told], max(0, room))]
    middle = crop([Span(summary, "summary")], max(0, left - Line(tuple(end)).width))
    fold = _fold_mark(look) if foldable(call) else Span("  ")
    lines = [_line(width, fold, Span(name, "tool"), *middle, *end)]
    if outcome := _outcome_of(call, look.cwd):
        line = _line(width, Span("  ↳ ", "muted"), Span(outcome, "muted"))
        lines.append(line._replace(decoration=4))
    if look.unfolded:
        lines += prefixed(_tool_body(call, width - 4, look.cwd), _FOLDED)
    elif call.state == "done":
        lines += prefixed(_short_diff(call, width - 4), _FOLDED)
    return list(prefixed(lines, Span(indent))) if indent else lines


def _outcome_of(call: model.ToolCall, cwd: str) -> str:
    """Show the user's answer and how to undo the change; for edits that ran without asking, only
    when unfolded.
    """
    decided = _decided(call)
    undo = (
        _undoable(call, cwd) if call.kept and (decided or call.name == SHELL_OF_THE_AGENT) else ""
    )
    return phrases(decided, undo)


def _undoable(call: model.ToolCall, cwd: str) -> str:
    """Show what can be reverted, and how."""
    first = one_line(relative(call.kept[0], cwd))
    more = tr(" and {more} more", more=len(call.kept) - 1) if len(call.kept) > 1 else ""
    return tr("/undo reverts {first}{more}", first=first, more=more)


def _tool_state(call: model.ToolCall, look: Look) -> tuple[str, str, str]:
    """Return the mark, its style and the text."""
    match call.state:
        case "preparing":
            return _spin(look), "accent", tr("being written")
        case "behind":
            return "·", "muted", tr("not started")
        case "running":
            seconds = look.now - call.started if call.started else 0
            spent = duration(seconds) if seconds >= 1 else ""
            running = tr("running  {spent}", spent=spent).rstrip()
            return _spin(look), "accent", phrases(running, _progress(call))
        case "waiting":
            return "?", "warning", tr("waiting for you")
        case "done":
            words = review_words(call.result or "") or _changed_lines(call) or _gist(call)
            return "✓", "success", words
        case "failed":
            why = _reason(call.result or "")
            return "✗", "error", tr("failed: {reason}", reason=why) if why else tr("failed")
        case "denied":
            return "✗", "error", tr("denied")
        case "stopped":
            return "■", "muted", tr("stopped")


_SIGNS = {"+": "added", "-": "removed", " ": "output"}
_EDITS = ("Edit", "MultiEdit")
"""Tools whose input is the change."""
_OURS = "mcp__dogent__"
_ALLOWED: Mapping[ev.Scope, str] = {
    "once": tr("allowed once"),
    "session": tr("allowed for this session"),
    "always": tr("always allowed in this workspace"),
}


def _decided(call: model.ToolCall) -> str:
    """Return the user's answer, empty if the mark of the call tells it already."""
    if call.decided is None or call.decided.decision == "cancelled":
        return ""
    message = one_line(call.decided.message)
    if call.decided.decision == "deny":
        return tr("you said: “{message}”", message=message) if message else ""
    return phrases(_ALLOWED.get(call.decided.scope, tr("allowed")), message)


def _spin(look: Look) -> str:
    return "●" if look.frame is None else SPINNER[look.frame % len(SPINNER)]


_CHARACTERS = re.compile(r" · characters \d+ to \d+(?: of \d+)?")


def _progress(call: model.ToolCall) -> str:
    """Return the latest progress message of a built-in tool."""
    if not call.name.startswith(_OURS):
        return ""
    return one_line((call.result or "").rstrip("\n").rpartition("\n")[2])


def _gist(call: model.ToolCall) -> str:
    """Summarize the result in a few words: for a built-in tool, its first line."""
    result = call.result or ""
    if call.name == f"{_OURS}read_document":
        return _CHARACTERS.sub("", _first_line(result).partition(" · ")[2])
    if call.name in {f"{_OURS}export_document", f"{_OURS}check_quotes"}:
        return _first_line(result)
    if summary := result_summary(call.name, result):
        return summary
    lines = result.strip("\n").count("\n") + 1
    if lines > 1:
        return tr("{lines:,} lines", lines=lines)
    return _first_line(result) or tr("no output")


_CLI_ERROR = re.compile("</?tool_use_error>(?:Error: )?")
"""What the CLI puts around its own errors."""


def _first_line(result: str) -> str:
    return _reason(result.strip().partition("\n")[0])


def _reason(result: str) -> str:
    """Return the beginning of an error: of a command, the line after its exit status tells most."""
    lines = _CLI_ERROR.sub("", result.strip()[:400]).splitlines()
    return phrases(*map(one_line, lines))


def _changed_lines(call: model.ToolCall) -> str:
    """Return how many lines a change of a file adds and removes; empty for other calls and very
    long ones.
    """
    changes = call.changes or _change(dict(call.input))
    if not changes or _is_long(changes):
        return ""
    signs = [sign for old, new in changes for sign, _ in _compared(old, new)]
    if call.changes and not {*signs} & {*"+-"}:
        return tr("nothing changed")
    return tr("+{added} −{removed} lines", added=signs.count("+"), removed=signs.count("-"))


def _is_long(changes: _Changes) -> bool:
    return sum(len(old) + len(new) for old, new in changes) > _EXCERPT_CHARACTERS


def _tool_body(call: model.ToolCall, width: int, cwd: str) -> Iterator[Line]:
    shown = dict(call.input)
    if call.of_the_user and "\n" not in str(call.input.get("command")):
        shown.clear()
    wanted = _change(shown)
    for key, value in shown.items():
        if not isinstance(value, str):
            value = json.dumps(value, ensure_ascii=False, default=str)
        yield from _field(key, relative(value, cwd), width)
    # After the write: a file written whole is mostly unchanged.
    if change := call.changes or wanted:
        yield BLANK
        yield from _diff(change, width)
    if call.decided is not None and call.decided.message:
        said = tr("you said") if call.decided.decision == "deny" else tr("allowed")
        yield from _field(said, call.decided.message, width)
    if call.kept:
        yield from _field("undo", _undoable(call, cwd), width)
    if call.result is not None:
        yield from [BLANK] if shown else ()
        yield from _result(call.result, "error" if call.state == "failed" else "output", width)


def _result(result: str, style: str, width: int) -> Iterator[Line]:
    text, rest = _excerpt(result.strip("\n"))
    for line in text.split("\n"):
        yield from _indented(line, style, width)
    if rest:
        yield _mark(rest, width)


def _indented(line: str, style: str, width: int) -> Iterable[Line]:
    """A line of output; continuation lines have the same indentation as the line itself."""
    text = line.lstrip(" ")
    indent = len(line) - len(text)
    if not 0 < indent <= width // 2:
        return wrap([Span(line, style)], width)
    lines = wrap([Span(text, style)], width - indent)
    return prefixed(lines, Span(" " * indent), copied=True)


def _field(name: str, text: str, width: int) -> Iterator[Line]:
    """A field of the input, with the beginning of its text."""
    shown, rest = _excerpt(text)
    yield from fact(name, "muted", [Span(shown, "output")], width)
    if rest:
        yield _mark(rest, width)


def _change(fields: JsonDict) -> _Changes:
    """Remove the fields that hold a file change from `fields`, and return the old and the new
    text.
    """
    changes = []
    old, new = fields.get("old_string"), fields.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        del fields["old_string"], fields["new_string"]
        changes.append((old, new))
    whole = [key for key in ("content", "new_content") if isinstance(fields.get(key), str)]
    changes += [("", fields.pop(key)) for key in whole]
    edits = fields.get("edits")
    if isinstance(edits, Sequence) and edits and all(isinstance(edit, Mapping) for edit in edits):
        del fields["edits"]
        changes += [
            (str(edit.get("old_string", "")), str(edit.get("new_string", ""))) for edit in edits
        ]
    return changes


def _diff(changes: _Changes, width: int) -> Iterator[Line]:
    for number, (old, new) in enumerate(changes):
        if number:
            yield Line((Span("⋯", "muted"),), decoration=1)
        before, rest_before = _excerpt(old)
        after, rest_after = _excerpt(new)
        for sign, text in _compared(before, after):
            yield from _signed(sign, text, width)
        if rest_before or rest_after:
            yield _mark(rest_after or rest_before, width)


def _short_diff(call: model.ToolCall, width: int) -> Lines:
    """Return the essence of a text change: the lines that differ, about a dozen rows. Empty for a
    new file.
    """
    changes = call.changes or (_change(dict(call.input)) if call.name in _EDITS else ())
    if _is_long(changes):
        return []
    rows: Lines = []
    for old, new in changes:
        for sign, text in _compared(visible(old), visible(new), brief=True):
            rows += _signed(sign, text, width, _MOST_OF_LINE)
    left = len(rows) - _MOST_OF_DIFF
    if left <= 1:
        return rows
    return [*rows[:_MOST_OF_DIFF], _mark(tr("▸ {left:,} more lines", left=left), width)]


def _signed(sign: str, text: str, width: int, most: int | None = None) -> Iterator[Line]:
    """Draw a line of a change in at most `most` rows."""
    style = _SIGNS[sign]
    rows = wrap([Span(text, style)], max(1, width - 2))
    if most and len(rows) > most:
        rows[most - 1 :] = [_line(width - 2, *rows[most - 1].spans, Span(" …", style))]
    return hanging(rows, Span(f"{sign} ", style))


def _compared(old: str, new: str, *, brief: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the lines of both texts with their status: ``+``, ``-`` or a space. `brief`: only those
    that differ, and of two long lines with a common beginning only the difference and a little
    before it.
    """
    before, after = _split(old), _split(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        gone, came = before[start:end], after[new_start:new_end]
        if tag == "equal":
            yield from () if brief else ((" ", line) for line in gone)
            continue
        for at, pair in enumerate(zip(gone, came, strict=False) if brief else ()):
            cut = len(os.path.commonprefix(pair)) - _BEFORE_DIFFERENCE  # noqa: RUF071  (characters)
            if cut > _BEFORE_DIFFERENCE:
                gone[at], came[at] = (
                    f"… {line[cut:].partition(' ')[2] or line[cut:]}" for line in pair
                )
        yield from (("-", line) for line in gone)
        yield from (("+", line) for line in came)


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _excerpt(text: str) -> tuple[str, str]:
    """Return the part of `text` to draw, made safe, and a remark about the rest."""
    shown = "\n".join(text[:_EXCERPT_CHARACTERS].split("\n", _EXCERPT_LINES)[:_EXCERPT_LINES])
    if len(shown) == len(text):
        return visible(text), ""
    more = text.count("\n", len(shown) + 1)
    if more:
        return visible(shown), tr("… {more:,} more lines", more=more + 1)
    words = tr("… {more:,} more characters")
    return visible(shown), words.format(more=len(text) - len(shown))


# ── Plan, questions, notices, outcome ─────────────────────────────────────────────────────────────

_TODO_MARKS: Mapping[ev.TodoStatus, tuple[str, str, str]] = {
    "completed": ("✓", "success", "muted"),
    "in_progress": ("▶", "accent", "strong"),
    "pending": ("○", "muted", ""),
}

_LEVELS: Mapping[ev.Level, tuple[str, str]] = {
    "info": ("ℹ", "muted"),
    "warning": ("!", "warning"),
    "error": ("✗", "error"),
}

_ASKED = {
    "clarification": tr("The agent asks"),
    "outline_edit": tr("The agent proposes an outline"),
    "document_change": tr("The agent proposes a change to"),
}

ENDS: Mapping[str, tuple[str, str, str]] = {
    "completed": ("✓", "muted", tr("done")),
    "needs_clarification": ("?", "warning", tr("waits for your answers")),
    "needs_outline_edit": ("?", "warning", tr("waiting for the outline")),
    "aborted": ("✗", "warning", tr("ended")),  # the call shows that it was denied
    "interrupted": ("■", "warning", tr("stopped by you")),
    "failed": ("✗", "error", tr("failed")),
}


def _plan(plan: model.Plan, look: Look) -> Lines:
    done = sum(todo.status == "completed" for todo in plan.todos)
    count = Span(tr("  {done} of {todos}", done=done, todos=len(plan.todos)), "muted")
    head = [Span(tr("Plan"), "strong"), count]
    if plan.finished:
        head = [_fold_mark(look), *head, Span(" ✓", "success")]
    lines = [Line(tuple(head))]
    if plan.finished and not look.unfolded:
        return lines
    for todo in plan.todos:
        mark, mark_style, style = _TODO_MARKS[todo.status]
        words = wrap([Span(one_line(todo.content), style)], look.width - 2)
        lines += hanging(words, Span(f"{mark} ", mark_style), copied=True)
    return lines


_ASKED_STATES = {"open": "", "answered": tr(" · answered"), "abandoned": tr(" · not answered")}


def _asked(asked: model.Asked, look: Look) -> Lines:
    what = _ASKED[asked.kind]
    words = tr("{what}: {title}", what=what, title=asked.title) if asked.title else what
    words += _ASKED_STATES[asked.state]
    return _sentence("?", "accent", words, asked.detail, look.width)


def _compacted(told: ev.Compacted, look: Look) -> Lines:
    """A rule between what the agent knows only as a summary and what it remembers; unfolded, with
    the summary.
    """
    title = tr("Compacted by you") if told.by_user else tr("Compacted: the context was full")
    spent = ""
    if told.before_tokens and told.after_tokens:
        spent = tr(
            " · {before:,} → {after:,} tokens", before=told.before_tokens, after=told.after_tokens
        )
    fold = _fold_mark(look) if told.summary else Span("  ")
    words = tr(
        "Of what is above, the agent now has only this summary and the last messages. Your files"
        " are unchanged."
    )
    lines = [
        Line((Span("─" * look.width, "rule"),), decoration=look.width),
        _line(look.width, fold, Span(title, "strong"), Span(spent, "muted")),
        *prefixed(wrap([Span(words, "muted")], look.width - 2), Span("  ")),
    ]
    if look.unfolded:
        text, rest = _excerpt(told.summary)
        lines += prefixed(markdown_lines(text, look.width - 4), _FOLDED)
        if rest:
            lines += prefixed([_mark(rest, look.width - 4)], _FOLDED)
    return lines


def _outcome(outcome: model.Outcome, look: Look) -> Lines:
    mark, style, words = ENDS[outcome.status]
    if outcome.status == "interrupted" and outcome.code == ev.CLOSED:
        words = tr("cut off when dogent-tui ended")
    if outcome.duration_ms is not None:
        spent = tr(" in {duration}") if outcome.status == "completed" else tr(" after {duration}")
        words += spent.format(duration=duration(outcome.duration_ms / 1000))
    if outcome.cost_usd is not None:
        words += f" · {money(outcome.cost_usd)}"
    if outcome.reason and outcome.status == "failed":  # the others are shown above
        words = tr("{what}: {title}", what=words, title=outcome.reason)
    return _sentence(mark, style, words, outcome.remedy, look.width)


def _sentence(mark: str, style: str, words: str, remedy: str, width: int) -> Lines:
    said = wrap([Span(visible(words), style)], width - 2)
    lines = list(hanging(said, Span(f"{mark} ", style)))
    if remedy:
        lines += hanging(wrap([Span(visible(remedy))], width - 4), Span("  → ", "muted"))
    return lines


def _waiting(reason: ev.Compacting | ev.Retrying | ev.Stalled) -> str:
    match reason:
        case ev.Compacting():
            return tr(
                "The conversation is being summarized, so that it fits into the context. Esc stops"
                " it."
            )
        case ev.Stalled(seconds=seconds, most_s=most) if most:
            return tr(
                "Nothing received for {seconds}. The run is given up after {most}; Esc stops it"
                " now.",
                seconds=duration(seconds),
                most=duration(most),
            )
        case ev.Stalled(seconds=seconds):
            words = tr("Nothing received for {seconds}. Esc stops the run.")
            return words.format(seconds=duration(seconds))
    return tr(
        "The endpoint failed ({what}). Retrying in {when}, attempt {attempt} of {max_attempts}.",
        what=retry_reason(reason),
        when=duration(reason.delay_ms / 1000),
        attempt=reason.attempt,
        max_attempts=reason.max_attempts,
    )


def _mark(words: str, width: int) -> Line:
    """A line about the text, which is not part of it."""
    line = _line(width, Span(words, "muted"))
    return line._replace(decoration=len(line.text))
