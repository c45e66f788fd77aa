"""The protocol's own client against `dogent-tui acp`, the real CLI and a scripted model."""

import asyncio
import json
import os
import sys
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import acp
import psutil
import pytest
import pytest_asyncio
from acp import schema
from acp.helpers import image_block, resource_link_block, text_block

from dogent_tui.faces.acp import LineTransport
from dogent_tui.storage.paths import Workspace
from tests.children import children_running
from tests.e2e.conftest import write_profile
from tests.e2e.scripted_api import ScriptedApi
from tests.e2e.terminal import plain_environment
from tests.faces.conftest import IN_ONE_LOOP, LIMIT_S, ROOT

pytestmark = [IN_ONE_LOOP, pytest.mark.slow]

FORMS = schema.ClientCapabilities(
    elicitation=schema.ElicitationCapabilities(form=schema.ElicitationFormCapabilities())
)


class Editor:
    """A session in an editor: what it was told, and answers as the test put them here."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.told_of = set[str]()
        """The sessions that the updates are of."""
        self.asked: list[Any] = []
        self.choose = "deny"
        self.fill: dict[str, Any] | None = None
        self.conn: Any = None
        self.session = ""
        self.waits: asyncio.Event | None = None
        self.has_asked = asyncio.Event()
        self.process: Any = None

    async def request_permission(self, tool_call: Any, options: Any, **_: Any) -> Any:
        self.asked.append((tool_call, options))
        self.has_asked.set()
        if self.waits is not None:
            await self.waits.wait()
        if self.choose == "cancelled":
            return schema.RequestPermissionResponse(
                outcome=schema.DeniedOutcome(outcome="cancelled")
            )
        return schema.RequestPermissionResponse(
            outcome=schema.AllowedOutcome(outcome="selected", option_id=self.choose)
        )

    async def create_elicitation(self, message: str, mode: Any, **_: Any) -> Any:
        self.asked.append((message, mode))
        self.has_asked.set()
        if self.waits is not None:
            await self.waits.wait()
        if self.fill is None:
            return schema.DeclineElicitationResponse(action="decline")
        return schema.AcceptElicitationResponse(action="accept", content=self.fill)

    def of(self, kind: str) -> list[Any]:
        return [update for update in self.updates if update.session_update == kind]

    @property
    def text(self) -> str:
        return "".join(update.content.text for update in self.of("agent_message_chunk"))

    async def say(self, *blocks: Any) -> str:
        """Send a prompt and return why its turn ended."""
        given = [text_block(block) if isinstance(block, str) else block for block in blocks]
        answer = await asyncio.wait_for(
            self.conn.prompt(session_id=self.session, prompt=given), LIMIT_S
        )
        return str(answer.stop_reason)


class Window:
    """The window of an editor: its agent, and the one session that is open in it."""

    def __init__(self) -> None:
        self.editor = Editor()
        self.conn: Any = None
        self.process: Any = None

    def on_connect(self, conn: Any) -> None:
        pass

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.editor.told_of.add(session_id)
        self.editor.updates.append(update)

    async def request_permission(self, **asked: Any) -> Any:
        return await self.editor.request_permission(**asked)

    async def create_elicitation(self, **asked: Any) -> Any:
        return await self.editor.create_elicitation(**asked)


class Place:
    """Where an editor works."""

    def __init__(self, shared: "Shared", root: Path) -> None:
        self.shared, self.root = shared, root
        self.home, self.api = shared.home, shared.api

    @asynccontextmanager
    async def editor(
        self, capabilities: Any = None, session: str = "", *, alone: bool = False
    ) -> AsyncIterator[Editor]:
        """Open a session: a new one unless named. `alone`: in an agent of its own."""
        async with AsyncExitStack() as stack:
            if alone:
                window = await stack.enter_async_context(opened(self.home, capabilities))
            else:
                window = await self.shared.window(capabilities)
            window.editor = editor = Editor()
            editor.conn, editor.process = window.conn, window.process
            if session:
                editor.session = session
                await editor.conn.load_session(
                    cwd=str(self.root), session_id=session, mcp_servers=[]
                )
            else:
                made = await editor.conn.new_session(cwd=str(self.root), mcp_servers=[])
                editor.session = made.session_id
            yield editor
            await editor.conn.close_session(session_id=editor.session)


@asynccontextmanager
async def opened(home: Path, capabilities: Any) -> AsyncIterator[Window]:
    """Start the agent as an editor does."""
    window = Window()
    command = (sys.executable, "-m", "dogent_tui", "acp")
    options = {
        "env": plain_environment(home),
        "cwd": ROOT,
        "use_unstable_protocol": True,
        "transport_kwargs": {"shutdown_timeout": LIMIT_S},
    }
    async with acp.spawn_agent_process(window, *command, **options) as (conn, process):  # type: ignore[arg-type]
        window.conn, window.process = conn, psutil.Process(process.pid)
        await conn.initialize(protocol_version=1, client_capabilities=capabilities)
        yield window


class Shared:
    """What the tests share: to start an agent takes four times as long as what most ask of it.

    There is one agent for editors that show forms, and one for those that do not. Each test has a
    session and a workspace of its own.
    """

    def __init__(self, home: Path, api: ScriptedApi, stack: AsyncExitStack) -> None:
        self.home, self.api, self._stack = home, api, stack
        self._windows: dict[bool, Window] = {}

    async def window(self, capabilities: Any) -> Window:
        window = self._windows.get(capabilities is not None)
        if window is None or not window.process.is_running():
            window = await self._stack.enter_async_context(opened(self.home, capabilities))
            self._windows[capabilities is not None] = window
        return window


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shared]:
    async with ScriptedApi() as api, AsyncExitStack() as stack:
        yield Shared(tmp_path_factory.mktemp("home"), api, stack)


@pytest.fixture
def place(shared: Shared, tmp_path: Path) -> Place:
    """A workspace of its own. Nothing is scripted yet, and nothing was asked."""
    shared.api.reset()
    root = tmp_path / "workspace"
    root.mkdir()
    write_profile(shared.home / ".dogent", root, shared.api)
    return Place(shared, root)


@pytest.mark.thorough
async def test_a_conversation_is_held_listed_and_loaded_again(place: Place) -> None:
    place.api.say("Hello **wörld** 写作 🎉", thinking="Thinking of it.")
    async with place.editor(alone=True) as editor:
        assert await editor.say("hi there") == "end_turn"
        assert editor.text == "Hello **wörld** 写作 🎉"
        assert [each.content.text for each in editor.of("agent_thought_chunk")] == [
            "Thinking of it."
        ]
        assert [each.title for each in editor.of("session_info_update")] == ["hi there"]
        listed = await editor.conn.list_sessions(cwd=str(place.root))
        assert [(each.session_id, each.title) for each in listed.sessions] == [
            (editor.session, "hi there")
        ]
        session = editor.session
    place.api.say("You said hi.")
    async with place.editor(session=session, alone=True) as editor:
        assert [each.content.text for each in editor.of("user_message_chunk")] == ["hi there"]
        assert editor.text == "Hello **wörld** 写作 🎉"
        await editor.say("what did I say?")
        assert "hi there" in str(place.api.requests[-1].messages)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("choose", ["deny", "once", "cancelled"])
async def test_what_leads_outside_is_asked_with_deny_first(place: Place, choose: str) -> None:
    outside = place.root.parent / "outside.md"
    place.api.call("Write", {"file_path": str(outside), "content": "new\n"})
    place.api.say("Written.")
    async with place.editor() as editor:
        editor.choose = choose
        reason = await editor.say("write it")
        call, options = editor.asked[0]
        assert [(option.option_id, option.kind) for option in options][:2] == [
            ("deny", "reject_once"),
            ("once", "allow_once"),
        ]
        assert str(outside) in [location.path for location in call.locations]
        assert outside.exists() is (choose == "once")
        assert reason == ("cancelled" if choose == "cancelled" else "end_turn")
        if choose == "deny":
            assert "Denied" in editor.text


@pytest.mark.thorough
async def test_cancelling_while_a_permission_waits(place: Place) -> None:
    place.api.call(
        "Write", {"file_path": str(place.root.parent / "outside.md"), "content": "new\n"}
    )
    place.api.say("Still here.")
    async with place.editor() as editor:
        editor.waits = asyncio.Event()
        prompt = asyncio.create_task(editor.say("write it"))
        await asyncio.wait_for(editor.has_asked.wait(), LIMIT_S)
        await editor.conn.cancel(session_id=editor.session)
        assert await prompt == "cancelled"
        editor.waits.set()
        assert await editor.say("go on") == "end_turn"
        assert editor.text.endswith("Still here.")
    assert not (place.root.parent / "outside.md").exists()


@pytest.mark.thorough
async def test_cancelling_while_the_reply_streams(place: Place) -> None:
    pieces = place.api.say_in_pieces("Half of it, ", "never sent.")
    async with place.editor() as editor:
        prompt = asyncio.create_task(editor.say("a long one"))
        await pieces.sent(1)
        await editor.conn.cancel(session_id=editor.session)
        assert await prompt == "cancelled"
        pieces.release_all()


QUESTIONS = {
    "type": "clarification",
    "title": "Before I begin",
    "questions": [
        {
            "id": "who",
            "question": "For whom?",
            "options": ["board", "public"],
            "recommended": "board",
        },
    ],
}


@pytest.mark.thorough
async def test_a_form_is_an_elicitation(place: Place) -> None:
    place.api.call("mcp__dogent__ui_request", QUESTIONS)
    place.api.say("For the public, then.")
    async with place.editor(FORMS) as editor:
        editor.fill = {"who": "public"}
        assert await editor.say("write a report") == "end_turn"
        assert editor.text.endswith("For the public, then.")
        _, mode = editor.asked[0]
        field = mode.requested_schema.properties["who"]
        assert (field.default, [option.const for option in field.one_of]) == (
            "board",
            ["board", "public"],
        )
    assert "public" in str(place.api.requests[-1].messages[-1])


@pytest.mark.thorough
async def test_without_forms_the_questions_are_text_and_the_next_prompt_answers(
    place: Place,
) -> None:
    place.api.call("mcp__dogent__ui_request", QUESTIONS)
    place.api.say("For the public, then.")
    async with place.editor() as editor:
        assert await editor.say("write a report") == "end_turn"
        assert "For whom?" in editor.text
        assert await editor.say("public") == "end_turn"
        assert editor.text.endswith("For the public, then.")


@pytest.mark.thorough
@pytest.mark.parametrize("capabilities", [None, FORMS])
async def test_a_proposed_change_is_chosen_hunk_by_hunk(place: Place, capabilities: Any) -> None:
    before = "# Plan\n\nOne.\n\n## Next\n\nTwo.\n\n## Last\n\nThree.\n"
    (place.root / "plan.md").write_text(before, encoding="utf-8")
    after = before.replace("One.", "Eins.").replace("Three.", "Drei.")
    place.api.call("Read", {"file_path": str(place.root / "plan.md")})
    change = {"path": "plan.md", "new_content": after, "summary": "German."}
    place.api.call("mcp__dogent__propose_document_change", change)
    place.api.say("Done.")
    async with place.editor(capabilities) as editor:
        editor.choose, editor.fill = "once", {"hunks": ["2"]}
        assert await editor.say("in German") == "end_turn"
        assert editor.text.endswith("Done.")
        [call] = [each for each in editor.of("tool_call") if each.title.startswith("Change of")]
        assert [(diff.old_text, diff.new_text) for diff in call.content] == [
            ("One.", "Eins."),
            ("Three.", "Drei."),
        ]
    expected = before.replace("Three.", "Drei.") if capabilities else after
    assert (place.root / "plan.md").read_text(encoding="utf-8") == expected


@pytest.mark.thorough
async def test_attachments_are_named_and_not_copied(place: Place) -> None:
    (place.root / "a b.md").write_text("secret words", encoding="utf-8")
    place.api.say("Seen.")
    async with place.editor() as editor:
        link = resource_link_block("a b.md", f"{(place.root / 'a b.md').as_uri()}#L10-40")
        await editor.say("look at this", link)
    said = str(place.api.requests[-1].messages[-1])
    assert "a b.md" in said
    assert "10-40" in said
    assert "secret words" not in said


@pytest.mark.thorough
async def test_model_and_review_are_options(place: Place) -> None:
    place.api.say("Here.")
    (place.root / "a.md").write_text("old\n", encoding="utf-8")
    async with place.editor() as editor:
        answer = await editor.conn.set_config_option(
            config_id="review", session_id=editor.session, value="on"
        )
        assert {option.id: option.current_value for option in answer.config_options}[
            "review"
        ] == "on"
        answer = await editor.conn.set_config_option(
            config_id="model", session_id=editor.session, value="offline"
        )
        assert {option.id: option.current_value for option in answer.config_options}[
            "model"
        ] == "offline"
        assert await editor.say("list the files") == "end_turn"
        assert "a.md" in editor.text
        with pytest.raises(acp.RequestError, match="no option"):
            await editor.conn.set_config_option(
                config_id="model", session_id=editor.session, value="nobody"
            )


@pytest.mark.thorough
async def test_a_failure_is_our_sentence(place: Place) -> None:
    place.api.fail_always(401)
    async with place.editor() as editor:
        assert await editor.say("hello") == "end_turn"
        assert "key" in editor.text
        assert "{" not in editor.text


@pytest.mark.thorough
async def test_a_model_that_cannot_be_used_is_refused_and_the_session_goes_on(place: Place) -> None:
    file = place.home / ".dogent" / "claude.json"
    profiles = json.loads(file.read_text("utf-8"))
    keyless = {"ANTHROPIC_BASE_URL": place.api.base_url, "ANTHROPIC_AUTH_TOKEN": "replace-me"}
    profiles["profiles"]["keyless"] = keyless
    file.write_text(json.dumps(profiles), encoding="utf-8")
    place.api.say("Here.")
    place.api.say("Still here.")
    async with place.editor() as editor:
        await editor.say("hello")
        with pytest.raises(acp.RequestError, match="keyless has no key"):
            await editor.conn.set_config_option(
                config_id="model", session_id=editor.session, value="keyless"
            )
        assert await editor.say("hello") == "end_turn"
        assert editor.text.endswith("Still here.")


async def started(place: Place, **pipes: int) -> asyncio.subprocess.Process:
    """Start the command by itself, for a test that writes the lines of the protocol."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "dogent_tui", "acp"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=plain_environment(place.home),
        cwd=ROOT,
        **pipes,
    )


