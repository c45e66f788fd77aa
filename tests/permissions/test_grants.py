"""What is remembered: exactly what was allowed, and nothing beside it."""

from pathlib import Path

import pytest

from dogent_tui.errors import UsageError
from dogent_tui.permissions.grants import KINDS, Grant, covering, keys_of, parse_rule
from dogent_tui.permissions.model import ToolCall
from dogent_tui.permissions.policy import decide


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "w"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.md", "b.md", "sub/a.md", "sub/b.md"):
        (folder / name).write_text("a")
    (tmp_path / "outside.txt").write_text("s")
    return folder


def bash(command, root):
    return decide(ToolCall("Bash", {"command": command}), root, root.parent / "home")


def tool(name, root, **values):
    return decide(ToolCall(name, values), root, root.parent / "home")


def remembered(*decisions):
    return [key for decision in decisions for key in keys_of(decision)]


def test_the_same_call_is_covered_and_so_is_another_spelling_of_it(root):
    grants = remembered(bash("rm a.md", root))
    for command in (
        "rm a.md",
        "rm -f ./a.md",
        "cd sub && rm ../a.md",
        "true && rm a.md",
        "unlink a.md",
    ):
        assert covering(grants, bash(command, root))


@pytest.mark.parametrize(
    "command", ["rm b.md", "rm a.md b.md", "rm -r sub", "mv a.md c.md", ": > a.md", "rm *.md"]
)
def test_a_neighbor_and_another_kind_are_not(root, command):
    assert not covering(remembered(bash("rm a.md", root)), bash(command, root))


def test_a_remembered_read_never_allows_more_than_reading(root):
    outside = root.parent / "outside.txt"
    grants = remembered(tool("Read", root, file_path=str(outside)))
    assert covering(grants, bash(f"cat {outside}", root))  # reading is the same by whatever program
    for command in (
        f"rm {outside}",
        f"echo x > {outside}",
        f"mv {outside} .",
        f"cat {outside} /etc/hostname",
    ):
        assert not covering(grants, bash(command, root))


def test_every_effect_must_be_covered(root):
    both = bash("mv a.md sub/c.md; rm b.md", root)
    assert len(keys_of(both)) == 2
    assert covering(keys_of(both), both) == keys_of(both)
    assert not covering(keys_of(both)[:1], both)


def test_changing_a_file_covers_making_it_anew_but_making_it_does_not_cover_changing_it(root):
    outside = root.parent / "new.txt"
    create = tool("Write", root, file_path=str(outside), content="x")
    outside.write_text("x")
    change = tool("Edit", root, file_path=str(outside), old_string="x", new_string="y")
    assert covering(remembered(change), create)
    assert not covering(remembered(create), change)


def test_what_cannot_be_remembered_has_no_keys(root):
    (root / ".dogent").mkdir()
    (root / ".dogent" / "dogent.md").touch()
    for command in ("rm *.md", "git clean -fd", "rm .dogent/dogent.md", "rm -rf /"):
        assert keys_of(bash(command, root)) == ()
    assert keys_of(bash("ls", root)) == ()


def test_a_link_that_leads_elsewhere_now_is_not_covered(root):
    link = root / "link"
    link.symlink_to(root.parent / "outside.txt")
    grants = remembered(tool("Read", root, file_path="link"))
    link.unlink()
    link.symlink_to("/etc/hostname")
    assert not covering(grants, tool("Read", root, file_path="link"))


def test_the_network_is_remembered_by_host(root):
    grants = remembered(bash("curl https://example.org", root))
    assert covering(grants, bash("wget https://example.org/x", root))
    assert not covering(grants, bash("curl https://example.com", root))
    assert not covering(grants, bash("curl https://example.org https://example.com", root))
    assert not covering(grants, bash('curl "$URL"', root))
    page = remembered(tool("WebFetch", root, url="http://localhost/a"))
    assert covering(page, tool("WebFetch", root, url="http://localhost/b"))
    assert not covering(page, tool("WebFetch", root, url="http://192.168.0.1/"))


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("delete:a.md", "rm a.md"),
        ("delete:sub/", "rm sub/a.md sub/b.md"),
        ("write:a.md", ": > a.md"),
        ("write:../new.txt", "echo x > ../new.txt"),
        ("read:..", "ls .."),
        ("read:../", "cat ../outside.txt"),
        ("network:Bash", "curl https://example.org"),
        ("network:Bash", "git push"),
        ("network:Bash/example.org", "git clone git@example.org:x/y"),
        ("run:../outside.txt", "../outside.txt a.md"),
        ("read:~/notes.txt", "cat ~/notes.txt"),
    ],
)
def test_a_rule_covers_what_it_says(root, rule, command):
    assert covering([parse_rule(rule, root, root.parent / "home")], bash(command, root))


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("delete:a.md", "rm sub/a.md"),
        ("delete:sub/", "rm -r sub"),
        ("delete:sub", "rm sub/a.md"),
        ("read:../outside.txt", "rm ../outside.txt"),
        ("create:a.md", ": > a.md"),
        ("network:Bash/example.org", "wget https://example.com"),
        ("network:WebFetch", "wget https://example.org"),
        ("delete:/", "rm -rf /"),
        ("delete:/", "rm *.md"),
    ],
)
def test_a_rule_covers_nothing_else(root, rule, command):
    assert not covering([parse_rule(rule, root, root.parent / "home")], bash(command, root))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "delete",
        "delete:",
        ":a.md",
        "frob:a.md",
        "Bash",
        "network:",
        "network:/x",
        "network:curl",
        "delete:*.md",
    ],
)
def test_what_is_no_rule_says_what_one_is(root, text):
    with pytest.raises(UsageError) as error:
        parse_rule(text, root)
    assert error.value.remedy


