"""The recorder of a session that was opened: whatever face it has, it is written down alike."""

from collections.abc import Callable

from dogent_tui.agent.events import Notice
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.session import OpenedSession
from dogent_tui.settings.known_secrets import known_secrets, learned_secrets


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