@pytest.mark.thorough
async def test_the_end_of_the_input_ends_it_whatever_is_under_way(place: Place) -> None:
    place.api.stall("Half of it")
    process = await started(place, stderr=asyncio.subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None

    def ask(method: str, **params: Any) -> None:
        assert process.stdin is not None
        request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        process.stdin.write(json.dumps(request).encode() + b"\n")

    async def told_of(words: bytes) -> bytes:
        assert process.stdout is not None
        while words not in (line := await asyncio.wait_for(process.stdout.readline(), LIMIT_S)):
            assert line
        return line

    process.stdin.write(b'{"jsonrpc": "2.0", "method": "$/cancel_request", "params": {}}\n')
    ask("session/new", cwd=str(place.root), mcpServers=[])
    session = json.loads(await told_of(b'"sessionId":'))["result"]["sessionId"]
    ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": "hello"}])
    await told_of(b"Half of it")
    ask("session/set_config_option", sessionId=session, configId="model", value="offline")
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), LIMIT_S) == 0
    assert await process.stderr.read() == b""


async def test_standard_output_is_the_protocol_alone(place: Place) -> None:
    place.api.call("Bash", {"command": "echo out; echo err >&2", "description": "say"})
    place.api.say("Done.")
    process = await started(place)
    assert process.stdin is not None
    assert process.stdout is not None
    lines: list[dict[str, Any]] = []

    async def ask(number: int, method: str, **params: Any) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(
            json.dumps(
                {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            ).encode()
            + b"\n"
        )
        while True:
            # each one is JSON
            line = json.loads(await asyncio.wait_for(process.stdout.readline(), LIMIT_S))
            lines.append(line)
            if line.get("id") == number and "method" not in line:
                return dict(line)

    told = await ask(1, "initialize", protocolVersion=1)
    assert told["result"]["authMethods"]
    session = (await ask(2, "session/new", cwd=str(place.root), mcpServers=[]))["result"][
        "sessionId"
    ]
    done = await ask(
        3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "say it"}]
    )
    assert done["result"]["stopReason"] == "end_turn"
    assert "out" in str(lines)
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), LIMIT_S) == 0


