"""A gate with all that it works with, for tests."""

from typing import Any

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.conversation import Ask
from dogent_tui.agent.gate import Gate
from dogent_tui.agent.ui_requests import ReviewMode
from dogent_tui.agent.user_questions import Asking
from dogent_tui.markdown_search.requests import RequestBook
from dogent_tui.permissions.model import Decision, ToolCall
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.undo.undo_log import UndoLog


def made_asking(workspace: Workspace, form: Any, ledger: Ledger, **given: Any) -> Asking:
    """Return what brings questions to the user, who has no document open."""
    wanted: dict[str, Any] = {"at_screen": True, "review_mode": ReviewMode(), **given}
    libraries = Libraries(workspace, WorkspaceSettings())
    return Asking(form, libraries, ledger=ledger, **wanted)


def made_gate(workspace: Workspace, ask: Ask, **given: Any) -> Gate:
    """Return a gate of a session that nobody reviews, but for what is `given`."""
    ledger = Ledger("s")
    parts: dict[str, Any] = {
        "authority": Authority(workspace),
        "copies": UndoLog(workspace, "s"),
        "requests": RequestBook(),
        "reviewing": made_asking(workspace, None, ledger).reviewing,
        "behind_wall": wrapped,
        "ledger": ledger,
    }
    return Gate(ask=ask, cwd=workspace.root, **(parts | given))


def wrapped(call: ToolCall, _: Decision, tool_use_id: str) -> dict[str, Any]:
    """Return the input of a command that ran behind a wall."""
    return {**call.input, "command": f"wrapped {tool_use_id}"}
