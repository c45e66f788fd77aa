"""Writing down the wishes for a workspace, `.dogent/dogent.md`, along a template: what `/init` with a description asks for."""

import re

from dogent_tui.language import tr
from dogent_tui.offline.conversation import Conversation
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyToolUse

_WISHES = ".dogent/dogent.md"
_BEGINS = "Set this folder up for what I write here: {described}"
_AGAIN = "There is one already: read it first."
"""How `/init` words it (`tui/commands/writing.py`), in English or in the language of the interface."""


def _before_slot(message: str) -> str:
    return "|".join(dict.fromkeys(re.escape(words.partition("{")[0]) for words in (message, tr(message))))


_DESCRIBED = re.compile(rf"^(?:{_before_slot(_BEGINS)})(?P<what>.+?)(?:\n\n|\Z)", re.DOTALL)
_IS_THERE = re.compile(rf"^(?:{_before_slot(_AGAIN)})$", re.MULTILINE)
_NO_MODEL = (
    "I am the offline engine, no AI model: the rest of the template is as it was. Make it yours with `/edit .dogent/dogent.md`."
)


def set_up(conversation: Conversation) -> tuple[ReplyBlock, ...]:
    """Return the next step where the prompt asks for the wishes, nothing where it does not. What is there is read first."""
    run = conversation.current
    described = _DESCRIBED.match(run.typed)
    if described is None or not run.template or not {"Read", "Write"} <= conversation.tools:
        return ()
    path = conversation.absolute(_WISHES)
    if _IS_THERE.search(run.typed) and not run.named("Read"):  # the CLI lets nothing be replaced that was not read
        return (ReplyToolUse("Read", {"file_path": path}),)
    writes = run.named("Write")
    if not writes:
        return (ReplyToolUse("Write", {"file_path": path, "content": _filled_in(run.template, described["what"])}),)
    if writes[-1].error:
        return (ReplyText(f"`{_WISHES}` could not be written: {writes[-1].error}"),)
    return (ReplyText(f"I wrote `{_WISHES}` along the template, with what you said under “What is written here”. {_NO_MODEL}"),)


def _filled_in(template: str, what: str) -> str:
    head, line, rest = template.partition("\n## ")
    return f"{head.rstrip()}\n\n## What is written here\n- {' '.join(what.split())}\n{line}{rest.rstrip()}\n"