@pytest.mark.thorough
async def test_cancelling_before_anything_has_begun(place: Place) -> None:
    async with place.editor() as editor:
        prompt = editor.conn.prompt(session_id=editor.session, prompt=[text_block("never mind")])
        # in one go
        answer, _ = await asyncio.gather(prompt, editor.conn.cancel(session_id=editor.session))
        assert answer.stop_reason == "cancelled"
        place.api.reset()
        place.api.say("Here.")
        assert await editor.say("hello") == "end_turn"
        assert editor.text.endswith("Here.")


@pytest.mark.thorough
async def test_cancelling_while_a_form_waits(place: Place) -> None:
    place.api.call("mcp__dogent__ui_request", QUESTIONS)
    place.api.say("Still here.")
    async with place.editor(FORMS) as editor:
        editor.waits = asyncio.Event()
        prompt = asyncio.create_task(editor.say("write a report"))
        await asyncio.wait_for(editor.has_asked.wait(), LIMIT_S)
        await editor.conn.cancel(session_id=editor.session)
        assert await asyncio.wait_for(prompt, LIMIT_S) == "cancelled"
        editor.waits.set()
        assert await editor.say("go on") == "end_turn"
        assert editor.text.endswith("Still here.")


@pytest.mark.thorough
async def test_cancelling_while_a_review_waits_writes_nothing(place: Place) -> None:
    (place.root / "plan.md").write_text("One.\n", encoding="utf-8")
    place.api.call("Read", {"file_path": str(place.root / "plan.md")})
    place.api.call(
        "mcp__dogent__propose_document_change",
        {"path": "plan.md", "new_content": "Eins.\n", "summary": "German."},
    )
    async with place.editor() as editor:
        editor.waits = asyncio.Event()
        prompt = asyncio.create_task(editor.say("in German"))
        await asyncio.wait_for(editor.has_asked.wait(), LIMIT_S)
        await editor.conn.cancel(session_id=editor.session)
        assert await asyncio.wait_for(prompt, LIMIT_S) == "cancelled"
        editor.choose = "once"
        editor.waits.set()
    assert (place.root / "plan.md").read_text(encoding="utf-8") == "One.\n"


