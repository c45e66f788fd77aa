"""Which files a conversation refers to, and how far the agent is with each. Plain state, without
a screen.
"""

import os.path
import posixpath
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from dogent_tui.agent.events import Attachment, Event, RunStarted, ToolResult, ToolUse

ReadState = Literal["unread", "reading", "read", "failed"]

READING_TOOLS: Mapping[str, str] = {
    "Read": "file_path",
    "mcp__dogent__read_document": "path",
    "mcp__dogent__analyze_media": "path",
    "mcp__dogent__read_markdown_file": "path",
}
"""The tools that open a file, and the input that names it (SPEC 5)."""

Removed = Literal["", "taken back", "unlisted"]
"""What removing an attachment did: nothing, not send it, or no longer list what was sent."""


class AttachmentEntry(msgspec.Struct, frozen=True):
    """A file of the conversation. `sent`: a prompt referred to it; `pending`: it goes with the next
    prompt.

    `size` is in bytes, None where it is not known.
    """

    attachment: Attachment
    sent: bool = False
    pending: bool = False
    read: ReadState = "unread"
    size: int | None = None


class Attachments:
    """The attachments of a conversation, in the order in which they came up.

    Feed it every event of the session with `handle`; replaying a log gives the same list.
    """

    def __init__(self, root: Path) -> None:
        """Know the files of the workspace at `root`, from which relative paths are seen."""
        self._root = os.path.realpath(root)
        self._entries: dict[Attachment, AttachmentEntry] = {}
        self._unlisted: set[Attachment] = set()
        self._reading: dict[str, tuple[Attachment, ...]] = {}

    @property
    def entries(self) -> tuple[AttachmentEntry, ...]:
        """Every attachment that is listed, first mentioned first."""
        return tuple(entry for key, entry in self._entries.items() if key not in self._unlisted)

    @property
    def pending(self) -> tuple[Attachment, ...]:
        """The attachments that go with the next prompt, besides those that it names itself."""
        return tuple(entry.attachment for entry in self._entries.values() if entry.pending)

    def attach(self, attachment: Attachment) -> None:
        """Have `attachment` go with the next prompt."""
        self._unlisted.discard(attachment)
        known = self._entries.get(attachment, AttachmentEntry(attachment))
        self._entries[attachment] = replace(known, pending=True)

    def remove(self, attachment: Attachment) -> Removed:
        """Take a pending `attachment` back, or one that was sent off the list; say which of the two
        happened.

        It is listed again when a prompt refers to it again, with what is known of it: the agent has
        read it all the same.
        """
        entry = self._entries.get(attachment)
        if entry is None or attachment in self._unlisted:
            return ""
        if entry.pending and not entry.sent:
            del self._entries[attachment]
        elif entry.pending:
            self._entries[attachment] = replace(entry, pending=False)
        else:
            self._unlisted.add(attachment)
        return "taken back" if entry.pending else "unlisted"

    def unmeasured(self) -> list[str]:
        """Return the paths of the attachments whose size is not known."""
        return [entry.attachment.path for entry in self._entries.values() if entry.size is None]

    def measured(self, sizes: Mapping[str, int | None]) -> None:
        """Take `sizes` in bytes, by path."""
        for key, entry in self._entries.items():
            if entry.attachment.path in sizes:
                self._entries[key] = replace(entry, size=sizes[entry.attachment.path])

    def handle(self, event: Event) -> bool:
        """Learn from `event`; return whether anything changed."""
        match event:
            case RunStarted(prompt=prompt):
                return self.sent(prompt.attachments)
            case ToolUse(name=name, input=given, tool_use_id=tool_use_id) if name in READING_TOOLS:
                return self._began_reading(tool_use_id, given.get(READING_TOOLS[name]), given)
            case ToolResult(tool_use_id=tool_use_id) if tool_use_id in self._reading:
                return self._finished_reading(tool_use_id, failed=event.is_error)
            case _:
                return False

    def sent(self, attachments: tuple[Attachment, ...]) -> bool:
        """Take notice that `attachments` went with a prompt: they are pending no more. Return
        whether there were any.

        A file of which some lines were meant is listed once, whatever they were.
        """
        for attachment in attachments:
            if attachment.lines is not None:
                self._entries.pop(attachment, None)
                attachment = replace(attachment, lines=None)
            self._unlisted.discard(attachment)
            known = self._entries.get(attachment, AttachmentEntry(attachment))
            self._entries[attachment] = replace(known, sent=True, pending=False)
        return bool(attachments)

    def _began_reading(self, tool_use_id: str, path: Any, given: Mapping[str, Any]) -> bool:
        if not isinstance(path, str):
            return False
        place, sheet = self._place(path), given.get("sheet")
        keys = tuple(
            key
            for key in self._entries
            if self._place(key.path) == place
            and (key.sheet is None or sheet is None or key.sheet == sheet)
        )
        if keys:
            self._reading[tool_use_id] = keys
            self._mark(keys, "reading")
        return bool(keys)

    def _finished_reading(self, tool_use_id: str, *, failed: bool) -> bool:
        self._mark(self._reading.pop(tool_use_id), "failed" if failed else "read")
        return True

    def _mark(self, keys: Iterable[Attachment], state: ReadState) -> None:
        """Note how far the agent is: what was read once stays read."""
        for key in keys:
            entry = self._entries.get(key)
            if entry is not None and entry.read != "read":
                self._entries[key] = replace(entry, read=state)

    def _place(self, path: str) -> str:
        """Return `path` as one spelling of where it is, without looking at the disk."""
        return posixpath.normpath(posixpath.join(self._root, os.path.expanduser(path)))  # noqa: PTH111 - no disk, no Path per event


def measure(root: Path, paths: Iterable[str]) -> dict[str, int | None]:
    """Return the sizes in bytes of files by path, seen from `root`; None for folders and what
    cannot be looked at. Touches the disk.
    """
    return {path: file_size(root, path) for path in paths}


def file_size(root: Path, path: str = "") -> int | None:
    """Return the bytes of the file at `path`, None where there is none."""
    with suppress(OSError, RuntimeError, ValueError):
        file = root / Path(path).expanduser()
        return file.stat().st_size if file.is_file() else None
    return None


def readable_size(size: int) -> str:
    """Return `size` bytes in the unit that people read (``2.1 KB``, steps of 1,000)."""
    if size < 1_000:
        return f"{size} B"
    amount = float(size)
    for unit in ("KB", "MB", "GB"):
        amount /= 1_000
        if amount < 999.5:
            return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:.0f} {unit}"
    return f"{amount / 1_000:.1f} TB"
