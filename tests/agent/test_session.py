"""Opening a session: what is told at its start, and what nothing that comes with a folder can
change.
"""

import json

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.permissions.model import ToolCall
from dogent_tui.settings import trust
from dogent_tui.storage.paths import Workspace


@pytest.mark.parametrize(
    "call",
    [("Write", "file_path", "{}", "content"), ("Bash", "command", "echo x > {}", "description")],
)
def test_no_tool_call_changes_what_is_trusted(home, tmp_path, call):
    tool, key, text, other = call
    store = home / ".dogent" / trust.STORE
    decision = Authority(Workspace(tmp_path)).decide(
        ToolCall(tool, {key: text.format(store), other: "x"})
    )
    assert decision.verdict == "deny"


def test_a_warning_that_several_readers_of_a_file_give_is_told_once(tmp_path, home):
    (home / ".dogent").mkdir()
    (home / ".dogent" / "dogent.json").write_text(json.dumps({"web_alow_hosts": []}))
    (tmp_path / "texts").mkdir()
    opened = open_session(Workspace(tmp_path / "texts"), SessionOptions())
    assert [warning.code for warning in opened.warnings].count("config_unknown_key") == 1


def test_a_key_that_others_can_read_is_told_at_the_start(tmp_path, home):
    (home / ".dogent").mkdir()
    file = home / ".dogent" / "vision.json"
    file.write_text(json.dumps({"profiles": {"a": {"api_key": "sk-0123456789"}}}))
    file.chmod(0o640)
    (warning,) = open_session(Workspace(tmp_path), SessionOptions()).warnings
    assert (warning.code, f"chmod 600 {file}" in warning.remedy) == ("key_file_open", True)
    file.chmod(0o600)
    assert open_session(Workspace(tmp_path), SessionOptions()).warnings == ()


@pytest.mark.parametrize("text", ["茶", "🍵", "e\u0301", "x"])
def test_rules_of_which_the_agent_gets_a_part_only_are_told(tmp_path, home, text):
    workspace = Workspace(tmp_path)
    workspace.constraints_file.parent.mkdir()
    for size, codes in ((60_000, []), (60_001, ["constraints_too_long"])):
        whole = text * (60_000 // len(text.encode()))
        workspace.constraints_file.write_text(
            whole + "." * (size - len(whole.encode())), encoding="utf-8"
        )
        opened = open_session(workspace, SessionOptions(trust=True))
        assert [warning.code for warning in opened.warnings] == codes
