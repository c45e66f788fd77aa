"""The files a conversation refers to, and how much of each the agent has read. Plain state,
independent of the screen.
"""

import os.path
import posixpath
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from dogent_tui.agent.events import Attachment, Event, RunStarted, ToolResult, ToolUse
from dogent_tui.agent.tool_names import path_in
from dogent_tui.records import Json, Record

ReadState = Literal["unread", "reading", "read", "failed"]

READING_TOOLS = (
    "Read",
    "mcp__dogent__read_document",
    "mcp__dogent__analyze_media",
    "mcp__dogent__read_markdown_file",
)
"""The tools that open a file (SPEC 5)."""

Removed = Literal["", "taken back", "unlisted"]
"""The effect of removing an attachment: none, not sent, or no longer listed."""


class AttachmentEntry(Record):
    """A file of the conversation.

    `sent`: a prompt referred to it. `pending`: it will be sent with the next prompt.
    """

    attachment: Attachment
    sent: bool = False
    pending: bool = False
    read: ReadState = "unread"

    @property
    def listed(self) -> bool:
        """Whether it is shown: what was removed is kept, with its reading state."""
        return self.sent or self.pending


class Attachments:
    """The attachments of a conversation, in order of first appearance.

    Pass every event of the session to `handle`; replaying a log gives the same list.
    """

    def __init__(self, root: Path) -> None:
        """Resolve relative paths against the workspace at `root`."""
        self._root = os.path.realpath(root)
        self._entries: dict[Attachment, AttachmentEntry] = {}
        self._reading: dict[str, tuple[Attachment, ...]] = {}

    @property
    def entries(self) -> tuple[AttachmentEntry, ...]:
        """Every listed attachment, in order of first mention."""
        return tuple(entry for entry in self._entries.values() if entry.listed)

    @property
    def pending(self) -> tuple[Attachment, ...]:
        """The attachments of the next prompt, besides those that its text names."""
        return tuple(entry.attachment for entry in self._entries.values() if entry.pending)

    def attach(self, attachment: Attachment) -> None:
        """Add `attachment` to the next prompt."""
        known = self._entries.get(attachment, AttachmentEntry(attachment))
        self._entries[attachment] = replace(known, pending=True)

    def remove(self, attachment: Attachment) -> Removed:
        """Detach a pending `attachment`, or remove a sent one from the list; return which.

        It is listed again, with its reading state, when a prompt refers to it again.
        """
        entry = self._entries.get(attachment)
        if entry is None or not entry.listed:
            return ""
        kept = replace(entry, sent=entry.sent and entry.pending, pending=False)
        self._entries[attachment] = kept
        return "taken back" if entry.pending else "unlisted"

    def handle(self, event: Event) -> bool:
        """Update from `event`; return whether anything changed."""
        match event:
            case RunStarted(prompt=prompt):
                return self.sent(prompt.attachments)
            case ToolUse(name=name, input=given, tool_use_id=tool_use_id) if name in READING_TOOLS:
                return self._began_reading(tool_use_id, given)
            case ToolResult(tool_use_id=tool_use_id) if tool_use_id in self._reading:
                self._mark(self._reading.pop(tool_use_id), "failed" if event.is_error else "read")
                return True
            case _:
                return False

    def sent(self, attachments: tuple[Attachment, ...]) -> bool:
        """Record that `attachments` were sent with a prompt and are no longer pending. Returns
        whether there were any.

        A file attached for several line ranges is listed once.
        """
        for attachment in attachments:
            if attachment.lines is not None:
                self._entries.pop(attachment, None)
                attachment = replace(attachment, lines=None)
            known = self._entries.get(attachment, AttachmentEntry(attachment))
            self._entries[attachment] = replace(known, sent=True, pending=False)
        return bool(attachments)

    def _began_reading(self, tool_use_id: str, given: Json) -> bool:
        place, sheet = place_in(self._root, path_in(given)), given.get("sheet")
        keys = tuple(
            key
            for key in self._entries
            if place_in(self._root, key.path) == place
            and (key.sheet is None or sheet is None or key.sheet == sheet)
        )
        if keys:
            self._reading[tool_use_id] = keys
            self._mark(keys, "reading")
        return bool(keys)

    def _mark(self, keys: Iterable[Attachment], state: ReadState) -> None:
        """Record how much the agent has read; "read" is never taken back."""
        for key in keys:
            entry = self._entries.get(key)
            if entry is not None and entry.read != "read":
                self._entries[key] = replace(entry, read=state)


def place_in(root: str, path: str) -> str:
    """Return the normalized form of `path`, without accessing the disk."""
    return posixpath.normpath(posixpath.join(root, os.path.expanduser(path)))  # noqa: PTH111 - no disk, no Path per event


Sizes = Mapping[str, int | None]
"""The sizes of files in bytes, by path; None for folders and inaccessible files."""


def measure(root: Path, paths: Iterable[str]) -> Sizes:
    """Return the sizes of `paths` relative to `root`. Accesses the disk."""
    return {path: file_size(root, path) for path in paths}


def file_size(root: Path, path: str = "") -> int | None:
    """Return the size of the file at `path` in bytes, None if there is none."""
    with suppress(OSError, RuntimeError, ValueError):
        file = root / Path(path).expanduser()
        return file.stat().st_size if file.is_file() else None
    return None


def readable_size(size: int) -> str:
    """Return `size` in a readable unit (``2.1 KB``, powers of 1,000)."""
    if size < 1_000:
        return f"{size} B"
    amount = float(size)
    for unit in ("KB", "MB", "GB"):
        amount /= 1_000
        if amount < 999.5:
            return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:.0f} {unit}"
    return f"{amount / 1_000:.1f} TB"