@pytest.mark.thorough
async def test_cancelling_while_a_command_runs_ends_it(place: Place) -> None:
    place.api.call("Bash", {"command": "echo begun; sleep 97", "description": "wait"})
    async with place.editor() as editor:
        prompt = asyncio.create_task(editor.say("wait a while"))
        while not (slept := children_running("sleep 97", editor.process)):
            await asyncio.sleep(0.05)
        await editor.conn.cancel(session_id=editor.session)
        assert await asyncio.wait_for(prompt, LIMIT_S) == "cancelled"
        await asyncio.to_thread(psutil.wait_procs, slept, LIMIT_S)
        assert not any(each.is_running() for each in slept)


@pytest.mark.thorough
async def test_an_agent_that_is_killed_ends_the_turn_and_the_session_lives(place: Place) -> None:
    pieces = place.api.say_in_pieces("Half of it, ", "never sent.")
    async with place.editor() as editor:
        prompt = asyncio.create_task(editor.say("a long one"))
        await pieces.sent(1)
        [cli] = children_running("stream-json", editor.process)[-1:]
        cli.kill()
        assert await asyncio.wait_for(prompt, LIMIT_S) == "end_turn"
        assert editor.text.rstrip().endswith(".")
        pieces.release_all()
        place.api.reset()
        place.api.say("Back again.")
        assert await editor.say("are you there?") == "end_turn"
        assert "Back again." in editor.text
        assert editor.told_of == {editor.session}  # the CLI has begun another
        await editor.conn.set_config_option(
            session_id=editor.session, config_id="model", value="offline"
        )
        assert await editor.say("list the files") == "end_turn"
        assert editor.told_of == {editor.session}
        name = editor.session
    async with place.editor(session=name) as editor:
        assert "Back again." in editor.text


