"""How each kind of entry looks: an entry, a width → lines. Replies are drawn by `markdown`."""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from dogent_tui.agent import events as ev
from dogent_tui.agent.failures import retry_reason
from dogent_tui.agent.tool_names import (
    friendly_name,
    input_summary,
    relative,
    result_summary,
    review_words,
)
from dogent_tui.language import tr
from dogent_tui.plain import one_line, visible
from dogent_tui.tui.transcript import model
from dogent_tui.tui.transcript.lines import BLANK, Line, Span, chop, crop, prefixed, wrap
from dogent_tui.tui.transcript.markdown import markdown_lines

_LONG_TURN = 12
"""Lines of a prompt beyond which it is folded."""

_EXCERPT_LINES = 300
_EXCERPT_CHARACTERS = 40_000
"""What is shown of a result, a prompt or a written file. The rest is named, not drawn: nobody
scrolls through it here.
"""

_NAME_COLUMN = 12
"""Cells for the names of the fields of a tool's input."""

_MOST_OF_DIFF = 12
_MOST_OF_LINE = 3
"""Rows of a change, and of a line in it, that are shown where its card is folded."""
_BEFORE_DIFFERENCE = 40
"""Characters of a long line that are shown before what differs in it."""

SHELL_OF_THE_AGENT = "Bash"
"""The tool whose changes are said at once, and not only where its card is unfolded: they are
what was asked about.
"""

SPINNER = "◐◓◑◒"
_SPINNING = "●"


class Look(msgspec.Struct, frozen=True):
    """What an entry's lines depend on besides the entry. `now` is the time of events;
    `frame` counts the spinner on.
    """

    width: int
    unfolded: bool = False
    cwd: str = ""
    now: float = 0.0
    frame: int | None = None


def foldable(entry: model.Entry) -> bool:
    """Say whether `entry` has more to show than it shows at first."""
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


def entry_lines(entry: model.Entry, look: Look) -> list[Line]:  # noqa: C901  (one flat table of entries)
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


