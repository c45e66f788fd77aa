"""The gate's bridge to the SDK: what the hook answers, what is asked, and what the user's answer
becomes.
"""

import asyncio
import errno

import pytest
from claude_agent_sdk import (
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
    ToolPermissionContext,
)

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.conversation import Verdict
from dogent_tui.agent.events import CopiesKept
from dogent_tui.errors import AgentError
from dogent_tui.markdown_search.requests import RequestBook
from dogent_tui.offline.messages_api import UNREADABLE
from dogent_tui.permissions.model import ToolCall
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.restoring import undo
from dogent_tui.web.named import NamedHosts
from tests.agent.gates import made_gate

ALLOW = Verdict(allow=True)
FETCH = "mcp__dogent__web_fetch"
CONTEXT = ToolPermissionContext(tool_use_id="t")


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "w"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("a")
    (root / "sub" / "a.md").write_text("inner")
    (tmp_path / "secret.txt").write_text("s")
    return Workspace(root)


class Person:
    """Answers with what a test prepared; between question and answer `meanwhile` happens."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []
        self.meanwhile = lambda: None

    async def __call__(self, question):
        self.asked.append(question)
        self.meanwhile()
        return self.answers.pop(0)


def build(workspace, *answers, rules=()):
    person = Person(*answers)
    return made_gate(workspace, person, authority=Authority(workspace, rules)), person


async def hook(gate, tool, tool_input, cwd):
    call = {
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_use_id": "t",
        "cwd": str(cwd),
    }
    answer = (await gate.before_tool(call, "t", {"signal": None}))["hookSpecificOutput"]
    return answer["permissionDecision"], answer["permissionDecisionReason"]


def remove(name):
    return {"command": f"rm {name}"}


async def test_the_hook_says_what_the_policy_says(workspace):
    gate, person = build(workspace)
    assert (await hook(gate, "Read", {"file_path": "a.md"}, workspace.root))[0] == "allow"
    assert await hook(gate, "Bash", remove("a.md"), workspace.root) == ("ask", "It deletes a.md.")
    assert (await hook(gate, "Bash", remove("-r /"), workspace.root))[0] == "deny"
    assert person.asked == []


async def test_a_call_whose_arguments_could_not_be_read_does_nothing(workspace):
    gate, person = build(workspace)
    for tool in ("Read", "mcp__dogent__list_documents", "mcp__theirs__anything"):
        verdict, why = await hook(gate, tool, {UNREADABLE: '{"file_path": a'}, workspace.root)
        assert (verdict, "Call the tool again" in why) == ("deny", True)
    assert person.asked == []


async def test_a_workspace_that_is_gone_is_not_made_again_by_a_write(workspace):
    gate, _ = build(workspace)
    workspace.root.rename(workspace.root.with_name("away"))
    new = {"file_path": str(workspace.root / "new.md"), "content": "x"}
    verdict, why = await hook(gate, "Write", new, workspace.root)
    assert (verdict, "moved or deleted" in why) == ("deny", True)


async def test_a_policy_that_raises_is_a_denial(workspace, monkeypatch):
    gate, _ = build(workspace)

    def broken(_):
        raise RuntimeError("boom")

    monkeypatch.setattr(gate._authority, "decide", broken)
    assert (await hook(gate, "Read", {"file_path": "a.md"}, workspace.root))[0] == "deny"


async def test_a_call_that_is_not_as_it_should_be_is_a_denial(workspace):
    gate, _ = build(workspace)
    answer = await gate.before_tool({"hook_event_name": "PreToolUse"}, "t", {"signal": None})
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_hook_covers_every_tool_and_blocks_when_it_fails(workspace):
    gate, _ = build(workspace)
    (matcher,) = gate.hooks()["PreToolUse"]
    assert (matcher.matcher, matcher.on_failure) == (None, "block")
    assert matcher.timeout >= 600


async def test_the_user_sees_what_a_call_would_do_from_where_the_shell_stands(workspace):
    gate, person = build(workspace, ALLOW)
    await hook(gate, "Bash", {**remove("a.md"), "description": "Tidy up"}, workspace.root / "sub")
    await gate.can_use_tool("Bash", {**remove("a.md"), "description": "Tidy up"}, CONTEXT)
    (question,) = person.asked
    assert question.sentence == "Delete sub/a.md"
    assert [(target.path, target.kind, target.size) for target in question.targets] == [
        (str(workspace.root / "sub" / "a.md"), "delete", 5)
    ]
    assert (question.spans, question.words, question.rules) == (
        ((3, 7),),
        "Tidy up",
        ("delete:sub/a.md",),
    )
    assert question.scopes == ("once", "session", "always")


async def test_the_persons_answer_and_nothing_more_goes_back(workspace):
    suggestion = PermissionUpdate(type="addRules", behavior="allow", destination="localSettings")
    context = ToolPermissionContext(suggestions=[suggestion], tool_use_id="t")
    gate, _ = build(workspace, ALLOW, Verdict(allow=False, message="No.", stop=True))
    allowed = await gate.can_use_tool("Bash", remove("a.md"), context)
    assert isinstance(allowed, PermissionResultAllow)
    assert (allowed.updated_input, allowed.updated_permissions) == ({"command": "wrapped t"}, None)
    denied = await gate.can_use_tool("Bash", remove("a.md"), context)
    assert denied == PermissionResultDeny(message="No.", interrupt=True)


async def test_what_is_remembered_is_not_asked_again(workspace):
    gate, person = build(workspace, Verdict(allow=True, scope="session"))
    await gate.can_use_tool("Bash", remove("a.md"), CONTEXT)
    assert (await hook(gate, "Bash", remove("a.md"), workspace.root))[0] == "allow"
    assert (await hook(gate, "Bash", remove("sub/a.md"), workspace.root))[0] == "ask"
    assert len(person.asked) == 1


async def test_a_link_that_leads_elsewhere_when_the_answer_comes_asks_again(workspace):
    link = workspace.root / "link.md"
    link.symlink_to(workspace.root.parent / "secret.txt")
    gate, person = build(workspace, ALLOW, ALLOW)

    def swap():
        person.meanwhile = lambda: None
        link.unlink()
        link.symlink_to("/etc/hostname")

    person.meanwhile = swap
    assert isinstance(
        await gate.can_use_tool("Read", {"file_path": "link.md"}, CONTEXT), PermissionResultAllow
    )
    first, second = person.asked
    assert first.targets[0].path == str(workspace.root.parent / "secret.txt")
    assert second.targets[0].path == "/etc/hostname"
    assert "changed while you were asked" in second.reasons[0]


async def test_what_keeps_changing_does_not_run(workspace):
    link = workspace.root / "link.md"
    link.symlink_to("/etc/0")
    gate, person = build(workspace, *[ALLOW] * 9)

    def swap():
        link.unlink()
        link.symlink_to(f"/etc/{len(person.asked)}")

    person.meanwhile = swap
    assert isinstance(
        await gate.can_use_tool("Read", {"file_path": "link.md"}, CONTEXT), PermissionResultDeny
    )
    assert 1 < len(person.asked) < 5


async def test_a_question_that_an_answer_before_it_settled_is_not_asked(workspace):
    gate, person = build(workspace)
    await hook(gate, "Bash", remove("a.md"), workspace.root)
    gate._authority.remember(gate._authority.decide(ToolCall("Bash", remove("a.md"))), "session")
    assert isinstance(
        await gate.can_use_tool("Bash", remove("a.md"), CONTEXT), PermissionResultAllow
    )
    assert person.asked == []


async def test_an_answer_for_the_session_settles_the_same_question_that_waits_beside_it(workspace):
    gate, _ = build(workspace)
    answers = [asyncio.get_running_loop().create_future() for _ in range(3)]
    asked = []

    async def ask(question):
        asked.append(question)
        return await answers[len(asked) - 1]

    gate._ask = ask
    calls = [
        asyncio.create_task(
            gate.can_use_tool(
                "Bash", {"command": command}, ToolPermissionContext(tool_use_id=str(number))
            )
        )
        for number, command in enumerate(("curl https://a.org", "wget https://a.org/b", "rm a.md"))
    ]
    while len(asked) < 3:
        await asyncio.sleep(0)
    first = next(
        number for number, question in enumerate(asked) if question.input["command"] != "rm a.md"
    )
    answers[first].set_result(Verdict(allow=True, scope="session"))
    assert [type(await call) for call in calls[:2]] == [PermissionResultAllow] * 2
    assert not calls[2].done()
    other = next(
        number for number, question in enumerate(asked) if question.input["command"] == "rm a.md"
    )
    answers[other].set_result(Verdict(allow=False))
    assert isinstance(await calls[2], PermissionResultDeny)


async def test_what_the_cli_itself_asks_about_is_a_question(workspace):
    gate, person = build(workspace, ALLOW)
    context = ToolPermissionContext(tool_use_id="t", decision_reason="The CLI has its own doubts.")
    await hook(gate, "Bash", {"command": "ls"}, workspace.root)
    await gate.can_use_tool("Bash", {"command": "ls"}, context)
    assert person.asked[0].reasons == ("The CLI has its own doubts.",)


async def test_what_runs_is_copied_first_and_what_is_denied_is_not(workspace):
    wishes = workspace.root / ".dogent" / "dogent.md"
    wishes.parent.mkdir()
    wishes.write_text("a")
    call = {"file_path": str(wishes), "content": "b"}
    gate, _ = build(workspace, Verdict(allow=False, stop=True), ALLOW)
    await gate.can_use_tool("Write", call, CONTEXT)
    assert gate.take_events() == []
    await gate.can_use_tool("Write", call, CONTEXT)
    (kept,) = gate.take_events()
    assert isinstance(kept, CopiesKept)
    assert (kept.tool_use_id, kept.paths) == ("t", (str(wishes),))
    wishes.unlink()
    assert undo(gate._copies).label.startswith("Write")
    assert wishes.read_text() == "a"


async def test_a_command_runs_as_it_is_rewritten_and_nothing_is_copied_before(workspace):
    gate, _ = build(workspace, ALLOW)
    call = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "cwd": str(workspace.root),
    }
    answer = (await gate.before_tool(call, "t", {"signal": None}))["hookSpecificOutput"]
    assert (answer["permissionDecision"], answer["updatedInput"]) == (
        "allow",
        {"command": "wrapped t"},
    )
    await gate.can_use_tool("Bash", remove("a.md"), CONTEXT)
    assert gate.take_events() == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (AgentError("The wall is down.", "Restart."), "The wall is down. Restart."),
        (
            OSError(errno.ENOSPC, "No space left on device", "/state/plan"),
            (
                "The call did not run: No space left on device (/state/plan)."
                " Free some space on the disk."
            ),
        ),
    ],
)
async def test_no_command_runs_where_there_is_no_wall_and_it_is_said_why(workspace, error, reason):
    def no_wall(*_):
        raise error

    gate = made_gate(workspace, Person(ALLOW), behind_wall=no_wall)
    assert await hook(gate, "Bash", {"command": "ls"}, workspace.root) == ("deny", reason)
    assert (await gate.can_use_tool("Bash", remove("a.md"), CONTEXT)).message == reason


async def test_an_edit_that_runs_unasked_is_copied_too(workspace):
    gate, _ = build(workspace)
    await hook(
        gate, "Write", {"file_path": str(workspace.root / "a.md"), "content": "b"}, workspace.root
    )
    (workspace.root / "a.md").write_text("b")
    assert undo(gate._copies).restored == (str(workspace.root / "a.md"),)
    assert (workspace.root / "a.md").read_text() == "a"


async def test_a_broken_store_is_said_once_and_asks(workspace):
    gate, _ = build(workspace)
    gate._authority.store.path.parent.mkdir(parents=True, exist_ok=True)
    gate._authority.store.path.write_text("{")
    assert (await hook(gate, "Bash", remove("a.md"), workspace.root))[0] == "ask"
    (notice,) = gate.take_events()
    assert notice.code == "grants_broken"
    await hook(gate, "Bash", remove("a.md"), workspace.root)
    assert gate.take_events() == []


@pytest.mark.parametrize(
    ("answer", "status"), [(ALLOW, "approved"), (Verdict(allow=False), "denied")]
)
async def test_what_consults_documents_is_on_record_with_the_answer(workspace, answer, status):
    book = RequestBook()
    gate = made_gate(workspace, Person(answer), requests=book)
    tool, values = "mcp__dogent__read_markdown_file", {"path": "a.md", "reason": "To see"}
    assert (await hook(gate, tool, values, workspace.root))[0] == "ask"
    (request,) = book.all()
    assert (request.id, request.action, request.reason, request.status) == (
        "t",
        "read",
        "To see",
        "pending",
    )
    await gate.can_use_tool(tool, values, CONTEXT)
    assert [request.status for request in book.all()] == [status]


async def test_what_was_allowed_for_the_session_is_on_record_as_approved(workspace):
    book = RequestBook()
    authority = Authority(workspace, ["use:list_file_tree"])
    gate = made_gate(workspace, Person(), authority=authority, requests=book)
    assert (await hook(gate, "mcp__dogent__list_file_tree", {"reason": "r"}, workspace.root))[
        0
    ] == "allow"
    assert [request.status for request in book.all()] == ["approved"]
    await hook(gate, "Read", {"file_path": "a.md"}, workspace.root)
    assert len(book.all()) == 1


async def test_a_private_address_reaches_the_fetch_only_with_the_persons_word(workspace):
    hosts, person = NamedHosts(), Person(Verdict(allow=False), ALLOW)
    gate = made_gate(workspace, person, authority=Authority(workspace, hosts=hosts))
    call = {"url": "http://127.0.0.1:8080/"}
    decision, reason = await hook(gate, FETCH, call, workspace.root)
    assert decision == "deny"
    assert "127.0.0.1" in reason
    hosts.heard("What does http://127.0.0.1:8080 say?")
    assert (await hook(gate, FETCH, call, workspace.root))[0] == "ask"
    assert isinstance(await gate.can_use_tool(FETCH, call, CONTEXT), PermissionResultDeny)
    assert hosts.approved(call["url"]) == ()
    await hook(gate, FETCH, call, workspace.root)
    assert isinstance(await gate.can_use_tool(FETCH, call, CONTEXT), PermissionResultAllow)
    assert hosts.approved(call["url"]) == ("127.0.0.1:8080",)
    assert person.asked[0].sentence == "Open http://127.0.0.1:8080/"
