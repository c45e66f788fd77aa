"""Revising a Markdown file of the person: what rules can set right is proposed, and the person reviews it."""

from dogent_tui.offline.conversation import PROPOSE, Call, Conversation
from dogent_tui.offline.gathering import TOO_LARGE
from dogent_tui.offline.intent import Intent
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyToolUse
from dogent_tui.offline.phrases import PHRASES
from dogent_tui.offline.tidying import tidied


def revise_reply(conversation: Conversation, intent: Intent) -> tuple[ReplyBlock, ...]:
    """Return the next step in revising the file that the prompt names: read it, propose the change, or say what came of it."""
    phrases = PHRASES[intent.language]
    path = conversation.absolute(intent.revise)
    shown = conversation.shown(path)
    if PROPOSE not in conversation.tools:
        return _said(intent, phrases.cannot_propose.format(path=shown))
    if "Read" not in conversation.tools:
        return _said(intent, phrases.cannot_read)
    proposals = conversation.current.named(PROPOSE)
    if proposals:
        return _said(intent, _came(intent, proposals[-1], shown))
    read = next((call for call in conversation.current.named("Read") if call.path == path), None)
    if read is None:
        return (ReplyText(phrases.read_file.format(path=shown)), ReplyToolUse("Read", {"file_path": path}))
    if read.truncated or TOO_LARGE.search(read.error):
        return _said(intent, phrases.draft_partial.format(path=shown))
    if read.error:
        return _said(intent, phrases.unreadable.format(path=shown, reason=read.error))
    made = tidied(read.file_text)
    found = [
        phrases.repairs[kind].format(count=count)
        for kind, count in sorted(made.repairs.items(), key=lambda item: -item[1])
        if count
    ]
    if not found or made.text == read.file_text:
        return _said(intent, phrases.nothing_to_tidy.format(path=shown))
    summary = phrases.tidied.format(repairs=phrases.listing.join(found))
    return (ReplyToolUse(PROPOSE, {"path": shown, "new_content": made.text, "summary": summary}),)


def _came(intent: Intent, proposal: Call, shown: str) -> str:
    """Return what came of a proposal, in the words that its result begins with."""
    phrases = PHRASES[intent.language]
    if proposal.error:
        return phrases.failed.format(path=shown, reason=proposal.error)
    said = (proposal.outcome.text if proposal.outcome is not None else "").strip().partition("\n")[0]
    counted = said.partition(": ")[2].rstrip(".") or said
    return phrases.revised.format(path=shown, outcome=counted)


def _said(intent: Intent, text: str) -> tuple[ReplyBlock, ...]:
    return (ReplyText(f"{text}\n\n{PHRASES[intent.language].no_model}"),)