def duration(seconds: float) -> str:
    """Return a time as a user says it: ``0.4 s``, ``12 s``, ``3 min 5 s``, ``1 h 2 min``."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return tr("{minutes} min {seconds} s").format(minutes=whole // 60, seconds=whole % 60)
    return tr("{hours} h {minutes} min").format(hours=whole // 3600, minutes=whole % 3600 // 60)


# ── What the user sent, what the model thought ──────────────────────────────────────────────────


def _user_turn(turn: model.UserTurn, look: Look) -> list[Line]:
    bar = Span("▌ ", "user-bar")
    text, rest = _excerpt(turn.prompt.text.strip("\n"))
    more = ""
    if foldable(turn) and not look.unfolded:
        begun = (
            text.partition("\n")[0] if turn.is_outline else text
        )  # its sentence; the editor showed the rest
        shown = wrap([Span(begun[: _LONG_TURN * 200], "user")], look.width - 3)[: _LONG_TURN - 2]
        more = tr("▸ {count:,} lines in total").format(count=turn.prompt.text.count(chr(10)) + 1)
    else:
        shown = wrap([Span(text, "user")], look.width - 3)
        more = f"▾ {rest}".rstrip() if foldable(turn) else ""
    lines = [*shown, *([_mark(more, look.width - 3)] if more else [])]
    return [line._replace(fill="user-block") for line in prefixed(lines, bar)]


def _thinking(thinking: model.Thinking, look: Look) -> list[Line]:
    seconds = thinking.ended - thinking.started
    title = tr("Thought") if thinking.finished else tr("Thinking…")
    head = [Span("▾ " if look.unfolded else "▸ ", "muted"), Span(title, "thinking")]
    if thinking.finished and seconds >= 1:
        head.append(Span(tr(" for {seconds}").format(seconds=duration(seconds)), "thinking"))
    if not look.unfolded:
        last = thinking.text.strip().rpartition("\n")[2] if not thinking.finished else ""
        return [
            Line(
                crop(
                    [*head, Span(f"  {one_line(last[-400:])}" if last else "", "muted")], look.width
                )
            )
        ]
    body = (
        line._replace(
            spans=tuple(
                span._replace(style=f"thinking {span.style}".rstrip()) for span in line.spans
            )
        )
        for line in markdown_lines(thinking.text, look.width - 4)
    )
    return [Line(tuple(head)), *prefixed(body, Span("  │ ", "rule"))]


# ── Tool calls ────────────────────────────────────────────────────────────────────────────────────


def _tool_call(call: model.ToolCall, look: Look) -> list[Line]:
    indent = Span("  " * min(call.depth, 4))
    width = look.width - len(indent.text)
    name = friendly_name(call.name)
    fold = ("▾ " if look.unfolded else "▸ ") if foldable(call) else "  "
    mark, style, words = _tool_state(call, look)
    end = [
        Span("  "),
        Span(mark, style),
        Span(f" {words}" if words else "", style if style in {"error", "warning"} else "muted"),
    ]
    summary = input_summary(call.input, look.cwd)
    left = width - len(fold) - _cells(name)
    room = left - 2 - 6
    words_room = max(min(36, room // 2), room - _cells(summary)) if summary else room
    end = [*end[:2], *crop(end[2:], max(0, words_room))]
    middle = crop(
        [Span(f"  {summary}", "summary")], max(0, left - sum(_cells(s.text) for s in end))
    )
    head = Line(
        crop([Span(fold, "muted"), Span(name, "tool"), *(middle if summary else ()), *end], width)
    )
    lines = [head]
    if outcome := _outcome_of(call, look.cwd):
        lines.append(
            Line(crop([Span("  ↳ ", "muted"), Span(outcome, "muted")], width), decoration=4)
        )
    if not look.unfolded and call.state == "done":
        lines += prefixed(_short_diff(call, width - 4), Span("  │ ", "rule"))
    if look.unfolded:
        lines += prefixed(_tool_body(call, width - 4, look.cwd), Span("  │ ", "rule"))
    return list(prefixed(lines, indent)) if indent.text else lines


def _outcome_of(call: model.ToolCall, cwd: str) -> str:
    """Say what the user answered, and how to take back what was done; edits that ran unasked say
    that only when unfolded.
    """
    decided = _decided(call)
    undo = (
        _undoable(call, cwd) if call.kept and (decided or call.name == SHELL_OF_THE_AGENT) else ""
    )
    return " · ".join(filter(None, [decided, undo]))


def _undoable(call: model.ToolCall, cwd: str) -> str:
    """Say what can be brought back, and how."""
    first = one_line(relative(call.kept[0], cwd))
    more = tr(" and {more} more").format(more=len(call.kept) - 1) if len(call.kept) > 1 else ""
    return tr("/undo restores {first}{more}").format(first=first, more=more)


def _cells(text: str) -> int:
    return Line((Span(text),)).width


def _tool_state(call: model.ToolCall, look: Look) -> tuple[str, str, str]:
    """Return the mark, its style and the words."""
    spent = (
        duration(look.now - call.started) if call.started and look.now - call.started >= 1 else ""
    )
    match call.state:
        case "preparing":
            return _spin(look), "accent", tr("being written")
        case "running":
            return (
                _spin(look),
                "accent",
                " · ".join(
                    filter(
                        None, [tr("running  {spent}").format(spent=spent).rstrip(), _progress(call)]
                    )
                ),
            )
        case "waiting":
            return "?", "warning", tr("waiting for you")
        case "done":
            return (
                "✓",
                "success",
                review_words(call.result or "") or _changed_lines(call) or _gist(call),
            )
        case "failed":
            why = _first_line(call.result or "")
            return "✗", "error", tr("failed: {reason}").format(reason=why) if why else tr("failed")
        case "denied":
            return "✗", "error", tr("denied")
        case "stopped":
            return "■", "muted", tr("stopped")


_EDITS = ("Edit", "MultiEdit")
"""Tools whose input is the change."""
_OURS = "mcp__dogent__"
_ALLOWED: Mapping[ev.Scope, str] = {
    "once": tr("allowed once"),
    "session": tr("allowed for this session"),
    "always": tr("always allowed in this workspace"),
}


def _decided(call: model.ToolCall) -> str:
    """Say what the user answered, empty where the mark of the call says it already."""
    if call.decided is None or call.decided.decision == "cancelled":
        return ""
    message = one_line(call.decided.message)
    if call.decided.decision == "deny":
        return tr("you said: “{message}”").format(message=message) if message else ""
    return " · ".join(
        part for part in (_ALLOWED.get(call.decided.scope, tr("allowed")), message) if part
    )


def _spin(look: Look) -> str:
    return _SPINNING if look.frame is None else SPINNER[look.frame % len(SPINNER)]


_CHARACTERS = re.compile(r" · characters \d+ to \d+(?: of \d+)?")


def _progress(call: model.ToolCall) -> str:
    """Return what a tool of ours told last of how far it is."""
    return (
        one_line((call.result or "").rstrip("\n").rpartition("\n")[2])
        if call.name.startswith(_OURS)
        else ""
    )


def _gist(call: model.ToolCall) -> str:
    """Say in a few words what came back. The first line of what a tool of ours answers says it."""
    result = call.result or ""
    if call.name == f"{_OURS}read_document":
        return _CHARACTERS.sub("", _first_line(result).partition(" · ")[2])
    if call.name in {f"{_OURS}export_document", f"{_OURS}check_quotes"}:
        return _first_line(result)
    if summary := result_summary(call.name, result):
        return summary
    lines = result.strip("\n").count("\n") + 1
    return (
        tr("{lines:,} lines").format(lines=lines)
        if lines > 1
        else _first_line(result) or tr("no output")
    )


def _first_line(result: str) -> str:
    line = result.strip()[:400].partition("\n")[0]
    return one_line(
        line.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
    )  # as the CLI wraps its own errors


def _changed_lines(call: model.ToolCall) -> str:
    """Say how many lines a change of a file adds and takes away; empty where the call is none,
    or a very long one.
    """
    changes = call.changes or list(_change(dict(call.input)))
    if not changes or sum(len(old) + len(new) for old, new in changes) > _EXCERPT_CHARACTERS:
        return ""
    signs = [text[0] for old, new in changes for text in _compared(_split(old), _split(new))]
    return tr("+{added} −{removed} lines").format(added=signs.count("+"), removed=signs.count("-"))


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _tool_body(call: model.ToolCall, width: int, cwd: str) -> Iterator[Line]:
    shown = (
        {} if call.of_the_user and "\n" not in str(call.input.get("command")) else dict(call.input)
    )
    wanted = list(_change(shown))
    change = (
        call.changes or wanted
    )  # where it is done: a file that is written whole has mostly stayed as it was
    for key, value in shown.items():
        text = (
            relative(value, cwd)
            if isinstance(value, str)
            else json.dumps(value, ensure_ascii=False, default=str)
        )
        yield from _field(key, text, width)
    if change:
        yield BLANK
        yield from _diff(change, width)
    if call.decided is not None and call.decided.message:
        yield from _field(
            tr("you said") if call.decided.decision == "deny" else tr("allowed"),
            call.decided.message,
            width,
        )
    if call.kept:
        yield from _field("undo", _undoable(call, cwd), width)
    if call.result is not None:
        if shown:
            yield BLANK
        text, rest = _excerpt(call.result.strip("\n"))
        style = "error" if call.state == "failed" else "output"
        for line in text.split("\n"):
            yield from _indented(line, style, width)
        if rest:
            yield _mark(rest, width)


def _indented(line: str, style: str, width: int) -> Iterator[Line]:
    """A line of output; what does not fit continues below, as far from the margin as the line
    begins.
    """
    indent = line[: len(line) - len(line.lstrip(" "))]
    if not indent or len(indent) > width // 2:
        yield from chop([Span(line, style)], width)
    else:
        yield from prefixed(
            chop([Span(line.lstrip(" "), style)], width - len(indent)), Span(indent), copied=True
        )


def _field(name: str, text: str, width: int) -> Iterator[Line]:
    """A field of the input: its name beside its text, or where that leaves too little room,
    above it.
    """
    indent = _NAME_COLUMN if width >= 3 * _NAME_COLUMN else 2
    shown, rest = _excerpt(text)
    lines = wrap([Span(shown, "output")], max(4, width - indent))
    if rest:
        lines.append(_mark(rest, max(4, width - indent)))
    name = one_line(name)
    if indent == 2 or _cells(name) >= _NAME_COLUMN:
        yield Line(crop([Span(name, "muted")], width))
        yield from prefixed(lines, Span(" " * indent))
    else:
        yield from prefixed(
            lines,
            Span(name + " " * (indent - _cells(name)), "muted"),
            Span(" " * indent),
            copied=True,
        )


def _change(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Take the fields that hold a change of a file out of `fields`: what was there and what
    comes in its place.
    """
    old, new = fields.get("old_string"), fields.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        del fields["old_string"], fields["new_string"]
        yield old, new
    for key in ("content", "new_content"):
        if isinstance(fields.get(key), str):
            yield "", fields.pop(key)
    edits = fields.get("edits")
    if isinstance(edits, Sequence) and edits and all(isinstance(edit, Mapping) for edit in edits):
        for edit in fields.pop("edits"):
            yield str(edit.get("old_string", "")), str(edit.get("new_string", ""))


