"""Attachments: from what is typed, dropped and pressed to what is shown."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from textual.screen import Screen

from dogent_tui.agent.events import Attachment, Event
from dogent_tui.agent.session import OpenedSession
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.attachments.model import Attachments, measure
from dogent_tui.tui.prompt.references import WorkspaceReferences


class AttachmentsController:
    """Keeps `attachments` and their display consistent. Returned sentences are for the user."""

    def __init__(
        self,
        screen: Screen[None],
        opened: OpenedSession,
        references: WorkspaceReferences,
        draw: Callable[[], None],
    ) -> None:
        """Work for `screen`, whose loop awaits disk access. `draw` updates the display."""
        self.attachments = Attachments(opened.workspace.root)
        self._screen = screen
        self._opened = opened
        self._references = references
        self._draw = draw

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
        """Attach the files of an earlier prompt to the next one."""
        for attachment in attachments:
            self.attachments.attach(attachment)
        self.show()

    def _take(self, attachments: Sequence[Attachment], written: str) -> str:
        if not attachments:
            return tr("There is no file {written} here.", written=one_line(written))
        for attachment in attachments:
            self.attachments.attach(attachment)
        self.show()
        return tr(
            "{join}: will be sent with the next prompt.",
            join=one_line(", ".join(attachment.name for attachment in attachments)),
        )

    def remove(self, attachment: Attachment) -> None:
        """Detach `attachment` if it is pending, otherwise remove it from the list; report which."""
        name = one_line(attachment.name)
        removed = self.attachments.remove(attachment)
        self.show()
        if removed == "unlisted":
            self._screen.notify(
                tr(
                    "{name} is no longer listed. The agent keeps what it has read of it.", name=name
                ),
            )
        elif removed:
            self._screen.notify(tr("{name} won't be sent with the next prompt.", name=name))

    def show(self) -> None:
        """Update the display."""
        self._draw()
        if unmeasured := self.attachments.unmeasured():
            self._screen.run_worker(self._measure(unmeasured), group="measure", exclusive=True)

    async def _measure(self, unmeasured: Sequence[str]) -> None:
        self.attachments.measured(
            await asyncio.to_thread(measure, self._opened.workspace.root, unmeasured)
        )
        self._draw()