@pytest.mark.thorough
async def test_a_second_prompt_beside_a_running_one_is_refused(place: Place) -> None:
    pieces = place.api.say_in_pieces("One, ", "two.")
    async with place.editor() as editor:
        prompt = asyncio.create_task(editor.say("count"))
        await pieces.sent(1)
        with pytest.raises(acp.RequestError, match="still working"):
            await editor.say("and I?")
        pieces.release_all()
        assert await prompt == "end_turn"
        assert editor.text == "One, two."


OUTLINE = {"type": "outline_edit", "title": "Outline", "outline_text": "# Report\n\n## First\n"}


@pytest.mark.thorough
@pytest.mark.parametrize("capabilities", [None, FORMS])
async def test_an_outline_is_edited(place: Place, capabilities: Any) -> None:
    place.api.call("mcp__dogent__ui_request", OUTLINE)
    place.api.say("I will follow it.")
    edited = "# Report\n\n## Only\n"
    async with place.editor(capabilities) as editor:
        editor.fill = {"outline": edited}
        assert await editor.say("plan it") == "end_turn"
        if capabilities is None:
            assert "## First" in editor.text
            assert await editor.say(edited) == "end_turn"
        assert editor.text.endswith("I will follow it.")
    assert "## Only" in str(place.api.requests[-1].messages[-1])


