"""The rules that stand in the place of a model. Each reply is computed from the messages of the request alone."""

import json
import re
from collections import Counter
from dataclasses import replace

from dogent_tui.offline.asking import as_answered, audience, outline_of, proposal, questions, says_length
from dogent_tui.offline.changing import change_reply, draft_in_question
from dogent_tui.offline.conversation import EXPORT_DOCUMENT, Call, Conversation, Ignored, conversation_of
from dogent_tui.offline.documents import READ_DOCUMENT
from dogent_tui.offline.draft import Draft, answer, central, compose, is_draft, on_topic, output_path, quotation, quote_line
from dogent_tui.offline.exporting import NAMES, as_wished, beside, export_calls, exported
from dogent_tui.offline.gathering import TOO_LARGE, Gathered, gather, is_media, referenced
from dogent_tui.offline.intent import Intent, intent_of
from dogent_tui.offline.messages_api import MessagesRequest, ReplyBlock, ReplyText, ReplyToolUse
from dogent_tui.offline.outlining import compose_along, outline_from
from dogent_tui.offline.phrases import PHRASES, files, headings, sentences, sources_named, together
from dogent_tui.offline.relevance import terms
from dogent_tui.offline.revising import revise_reply
from dogent_tui.offline.sentences import title_of
from dogent_tui.offline.setting_up import set_up

_DENIAL = re.compile(
    r"\b(?:denied|den(?:y|ies)|declin\w+|reject\w+|refus\w+|said no|not allowed|not permitted|permissions?|blocked|forbidden"
    r"|disallowed|(?:doesn't|does not) want)\b|拒绝|不允许|没有得到允许",
    re.IGNORECASE,
)
_ANSWERED_NO = re.compile(
    r"\b(?:person|user) (?:denied|declined|rejected|said no|does(?:n't| not) want)|nobody can be asked", re.IGNORECASE
)
"""How it is worded that a person, or print mode in their place, denied a call."""
_NO_RIGHTS = re.compile(r"\bE(?:ACCES|PERM)\b")
"""The system's own refusal, which concerns one file and is no answer of the person."""
_NAME_TAKEN = re.compile(r"has not been read|read it first", re.IGNORECASE)
"""How the CLI's Write refuses to replace a file that the conversation has not read."""
_COMPACTION = re.compile(r"create a detailed summary of (?:the|this) conversation", re.IGNORECASE)
"""From the prompt with which the CLI asks for a summary when the context window is nearly full."""
_READING = ("Read", READ_DOCUMENT)
_MOST_ATTEMPTS = 4
_MOST_LISTED = 12


def reply(request: MessagesRequest, ignored: Ignored = lambda _paths: ()) -> tuple[ReplyBlock, ...]:
    """Return the reply to `request`: what to say, and which of the tools that it offers to call next."""
    if not request.tools:
        return (ReplyText(_side_reply(request)),)
    conversation = conversation_of(request, ignored)
    if _COMPACTION.search(conversation.current.typed):
        return (ReplyText(_summary(conversation)),)
    draft = draft_in_question(conversation)
    intent = as_wished(conversation, intent_of(conversation.current, has_draft=bool(draft)))
    phrases = PHRASES[intent.language]
    denial = _denial(conversation)
    if denial:
        return (ReplyText(f"{phrases.denied.format(reason=denial)}\n\n{phrases.no_model}"),)
    if wishes := set_up(conversation):
        return wishes
    match intent.kind:
        case "chat":
            return (ReplyText(phrases.about),)
        case "thanks":
            return (ReplyText(phrases.thanks),)
        case "unable":
            return (ReplyText(phrases.unable),)
        case "by_hand":
            return (ReplyText(phrases.by_hand),)
    return _without_the_missing(conversation, intent, draft)


def _without_the_missing(conversation: Conversation, intent: Intent, draft: str) -> tuple[ReplyBlock, ...]:
    """Do what the prompt asks for, and say in the end which references lead nowhere; where all of them do, say only that."""
    run, phrases = conversation.current, PHRASES[intent.language]
    lines = "\n".join(phrases.not_found.format(name=name) for name in run.missing)
    if not run.sources and any("." in name or "/" in name for name in run.missing):
        return _closing(intent, lines, phrases.nothing_found)
    blocks = _work_reply(conversation, intent, draft)
    if not lines or any(isinstance(block, ReplyToolUse) for block in blocks):
        return blocks
    return (ReplyText("\n\n".join([lines, *(block.text for block in blocks if isinstance(block, ReplyText))])),)


