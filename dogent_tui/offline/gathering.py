"""Finding and reading the files of a request: which tools to call next, or what they brought."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from dogent_tui.offline.conversation import Call, Conversation, Source
from dogent_tui.offline.documents import (
    DOCUMENT_TYPES,
    PART_CHARS,
    READ_DOCUMENT,
    extension,
    is_document,
    is_workbook,
    parse_part,
)
from dogent_tui.offline.draft import is_draft
from dogent_tui.offline.intent import Intent
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyToolUse
from dogent_tui.offline.phrases import PHRASES, files
from dogent_tui.offline.relevance import terms

_TEXT_TYPES = ("md", "markdown", "txt", "text", "rst", "org", "adoc", "tex", "csv", "tsv")
_OTHER_DOCUMENTS = ("doc", "xls", "ppt", "ods", "odp")
_SOUNDS = ("mp3", "wav", "m4a")
_MEDIA = (
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "avif",
    "bmp",
    "tiff",
    "heic",
    "svg",
    "mp4",
    "mov",
    "avi",
    "mkv",
    "webm",
)
"""What has to be looked at."""
_UNOPENED = frozenset((*_OTHER_DOCUMENTS, *_MEDIA, *_SOUNDS, "zip"))
"""What nothing here opens. The types in `DOCUMENT_TYPES` are the same where there is no `read_document`."""
_MOST_FILES = 20
"""So many files are read for one request, those first that hold its words."""
_MOST_DOCUMENTS = 10
"""Of these so many documents that nobody named: each has to be converted first."""
_MOST_PARTS, _PARTS_IN_ALL = 4, 12
"""Parts read of one document, and of all together, though one of each."""
_MOST_SHEETS = 4
_PART = 400
"""Lines read of a file that is too large to be read at once."""
TOO_LARGE = re.compile(r"exceeds maximum allowed|too large", re.IGNORECASE)
"""How the CLI's Read words that a file is over its limits (256 KB, 25,000 tokens)."""
_NOT_A_PATH = re.compile(r"^(?:No (?:files|matches) found|Found \d+ |\((?:Results are truncated|Showing \d)|\s*$)")
_SHOWING = re.compile(r"^\(Showing (?P<shown>\d+) of (?P<total>\d+) ", re.MULTILINE)
"""How Glob says that it lists only the first hundred."""
_IGNORED = re.compile(r"(?:^|/)(?:\.[^/.][^/]*|node_modules|__pycache__|venv)/")


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was read: `documents` are texts by shown path. `existing`: every file seen, so that none is written over.

    `unopened` holds paths with their types, `unreadable` paths with reasons, `partial` paths; `left_out` counts the files that
    were found and not read.
    """

    documents: dict[str, str]
    existing: frozenset[str] = frozenset()
    unopened: tuple[Source, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()
    partial: tuple[str, ...] = ()
    left_out: int = 0


def gather(conversation: Conversation, intent: Intent) -> tuple[ReplyBlock, ...] | Gathered:
    """Return the calls that find and read the files of the current request, or what they brought once nothing is left to call.

    A reply of text alone says why nothing can be read.
    """
    phrases = PHRASES[intent.language]
    if conversation.current.brought and not conversation.current.sources:
        return Gathered(dict(conversation.current.brought), frozenset(_touched(conversation)))
    sources = referenced(conversation)
    named = [source for source in sources if is_readable(conversation, source)]
    searching = not sources or any(source.type == "folder" for source in sources)
    if "Read" not in conversation.tools:
        return (ReplyText(f"{phrases.cannot_read}\n\n{phrases.no_model}"),)
    if searching and not conversation.tools & {"Glob", "Grep"} and not named:
        return (ReplyText(f"{phrases.cannot_look}\n\n{phrases.no_model}"),)
    finding = _find_calls(conversation, intent, sources, searching=searching)
    hidden = _hidden(conversation, sources) if searching else frozenset()
    found = _found(conversation, intent, hidden) if searching else []
    meant = [replace(source, path=conversation.shown(source.path)) for source in named]
    paths = {source.path for source in meant}
    wanted = [*meant, *(Source(path, extension(path)) for path in found if path not in paths)]
    reading = _read_calls(conversation, wanted[:_MOST_FILES])
    if finding or reading:
        text = phrases.read.format(count=files(len(reading), intent.language)) if reading else phrases.look
        return (ReplyText(text), *finding, *reading)
    again = (*_calls_for_parts(conversation), *_calls_for_documents(conversation, wanted[:_MOST_FILES]))
    if again:
        return (ReplyText(phrases.read_again), *again)
    shown = list(dict.fromkeys(source.path for source in wanted))
    brought = _brought(conversation, sources, shown, hidden, searching=searching)
    return replace(brought, documents={**conversation.current.brought, **brought.documents})


def referenced(conversation: Conversation) -> tuple[Source, ...]:
    """Return the files that the current prompt refers to; where it brings nothing along, those of the prompts before it."""
    if conversation.current.sources or conversation.current.brought:
        return conversation.current.sources
    return tuple(dict.fromkeys(source for run in conversation.earlier for source in run.sources))


def is_readable(conversation: Conversation, source: Source) -> bool:
    """Whether there is a tool that can be expected to return text for `source`."""
    return source.type != "folder" and not _is_unopened(conversation, source.path) and source.type not in _UNOPENED


def read_call(conversation: Conversation, source: Source) -> ReplyToolUse:
    """Return the call that reads `source`, or the first part of it."""
    path = conversation.absolute(source.path)
    if not is_document(path):
        first, most = source.first_and_most
        return ReplyToolUse("Read", {"file_path": path, "offset": first, "limit": most} if first else {"file_path": path})
    return _document_call(path, source.sheet)


def _document_call(path: str, sheet: str = "", offset: int = 0) -> ReplyToolUse:
    given = {"path": path, "max_chars": PART_CHARS, "sheet": sheet, "offset": offset}
    return ReplyToolUse(READ_DOCUMENT, {name: value for name, value in given.items() if value})


def is_media(source: Source) -> bool:
    """Whether `source` is a picture or a video, which no rule can see."""
    return extension(source.path) in _MEDIA or source.type in _MEDIA


def _find_calls(
    conversation: Conversation, intent: Intent, sources: Iterable[Source], *, searching: bool
) -> tuple[ReplyToolUse, ...]:
    """Return the calls that list files: to read, when `searching`; else only to know which names are taken."""
    if conversation.current.named("Glob", "Grep"):
        return ()
    text_files = {"glob": f"*.{{{','.join(_TEXT_TYPES)}}}", "output_mode": "files_with_matches"}
    if "Glob" not in conversation.tools:
        listing = ReplyToolUse("Grep", {"pattern": ".", **text_files})
        return (listing,) if searching and "Grep" in conversation.tools else ()
    if not searching:
        taken = f"**/*.{{{','.join(('md', *intent.formats))}}}" if intent.formats else "**/*.md"
        return (ReplyToolUse("Glob", {"pattern": taken}),) if intent.kind == "draft" else ()
    pattern = f"**/*.{{{','.join(_TEXT_TYPES + DOCUMENT_TYPES + _OTHER_DOCUMENTS)}}}"
    folders = [conversation.absolute(source.path) for source in sources if source.type == "folder"]
    calls = [ReplyToolUse("Glob", {"pattern": pattern, "path": folder}) for folder in folders]
    calls = calls or [ReplyToolUse("Glob", {"pattern": pattern})]
    if "Grep" in conversation.tools and intent.words:
        words = {"pattern": "|".join(re.escape(word) for word in intent.words[:12]), "-i": True, **text_files}
        calls += [ReplyToolUse("Grep", {**words, "path": folder}) for folder in folders] or [ReplyToolUse("Grep", words)]
    return tuple(calls)


def _hidden(conversation: Conversation, sources: Iterable[Source]) -> frozenset[str]:
    """Return what was found and is ignored in this workspace, such as what a build made, unless it is what was asked for."""
    listed = {*_listed(conversation, "Grep"), *_listed(conversation, "Glob")}
    folders = {conversation.shown(source.path) for source in sources if source.type == "folder"} - {"."}
    ignored = frozenset(conversation.ignored(listed | folders)) if listed else frozenset()
    asked_for = tuple(f"{folder}/" for folder in folders & ignored)
    return frozenset(path for path in listed if (path in ignored and not path.startswith(asked_for)) or _IGNORED.search(path))


def _found(conversation: Conversation, intent: Intent, hidden: Collection[str]) -> list[str]:
    """Return the files found, those first that hold words of the request, then those named like it.

    Grep cannot look into documents, so that these come before the files that are known to hold nothing.
    """
    matching = dict.fromkeys(_listed(conversation, "Grep"))
    paths = [path for path in matching | dict.fromkeys(_listed(conversation, "Glob")) if path not in hidden]
    words = set(intent.words)

    def order(path: str) -> tuple[int, int, int, str]:
        holds = 0 if path in matching else 1 if is_document(path) else 2
        return holds, -len(words.intersection(terms(path))), path.count("/"), path

    texts = [path for path in paths if extension(path) in _TEXT_TYPES]
    documents = [path for path in paths if is_document(path) and not _is_unopened(conversation, path)]
    locks = [path for path in documents if path.rpartition("/")[2].startswith("~$")]  # what Office keeps while a file is open
    documents = sorted((path for path in documents if path not in locks), key=order)[:_MOST_DOCUMENTS]
    return sorted([*texts, *documents], key=order)


def _listed(conversation: Conversation, tool: str) -> list[str]:
    lines = [
        line
        for call in conversation.current.named(tool)
        if call.outcome and call.succeeded
        for line in call.outcome.text.splitlines()
    ]
    return list(dict.fromkeys(conversation.shown(line.strip()) for line in lines if not _NOT_A_PATH.match(line)))


def _read_calls(conversation: Conversation, sources: Iterable[Source]) -> tuple[ReplyToolUse, ...]:
    called = {
        (
            conversation.shown(call.path),
            str(call.input.get("sheet", "")),
            call.input.get("offset", 0) if call.name == "Read" else 0,
        )
        for call in conversation.current.named("Read", READ_DOCUMENT)
    }
    return tuple(read_call(conversation, source) for source in sources if _key(source) not in called)


def _key(source: Source) -> tuple[str, str, int]:
    """Return by path, sheet and first line which call reads `source`."""
    return (source.path, source.sheet, 0) if is_document(source.path) else (source.path, "", source.first_and_most[0])


def _calls_for_parts(conversation: Conversation) -> tuple[ReplyToolUse, ...]:
    reads = conversation.current.named("Read")
    tried = {call.path for call in reads if "limit" in call.input}
    too_large = [call.path for call in reads if TOO_LARGE.search(call.error) and call.path not in tried]
    return tuple(ReplyToolUse("Read", {"file_path": path, "offset": 1, "limit": _PART}) for path in too_large)


def _calls_for_documents(conversation: Conversation, wanted: Collection[Source]) -> tuple[ReplyToolUse, ...]:
    """Return the calls for the next part of each document that goes on, and for the further sheets of a workbook."""
    documents = [source for source in wanted if is_document(source.path)]
    most = min(_MOST_PARTS, max(1, _PARTS_IN_ALL // max(1, len(documents))))
    calls: list[ReplyToolUse] = []
    for source in documents:
        path = conversation.absolute(source.path)
        read = [call for call in conversation.current.named(READ_DOCUMENT) if conversation.shown(call.path) == source.path]
        mine = [call for call in read if str(call.input.get("sheet", "")) == source.sheet]
        if len(mine) < most and mine[-1].outcome and mine[-1].succeeded:
            following = parse_part(mine[-1].outcome.text).next_offset
            calls += [_document_call(path, source.sheet, following)] if following else []
        if is_workbook(source.path) and not source.sheet and mine[0].outcome and mine[0].succeeded:
            first = parse_part(mine[0].outcome.text)
            others = [sheet for sheet in first.sheets if sheet != first.sheet][: _MOST_SHEETS - 1]
            called = {str(call.input.get("sheet", "")) for call in read}
            calls += [_document_call(path, sheet) for sheet in others if sheet not in called]
    return tuple(calls)


def _goes_on(conversation: Conversation, path: str) -> bool:
    """Whether there is more of a document than was read."""
    read = [call for call in conversation.current.named(READ_DOCUMENT) if conversation.shown(call.path) == path]
    last = {str(call.input.get("sheet", "")): call.outcome.text for call in read if call.outcome and call.succeeded}
    parts = [parse_part(text) for text in last.values()]
    whole = "" not in last or len(parts) >= len(parse_part(last[""]).sheets)
    return not whole or any(part.next_offset for part in parts)


def _brought(
    conversation: Conversation, sources: tuple[Source, ...], wanted: list[str], hidden: Collection[str], *, searching: bool
) -> Gathered:
    newest: dict[str, Call] = {}
    for call in conversation.current.named("Read", READ_DOCUMENT):
        if call.succeeded or not is_document(call.path) or conversation.shown(call.path) not in newest:
            newest[conversation.shown(call.path)] = call  # of a document that stays in part unread, what was read counts
    reads = {path: newest[path] for path in wanted if path in newest}
    readable = {path: call for path, call in reads.items() if call.succeeded and not (call.outcome and call.outcome.media)}
    known = conversation.texts_of(conversation.current)
    texts = {path: known[path] if is_document(path) else call.file_text for path, call in readable.items()}
    meant = {path: text for path in texts if (text := _lines_meant(conversation, sources, path))}
    texts |= meant
    listed = _listed(conversation, "Glob")
    unopened = {
        conversation.shown(source.path): source
        for source in sources
        if source.type != "folder" and not is_readable(conversation, source)
    }
    if searching:
        unopened |= {
            path: Source(path, extension(path)) for path in listed if _is_unopened(conversation, path) and path not in hidden
        }
    unopened |= {path: Source(path, extension(path)) for path, call in reads.items() if call.succeeded and path not in readable}
    candidates = max(len(wanted), len(set(listed) - set(hidden)) + _unlisted(conversation) - len(unopened) if searching else 0)
    return Gathered(
        documents={path: text for path, text in texts.items() if not (searching and is_draft(text))},
        existing=frozenset((*listed, *wanted, *_touched(conversation))),
        unopened=tuple(unopened.values()),
        unreadable=tuple((path, call.error) for path, call in reads.items() if call.error),
        partial=tuple(
            path
            for path, call in readable.items()
            if path not in meant
            and (call.truncated or "limit" in call.input or (is_document(path) and _goes_on(conversation, path)))
        ),
        left_out=max(0, candidates - _MOST_FILES),
    )


def _lines_meant(conversation: Conversation, sources: Iterable[Source], path: str) -> str:
    """Return the lines of a text that the person means, where they do not mean all of it."""
    firsts = {source.first_and_most[0] for source in sources if conversation.shown(source.path) == path}
    if not firsts or 0 in firsts:
        return ""
    reads = [call for call in conversation.current.named("Read") if conversation.shown(call.path) == path and call.succeeded]
    return "\n\n".join(call.file_text for call in sorted(reads, key=lambda call: int(call.input.get("offset", 0))))


def _touched(conversation: Conversation) -> set[str]:
    """Return the files that were read or written in this conversation: these the CLI would let us replace without a word."""
    return {conversation.shown(call.path) for run in conversation.runs[:-1] for call in run.calls if call.path and call.succeeded}


def _unlisted(conversation: Conversation) -> int:
    """Return how many files Glob found beyond those that it listed."""
    texts = (call.outcome.text for call in conversation.current.named("Glob") if call.outcome and call.succeeded)
    notes = (found for text in texts for found in _SHOWING.finditer(text))
    return sum(int(found["total"]) - int(found["shown"]) for found in notes)


def _is_unopened(conversation: Conversation, path: str) -> bool:
    return extension(path) in _UNOPENED or (is_document(path) and READ_DOCUMENT not in conversation.tools)