def test_a_grant_reads_as_a_rule_and_as_a_sentence(root):
    unplaced = {
        "network": "network:Bash/x.org",
        "use": "use:list_file_tree",
        "tool": "tool:mcp__notes__find",
    }
    for kind in KINDS:
        rule = unplaced.get(kind, f"{kind}:sub/a.md")
        assert parse_rule(rule, root).rule(root) == rule
    assert parse_rule("delete:sub/", root).rule(root) == "delete:sub/"
    assert Grant("delete", f"{root}/a.md", "Bash").sentence(root) == "delete a.md (by commands)"
    assert Grant("network", "", "Bash").sentence(root) == "reach other machines with commands"
    assert (
        parse_rule("use:list_file_tree", root).sentence(root)
        == "search the documents with list_file_tree"
    )
    with pytest.raises(UsageError, match="does not specify a tool"):
        parse_rule("use:Bash", root)
    assert parse_rule("read:/etc/", root).sentence(root) == "read everything in /etc"


def test_a_name_with_odd_characters_is_a_rule_too(root):
    (root / "what?.md").touch()
    assert parse_rule("delete:what?.md", root).place == str(Path(root, "what?.md"))


def test_a_tool_that_consults_documents_is_allowed_by_its_name_alone(root):
    def consult(tool, **values):
        return decide(
            ToolCall(f"mcp__dogent__{tool}", {"reason": "r", **values}, root),
            root,
            root.parent / "home",
        )

    read = consult("read_markdown_file", path="a.md")
    (key,) = keys_of(read)
    assert key == Grant("use", "", "read_markdown_file")
    assert covering([key], consult("read_markdown_file", path="sub/b.md"))
    assert not covering([key], consult("search_markdown_content", query="a"))
    assert not covering([Grant("read", f"{root}/a.md")], read)


@pytest.mark.parametrize(
    "path", ["../outside.txt", "/etc/hostname", "", "sub/../../outside.txt", "a\nb.md"]
)
def test_what_such_a_tool_would_refuse_is_not_put_to_the_user(root, path):
    values = {"path": path, "reason": "r"}
    decision = decide(
        ToolCall("mcp__dogent__read_markdown_file", values, root), root, root.parent / "home"
    )
    assert (decision.verdict, len(decision.reasons)) == ("deny", 1)


@pytest.mark.parametrize("reason", [None, "", "  ", 3])
def test_without_a_reason_it_is_not_either(root, reason):
    decision = decide(
        ToolCall("mcp__dogent__list_file_tree", {"reason": reason}, root),
        root,
        root.parent / "home",
    )
    assert decision.verdict == "deny"
    assert "say in reason" in decision.reasons[0]


def test_a_tool_of_a_server_is_remembered_by_server_and_tool(root):
    def decided(tool, **values):
        return decide(ToolCall(tool, values), root, root.parent / "home")

    asked = decided("mcp__notes__find", query="tea")
    assert asked.verdict == "ask"
    [key] = keys_of(asked)
    assert key.rule(root) == "tool:mcp__notes__find"
    assert key.sentence(root) == "use the tool find of the MCP server notes, outside the wall"
    assert covering([key], decided("mcp__notes__find", query="coffee"))
    assert not covering([key], decided("mcp__notes__list", query="tea"))
    assert not covering([key], decided("mcp__other__find", query="tea"))
    assert not covering([key], decided("mcp__notes__find", path="/etc/passwd"))
    for text in ("tool:find", "tool:mcp__dogent__web_fetch", "tool:mcp__notes"):
        with pytest.raises(UsageError, match="MCP server"):
            parse_rule(text, root)


def test_the_files_that_name_servers_are_guarded(root):
    def verdict(path):
        decision = decide(
            ToolCall("Write", {"file_path": str(path), "content": "{}"}), root, root.parent / "home"
        )
        return decision.verdict, decision.rememberable

    assert verdict(root / ".dogent" / "mcp.json") == ("ask", False)
    for name in ("mcp.json", "mcp_switches.json"):
        assert verdict(root.parent / "home" / ".dogent" / name) == ("deny", False)
