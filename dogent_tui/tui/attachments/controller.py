"""Attachments: from what is typed, dropped and pressed to what is shown."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from dogent_tui.agent.events import Attachment, Event
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.attachments.model import Attachments
from dogent_tui.tui.prompt.references import WorkspaceReferences


class AttachmentsController:
    """Keeps `attachments` and their display consistent. Returned sentences are for the user."""

    def __init__(
        self,
        root: Path,
        references: WorkspaceReferences,
        show: Callable[[], None],
    ) -> None:
        """Work for the workspace at `root`. `show` updates the display."""
        self.attachments = Attachments(root)
        self.show = show
        self._references = references

    def handle(self, event: Event) -> None:
        """Update from `event`."""
        if self.attachments.handle(event):
            self.show()

    def replay(self, events: Iterable[Event]) -> None:
        """Update from the log of an earlier conversation."""
        for event in events:
            self.attachments.handle(event)
        self.show()

    def sent(self, attachments: tuple[Attachment, ...]) -> None:
        """Record that `attachments` were sent with a prompt."""
        if self.attachments.sent(attachments):
            self.show()

    async def attach(self, written: str) -> str:
        """Attach what `written` names (a path or references) to the next prompt. Returns a message
        about the result.
        """
        return self._take(
            await asyncio.to_thread(self._references.attachments_named, written), written
        )

    async def attach_dropped(self, paths: list[str]) -> str:
        """Attach the files at `paths` to the next prompt. Returns a message about the result."""
        return self._take(
            await asyncio.to_thread(self._references.attachments_at, paths), ", ".join(paths)
        )

    def attach_again(self, attachments: Sequence[Attachment]) -> None:
        """Attach files, such as those of an earlier prompt, to the next one."""
        for attachment in attachments:
            self.attachments.attach(attachment)
        self.show()

    def _take(self, attachments: Sequence[Attachment], written: str) -> str:
        if not attachments:
            return tr("There is no file {written} here.", written=one_line(written))
        self.attach_again(attachments)
        return tr(
            "{join}: will be sent with the next prompt.",
            join=one_line(", ".join(attachment.name for attachment in attachments)),
        )

    def remove(self, attachment: Attachment) -> str:
        """Detach `attachment` if it is pending, otherwise remove it from the list. Returns a
        message about the result.
        """
        name = one_line(attachment.name)
        removed = self.attachments.remove(attachment)
        self.show()
        if removed == "unlisted":
            return tr(
                "{name} is no longer listed. The agent keeps what it has read of it.", name=name
            )
        return tr("{name} won't be sent with the next prompt.", name=name) if removed else ""