@pytest.mark.thorough
async def test_a_prompt_after_two_questions_as_text_is_sent(place: Place) -> None:
    place.api.call_all(*(("mcp__dogent__ui_request", each) for each in (QUESTIONS, OUTLINE)))
    place.api.say("For the public, then.")
    async with place.editor() as editor:
        assert await editor.say("write a report") == "end_turn"
        assert await editor.say("public") == "end_turn"
        assert editor.text.endswith("For the public, then.")
    said = str(place.api.requests[-1].messages[-1])
    assert "public" in said
    assert "did not answer" in said


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["cancelled", "cancel"])
async def test_a_question_of_the_background_that_is_cancelled_is_denied(
    place: Place, how: str
) -> None:
    (place.root / "keep.md").write_text("precious", encoding="utf-8")
    go = f"/tmp/{uuid.uuid4().hex}"
    command = f"until [ -e {go} ]; do sleep 0.02; done; rm keep.md"
    place.api.call("Bash", {"command": command, "run_in_background": True})
    place.api.say("It runs.")
    async with place.editor() as editor:
        assert await editor.say("clean up") == "end_turn"
        place.api.call("Bash", {"command": f"touch {go}"})
        place.api.say("Now it ends.")
        place.api.say("It is over.")
        if how == "cancel":
            editor.waits = asyncio.Event()
        editor.choose = "cancelled"
        assert await editor.say("go on") == "end_turn"
        await asyncio.wait_for(editor.has_asked.wait(), LIMIT_S)
        if how == "cancel":
            await editor.conn.cancel(session_id=editor.session)
        async with asyncio.timeout(LIMIT_S):
            while not any("task-notification" in str(one.messages) for one in place.api.requests):
                await place.api.arrived(len(place.api.requests) + 1)
        assert (place.root / "keep.md").exists()


@pytest.mark.thorough
async def test_an_editor_is_told_what_cannot_be_saved(place: Place) -> None:
    logs = place.home / ".dogent" / "state" / "sessions" / Workspace(place.root).key
    logs.parent.mkdir(parents=True, exist_ok=True)
    logs.write_text("", encoding="utf-8")  # instead of a folder
    place.api.say("Fine.")
    async with place.editor() as editor:
        assert await editor.say("hello") == "end_turn"
        assert "Fine." in editor.text
        assert "can't be saved right now" in editor.text


@pytest.mark.thorough
async def test_a_form_that_is_declined_ends_the_turn(place: Place) -> None:
    place.api.call("mcp__dogent__ui_request", QUESTIONS)
    async with place.editor(FORMS) as editor:
        assert await editor.say("write a report") == "cancelled"


@pytest.mark.thorough
async def test_an_image_is_attached(place: Place) -> None:
    async with place.editor() as editor:
        for months_ago in (0, 2, 0):
            place.api.say("A dot.")
            assert await editor.say("what?", image_block("aGVsbG8=", "image/png")) == "end_turn"
            kept = list(place.home.rglob("prompt-images/*.png"))
            for image in kept:
                os.utime(image, (0, time.time() - months_ago * 31 * 86_400))
    assert len(kept) == 1  # those of the last month
    assert ".png" in str(place.api.requests[-1].messages[-1])


@pytest.mark.thorough
async def test_what_is_not_there_is_refused_in_a_sentence(place: Place) -> None:
    (place.root / "file").write_text("x")
    async with place.editor() as editor:
        unknown = "11111111-1111-4111-8111-111111111111"
        for cwd in ("relative", str(place.root / "missing"), str(place.root / "file"), "/\0"):
            with pytest.raises(acp.RequestError, match="no folder"):
                await editor.conn.new_session(cwd=cwd, mcp_servers=[])
        for session in (unknown, "../../etc", ""):
            with pytest.raises(acp.RequestError):
                await editor.conn.load_session(
                    cwd=str(place.root), session_id=session, mcp_servers=[]
                )
            with pytest.raises(acp.RequestError, match="no session"):
                await editor.conn.prompt(session_id=session, prompt=[text_block("hello")])
        with pytest.raises(acp.RequestError):
            await editor.say("look", image_block("not base64!", "image/png"))
        with pytest.raises(acp.RequestError, match="no text"):
            await editor.say(" ")
        place.api.say("Fine.")
        assert await editor.say("hello") == "end_turn"


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("number", [0, 1], ids=["input", "output"])
async def test_files_as_standard_streams_are_refused(
    number: int, tmp_path: Path, place: Place
) -> None:
    """Asyncio waits on pipes only."""
    streams: list[Any] = [asyncio.subprocess.PIPE] * 3
    with (tmp_path / "stream").open("w+b") as streams[number]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "dogent_tui", "acp"),
            **dict(zip(("stdin", "stdout", "stderr"), streams, strict=True)),
            env=plain_environment(place.home),
            cwd=ROOT,
        )
        _, told = await asyncio.wait_for(process.communicate(), LIMIT_S)
    assert (process.returncode, told.count(b"\n")) == (2, 1)
    assert b"must be pipes" in told


