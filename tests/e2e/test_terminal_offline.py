"""The application without an account, in a real terminal: the offline engine does the work
through the real CLI.
"""

import pytest

from tests.e2e.terminal import DOGENT, Terminal, plain_environment

pytestmark = pytest.mark.slow


async def test_it_writes_a_draft_from_the_files_of_the_workspace(workspace, home):
    (workspace.root / "minutes.md").write_text(
        "# Minutes\n\nThe council decided to repair the bridge before winter.\n\nThe budget for the"
        " bridge is 40,000 euros.\n",
        encoding="utf-8",
    )
    argv = [*DOGENT, str(workspace.root)]
    async with Terminal.open(
        argv, size=(120, 40), env=plain_environment(home), cwd=workspace.root, prepared=True
    ) as terminal:
        await terminal.wait_for("offline engine · no AI model", "ready")
        terminal.type("Write a report about the bridge from @minutes.md ")
        await terminal.wait_for("minutes.md")
        terminal.type("\r")
        await terminal.wait_for("done in", "ready", "no AI model")
    draft = (workspace.root / "drafts" / "the-bridge.md").read_text(encoding="utf-8")
    assert "## Minutes" in draft
    assert "repair the bridge before winter" in draft
    assert "[^1]: minutes.md" in draft


async def test_a_replacement_is_reviewed_and_written(workspace, home):
    (workspace.root / "minutes.md").write_text(
        "# Minutes\n\nThe bridge is closed.\n", encoding="utf-8"
    )
    argv = [*DOGENT, str(workspace.root)]
    async with Terminal.open(
        argv, size=(120, 40), env=plain_environment(home), cwd=workspace.root, prepared=True
    ) as terminal:
        await terminal.wait_for("offline engine · no AI model", "ready")
        terminal.type("replace closed by open in minutes.md\r")
        await terminal.wait_for("The bridge is open.")
        await terminal.press_until("A", lambda: "1 accepted" in terminal.text(), "the decision")
        await terminal.press_until("\r", lambda: "done in" in terminal.text(), "the change")
    assert (workspace.root / "minutes.md").read_text(
        encoding="utf-8"
    ) == "# Minutes\n\nThe bridge is open.\n"
