"""`dogent-tui explain` as a user types it."""

import io
import json

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.wall_status import find_wall_status, wall_status_words
from dogent_tui.cli import main
from dogent_tui.permissions.model import ToolCall
from dogent_tui.storage.paths import Workspace
from dogent_tui.subcommands.explain import explained
from dogent_tui.wall.probe import WallStatus


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.md").touch()
    return tmp_path


def explain(capsys, *arguments):
    status = main(["explain", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_command_is_explained_and_does_not_run(root, capsys):
    status, out, _ = explain(
        capsys, "--tool", "Bash", "--input", "rm a.md", "--workspace", str(root)
    )
    assert status == 0
    assert out.startswith("ask: Delete a.md\n")
    assert "It deletes a.md." in out
    assert (root / "a.md").exists()


def test_what_was_allowed_is_considered(root, capsys):
    arguments = (
        "--tool",
        "Bash",
        "--input",
        '{"command": "rm a.md"}',
        "--workspace",
        str(root),
        "--allow",
    )
    assert explain(capsys, *arguments, "delete:a.md")[1].startswith("allow")
    _, out, _ = explain(capsys, *arguments, "delete:b.md", "--json")
    found = json.loads(out)
    assert found["verdict"] == "ask"
    assert found["grants"] == [{"allows": "delete b.md", "by": "rule", "used": False}]


def test_calls_come_one_a_line(root, capsys, monkeypatch):
    lines = [
        {"tool": "Read", "input": {"file_path": "a.md"}},
        {"tool": "Bash", "input": {"command": "cat ../x"}, "cwd": str(root)},
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n\n".join(map(json.dumps, lines))))
    _, out, _ = explain(capsys, "--workspace", str(root), "--json")
    assert [json.loads(line)["verdict"] for line in out.splitlines()] == ["allow", "ask"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--tool", "Read", "--input", "x"),
        ("--workspace", "/dev/null/none"),
        ("--tool", "Bash", "--allow", "all"),
    ],
)
def test_wrong_usage(capsys, arguments):
    status, _, err = explain(capsys, *arguments)
    assert status == 2
    assert err.startswith("dogent-tui: ")


@pytest.mark.parametrize("line", ["x", "[]", '{"tool": "Bash"}', '{"tool": 1, "input": {}}'])
def test_a_line_that_is_no_call_is_named(root, capsys, monkeypatch, line):
    monkeypatch.setattr("sys.stdin", io.StringIO(line))
    status, _, err = explain(capsys, "--workspace", str(root))
    assert status == 2
    assert "Line 1" in err


def test_of_a_command_the_wall_is_told_once_and_of_other_tools_not(root, capsys, monkeypatch):
    words = wall_status_words(find_wall_status(Workspace(root)))
    calls = [
        {"tool": "Bash", "input": {"command": "ls"}},
        {"tool": "Bash", "input": {"command": "pwd"}},
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, calls))))
    _, out, _ = explain(capsys, "--workspace", str(root))
    assert (out.count(words), out.endswith(f"{words}\n")) == (1, True)
    assert (
        words not in explain(capsys, "--tool", "Read", "--input", "{}", "--workspace", str(root))[1]
    )


def test_a_command_is_decided_early_and_judged_again_where_there_is_a_wall(root):
    authority, call = Authority(Workspace(root)), ToolCall("Bash", {"command": "make"})
    for level, verdict in (("full", "allow"), ("partial", "allow"), ("none", "ask")):
        authority.wall_status = WallStatus(level)
        found = explained(call, authority)
        assert (found["wall"], found["verdict"], found["judged_again"]) == (
            level,
            verdict,
            level != "none",
        )