@pytest.mark.thorough
async def test_a_session_is_loaded_while_it_is_open(place: Place) -> None:
    place.api.say("Once.")
    place.api.say("Twice.")
    async with place.editor() as editor:
        await editor.say("hello")
        await editor.conn.load_session(
            cwd=str(place.root), session_id=editor.session, mcp_servers=[]
        )
        assert editor.text == "Once.Once."
        assert await editor.say("again") == "end_turn"
        assert editor.text.endswith("Twice.")


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("capabilities", [FORMS, None])
async def test_what_is_open_is_asked_again_when_a_session_is_loaded(
    place: Place, capabilities: Any
) -> None:
    place.api.call("mcp__dogent__ui_request", QUESTIONS)
    async with AsyncExitStack() as stack:
        window = await stack.enter_async_context(opened(place.home, FORMS))
        made = await window.conn.new_session(cwd=str(place.root), mcp_servers=[])
        window.editor.conn, window.editor.session = window.conn, made.session_id
        window.editor.waits = asyncio.Event()
        prompt = asyncio.create_task(window.editor.say("write a report"))
        await asyncio.wait_for(window.editor.has_asked.wait(), LIMIT_S)
    with pytest.raises(ConnectionError):
        await prompt
    place.api.say("For the public, then.")
    async with place.editor(capabilities, session=made.session_id) as editor:
        if capabilities:
            editor.fill = {"who": "public"}
            await asyncio.wait_for(editor.has_asked.wait(), LIMIT_S)
        else:
            async with asyncio.timeout(LIMIT_S):
                while "For whom?" not in editor.text:
                    await asyncio.sleep(0.05)
            assert await editor.say("public") == "end_turn"
        async with asyncio.timeout(LIMIT_S):
            while "For the public, then." not in editor.text:
                await asyncio.sleep(0.05)
    assert "public" in str(place.api.requests[-1].messages[-1])


ATTACKS: list[tuple[str, dict[str, str]]] = [
    ("Write", {"file_path": "{out}/new.md", "content": "x"}),
    ("Write", {"file_path": "{root}/../outside/new.md", "content": "x"}),
    ("Write", {"file_path": "{root}/leads-out/new.md", "content": "x"}),
    (
        "Write",
        {
            "file_path": "{root}/.dogent/dogent.json",
            "content": '{{"permissions": {{"allow": ["everything"]}}}}',
        },
    ),
    ("Write", {"file_path": "{root}/.git/hooks/pre-commit", "content": "#!/bin/sh"}),
    ("Write", {"file_path": "{home}/.bashrc", "content": "x"}),
    ("Write", {"file_path": "{home}/.dogent/claude.json", "content": "x"}),
    ("Read", {"file_path": "{out}/secret.md"}),
    ("Read", {"file_path": "{root}/leads-out/secret.md"}),
    ("Read", {"file_path": "{home}/.ssh/id"}),
    ("Bash", {"command": "rm -rf {out}/*"}),
    ("Bash", {"command": "rm -r {root}/chapters"}),
    ("Bash", {"command": "cd {root} && cd .. && echo x > outside/new.md"}),
    ("Bash", {"command": "python3 -c \"import shutil; shutil.rmtree('{out}')\""}),
    ("Bash", {"command": "ln -sf {out}/secret.md {root}/l && echo x > {root}/l"}),
    ("Bash", {"command": "find {out} -name '*.md' -delete"}),
    ("Bash", {"command": "mv {root}/chapters {out}/"}),
    ("Bash", {"command": "cat {out}/secret.md"}),
    ("Bash", {"command": "cat {home}/.ssh/id"}),
    ("Bash", {"command": "git -C {root} config core.hooksPath {out}"}),
]