def _work_reply(conversation: Conversation, intent: Intent, draft: str) -> tuple[ReplyBlock, ...]:
    match intent.kind:
        case "question":
            return _question_reply(conversation, intent)
        case "lines":
            return _lines_reply(conversation, intent)
        case "draft":
            return _draft_reply(conversation, intent)
        case "revise":
            return revise_reply(conversation, intent)
        case "export":
            return _export_reply(conversation, intent, draft)
        case _:
            return change_reply(conversation, intent, draft)


# ── A draft ───────────────────────────────────────────────────────────────────────────────────────


def _draft_reply(conversation: Conversation, intent: Intent) -> tuple[ReplyBlock, ...]:
    gathered = gather(conversation, intent)
    intent = as_answered(conversation.current, intent)
    if not isinstance(gathered, Gathered):
        return _with_plan(conversation, intent, gathered)
    writes = conversation.current.named("Write")
    if writes and writes[-1].succeeded:
        return _finish(conversation, intent, gathered, writes[-1])
    retry = bool(writes) and _NAME_TAKEN.search(writes[-1].error) is not None and len(writes) < _MOST_ATTEMPTS
    if writes and not retry:
        path = conversation.shown(writes[-1].path)
        return _closing(intent, PHRASES[intent.language].failed.format(path=path, reason=writes[-1].error))
    return _write(conversation, intent, gathered, {conversation.shown(call.path) for call in writes})


def _write(conversation: Conversation, intent: Intent, gathered: Gathered, tried: set[str]) -> tuple[ReplyBlock, ...]:
    phrases = PHRASES[intent.language]
    draft = compose(gathered.documents, intent)
    if draft is None:
        return _closing(intent, _nothing_to_quote(intent, gathered), _not_read(intent, gathered))
    if intent.about and not _given(conversation) and not on_topic(gathered.documents, intent):
        read = sources_named(gathered.documents, intent.language)
        return _closing(intent, phrases.nothing_about.format(topic=intent.topic, files=read), _not_read(intent, gathered))
    proposed = outline_from(gathered.documents, replace(intent, words=()) if _chosen(conversation) else intent)
    if asked := questions(conversation, intent) or proposal(conversation, intent, proposed):
        return asked
    outline = outline_of(conversation.current)
    name = ""
    if intent.form == "outline":
        chosen = outline or proposed
        draft = Draft(chosen.title or draft.title, replace(chosen, title=chosen.title or draft.title).as_markdown())
        name = phrases.outline_name.format(title=draft.title)
    elif outline is not None and outline.sections:
        draft = compose_along(outline, gathered.documents, intent) or draft
    if "Write" not in conversation.tools:
        return _closing(intent, phrases.cannot_write, draft.text, _not_read(intent, gathered))
    taken = gathered.existing | tried
    path = output_path(
        intent, name or draft.title, taken if intent.export_to else taken | beside(gathered.existing, intent.formats)
    )
    write = ReplyToolUse("Write", {"file_path": conversation.absolute(path), "content": draft.text})
    return (*_todo(conversation, intent, done=2), write)


def _given(conversation: Conversation) -> bool:
    """Whether the person gave what to draft from, now or before, rather than left it to us to look for it."""
    return bool(conversation.current.brought or referenced(conversation))


def _chosen(conversation: Conversation) -> bool:
    """Whether the person named every file that is read: then each has a say in the outline."""
    sources = conversation.current.sources
    return bool(sources) and all(source.type != "folder" for source in sources)


