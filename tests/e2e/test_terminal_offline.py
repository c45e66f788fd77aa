"""The application without an account, in a real terminal: the offline engine does the work through the real CLI."""

import pytest

from tests.e2e.terminal import CTRL_S, DOGENT, Terminal, eventually, plain_environment

pytestmark = pytest.mark.slow


async def test_it_writes_a_draft_from_the_files_of_the_workspace(workspace, home):
    (workspace.root / "minutes.md").write_text(
        "# Minutes\n\nThe council decided to repair the bridge before winter.\n\nThe budget for the bridge is 40,000 euros.\n",
        encoding="utf-8",
    )
    argv = [*DOGENT, str(workspace.root)]
    async with Terminal.open(argv, size=(120, 40), env=plain_environment(home), cwd=workspace.root, prepared=True) as terminal:
        await terminal.wait_for("offline engine · no AI model", "ready")
        terminal.type("Write a report about the bridge from @minutes.md ")
        await terminal.wait_for("minutes.md")
        terminal.type("\r")
        await terminal.wait_for("Who will read it?", "How long shall it be?")
        await eventually(lambda: _sends(terminal, CTRL_S, "Minutes"), "the outline")
        terminal.type("a")
        await terminal.wait_for("done in", "ready", "no AI model")
    draft = (workspace.root / "drafts" / "bridge.md").read_text(encoding="utf-8")
    assert "## Minutes" in draft
    assert "repair the bridge before winter" in draft
    assert "minutes.md" in draft


def _sends(terminal, key: str, until: str) -> bool:
    """Press `key` until `until` can be seen: a form takes no keys in its first half second."""
    if "Outline of the draft" in terminal.text() and until in terminal.text():
        return True
    terminal.type(key)
    return False