@pytest.mark.thorough
async def test_the_attacks_of_the_permission_suite_do_nothing_here(place: Place) -> None:
    """Whatever is asked is denied: nothing outside changes, nothing is deleted, and no secret
    comes to the model.
    """
    out = place.root.parent / "outside"
    for path, text in {
        out / "secret.md": "the secret",
        place.home / ".ssh/id": "the secret",
        place.root / "chapters/one.md": "One.",
        place.root / ".git/HEAD": "ref: refs/heads/main",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (place.root / "leads-out").symlink_to(out)
    kept = (place.home / ".ssh", place.home / ".dogent/claude.json", out, place.root)

    def tree() -> dict[str, bytes]:
        found = [
            path
            for each in kept
            for path in ([each] if each.is_file() else each.rglob("*"))
            if path.is_file()
        ]
        return {str(path): path.read_bytes() for path in found if "sessions" not in path.parts}

    async with place.editor() as editor:
        place.api.say("Ready.")
        await editor.say("hello")
        before = tree()
        for tool, given in ATTACKS:
            place.api.reset()
            values = {
                key: value.format(root=place.root, out=out, home=place.home)
                for key, value in given.items()
            }
            place.api.call(tool, values)
            place.api.say("Denied, then.")
            await editor.say("do it")
            after = tree()
            changed = {path for path in before | after if before.get(path) != after.get(path)}
            assert {
                path for path in changed if "/.dogent/" not in path.removeprefix(str(place.home))
            } <= {f"{place.root}/l"}, values
            assert str(place.root / ".dogent/dogent.json") not in changed
            assert "the secret" not in str([request.messages for request in place.api.requests]), (
                values
            )
    assert len(editor.asked) >= len(ATTACKS) // 2


@pytest.mark.thorough
async def test_junk_is_passed_over_and_stops_nobody(place: Place) -> None:
    """What is no message, or asks for nothing that there is, does no harm: the next request is
    answered.
    """
    process = await started(place)
    assert process.stdin is not None
    assert process.stdout is not None
    junk = [
        *(b"not json", b"{}", b"\xff\xfe", b"[]", b"null", b"3", b'"text"', b"[" * 100_000, b" "),
        *(b"[{}, 1]", b'{"jsonrpc": "2.0", "id": 99, "result": {}}', b'{"id": [1], "method": "x"}'),
        b"x" * 3_000_000,
    ]
    asked = [
        {"method": "nope"},
        {"method": "session/prompt"},
        {
            "method": "session/prompt",
            "params": {"sessionId": "x", "prompt": [{"type": "text", "text": "hello"}]},
        },
        {"method": "session/new", "params": {"cwd": ["x"], "mcpServers": []}},
        {
            "method": "session/load",
            "params": {"cwd": str(place.root), "sessionId": "../x", "mcpServers": []},
        },
        {"method": "session/list", "params": {"cursor": "-5", "cwd": "/\0"}},
        {"method": "fs/read_text_file", "params": {"path": "/etc/passwd", "sessionId": "x"}},
        {"method": 5},
    ]
    lines = [
        *junk,
        *(
            json.dumps({"jsonrpc": "2.0", "id": number, **each}).encode()
            for number, each in enumerate(asked)
        ),
    ]
    last = {
        "jsonrpc": "2.0",
        "id": "last",
        "method": "initialize",
        "params": {"protocolVersion": 1},
    }
    process.stdin.write(b"\n".join([*lines, json.dumps(last).encode(), b""]))
    answers: dict[Any, Any] = {}
    while not {"last", *range(len(asked) - 2)} <= answers.keys():
        answer = json.loads(await asyncio.wait_for(process.stdout.readline(), LIMIT_S))
        answers[answer.get("id")] = answer
    assert answers["last"]["result"]["protocolVersion"] == 1
    for number in range(6):
        assert "error" in answers[number], asked[number]
    assert answers[len(asked) - 1]["error"]["code"] == -32600  # a method is a text
    assert answers[None]["error"]["code"] in {-32700, -32600}
    assert not place.api.requests
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), LIMIT_S) == 0


@pytest.mark.thorough
async def test_a_line_that_is_too_long_is_refused_and_not_kept(monkeypatch) -> None:
    reader, sent = asyncio.StreamReader(limit=10_000), []
    transport = LineTransport(reader, None)

    async def keep(message: dict) -> None:
        sent.append(message)

    monkeypatch.setattr(transport, "send", keep)
    asked = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": "%s"}\n'
    reader.feed_data(asked % (b"x" * 50_000) + asked % (b"y" * 5_000))
    reader.feed_eof()
    message = await transport.receive()
    assert message is not None
    assert message["params"] == "y" * 5_000
    assert [each["error"]["code"] for each in sent] == [-32700]
    assert await transport.receive() is None
