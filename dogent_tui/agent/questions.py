"""What the policy asks about a call, as a request to the user."""

import uuid
from typing import TYPE_CHECKING

from dogent_tui.agent.events import PermissionRequested, Target

if TYPE_CHECKING:
    from dogent_tui.agent.authority import Authority
    from dogent_tui.permissions.model import Decision, ToolCall
    from dogent_tui.wall.changes import Difference


def put_in_words(
    authority: "Authority",
    call: "ToolCall",
    decision: "Decision",
    *,
    tool_use_id: str = "",
    why: tuple[str, ...] = (),
    difference: "Difference | None" = None,
) -> PermissionRequested:
    """Return what the user is asked about `call`, under an id of its own. `why` comes before the
    policy's own reasons. Looks at the disk.

    `difference` is what a command did already, where the question is whether to keep it.
    """
    asked = authority.question(call, decision, difference)
    return PermissionRequested(
        request_id=uuid.uuid4().hex[:12],
        tool_use_id=tool_use_id,
        tool=call.tool,
        input=call.input,
        sentence=asked.sentence,
        reasons=(*why, *asked.reasons),
        targets=tuple(
            Target(spot.path, spot.kind, spot.exists, spot.size, spot.note) for spot in asked.spots
        ),
        spans=asked.spans,
        diff=asked.diff,
        words=asked.words,
        scopes=asked.scopes,
        once_because=asked.once_because,
        rules=asked.rules,
        ends_run=asked.ends_run,
        happened=difference is not None,
    )
