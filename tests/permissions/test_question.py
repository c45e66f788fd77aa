"""The question before a call: one sentence, the places as they are, and which answers there are."""

import pytest

from dogent_tui.permissions.edits import unified_diff
from dogent_tui.permissions.model import ToolCall
from dogent_tui.permissions.policy import decide
from dogent_tui.permissions.question import ask_about


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "w"
    (folder / "chapters" / "中文").mkdir(parents=True)
    for name in ("a.md", "b.md", "chapters/1.md", "chapters/2.md", "chapters/中文/3.md"):
        (folder / name).write_text("old\n")
    (tmp_path / "outside.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    return folder


def question(tool, root, **values):
    call = ToolCall(tool, values, root)
    return ask_about(call, decide(call, root, root.parent / "home"), root)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("rm a.md", "Delete a.md"),
        ("rm chapters/1.md chapters/2.md", "Delete 2 files in chapters/"),
        ("rm a.md b.md", "Delete 2 files"),
        ("rm -r chapters", "Delete the folder chapters/ with 3 files"),
        ("rm -r chapters a.md", "Delete 2 files and folders"),
        ("mv a.md c.md", "Move away a.md"),
        ("rm a.md; mv b.md c.md", "Delete a.md and move away b.md"),
        (": > a.md", "Replace a.md"),
        ("cat /etc/hostname", "Read /etc/hostname, outside the workspace"),
        ("touch /etc/x", "Create /etc/x, outside the workspace"),
        ("curl https://example.org", "Run a command that reaches example.org"),
        ("curl $X", "Run a command that reaches the network"),
        ("pip install x", "Run a command that reaches pypi.org, files.pythonhosted.org"),
        ("/etc/hostname a.md", "Run /etc/hostname, outside the workspace"),
        ("git clean -fd", "Run a command that deletes files"),
        ("sudo rm a.md", "Delete a.md and do more than can be predicted"),
        ("echo 'a", "Run a command that can't be fully analyzed"),
    ],
)
def test_a_command_in_one_sentence(root, command, sentence):
    assert question("Bash", root, command=command).sentence == sentence


def test_other_tools_in_one_sentence(root):
    outside = root.parent / "outside.txt"
    assert (
        question("Read", root, file_path=str(outside)).sentence
        == f"Read {outside}, outside the workspace"
    )
    assert question("WebFetch", root, url="http://localhost/").sentence == "Open http://localhost/"
    assert (
        question("mcp__other__frobnicate_all", root).sentence
        == "Use frobnicate all of the MCP server other"
    )


def test_places_say_what_happens_to_them_and_what_their_names_hide(root):
    outside = root.parent / "outside.txt"
    (read,) = question("Read", root, file_path="link.txt").targets
    assert (read.path, read.kind, read.exists, read.size, read.note) == (
        str(outside),
        "read",
        True,
        6,
        "link.txt points here",
    )
    folder, gone = question("Bash", root, command="rm -r chapters; rm link.txt").targets
    assert (folder.size, folder.note) == (None, "3 files")
    assert (gone.path, gone.note) == (str(root / "link.txt"), "a link: its target stays")
    (new,) = question("Bash", root, command=f"touch {root.parent}/new").targets
    assert (new.kind, new.exists, new.size) == ("create", False, None)


def test_the_risky_parts_of_a_command(root):
    command = "ls && rm a.md b.md; cat link.txt"
    spans = question("Bash", root, command=command).spans
    assert [command[start:end] for start, end in spans] == ["a.md", "b.md", "link.txt"]


@pytest.mark.parametrize(
    ("command", "because"),
    [("rm *.md", "pattern"), ("kill 1", "asked every time"), ("sudo ls", "asked every time")],
)
def test_what_is_not_remembered_says_why(root, command, because):
    asked = question("Bash", root, command=command)
    assert asked.scopes == ("once",)
    assert because in asked.once_because
    assert asked.rules == ()


def test_what_can_be_remembered_names_its_rules(root):
    asked = question("Bash", root, command="mv a.md c.md; rm b.md")
    assert asked.scopes == ("once", "session", "always")
    assert asked.rules == ("move:a.md", "delete:b.md")
    assert asked.once_because == ""


def test_the_models_own_words_are_kept_apart(root):
    assert question("Bash", root, command="rm a.md", description=" Tidy up ").words == "Tidy up"
    assert (
        question("mcp__dogent__list_file_tree", root, reason="To find notes").words
        == "To find notes"
    )
    assert question("Bash", root, command="rm a.md", description=3).words == ""


def test_the_diff_of_the_file_tools(root):
    settings = root / ".mcp.json"
    settings.write_text("one\ntwo\nthree\n")
    path = str(settings)

    def changed(tool, **values):
        return question(tool, root, file_path=path, **values).diff.split("\n")[3:]

    assert changed("Edit", old_string="two", new_string="2") == [
        " one",
        "-two",
        "+2",
        " three",
        " ",
    ]
    edits = [{"old_string": "one", "new_string": "1"}, {"old_string": "1", "new_string": "I"}]
    assert changed("MultiEdit", edits=edits)[:2] == ["-one", "+I"]
    assert changed("Write", content="one\n")[:3] == [" one", "-two", "-three"]
    assert changed("Edit", old_string="not found", new_string="x") == []
    settings.unlink()
    assert changed("Write", content="one") == ["+one"]


def test_a_file_that_is_no_text_has_no_diff(root):
    binary = root.parent / "binary"
    binary.write_bytes(b"\0\1")
    assert question("Write", root, file_path=str(binary), content="x").diff == ""


def test_a_long_diff_is_cut_and_a_huge_one_takes_no_time():
    old, new = (
        "\n".join(map(str, range(40_000))),
        "\n".join(str(number * 7) for number in range(40_000)),
    )
    lines = unified_diff(old, new, "x").split("\n")
    assert len(lines) < 1_000
    assert lines[-1].endswith("more lines")
