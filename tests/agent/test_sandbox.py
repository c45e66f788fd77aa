"""The second wall: asked for by the workspace or at home, and told where it cannot stand."""

import json

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.sandbox import missing_packages, sandbox_state
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.permissions.model import ToolCall
from dogent_tui.workspace import trust
from dogent_tui.workspace.paths import Workspace


@pytest.fixture
def linux_without_programs(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_sandbox_that_is_missing_is_told_with_a_remedy(linux_without_programs, tmp_path):
    root = tmp_path / "texts"
    (root / ".dogent").mkdir(parents=True)
    assert open_session(Workspace(root), SessionOptions()).sandbox == "off"
    (root / ".dogent" / "dogent.json").write_text(json.dumps({"sandbox": True}))
    opened = open_session(Workspace(root), SessionOptions())
    assert opened.sandbox == "missing"
    (warning,) = [warning for warning in opened.warnings if warning.code == "sandbox_missing"]
    assert "bubblewrap and socat" in warning.message
    assert warning.remedy.startswith("Install bubblewrap and socat")


def test_a_sandbox_stands_where_its_programs_are(linux_without_programs):
    for name in ("bwrap", "socat"):
        assert sandbox_state(wanted=True) == "missing"
        (linux_without_programs / name).write_text("")
        (linux_without_programs / name).chmod(0o755)
    assert (missing_packages(), sandbox_state(wanted=True), sandbox_state(wanted=False)) == ((), "on", "off")


@pytest.mark.parametrize("call", [("Write", "file_path", "{}", "content"), ("Bash", "command", "echo x > {}", "description")])
def test_no_tool_call_changes_what_is_trusted(home, tmp_path, call):
    tool, key, text, other = call
    store = home / ".dogent" / trust.STORE
    decision = Authority(Workspace(tmp_path)).decide(ToolCall(tool, {key: text.format(store), other: "x"}))
    assert decision.verdict == "deny"


def test_the_persons_own_file_asks_for_it_too(linux_without_programs, tmp_path, home):
    (home / ".dogent").mkdir()
    (home / ".dogent" / "dogent.json").write_text(json.dumps({"sandbox": True, "web_alow_hosts": []}))
    (tmp_path / "texts").mkdir()
    opened = open_session(Workspace(tmp_path / "texts"), SessionOptions())
    assert opened.sandbox == "missing"
    assert [warning.code for warning in opened.warnings].count("config_unknown_key") == 1  # though several read it


def test_a_key_that_others_can_read_is_told_at_the_start(tmp_path, home):
    (home / ".dogent").mkdir()
    file = home / ".dogent" / "vision.json"
    file.write_text(json.dumps({"profiles": {"a": {"api_key": "sk-0123456789"}}}))
    file.chmod(0o640)
    (warning,) = open_session(Workspace(tmp_path), SessionOptions()).warnings
    assert (warning.code, f"chmod 600 {file}" in warning.remedy) == ("key_file_open", True)
    file.chmod(0o600)
    assert open_session(Workspace(tmp_path), SessionOptions()).warnings == ()
