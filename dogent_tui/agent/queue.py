"""The prompts that wait for the current run to end."""

import asyncio
import uuid
from collections.abc import Callable

from dogent_tui.agent.events import Event, Prompt, QueueChanged, QueuedPrompt


class PromptQueue:
    """First in, first out. The waiting prompts are published whenever they change; a prompt that
    runs at once never waits.
    """

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self._publish = publish
        self._waiting: list[QueuedPrompt] = []
        self._filled = asyncio.Event()
        self._shown = False
        self._stopped = False
        self._held = False

    @property
    def waiting(self) -> tuple[QueuedPrompt, ...]:
        """The waiting prompts."""
        return tuple(self._waiting)

    def put(self, prompt: Prompt, *, waits: bool, first: bool = False) -> str:
        """Add `prompt` and return its id. `waits`: something is already running; `first`: before
        the others.
        """
        queued = QueuedPrompt(id=uuid.uuid4().hex[:12], prompt=prompt)
        self._waiting.insert(0 if first else len(self._waiting), queued)
        self._filled.set()
        if waits or len(self._waiting) > 1:
            self._show()
        return queued.id

    def take_back(self, queued_id: str) -> Prompt | None:
        """Remove a waiting prompt and return it; None if it is not waiting any more."""
        for index, queued in enumerate(self._waiting):
            if queued.id == queued_id:
                del self._waiting[index]
                self._show()
                return queued.prompt
        return None

    def stop(self) -> None:
        """Let nothing run any more, keeping what waits."""
        self._stopped = True

    def hold(self, held: bool) -> None:
        """Pause or resume running."""
        self._held = held
        self._filled.set()

    def tell(self) -> None:
        """Publish the waiting prompts, whether they changed or not."""
        self._publish(QueueChanged(prompts=self.waiting))

    async def next(self) -> Prompt:
        """Wait for a prompt and remove it."""
        while self._stopped or self._held or not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        prompt = self._waiting.pop(0).prompt
        if self._shown:
            self._show()
        return prompt

    def _show(self) -> None:
        self._shown = bool(self._waiting)
        self.tell()
