"""The files that a conversation can be written to: Markdown, one HTML page that needs nothing
else, JSON.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping

import msgspec

from dogent_tui.language import interface_language, tr
from dogent_tui.plain import one_line
from dogent_tui.tui.sessions.parts import Part, Written
from dogent_tui.tui.stylesheets import stylesheet

_HEADINGS = {
    "prompt": tr("You"),
    "reply": tr("Agent"),
    "thinking": tr("Thinking"),
    "plan": tr("Plan"),
    "notice": tr("Note"),
    "outcome": tr("Outcome"),
}
_STATES = {
    "failed": tr("failed"),
    "denied": tr("not allowed"),
    "stopped": tr("stopped"),
    "waiting": tr("not answered"),
    "running": tr("in progress"),
}
_ENDS = {
    "needs_clarification": tr("waiting for answers"),
    "needs_outline_edit": tr("waiting for the outline"),
    "aborted": tr("ended by a denial"),
    "interrupted": tr("stopped"),
    "failed": tr("failed"),
}


def as_json(conversation: Written) -> str:
    """Return `conversation` as JSON: an object whose `parts` are in order."""
    return (
        msgspec.json.format(msgspec.json.encode(conversation, enc_hook=str), indent=2).decode()
        + "\n"
    )


def as_markdown(conversation: Written) -> str:
    """Return `conversation` as Markdown. What tools returned stands in fences."""
    title = _inline(conversation.title or tr("Conversation"))
    texts = [f"# {title}", _facts(conversation)]
    for part in conversation.parts:
        texts += _markdown_of(part)
    return "\n\n".join(text for text in texts if text) + "\n"


def _facts(conversation: Written) -> str:
    return tr(
        "Folder `{workspace}`, exported {exported}.",
        workspace=conversation.workspace,
        exported=conversation.exported[:16].replace("T", " "),
    )


def _markdown_of(part: Part) -> Iterator[str]:
    heading, note = heading_of(part), state_of(part)
    yield (
        f"{'##' if part.kind in ('prompt', 'reply') else '###'}"
        f" {_inline(heading)}{f' ({note})' if note else ''}"
    )
    if part.kind in ("tool", "thinking"):
        yield _fenced(part.text) if part.text else ""
    elif part.kind == "plan":
        yield "\n".join(f"- {line}" for line in part.text.splitlines())
    else:
        yield part.text
    if part.files:
        yield "\n".join(f"- `{one_line(file)}`" for file in part.files)


def heading_of(part: Part) -> str:
    """Return the line above a part."""
    if part.kind == "question":
        return tr("The agent asks: {title}", title=part.title)
    return part.title or _HEADINGS.get(part.kind, part.kind)


def state_of(part: Part) -> str:
    """Return what became of a part, where that is worth a word."""
    return (_ENDS if part.kind == "outcome" else _STATES).get(part.state, "")


def _inline(text: str) -> str:
    """Return a line of plain text as Markdown that shows it as it is."""
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", one_line(text))


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text.strip(chr(10))}\n{fence}"


# ── HTML ──────────────────────────────────────────────────────────────────────────────────────────

_LANGUAGE = interface_language().replace("_", "-")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def as_html(conversation: Written) -> str:
    """Return `conversation` as one page, light or dark as the reader's browser is. It loads
    nothing and runs nothing.
    """
    title = html.escape(conversation.title or tr("Conversation"))
    facts = html.escape(_facts(conversation).replace("`", ""))
    body = "\n".join(_HTML[part.kind](part) for part in conversation.parts)
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="{_LANGUAGE}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{stylesheet('session.css').read_text('utf-8')}</style>\n</head>\n<body>\n"
        f"<header><h1>{title}</h1>\n<p>{facts}</p></header>\n{body}\n</body>\n</html>\n"
    )


def _part(kind: str) -> str:
    return f'<h2 class="part">{html.escape(_HEADINGS[kind])}</h2>'


def _html_prompt(part: Part) -> str:
    files = "".join(f"<li><code>{html.escape(one_line(file))}</code></li>" for file in part.files)
    listed = f"\n<ul>{files}</ul>" if files else ""
    return f'{_part("prompt")}\n<div class="prompt">{html.escape(part.text)}</div>{listed}'


def _html_reply(part: Part) -> str:
    return f'{_part("reply")}\n<div class="reply">\n{_rendered(part.text)}</div>'


def _html_folded(part: Part) -> str:
    note = state_of(part)
    title = html.escape(heading_of(part) + (f" ({note})" if note else ""))
    return f"<details><summary>{title}</summary>\n<pre>{html.escape(part.text)}</pre></details>"


def _html_said(part: Part) -> str:
    note = state_of(part)
    words = ": ".join(filter(None, (heading_of(part) + (f" ({note})" if note else ""), part.text)))
    return f'<p class="note">{html.escape(words)}</p>'


def _html_plan(part: Part) -> str:
    return f'<h2 class="part">Plan</h2>\n<pre>{html.escape(part.text)}</pre>'


_HTML: Mapping[str, Callable[[Part], str]] = {
    "prompt": _html_prompt,
    "reply": _html_reply,
    "thinking": _html_folded,
    "tool": _html_folded,
    "plan": _html_plan,
    "question": _html_said,
    "notice": _html_said,
    "outcome": _html_said,
}


def _rendered(markdown: str) -> str:
    """Return Markdown as HTML: HTML in it is text, and a picture is a link, since the page loads
    nothing.
    """
    from dogent_tui.tui.transcript.inline import parser

    return str(parser().disable("image").render(markdown))


FORMATS: Mapping[str, Callable[[Written], str]] = {
    ".md": as_markdown,
    ".markdown": as_markdown,
    ".html": as_html,
    ".json": as_json,
}
"""How a conversation is written, by the ending of the file."""
