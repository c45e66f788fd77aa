"""What the agent's own tools would write goes to the user as a proposal, after the policy and in
place of being run.
"""

import asyncio

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext

from dogent_tui.agent.conversation import Verdict
from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.ui_requests import ReviewMode
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.restoring import undo
from dogent_tui.undo.undo_log import UndoLog
from tests.agent.gates import made_gate, made_reviewing

PROPOSE = "mcp__dogent__propose_document_change"


class Desk:
    """A gate with a user who allows what they are asked and answers each review with `answer`."""

    def __init__(self, folder, *, on=True):
        (folder / "w" / ".dogent").mkdir(parents=True)
        self.workspace = Workspace(folder / "w")
        self.root = self.workspace.root
        self.mode = ReviewMode(on)
        self.answer = UiAnswer(review="The user reviewed your change.")
        self.shown = []
        self.asked = []
        self.meanwhile = lambda: None
        self.copies = UndoLog.of(self.workspace, "s")
        ledger = Ledger("s")
        self.reviewing = made_reviewing(self.workspace, self.form, ledger, self.mode)
        self.gate = made_gate(
            self.workspace,
            self.ask,
            copies=self.copies,
            reviewing=self.reviewing,
            ledger=ledger,
        )

    async def form(self, event):
        self.shown.append(event)
        return self.answer

    async def ask(self, question):
        self.asked.append(question.sentence)
        self.meanwhile()
        return Verdict(allow=True)

    async def call(self, tool, **values):
        """Have the CLI make a call: what the hook said, and the result where it asked."""
        payload = {
            "tool_name": tool,
            "tool_input": values,
            "tool_use_id": "t",
            "cwd": str(self.root),
        }
        said = (await self.gate.before_tool(payload, "t", {"signal": None}))["hookSpecificOutput"][
            "permissionDecision"
        ]
        return (
            said
            if said != "ask"
            else await self.gate.can_use_tool(tool, values, ToolPermissionContext(tool_use_id="t"))
        )

    async def propose(self, path):
        """Have the CLI call our tool: what the gate said, and what the tool answered."""
        values = {"path": path, "new_content": "new\n", "summary": "S"}
        gate = await self.call(PROPOSE, **values)
        answer = await self.reviewing.tool().handler(values)
        return gate, answer["content"][0]["text"]


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path)
    (made.root / "tea.md").write_bytes("Tea is “hot”.\r\n\r\nCake.\r\n".encode())
    return made


async def test_an_edit_is_reviewed_and_the_answer_is_what_became_of_it(desk):
    path = str(desk.root / "tea.md")
    answer = await desk.call("Edit", file_path=path, old_string='is "hot"', new_string='is "cold"')
    assert answer == PermissionResultDeny(message="The user reviewed your change.", interrupt=False)
    (event,) = desk.shown
    assert event.in_run
    assert event.payload["path"] == "tea.md"
    assert event.payload["new_content"] == "Tea is “cold”.\n\nCake.\n"
    assert event.payload["place"] == ""
    assert desk.asked == []
    assert desk.reviewing.is_reviewed("t")
    assert undo(desk.copies) is None, "the review keeps what it changes itself"
    await desk.call("Write", file_path=str(desk.root / "new.md"), content="# New\n")
    assert desk.shown[1].payload["base"] is None
    assert not (desk.root / "new.md").exists()


async def test_nothing_is_reviewed_where_it_is_off(desk):
    values = {"file_path": str(desk.root / "tea.md"), "content": "x"}
    desk.mode.on = False
    assert await desk.call("Write", **values) == "allow"
    desk.mode.on = True
    await desk.call("Read", file_path=values["file_path"])
    assert desk.shown == []


async def test_switched_off_while_it_was_asked_about_it_runs(desk):
    desk.meanwhile = lambda: setattr(desk.mode, "on", False)
    answer = await desk.call("Write", file_path=str(desk.root.parent / "out.md"), content="x")
    assert isinstance(answer, PermissionResultAllow)
    assert desk.shown == []


async def test_outside_and_protected_files_pass_the_gate_first(desk):
    outside, rules = desk.root.parent / "out.md", desk.root / ".dogent" / "dogent.md"
    rules.write_text("Be kind.\n")
    await desk.call("Write", file_path=str(outside), content="x\n")
    await desk.call("Edit", file_path=str(rules), old_string="kind", new_string="cruel")
    assert desk.asked == [f"Create {outside}, outside the workspace", "Change .dogent/dogent.md"]
    assert [event.payload["place"] for event in desk.shown] == [str(outside), str(rules)]


async def test_what_cannot_be_reviewed_is_not_run(desk):
    (desk.root / "image.png").write_bytes(b"\x89PNG\xff")
    for values, said in (
        (
            {"file_path": str(desk.root / "image.png"), "old_string": "a", "new_string": "b"},
            "not UTF-8 text",
        ),
        (
            {"file_path": str(desk.root / "tea.md"), "old_string": "coffee", "new_string": "tea"},
            "Read the file again",
        ),
        (
            {"file_path": str(desk.root / "tea.md"), "old_string": "Cake", "new_string": "Cake"},
            "holds this text already",
        ),
        ({"file_path": str(desk.root), "old_string": "", "new_string": "Cake"}, "not a file"),
    ):
        answer = await desk.call("Edit", **values)
        assert isinstance(answer, PermissionResultDeny)
        assert said in answer.message
        assert not answer.interrupt
    assert desk.shown == []
    desk.answer = None
    assert (
        "did not decide"
        in (await desk.call("Write", file_path=str(desk.root / "tea.md"), content="x")).message
    )
    assert not desk.reviewing.is_reviewed("t")


async def test_a_proposal_outside_is_reviewed_once_it_was_approved(desk):
    gate, said = await desk.propose("../out.md")
    assert isinstance(gate, PermissionResultAllow)
    assert desk.asked == [f"Create {desk.root.parent / 'out.md'}, outside the workspace"]
    assert (said, desk.shown[0].payload["place"]) == (
        "The user reviewed your change.",
        str(desk.root.parent / "out.md"),
    )
    again = await desk.reviewing.tool().handler(
        {"path": "../out.md", "new_content": "new\n", "summary": "S"}
    )
    assert "outside this workspace" in again["content"][0]["text"], "an approval allows one call"


async def test_a_proposal_inside_asks_nothing_and_the_protected_rule_holds(desk):
    assert (await desk.propose("tea.md"))[0] == "allow"
    (desk.root / ".dogent" / "dogent.md").write_text("Be kind.\n")
    gate, _ = await desk.propose(".dogent/dogent.md")
    assert isinstance(gate, PermissionResultAllow)
    assert desk.asked == ["Change .dogent/dogent.md"]
    assert [event.payload["path"] for event in desk.shown] == ["tea.md", ".dogent/dogent.md"]
    assert undo(desk.copies) is None, "a proposal changes nothing by itself"


async def test_a_link_that_leads_elsewhere_after_the_approval_is_not_followed(desk):
    link, first, second = (
        desk.root / "link.md",
        desk.root.parent / "a.md",
        desk.root.parent / "b.md",
    )
    link.symlink_to(first)
    values = {"path": "link.md", "new_content": "new\n", "summary": "S"}
    await desk.call(PROPOSE, **values)
    await asyncio.to_thread(link.unlink)
    link.symlink_to(second)
    answer = await desk.reviewing.tool().handler(values)
    assert "no longer points" in answer["content"][0]["text"]
    assert desk.shown == []
