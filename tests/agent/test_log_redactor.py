"""No key reaches the log of a session, however it comes."""

import asyncio
import json
import sys
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.events import (
    MessageDropped,
    Prompt,
    RunFinished,
    RunStarted,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ToolOutput,
    ToolResult,
    ToolUse,
    from_json,
)
from dogent_tui.agent.recorder import Recorder, Redactor, session_recorder
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.storage.history import History
from dogent_tui.storage.paths import Workspace, state_dir
from dogent_tui.vision.profiles import load_profile
from dogent_tui.web.profiles import choose_profile

KEY = 'sk-"quoted"\\ключ-1234'


def written(redactor: Redactor, *events):
    return [from_json(line) for event in events for line in redactor.lines(event)]


@given(
    st.integers(1, len(KEY) - 1),
    st.lists(st.sampled_from([1, 2, 3, 5, 40]), min_size=1, max_size=9),
    st.text('sk-"q', max_size=9),
)
def test_a_key_that_streams_in_pieces_is_in_none_of_them_and_nothing_else_is_lost(
    cut, sizes, around
):
    text = f"{around}{KEY[:cut]}{around}{KEY}{around}"
    pieces, at = [], 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    for make in (
        lambda piece: TextDelta(message_id="m", block=0, text=piece),
        lambda piece: ThinkingDelta(message_id="m", block=0, text=piece),
        lambda piece: ToolOutput(tool_use_id="m", text=piece),
    ):
        events = written(
            Redactor([KEY]), *map(make, pieces), RunFinished(status="completed", duration_ms=1)
        )
        joined = "".join(event.text for event in events[:-1])
        assert KEY not in joined
        assert joined == text.replace(KEY, "••••")


def test_what_is_held_back_does_not_stand_twice():
    begun = TextDelta(message_id="m", block=0, text='Tea sk-"')
    end = RunFinished(status="completed", duration_ms=1)
    whole = TextFinished(message_id="m", block=0, text='Tea sk-"')
    assert written(Redactor([KEY]), begun, whole, end)[1:] == [whole, end]
    assert written(Redactor([KEY]), begun, MessageDropped(message_id="m"), end)[2:] == [end]
    output = ToolOutput(tool_use_id="t", text="sk-")
    result = ToolResult(tool_use_id="t", content="sk-")
    assert written(Redactor([KEY]), output, result, end)[1:] == [result, end]


async def test_no_file_of_the_session_holds_a_key(tmp_path, home, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "from-the-environment-1")
    monkeypatch.setenv("GATEWAY", "named-by-the-file-1")
    profiles = {
        "profiles": {
            "a": {
                "provider": "x",
                "api_key": "in-web-json-1",
                "extra": [{"token": KEY, "key": " env: GATEWAY"}],
            }
        }
    }
    (home / ".dogent").mkdir()
    (home / ".dogent" / "web.json").write_text(json.dumps(profiles))
    (home / ".dogent" / "vision.json").write_text("[broken")
    keys = (KEY, "in-web-json-1", "from-the-environment-1", "named-by-the-file-1")
    monkeypatch.setattr("dogent_tui.settings.secrets._REVEALED", {"out-of-the-keyring-1"})
    keys = (*keys, "out-of-the-keyring-1")
    secrets = known_secrets()
    assert set(keys) <= set(secrets)
    said = " ".join(keys)

    async def events():
        run = {"run_id": "r"}
        yield RunStarted(prompt=Prompt(f"Is {said} a key?"), **run)
        yield ToolUse(tool_use_id="t", name="Bash", input={"command": [said, {said: 1}]}, **run)
        for piece in said:
            yield ToolOutput(tool_use_id="t", text=piece, **run)
        yield ToolResult(tool_use_id="t", content=said, **run)
        yield RunFinished(status="failed", duration_ms=1, result=said, reason=said, **run)

    workspace = Workspace(tmp_path)
    await asyncio.wait_for(Recorder(workspace, "s", secrets=secrets).record(events()), 60)
    files = [workspace.history_file, *(file for file in state_dir().rglob("*") if file.is_file())]
    assert len(files) >= 3
    text = "".join(file.read_text() for file in files) + "".join(
        json.dumps(json.loads(workspace.history_file.read_text()))
    )
    for key in keys:
        assert key not in text
        assert json.dumps(key)[1:-1] not in text
        assert json.dumps(key, ensure_ascii=False)[1:-1] not in text
    assert len(History(workspace.history_file).entries()) == 2


async def test_a_key_that_is_looked_up_while_a_session_is_recorded_is_kept_out_of_what_comes_then(
    tmp_path, home, monkeypatch
):
    entries = {"look": "out-of-the-keyring-2", "search": 'the "other"\\ of it-2'}
    keyring = SimpleNamespace(get_password=lambda _, name: entries[name])
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    monkeypatch.setenv("MY_SEARCHES", "in-the-environment-2")
    workspace = Workspace(tmp_path)
    opened = open_session(workspace, SessionOptions(profile="offline"))
    # the files are as they were made: no profile of theirs has a key yet
    recorder = session_recorder(opened)
    vision = {
        "provider": "openai",
        "model": "m",
        "base_url": "https://example.com",
        "api_key": "keyring:look",
    }
    web = {
        "a": {"provider": "tavily", "api_key": "keyring:search"},
        "b": {"provider": "tavily", "api_key": "env:MY_SEARCHES"},
    }
    (home / ".dogent" / "vision.json").write_text(json.dumps({"profiles": {"eye": vision}}))
    (home / ".dogent" / "web.json").write_text(json.dumps({"profiles": web}))
    keys = (*entries.values(), "in-the-environment-2")

    async def events():
        yield RunStarted(prompt=Prompt("Look at it"), run_id="r")
        profiles = [
            load_profile("eye", home / ".dogent"),
            *(choose_profile(name, home / ".dogent")[0] for name in "ab"),
        ]
        assert {profile.api_key for profile in profiles} == set(keys)
        said = " ".join(keys)
        for piece in said:
            yield TextDelta(message_id="m", block=0, text=piece, run_id="r")
        yield ToolResult(tool_use_id="t", content=said, run_id="r")
        yield RunFinished(status="completed", duration_ms=1, result=said, run_id="r")

    await asyncio.wait_for(recorder.record(events()), 60)
    text = "".join(
        file.read_text() for file in (workspace.history_file, *state_dir().rglob("*.json*"))
    )
    assert "••••" in text
    for key in keys:
        assert key not in text
        assert json.dumps(key)[1:-1] not in text
