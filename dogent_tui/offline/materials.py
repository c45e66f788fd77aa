"""The files of the workspace for a request: which exist, their content, and changes to them.

Everything goes through the CLI's tools. A handler is written as if each call returned at once: if a
result is missing, `Pending` leaves the handler with the calls to make, and it runs again once they
have returned.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from dogent_tui.offline.conversation import READ_DOCUMENT, Call, Conversation
from dogent_tui.offline.messages_api import ReplyToolUse
from dogent_tui.offline.passages import MARK, Document, parse
from dogent_tui.offline.words import extension, words

Files: TypeAlias = Callable[[], Mapping[str, float]]
"""Lists the files of the workspace, relative and without ignored ones, each with its modification
time.
"""

DOCUMENTS: Sequence[str] = words()["files"]["documents"]
PASTED = "your prompt"
"""Used as the path of a text that came with the prompt."""
_MOST_FILES, _MOST_CALLS, _MOST_PARTS, _PART = 30, 90, 12, 20_000
"""The number of files read for a request, calls of a run, parts of a document, and characters of a
part: several must fit into a window.
"""
_MORE = re.compile(r"^There is more: call read_document again with offset (\d+)\.$", re.MULTILINE)
_METADATA = re.compile(r"^Metadata: (\{.*\})$", re.MULTILINE)
_CITED = re.compile(r"^Cite as \[@(\S+)\]$", re.MULTILINE)
_STUB = "unchanged since"
"""Part of what the CLI's Read returns instead of a text that the conversation already contains."""


class Pending(Exception):  # noqa: N818  (not a failure)
    """Raised with the calls that have to be made first, possibly together."""


class Materials:
    """The material for one request.

    Args:
        conversation: what was said and called so far.
        files: lists the workspace.
        seen: kept between requests: the modification times of the files that were read.
    """

    def __init__(self, conversation: Conversation, files: Files, seen: dict[str, float]) -> None:
        self.conversation, self._changed, self._seen = conversation, files(), seen
        self.unread: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        """File that was read → its citation key."""
        kinds = (*words()["files"]["texts"], *DOCUMENTS)
        known = (path for path in self._changed if extension(path) in kinds and "~$" not in path)
        self.paths = sorted(known, key=lambda path: (path.count("/"), path))
        self.existing = frozenset((*self._changed, *conversation.written()))

    def call(self, name: str, **given: object) -> Call:
        """Return the finished call of this run. Raises Pending if it has not returned."""
        wanted = Call(name, {key: value for key, value in given.items() if value not in ("", 0)})
        calls = self.conversation.runs[-1].calls
        made = next((call for call in calls if call.key == wanted.key and call.outcome), None)
        if made is None:
            assert len(calls) < _MOST_CALLS, "the calls of a run do not come to an end"
            raise Pending(ReplyToolUse(name, wanted.input))
        return made

    def documents(self, paths: Iterable[str], *, drafts: bool = False) -> list[Document]:
        """Return the contents of the files, except unreadable ones (`unread` says why), and our
        drafts unless `drafts`.
        """
        found, pending = list[Document](), list[ReplyToolUse]()
        for path in list(dict.fromkeys(paths))[:_MOST_FILES]:
            try:
                text = self.text(path)
            except Pending as waiting:
                pending += waiting.args
                continue
            found += [parse(path, text)] if text and (drafts or MARK not in text) else []
        if pending:
            raise Pending(*pending)
        return found

    def text(self, path: str) -> str:
        """Return the content of the file as text, empty if it cannot be read."""
        if path == PASTED:
            return self.conversation.runs[-1].material
        if extension(path) in DOCUMENTS:
            return self._parts(path)
        if self._seen.get(path) == self._changed.get(path) and (known := self._earlier(path)):
            return known
        try:
            read = self.call("Read", file_path=self.conversation.absolute(path))
        except Pending:
            self._seen[path] = self._changed.get(path, 0.0)
            raise
        if read.is_partial or re.search("exceeds maximum|too large", read.error):
            return self._parts(path)
        if read.error:
            self.unread[path] = read.error
        return self._earlier(path) if _STUB in read.text[:200] else read.text

    def _earlier(self, path: str) -> str:
        """Return what was last read of a text in this conversation, empty if nothing was."""
        talk = self.conversation
        calls = (call for run in talk.runs for call in run.calls if call.name == "Read")
        texts = [call.text for call in calls if talk.shown(call.path) == path]
        return next((text for text in reversed(texts) if text and _STUB not in text[:200]), "")

    def _parts(self, path: str) -> str:
        given = {"path": self.conversation.absolute(path), "max_chars": _PART}
        texts, left = list[str](), [("", 0)]
        while left and len(texts) < _MOST_PARTS:
            sheet, offset = left.pop(0)
            part = self.call(READ_DOCUMENT, **given, sheet=sheet, offset=offset)
            head, _, text = part.text.partition("\n\n")
            if part.error:
                self.unread[path] = part.error
            if cited := _CITED.search(head):
                self.keys[path] = cited[1]
            if not texts and (known := _METADATA.search(head)):
                sheets = json.loads(known[1]).get("sheets") or []
                names = [one["name"] for one in sheets if one.get("state") == "visible"]
                sheet, left = next(iter(names), ""), [(name, 0) for name in names[1:]]
            texts += [f"<!-- sheet {sheet} -->\n"] if sheet and not offset else []
            texts.append(text or head)
            if more := _MORE.search(head):
                left.insert(0, (sheet, int(more[1])))
        if left:
            self.unread[path] = "only its beginning was read"
        return "\n".join(texts)
