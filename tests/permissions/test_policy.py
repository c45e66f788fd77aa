"""Decisions as the gate uses them: verdicts with their reasons, targets and spans."""

import os

import pytest

from dogent_tui.permissions.explain import as_text, describe
from dogent_tui.permissions.model import ToolCall
from dogent_tui.permissions.policy import decide
from dogent_tui.permissions.shell.words import Reader


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "w"
    (folder / "sub").mkdir(parents=True)
    (folder / ".dogent").mkdir()
    (folder / "a.md").write_text("a")
    (folder / "中文 一.md").write_text("a")
    (folder / ".dogent" / "dogent.md").write_text("a")
    (tmp_path / "secret.txt").write_text("s")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder


def bash(command, root, **more):
    return decide(ToolCall("Bash", {"command": command}, **more), root, root.parent / "home")


def tool(name, root, **values):
    return decide(ToolCall(name, values), root, root.parent / "home")


def test_a_question_names_the_real_path_and_where_it_stands_in_the_command(root):
    command = "echo 中; cat link.txt"
    decision = bash(command, root)
    assert decision.verdict == "ask"
    assert decision.targets == (str(root.parent / "secret.txt"),)
    (effect,) = decision.asked
    assert command[slice(*effect.span)] == "link.txt"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("rm '中文 一.md'", "'中文 一.md'"),
        ("bash -c 'rm a.md'", "a.md"),
        ('x="$(cat ../secret.txt)"', "../secret.txt"),
        ("echo é; curl https://x.example", "curl"),
        ("cat <<'结束' > b.md\n第一章\n结束\nrm a.md", "a.md"),
    ],
)
def test_the_span_covers_what_is_risky(root, command, text):
    assert text in {command[slice(*effect.span)] for effect in bash(command, root).asked}


@pytest.mark.parametrize(
    "command",
    ["rm -rf /", "rm -rf {root}", "rm -rf .", "rm -rf ~", "rm -rf $HOME", "rm -rf ..",
        "mv {root} /tmp/x", "cat a.md > /dev/sda",
     "echo x > ~/.dogent/permissions.json", "dd if=a.md of=/dev/disk0"],
)  # fmt: skip
def test_what_no_question_should_offer_is_denied(root, command):
    decision = bash(command.format(root=root), root)
    assert decision.verdict == "deny"
    assert decision.reasons
    assert not decision.rememberable


def test_the_permission_store_is_closed_to_every_tool(root):
    assert (
        tool("Write", root, file_path="~/.dogent/permissions.json", content="x").verdict == "deny"
    )
    assert tool("Edit", root, file_path=f"{root.parent}/home/.dogent/trust.json").verdict == "deny"
    assert tool("Read", root, file_path="~/.dogent/permissions.json").verdict == "ask"


def test_a_proposal_is_asked_about_where_it_would_leave_the_workspace(root):
    name = "mcp__dogent__propose_document_change"
    assert tool(name, root, path="a.md", new_content="x").verdict == "allow"
    assert tool(name, root, new_content="x").verdict == "allow"  # the open document
    assert tool(name, root, path="../secret.txt", new_content="x").verdict == "ask"


@pytest.mark.parametrize(
    "command", ["rm a.md", "cat ../secret.txt", "curl https://x.example", "mv a.md b.md"]
)
def test_plain_places_and_programs_can_be_remembered(root, command):
    assert bash(command, root).rememberable


@pytest.mark.parametrize("command", ["rm *.md", "sudo ls", "kill 1", "git clean -fd"])
def test_what_is_a_pattern_or_names_no_place_cannot_be_remembered(root, command):
    decision = bash(command, root)
    assert decision.verdict == "ask"
    assert not decision.rememberable


def test_relative_paths_start_from_where_the_shell_stands(root):
    assert bash("cat ../a.md", root, cwd=root / "sub").verdict == "allow"
    assert bash("cat ../a.md", root).verdict == "ask"
    assert bash("cat a.md", root, cwd=root.parent).verdict == "ask"


def test_first_creation_of_the_constraints_is_free(root):
    (root / ".dogent" / "dogent.md").unlink()
    assert tool("Write", root, file_path=".dogent/dogent.md", content="x").verdict == "allow"


def test_a_fault_in_the_policy_asks(root, monkeypatch):
    def fail(*_args):
        raise KeyError("x")

    monkeypatch.setattr(Reader, "read", fail)
    decision = bash("ls", root)
    assert decision.verdict == "ask"
    assert "KeyError" in decision.reasons[0]


def test_links_in_a_circle_and_bytes_that_are_no_path_ask(root):
    (root / "l1").symlink_to("l2")
    (root / "l2").symlink_to("l1")
    assert bash("cat l1", root).verdict == "allow"  # nothing can be read there
    assert tool("Read", root, file_path="a\0b").verdict == "ask"
    assert tool("Read", root, file_path="a\x1b[2Jb").verdict == "ask"


def test_a_case_that_a_file_system_may_ignore_is_no_way_around(root):
    assert tool("Write", root, file_path=".DOGENT/Dogent.MD", content="x").verdict == "ask"
    assert tool("Write", root, file_path=".Claude/settings.json", content="x").verdict == "ask"


def test_a_workspace_reached_through_a_link_is_the_workspace(root):
    other = root.parent / "other"
    other.symlink_to(root)
    assert tool("Read", other, file_path=str(root / "a.md")).verdict == "allow"
    assert tool("Read", root, file_path=str(other / "a.md")).verdict == "allow"


def test_a_second_name_of_an_outside_file_is_outside(root):
    os.link(root.parent / "secret.txt", root / "s.txt")
    os.link(root / "a.md", root / "sub" / "a.md")
    assert tool("Read", root, file_path="s.txt").verdict == "ask"
    assert tool("Edit", root, file_path="a.md").verdict == "allow"


def test_escaping_the_sandbox_asks(root):
    assert tool("Bash", root, command="ls", dangerouslyDisableSandbox=True).verdict == "ask"


def test_an_explanation_holds_everything_and_no_control_character(root):
    (root / "b\tc").touch()
    call = ToolCall("Bash", {"command": "rm a.md; rm 'b\tc'"})
    found = describe(call, decide(call, root, root.parent / "home"))
    assert found["verdict"] == "ask"
    assert {
        "kind": "delete",
        "path": str(root / "a.md"),
        "written": "a.md",
        "span": [3, 7],
        "program": "Bash",
        "asked": True,
    } in found["effects"]
    text = as_text(found)
    assert "because: It deletes a.md." in text
    assert "\t" not in text
    assert "␉" in text


@pytest.mark.parametrize("name", ["read_document", "analyze_media"])
def test_our_own_tools_read_from_the_root_wherever_the_shell_stands(root, name):
    def reading(path):
        call = ToolCall(f"mcp__dogent__{name}", {"path": path}, cwd=root / "sub")
        return decide(call, root, root.parent / "home").verdict

    assert reading("a.md") == "allow"
    assert reading("../a.md") == "ask"  # inside as seen from sub, but it is not read from there
    assert reading(str(root / "a.md")) == "allow"
    assert reading("link.txt") == "ask"
    assert reading("file:///etc/hosts") == "ask"