def _diff(changes: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    for number, (old, new) in enumerate(changes):
        if number:
            yield Line((Span("⋯", "muted"),), decoration=1)
        before, rest_before = _excerpt(old)
        after, rest_after = _excerpt(new)
        for text in _compared(_split(before), _split(after)):
            style = {"+": "added", "-": "removed"}.get(text[0], "output")
            yield from prefixed(
                chop([Span(text[2:], style)], width - 2), Span(f"{text[0]} ", style), Span("  ")
            )
        if rest_before or rest_after:
            yield _mark(rest_after or rest_before, width)


def _short_diff(call: model.ToolCall, width: int) -> list[Line]:
    """Return what a change of a text comes down to: the lines that differ, a dozen rows of them.
    Nothing for a new file.
    """
    changes = call.changes or (list(_change(dict(call.input))) if call.name in _EDITS else ())
    if not changes or sum(len(old) + len(new) for old, new in changes) > _EXCERPT_CHARACTERS:
        return []
    rows: list[Line] = []
    for old, new in changes:
        for text in _differing(_split(visible(old)), _split(visible(new))):
            style = "added" if text[0] == "+" else "removed"
            drawn = chop([Span(text[2:], style)], max(1, width - 2))
            if len(drawn) > _MOST_OF_LINE:
                last = crop([*drawn[_MOST_OF_LINE - 1].spans, Span(" …", style)], width - 2)
                drawn = [*drawn[: _MOST_OF_LINE - 1], Line(last)]
            rows += prefixed(drawn, Span(f"{text[0]} ", style), Span("  "))
    left = len(rows) - _MOST_OF_DIFF
    return (
        [*rows[:_MOST_OF_DIFF], _mark(tr("▸ {left:,} more lines").format(left=left), width)]
        if left > 1
        else rows
    )


def _differing(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the lines that went and came; of two long ones that begin alike, what differs and a
    little before it.
    """
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        old, new = before[start:end], after[new_start:new_end]
        for at, pair in enumerate(zip(old, new, strict=False)):
            cut = _alike(*pair) - _BEFORE_DIFFERENCE
            if cut > _BEFORE_DIFFERENCE:
                old[at], new[at] = (
                    f"… {line[cut:].partition(' ')[2] or line[cut:]}" for line in pair
                )
        yield from (f"- {line}" for line in old)
        yield from (f"+ {line}" for line in new)


def _alike(first: str, second: str) -> int:
    """Return how many characters two lines begin with alike."""
    return next(
        (at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other),
        min(len(first), len(second)),
    )


def _compared(before: list[str], after: list[str]) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            yield from (f"  {line}" for line in before[start:end])
        else:
            yield from (f"- {line}" for line in before[start:end])
            yield from (f"+ {line}" for line in after[new_start:new_end])


def _excerpt(text: str) -> tuple[str, str]:
    """Return what is drawn of `text`, safe to draw, and the words for what is not."""
    shown = "\n".join(text[:_EXCERPT_CHARACTERS].split("\n", _EXCERPT_LINES)[:_EXCERPT_LINES])
    if len(shown) == len(text):
        return visible(text), ""
    more = text.count("\n", len(shown) + 1)
    return visible(shown), (
        tr("… {more:,} more lines").format(more=more + 1)
        if more
        else tr("… {more:,} more characters").format(more=len(text) - len(shown))
    )


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

_ENDS: Mapping[ev.RunStatus, tuple[str, str, str]] = {
    "completed": ("✓", "muted", tr("done")),
    "needs_clarification": ("?", "warning", tr("waits for your answers")),
    "needs_outline_edit": ("?", "warning", tr("waiting for the outline")),
    "aborted": ("✗", "warning", tr("ended")),  # the call says that it was denied
    "interrupted": ("■", "warning", tr("stopped by you")),
    "failed": ("✗", "error", tr("failed")),
}


def _plan(plan: model.Plan, look: Look) -> list[Line]:
    done = sum(todo.status == "completed" for todo in plan.todos)
    count = Span(tr("  {done} of {todos}").format(done=done, todos=len(plan.todos)), "muted")
    fold = (Span("▾ " if look.unfolded else "▸ ", "muted"),) if plan.finished else ()
    lines = [
        Line(
            (
                *fold,
                Span(tr("Plan"), "strong"),
                count,
                *((Span(" ✓", "success"),) if plan.finished else ()),
            )
        )
    ]
    if plan.finished and not look.unfolded:
        return lines
    for todo in plan.todos:
        mark, mark_style, style = _TODO_MARKS.get(todo.status, _TODO_MARKS["pending"])
        text = (
            todo.active_form if todo.status == "in_progress" and todo.active_form else todo.content
        )
        lines += prefixed(
            wrap([Span(one_line(text), style)], look.width - 2),
            Span(f"{mark} ", mark_style),
            Span("  "),
            copied=True,
        )
    return lines


_ASKED_STATES = {"open": "", "answered": tr(" · answered"), "abandoned": tr(" · not answered")}


def _asked(asked: model.Asked, look: Look) -> list[Line]:
    what = _ASKED[asked.kind]
    words = tr("{what}: {title}").format(what=what, title=asked.title) if asked.title else what
    words += _ASKED_STATES[asked.state]
    return _sentence("?", "accent", words, asked.detail, look.width)


def _compacted(told: ev.Compacted, look: Look) -> list[Line]:
    """A rule between what the agent has only a summary of and what it remembers; unfolded, the
    summary.
    """
    title = tr("Compacted by you") if told.by_user else tr("Compacted: the context was full")
    sizes = (told.before_tokens, told.after_tokens)
    spent = (
        tr(" · {before:,} → {after:,} tokens").format(before=sizes[0], after=sizes[1])
        if all(sizes)
        else ""
    )
    fold = "▾ " if look.unfolded else "▸ "
    head = crop(
        [
            Span(fold if told.summary else "  ", "muted"),
            Span(title, "strong"),
            Span(spent, "muted"),
        ],
        look.width,
    )
    words = tr(
        "Of what is above, the agent now has only this summary and the last messages. Your files"
        " are unchanged."
    )
    lines = [Line(head), *prefixed(wrap([Span(words, "muted")], look.width - 2), Span("  "))]
    if look.unfolded:
        text, rest = _excerpt(told.summary)
        body = [
            *markdown_lines(text, look.width - 4),
            *([_mark(rest, look.width - 4)] if rest else []),
        ]
        lines += prefixed(body, Span("  │ ", "rule"))
    return [Line((Span("─" * look.width, "rule"),), decoration=look.width), *lines]


def _outcome(outcome: model.Outcome, look: Look) -> list[Line]:
    mark, style, words = _ENDS[outcome.status]
    if outcome.status == "interrupted" and outcome.code == ev.CLOSED:
        words = tr("cut off when dogent-tui ended")
    if outcome.duration_ms is not None:
        spent = tr(" in {duration}") if outcome.status == "completed" else tr(" after {duration}")
        words += spent.format(duration=duration(outcome.duration_ms / 1000))
    if outcome.cost_usd is not None:
        words += (
            f" · ${outcome.cost_usd:.2f}"
            if outcome.cost_usd >= 0.1
            else f" · ${outcome.cost_usd:.4f}"
        )
    if outcome.reason and outcome.status == "failed":  # the others are told above
        words += f": {outcome.reason}"
    return _sentence(mark, style, words, outcome.remedy, look.width)


def _sentence(mark: str, style: str, words: str, remedy: str, width: int) -> list[Line]:
    lines = list(
        prefixed(
            wrap([Span(visible(words), style)], width - 2), Span(f"{mark} ", style), Span("  ")
        )
    )
    if remedy:
        lines += prefixed(
            wrap([Span(visible(remedy))], width - 4), Span("  → ", "muted"), Span("    ")
        )
    return lines


def _waiting(reason: ev.Compacting | ev.Retrying | ev.Stalled) -> str:
    if isinstance(reason, ev.Compacting):
        return tr(
            "The conversation is being summarized, so that it fits into the context. Esc stops it."
        )
    if isinstance(reason, ev.Stalled):
        if reason.most_s:
            return tr(
                "Nothing received for {seconds}. The run is given up after {most}; Esc stops it"
                " now."
            ).format(seconds=duration(reason.seconds), most=duration(reason.most_s))
        return tr("Nothing received for {seconds}. Esc stops the run.").format(
            seconds=duration(reason.seconds)
        )
    when = duration(reason.delay_ms / 1000)
    return tr(
        "The endpoint failed ({what}). Retrying in {when}, attempt {attempt} of {max_attempts}."
    ).format(
        what=retry_reason(reason),
        when=when,
        attempt=reason.attempt,
        max_attempts=reason.max_attempts,
    )


def _mark(words: str, width: int) -> Line:
    """A line that says something about the text and is no part of it."""
    line = Line(crop([Span(words, "muted")], width))
    return line._replace(decoration=len(line.text))