def _finish(conversation: Conversation, intent: Intent, gathered: Gathered, write: Call) -> tuple[ReplyBlock, ...]:
    """Export what was written, close the plan, then say what was written from which files, and what could not be read."""
    phrases = PHRASES[intent.language]
    if exports := export_calls(conversation, intent, write.path):
        return (*_todo(conversation, intent, done=3), *exports)
    plans = conversation.current.named("TodoWrite")
    if plans and any(todo.get("status") != "completed" for todo in _todos(plans[-1])):
        return _todo(conversation, intent, done=4)
    text = str(write.input.get("content", ""))
    shown = conversation.shown(write.path)
    if intent.form == "outline":
        return _closing(intent, _wrote_outline(intent, shown, text), exported(conversation, intent))
    quoted = Counter(found[1] for line in text.splitlines() if (found := quotation(line)) is not None)
    total, sources = sentences(quoted.total(), intent.language), sources_named(quoted, intent.language)
    wrote = phrases.wrote.format(title=title_of(text), path=shown, count=total, files=sources)
    wanted = conversation.shown(conversation.absolute(intent.output)) if intent.output else shown
    notes = [] if wanted == shown else [phrases.kept.format(wanted=wanted)]
    if write.review:
        notes.append(phrases.reviewed.format(outcome=write.review))
    if intent.words and not set(intent.words).intersection(terms(" ".join(text.splitlines()[1:]))):
        notes.append(phrases.off_topic)
    if reader := audience(conversation.current, intent):
        notes.append(phrases.for_audience.format(audience=reader))
    if conversation.alone and not says_length(conversation.current):
        notes.append(phrases.chose.format(count=sentences(intent.count, intent.language)))
    listed = [phrases.from_file.format(path=path, count=sentences(n, intent.language)) for path, n in quoted.most_common()]
    said = (
        together(intent.language, wrote, *notes),
        exported(conversation, intent),
        "\n".join(listed),
        _not_read(intent, gathered),
    )
    shows = "" if conversation.alone else phrases.shows.format(path=shown)
    return _closing(intent, *said, together(intent.language, shows, phrases.next_steps))


def _wrote_outline(intent: Intent, path: str, text: str) -> str:
    """Return the sentence that says which outline was written."""
    phrases, titles = PHRASES[intent.language], [line for line in text.splitlines()[1:] if line.startswith("#")]
    count = headings(len(titles), intent.language)
    return phrases.wrote_outline.format(title=title_of(text), path=path, count=count)


def _with_plan(conversation: Conversation, intent: Intent, blocks: tuple[ReplyBlock, ...]) -> tuple[ReplyBlock, ...]:
    """Put the plan before the first calls, and bring it up to date before the files are read."""
    if len(blocks) == 1:
        return blocks
    reads = any(isinstance(block, ReplyToolUse) and block.name in _READING for block in blocks)
    first = not conversation.current.calls
    if conversation.current.named(*_READING):  # it goes on with what it reads
        return blocks
    if not first and not reads:
        return blocks
    return (blocks[0], *_todo(conversation, intent, done=1 if reads else 0), *blocks[1:])


def _todo(conversation: Conversation, intent: Intent, *, done: int) -> tuple[ReplyToolUse, ...]:
    """Return the call that shows the plan with its first `done` steps completed and the next one under way."""
    if "TodoWrite" not in conversation.tools:
        return ()
    phrases = PHRASES[intent.language]
    steps = [phrases.plan_find, phrases.plan_read, phrases.plan_write]
    if intent.formats and EXPORT_DOCUMENT in conversation.tools:
        steps.append(phrases.plan_export.format(formats=" + ".join(NAMES[name] for name in intent.formats)))
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
    todos = [{"content": step, "status": state, "activeForm": step} for step, state in zip(steps, states, strict=False)]
    return (ReplyToolUse("TodoWrite", {"todos": todos}),)


def _export_reply(conversation: Conversation, intent: Intent, draft: str) -> tuple[ReplyBlock, ...]:
    """Export the Markdown file that is named, else the draft written last."""
    named = [source.path for source in conversation.current.sources if source.type in ("md", "markdown")]
    markdown = conversation.absolute(intent.output or next(iter(named), "") or draft)
    said = PHRASES[intent.language].export.format(path=conversation.shown(markdown))
    if exports := export_calls(conversation, intent, markdown):
        return (ReplyText(said), *exports)
    return _closing(intent, exported(conversation, intent))


# ── Answers and remarks ───────────────────────────────────────────────────────────────────────────


def _question_reply(conversation: Conversation, intent: Intent) -> tuple[ReplyBlock, ...]:
    phrases = PHRASES[intent.language]
    documents = {path: text for path, text in conversation.texts().items() if not is_draft(text)}
    gathered = Gathered(documents)
    named = bool(conversation.current.sources or conversation.current.brought)
    if named or conversation.current.calls or not answer(documents, intent):
        # What was read before holds no answer: then all that lies here is asked, whatever was named before.
        brought = gather(conversation if named else replace(conversation, runs=conversation.runs[-1:]), intent)
        if not isinstance(brought, Gathered):
            return brought
        gathered = brought
    if not gathered.documents:
        return _closing(intent, _nothing_to_quote(intent, gathered), _not_read(intent, gathered))
    found = answer(gathered.documents, intent)
    said, count = phrases.answer, sources_named(gathered.documents, intent.language)
    if not found and (
        conversation.current.sources or conversation.current.brought
    ):  # what does this file say about it? Then at least what it says
        said = phrases.no_words.format(files=count) if intent.words else said
        found = central(gathered.documents, replace(intent, words=(), count=5))
    if not found:
        return _closing(intent, phrases.no_answer.format(files=count), _not_read(intent, gathered))
    quotes = "\n".join(quote_line(sentence, intent.language) for sentence in found)
    return _closing(intent, said, quotes, _not_read(intent, gathered))


