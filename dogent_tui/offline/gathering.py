"""Finding and reading the files of a request: which tools to call next, or what they brought."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from dogent_tui.offline.conversation import Call, Conversation, Source
from dogent_tui.offline.draft import is_draft
from dogent_tui.offline.intent import Intent
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyToolUse
from dogent_tui.offline.phrases import PHRASES, files
from dogent_tui.offline.relevance import terms

_TEXT_TYPES = ("md", "markdown", "txt", "text", "rst", "org", "adoc", "tex", "csv", "tsv")
_OTHER_DOCUMENTS = ("pdf", "docx", "doc", "xlsx", "xls", "pptx", "ppt", "odt", "ods", "odp", "rtf", "epub")
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
_MOST_FILES = 20
"""So many files are read for one request, those first that hold its words."""
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
    sources = referenced(conversation)
    named = [source.path for source in sources if is_readable(source)]
    searching = not sources or any(source.type == "folder" for source in sources)
    if "Read" not in conversation.tools:
        return (ReplyText(f"{phrases.cannot_read}\n\n{phrases.no_model}"),)
    if searching and not conversation.tools & {"Glob", "Grep"} and not named:
        return (ReplyText(f"{phrases.cannot_look}\n\n{phrases.no_model}"),)
    finding = _find_calls(conversation, intent, sources, searching=searching)
    hidden = _hidden(conversation, sources) if searching else frozenset()
    found = _found(conversation, intent, hidden) if searching else []
    wanted = list(dict.fromkeys([*map(conversation.shown, named), *found]))
    reading = _read_calls(conversation, wanted[:_MOST_FILES])
    if finding or reading:
        text = phrases.read.format(count=files(len(reading), intent.language)) if reading else phrases.look
        return (ReplyText(text), *finding, *reading)
    again = _calls_for_parts(conversation)
    if again:
        return (ReplyText(phrases.read_again), *again)
    return _brought(conversation, sources, wanted, hidden, searching=searching)


def referenced(conversation: Conversation) -> tuple[Source, ...]:
    """Return the files that the current prompt refers to; where it refers to none, those of the prompts before it."""
    if conversation.current.sources:
        return conversation.current.sources
    return tuple(dict.fromkeys(source for run in conversation.earlier for source in run.sources))


def is_readable(source: Source) -> bool:
    """Whether Read can be expected to return text for `source`."""
    return source.type != "folder" and not _is_unopened(source.path) and source.type not in _UNOPENED


def is_media(source: Source) -> bool:
    """Whether `source` is a picture or a video, which no rule can see."""
    return _extension(source.path) in _MEDIA or source.type in _MEDIA


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
        return (ReplyToolUse("Glob", {"pattern": "**/*.md"}),) if intent.kind == "draft" else ()
    pattern = f"**/*.{{{','.join(_TEXT_TYPES + _OTHER_DOCUMENTS)}}}"
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
    """Return the text files found, those first that hold words of the request, then those named like it."""
    matching = dict.fromkeys(_listed(conversation, "Grep"))
    paths = matching | dict.fromkeys(_listed(conversation, "Glob"))
    words = set(intent.words)
    readable = [path for path in paths if _extension(path) in _TEXT_TYPES and path not in hidden]
    return sorted(readable, key=lambda path: (path not in matching, -len(words.intersection(terms(path))), path.count("/"), path))


def _listed(conversation: Conversation, tool: str) -> list[str]:
    lines = [
        line
        for call in conversation.current.named(tool)
        if call.outcome and call.succeeded
        for line in call.outcome.text.splitlines()
    ]
    return list(dict.fromkeys(conversation.shown(line.strip()) for line in lines if not _NOT_A_PATH.match(line)))


def _read_calls(conversation: Conversation, paths: Iterable[str]) -> tuple[ReplyToolUse, ...]:
    called = {conversation.shown(call.path) for call in conversation.current.named("Read")}
    return tuple(ReplyToolUse("Read", {"file_path": conversation.absolute(path)}) for path in paths if path not in called)


def _calls_for_parts(conversation: Conversation) -> tuple[ReplyToolUse, ...]:
    reads = conversation.current.named("Read")
    tried = {call.path for call in reads if "limit" in call.input}
    too_large = [call.path for call in reads if TOO_LARGE.search(call.error) and call.path not in tried]
    return tuple(ReplyToolUse("Read", {"file_path": path, "offset": 1, "limit": _PART}) for path in too_large)


def _brought(
    conversation: Conversation, sources: tuple[Source, ...], wanted: list[str], hidden: Collection[str], *, searching: bool
) -> Gathered:
    newest: dict[str, Call] = {conversation.shown(call.path): call for call in conversation.current.named("Read")}
    reads = {path: newest[path] for path in wanted if path in newest}
    readable = {path: call for path, call in reads.items() if call.succeeded and not (call.outcome and call.outcome.media)}
    texts = {path: call.file_text for path, call in readable.items()}
    listed = _listed(conversation, "Glob")
    unopened = {
        conversation.shown(source.path): source for source in sources if source.type != "folder" and not is_readable(source)
    }
    if searching:
        unopened |= {path: Source(path, _extension(path)) for path in listed if _is_unopened(path) and path not in hidden}
    unopened |= {path: Source(path, _extension(path)) for path, call in reads.items() if call.succeeded and path not in readable}
    candidates = max(len(wanted), len(set(listed) - set(hidden)) + _unlisted(conversation) - len(unopened) if searching else 0)
    return Gathered(
        documents={path: text for path, text in texts.items() if not (searching and is_draft(text))},
        existing=frozenset((*listed, *wanted, *_touched(conversation))),
        unopened=tuple(unopened.values()),
        unreadable=tuple((path, call.error) for path, call in reads.items() if call.error),
        partial=tuple(path for path, call in readable.items() if call.truncated or "limit" in call.input),
        left_out=max(0, candidates - _MOST_FILES),
    )


def _touched(conversation: Conversation) -> set[str]:
    """Return the files that were read or written in this conversation: these the CLI would let us replace without a word."""
    return {conversation.shown(call.path) for run in conversation.runs[:-1] for call in run.calls if call.path}


def _unlisted(conversation: Conversation) -> int:
    """Return how many files Glob found beyond those that it listed."""
    texts = (call.outcome.text for call in conversation.current.named("Glob") if call.outcome and call.succeeded)
    notes = (found for text in texts for found in _SHOWING.finditer(text))
    return sum(int(found["total"]) - int(found["shown"]) for found in notes)


def _is_unopened(path: str) -> bool:
    return _extension(path) in _UNOPENED


def _extension(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()
