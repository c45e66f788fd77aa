"""Decisions as the gate uses them: verdicts with their reasons, targets and spans."""

import os

import pytest

from dogent_tui.permissions.explain import as_text, explain
from dogent_tui.permissions.grants import keys_of
from dogent_tui.permissions.model import EffectKind, ToolCall
from dogent_tui.permissions.policy import NO_PARSER, decide
from dogent_tui.permissions.shell import globs, parser, walk


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


def test_ordinary_work_is_allowed_and_its_effects_are_known(root):
    decision = bash("cat a.md > b.md", root)
    assert (decision.verdict, decision.reasons) == ("allow", ())
    assert {(effect.kind, effect.path) for effect in decision.effects if effect.path} == {
        (EffectKind.READ, root / "a.md"),
        (EffectKind.CREATE, root / "b.md"),
    }


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
        ("bash -c 'rm a.md'", "'rm a.md'"),
        ('x="$(rm a.md)"', "a.md"),
        ("echo é > .dogent/dogent.md", ".dogent/dogent.md"),
        ("cat <<'结束' > b.md\n第一章\n结束\nrm a.md", "a.md"),
    ],
)
def test_the_span_covers_what_is_risky(root, command, text):
    assert text in {command[slice(*effect.span)] for effect in bash(command, root).asked}


@pytest.mark.parametrize(
    "command",
    ["rm -rf /", "rm -rf {root}", "rm -rf .", "rm -rf ~", "rm -rf $HOME", "rm -rf ..", "mv {root} /tmp/x", "cat a.md > /dev/sda",
     "echo x > ~/.dogent/permissions.json", "dd if=a.md of=/dev/disk0"],
)  # fmt: skip
def test_what_no_question_should_offer_is_denied(root, command):
    decision = bash(command.format(root=root), root)
    assert decision.verdict == "deny"
    assert decision.reasons
    assert not decision.rememberable


def test_the_permission_store_is_closed_to_every_tool(root):
    assert tool("Write", root, file_path="~/.dogent/permissions.json", content="x").verdict == "deny"
    assert tool("Edit", root, file_path=f"{root.parent}/home/.dogent/trust.json").verdict == "deny"
    assert tool("Read", root, file_path="~/.dogent/permissions.json").verdict == "ask"


def test_a_proposal_is_asked_about_where_it_would_leave_the_workspace(root):
    name = "mcp__dogent__propose_document_change"
    assert tool(name, root, path="a.md", new_content="x").verdict == "allow"
    assert tool(name, root, new_content="x").verdict == "allow"  # the open document
    assert tool(name, root, path="../secret.txt", new_content="x").verdict == "ask"


@pytest.mark.parametrize("command", ["rm a.md", "cat ../secret.txt", "curl https://x.example", "mv a.md b.md"])
def test_plain_places_and_programs_can_be_remembered(root, command):
    assert bash(command, root).rememberable


@pytest.mark.parametrize(
    "command",
    ["rm *.md", 'rm "$UNKNOWN"', "perl -e 1", "echo > .dogent/dogent.md", "find . -delete", "eval $X", "echo > .claude/x"],
)
def test_what_is_computed_protected_or_a_pattern_cannot_be_remembered(root, command):
    decision = bash(command, root)
    assert decision.verdict == "ask"
    assert not decision.rememberable


def test_a_search_that_finds_nothing_now_is_judged_as_if_it_found_something(root):
    decision = bash("find . -name '*.bak' | while read -r f; do rm \"$f\"; done", root)
    assert decision.verdict == "ask"
    assert decision.targets == (f"{root}/…",)
    assert bash("find . -name '*.bak' | while read -r f; do wc -l \"$f\"; done", root).verdict == "allow"


def test_a_folder_with_very_many_files_is_judged_as_one_with_few(root, monkeypatch):
    monkeypatch.setattr(globs, "_MOST", 50)
    for number in range(100):
        (root / "sub" / f"{number}.md").touch()
    write = "import glob\nfor p in glob.glob('sub/*.md'): open(p, 'w')"
    read = "import glob\nfor p in glob.glob('sub/*.md'): print(open(p).read())"
    (root / "sub" / "99.md").write_text("x")
    assert bash(f'python3 -c "{write}"', root).verdict == "ask"
    assert bash(f'python3 -c "{read}"', root).verdict == "allow"


def test_relative_paths_start_from_where_the_shell_stands(root):
    assert bash("cat ../a.md", root, cwd=root / "sub").verdict == "allow"
    assert bash("cat ../a.md", root).verdict == "ask"
    assert bash("cat a.md", root, cwd=root.parent).verdict == "ask"


def test_first_creation_of_the_constraints_is_free(root):
    (root / ".dogent" / "dogent.md").unlink()
    assert bash("echo x > .dogent/dogent.md", root).verdict == "allow"
    assert tool("Write", root, file_path=".dogent/dogent.md", content="x").verdict == "allow"


def test_without_shfmt_every_command_is_asked_about(root, monkeypatch):
    monkeypatch.setattr(parser, "find_shfmt", lambda: None)
    decision = bash("ls", root)
    assert (decision.verdict, decision.reasons) == ("ask", (NO_PARSER,))


def test_a_fault_in_the_policy_asks(root, monkeypatch):
    def fail(*_args):
        raise KeyError("x")

    monkeypatch.setattr(walk.Walk, "command", fail)
    decision = bash("ls", root)
    assert decision.verdict == "ask"
    assert "KeyError" in decision.reasons[0]


@pytest.mark.parametrize(
    "command",
    [
        "f() { f; f; }; f",
        "for a in {1..200}; do for b in {1..200}; do ls; done; done",
        "echo " + "$(" * 60 + "ls" + ")" * 60,
        "ls " * 60_000,
        "{1..9999999}",
    ],
    ids=["recursion", "loops", "nesting", "length", "braces"],
)
def test_what_would_take_too_long_to_look_at_is_asked_about(root, command):
    assert bash(command, root).verdict == "ask"


def test_links_in_a_circle_and_bytes_that_are_no_path_ask(root):
    (root / "l1").symlink_to("l2")
    (root / "l2").symlink_to("l1")
    assert bash("cat l1", root).verdict == "ask"
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
    call = ToolCall("Bash", {"command": "rm a.md; cat 'b\tc'"})
    found = explain(call, root, root.parent / "home")
    assert found["verdict"] == "ask"
    assert {
        "kind": "delete",
        "path": str(root / "a.md"),
        "written": "a.md",
        "span": [3, 7],
        "program": "rm",
        "asked": True,
    } in found["effects"]
    text = as_text(explain(call, root, root.parent / "home"))
    assert "because: It deletes a.md." in text
    assert "\t" not in text
    assert "␉" in text


def test_a_machine_that_the_sandbox_asks_about_is_remembered_by_its_name(root):
    decision = tool("SandboxNetworkAccess", root, host="Example.com")
    assert decision.reasons == ("A command in the sandbox wants to reach Example.com.",)
    assert [key.rule(root) for key in keys_of(decision)] == ["network:sandbox/example.com"]
    for host in ("", "good.com/x", "good.com@evil.com", "x y"):
        odd = tool("SandboxNetworkAccess", root, host=host)
        assert (odd.verdict, keys_of(odd)) == ("ask", ())


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