def _lines_reply(conversation: Conversation, intent: Intent) -> tuple[ReplyBlock, ...]:
    """Answer with the few sentences that a short summary asks for."""
    gathered = gather(conversation, intent)
    if not isinstance(gathered, Gathered):
        return gathered
    found = central(gathered.documents, intent)
    if not found:
        return _closing(intent, _nothing_to_quote(intent, gathered), _not_read(intent, gathered))
    quotes = "\n".join(quote_line(sentence, intent.language) for sentence in found)
    sources = sources_named({sentence.path for sentence in found}, intent.language)
    said = PHRASES[intent.language].lines.format(count=sentences(len(found), intent.language), files=sources)
    return _closing(intent, said, quotes, _not_read(intent, gathered))


def _nothing_to_quote(intent: Intent, gathered: Gathered) -> str:
    phrases = PHRASES[intent.language]
    if gathered.documents:
        return phrases.no_sentences.format(files=sources_named(gathered.documents, intent.language))
    return phrases.nothing_readable if gathered.unreadable or gathered.unopened else phrases.no_files


def _not_read(intent: Intent, gathered: Gathered) -> str:
    """Return the list of what was not read, or not whole, with reasons; empty where there is nothing to say."""
    phrases = PHRASES[intent.language]
    lines = [
        (phrases.unseen if is_media(source) else phrases.unopened).format(path=source.path, type=source.type)
        for source in gathered.unopened
    ]
    lines += [
        (phrases.too_large if TOO_LARGE.search(reason) else phrases.unreadable).format(path=path, reason=reason)
        for path, reason in gathered.unreadable
    ]
    lines += [phrases.partial.format(path=path) for path in gathered.partial]
    left_out = gathered.left_out + max(0, len(lines) - _MOST_LISTED)
    lines = lines[:_MOST_LISTED]
    if left_out:
        lines.append(phrases.left_out.format(count=files(left_out, intent.language)))
    return "\n".join([phrases.unopened_title, "", *lines]) if lines else ""


def _closing(intent: Intent, *paragraphs: str) -> tuple[ReplyBlock, ...]:
    return (ReplyText("\n\n".join(text for text in (*paragraphs, PHRASES[intent.language].no_model) if text)),)


def _denial(conversation: Conversation) -> str:
    """Return the words with which a call of the current run was denied, empty where none was."""
    return next((call.error for call in conversation.current.calls if _was_denied(call)), "")


def _was_denied(call: Call) -> bool:
    if call.name in (READ_DOCUMENT, EXPORT_DOCUMENT):  # these tell of files that may not be read, in words of their own
        return _ANSWERED_NO.search(call.error) is not None
    return _DENIAL.search(call.error) is not None and not _NO_RIGHTS.search(call.error)


def _todos(plan: Call) -> list[dict[str, str]]:
    todos = plan.input.get("todos")
    return [todo for todo in todos if isinstance(todo, dict)] if isinstance(todos, list) else []


def _summary(conversation: Conversation) -> str:
    """Return what the CLI keeps of a conversation that grew too long: the prompts, and the files written."""
    prompts = [f"- {' '.join(run.typed.split())[:200]}" for run in conversation.earlier]
    written = {
        conversation.shown(call.path) for run in conversation.earlier for call in run.named("Write", "Edit") if call.succeeded
    }
    return "\n".join(
        ["<summary>", "Prompts:", *prompts, "Files written:", *(f"- {path}" for path in sorted(written)), "</summary>"]
    )


def _side_reply(request: MessagesRequest) -> str:
    """Answer a request of the CLI itself, such as for a title: with the first words of the text it is about."""
    text = request.last_user_text()
    title = " ".join(re.sub(r"<[^>]{0,40}>", " ", text).split()[:6])[:60] or "Conversation"
    asked = f"{request.system} {text}".lower()
    return json.dumps({"isNewTopic": False, "title": title}, ensure_ascii=False) if "json" in asked else title
