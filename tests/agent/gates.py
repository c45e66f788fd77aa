"""A gate with all that it works with, for tests."""

from typing import Any

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.conversation import Ask
from dogent_tui.agent.gate import Gate
from dogent_tui.agent.ui_requests import ReviewMode
from dogent_tui.agent.write_reviews import Reviewing
from dogent_tui.markdown_search.requests import RequestBook
from dogent_tui.permissions.model import Decision, ToolCall
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.undo.undo_log import UndoLog


def made_reviewing(
    workspace: Workspace, form: Any, ledger: Ledger, mode: ReviewMode | None = None
) -> Reviewing:
    """Return what brings changes to the user, who has no document open."""
    return Reviewing(form, Libraries(workspace, WorkspaceSettings()), mode or ReviewMode(), ledger)


def made_gate(workspace: Workspace, ask: Ask, **given: Any) -> Gate:
    """Return a gate of a session that nobody reviews, but for what is `given`."""
    ledger = Ledger("s")
    parts: dict[str, Any] = {
        "authority": Authority(workspace),
        "copies": UndoLog.of(workspace, "s"),
        "requests": RequestBook(),
        "reviewing": made_reviewing(workspace, None, ledger),
        "behind_wall": wrapped,
        "ledger": ledger,
    }
    return Gate(ask=ask, cwd=workspace.root, **(parts | given))


def wrapped(call: ToolCall, _: Decision, tool_use_id: str) -> dict[str, Any]:
    """Return the input of a command that ran behind a wall."""
    return {**call.input, "command": f"wrapped {tool_use_id}"}
