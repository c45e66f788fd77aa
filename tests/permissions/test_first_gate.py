"""The first gate: what runs unasked."""

from pathlib import Path

import pytest

from dogent_tui.permissions.first_gate import ToolCall, decide


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("a")
    (tmp_path / "secret.txt").write_text("s")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "out").symlink_to(tmp_path)
    return folder


def verdict(root: Path, tool: str, **tool_input: str) -> str:
    return decide(ToolCall(tool, tool_input, root), root).verdict


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Read", {"file_path": "a.md"}),
        ("Read", {"file_path": "sub/../a.md"}),
        ("Write", {"file_path": "new/deep/b.md", "content": "x"}),
        ("Edit", {"file_path": "a.md", "old_string": "a", "new_string": "b"}),
        ("Glob", {"pattern": "**/*.md"}),
        ("Grep", {"pattern": "/etc"}),
        ("TodoWrite", {}),
    ],
)
def test_ordinary_work_in_the_workspace_runs(root, tool, tool_input):
    assert verdict(root, tool, **tool_input) == "allow"


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Read", {"file_path": "../secret.txt"}),
        ("Read", {"file_path": "link.txt"}),
        ("Read", {"file_path": "~/x"}),
        ("Write", {"file_path": "out/new.md", "content": "x"}),
        ("Write", {"file_path": ".dogent/dogent.json", "content": "x"}),
        ("Write", {"file_path": ".DOGENT/dogent.json", "content": "x"}),
        ("Edit", {"file_path": ".git/hooks/pre-commit"}),
        ("Write", {"file_path": ".claude/settings.json", "content": "x"}),
        ("Glob", {"pattern": "../*"}),
        ("Glob", {"pattern": "/etc/*"}),
        ("Grep", {"pattern": "x", "path": "/etc"}),
        ("Bash", {"command": "ls"}),
        ("WebFetch", {"url": "https://example.com"}),
        ("mcp__other__tool", {}),
    ],
)
def test_everything_else_asks_and_says_why(root, tool, tool_input):
    decision = decide(ToolCall(tool, tool_input, root), root)
    assert decision.verdict == "ask"
    assert decision.reasons


def test_the_workspace_beside_one_of_the_same_beginning_is_outside(root):
    assert verdict(root, "Read", file_path=f"{root}-2/a.md") == "ask"


def test_what_cannot_be_judged_asks(root):
    assert verdict(root, "Read", file_path="a\0b") == "ask"
