"""The recorder of a session that was opened: whatever face it has, it is written down alike."""

import asyncio
from collections.abc import AsyncIterator, Callable

from dogent_tui.agent.events import Event, Notice
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.session import OpenedSession
from dogent_tui.settings.known_secrets import known_secrets, learned_secrets


def start_recording(
    opened: OpenedSession, notify: Callable[[Notice], None] | None = None
) -> asyncio.Task[None]:
    """Write down what happens in `opened` from now on. Returns the task of that, which is done soon
    after the service is closed. `notify` tells the user of trouble.
    """
    return asyncio.create_task(_record(opened, opened.service.events(), notify))


async def _record(
    opened: OpenedSession, events: AsyncIterator[Event], notify: Callable[[Notice], None] | None
) -> None:
    recorder = await asyncio.to_thread(session_recorder, opened, notify)
    await recorder.record(events)


def session_recorder(
    opened: OpenedSession, notify: Callable[[Notice], None] | None = None
) -> Recorder:
    """Return what writes log and history of `opened`, without the keys that are known by then.
    Reads files that hold keys.
    """
    return Recorder(
        opened.workspace,
        opened.service.session_id,
        secrets=(*opened.endpoint.secrets, *known_secrets()),
        learned=learned_secrets,
        notify=notify,
        hold=opened.hold,
        fork_of=opened.fork_of,
    )
