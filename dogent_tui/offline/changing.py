"""Changing the draft of an earlier prompt: shorter, longer, one more section."""

from dogent_tui.offline.conversation import Call, Conversation
from dogent_tui.offline.documents import is_document
from dogent_tui.offline.draft import DRAFTS, Change, extend, is_draft, shorten
from dogent_tui.offline.exporting import export_calls, exported
from dogent_tui.offline.gathering import Gathered, gather, is_readable, read_call
from dogent_tui.offline.intent import Intent, intent_of
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyToolUse
from dogent_tui.offline.phrases import PHRASES, sentences


def draft_in_question(conversation: Conversation) -> str:
    """Return the absolute path of the draft that the current prompt may want changed, empty where there is none.

    That is a draft which the prompt references, else the one written last.
    """
    calls = [call for run in conversation.earlier for call in run.named("Write", "Edit") if call.succeeded and call.path]
    written = [call.path for call in calls]
    for source in conversation.current.sources:
        path = conversation.absolute(source.path)
        if path in written or conversation.shown(path).startswith(DRAFTS):
            return path
    return written[-1] if written else ""


def change_reply(conversation: Conversation, intent: Intent, path: str) -> tuple[ReplyBlock, ...]:
    """Return the next step in changing the draft at `path`: read it anew, write it, or say what was done."""
    phrases = PHRASES[intent.language]
    shown = conversation.shown(path)
    if "Read" not in conversation.tools:
        return _said(intent, phrases.cannot_read)
    read = next((call for call in conversation.current.named("Read") if call.path == path), None)
    if read is None:
        new = [source for source in conversation.current.sources if is_readable(conversation, source)]
        also = [read_call(conversation, source) for source in new if conversation.absolute(source.path) != path]
        return (ReplyText(phrases.read_draft), ReplyToolUse("Read", {"file_path": path}), *also)
    if read.error:
        return _said(intent, phrases.draft_gone.format(path=shown, reason=read.error))
    if read.truncated:
        return _said(intent, phrases.draft_partial.format(path=shown))
    if intent.kind == "shorter":
        return _shorter(conversation, intent, read)
    return _longer(conversation, intent, read)


def _shorter(conversation: Conversation, intent: Intent, read: Call) -> tuple[ReplyBlock, ...]:
    phrases = PHRASES[intent.language]
    path = conversation.shown(read.path)
    change = shorten(read.file_text)
    kept, gone = sentences(change.kept, intent.language), sentences(change.changed, intent.language)
    if not change.changed:
        return _said(intent, phrases.not_shorter.format(path=path, count=kept))
    return _write(conversation, intent, read, change, phrases.shortened.format(path=path, count=kept, removed=gone))


def _longer(conversation: Conversation, intent: Intent, read: Call) -> tuple[ReplyBlock, ...]:
    phrases = PHRASES[intent.language]
    path = conversation.shown(read.path)
    documents = {shown: text for shown, text in conversation.texts().items() if shown != path and not is_draft(text)}
    if not documents or any(is_document(source.path) for source in conversation.current.sources):
        gathered = gather(conversation, intent)  # which also reads on in documents
        if not isinstance(gathered, Gathered):
            return gathered
        documents |= {shown: text for shown, text in gathered.documents.items() if shown != path}
    change = extend(read.file_text, documents, intent, _first_words(conversation, read.path))
    if change is None:
        reason = phrases.nothing_new
        if intent.kind == "section":
            reason = phrases.already_in if extend("", documents, intent, ()) else phrases.nothing_on
        return _said(intent, reason.format(path=path, topic=intent.topic))
    added = sentences(change.changed, intent.language)
    return _write(conversation, intent, read, change, phrases.extended.format(count=added, path=path, title=change.heading))


def _write(conversation: Conversation, intent: Intent, read: Call, change: Change, done: str) -> tuple[ReplyBlock, ...]:
    """Return the call that writes `change`, or once it has returned, what came of it."""
    phrases = PHRASES[intent.language]
    writes = conversation.current.named("Write", "Edit")
    if writes and writes[-1].error:
        return _said(intent, phrases.failed.format(path=conversation.shown(read.path), reason=writes[-1].error))
    if writes:
        if writes[-1].review:
            done = f"{done} {phrases.reviewed.format(outcome=writes[-1].review)}"
        report = exported(conversation, intent)
        return export_calls(conversation, intent, read.path) or _said(intent, "\n\n".join(filter(None, (done, report))))
    old, new = read.file_text, change.text
    last = old.rstrip().rpartition("\n")[2]
    if "Edit" in conversation.tools and last and old.count(last) == 1 and new.startswith(old.rstrip()):
        added = new[len(old.rstrip()) :].rstrip()
        return (ReplyToolUse("Edit", {"file_path": read.path, "old_string": last, "new_string": last + added}),)
    if "Write" in conversation.tools:
        return (ReplyToolUse("Write", {"file_path": read.path, "content": new}),)
    return _said(intent, f"{phrases.cannot_write}\n\n{new}")


def _first_words(conversation: Conversation, path: str) -> tuple[str, ...]:
    """Return the terms of the prompt that the draft at `path` was first written for."""
    for run in conversation.earlier:
        if any(call.path == path for call in run.named("Write")):
            return intent_of(run, has_draft=False).words
    return ()


def _said(intent: Intent, text: str) -> tuple[ReplyBlock, ...]:
    return (ReplyText(f"{text}\n\n{PHRASES[intent.language].no_model}"),)
