"""Whether what came with a folder may be used: asked once, by home and by folder, and never
about what was made here.
"""

import json
import stat

import pytest

from dogent_tui.settings.trust import FolderTrust, make_own_folder
from dogent_tui.settings.trust_inventory import trust_inventory
from dogent_tui.storage.history import History, HistoryEntry, utc_now
from dogent_tui.storage.paths import Workspace


def state(workspace, **given):
    trust = FolderTrust(workspace, **given)
    return (trust.state, trust.trusted, trust.must_ask)


WISHES = {".dogent": "dogent.md", ".claude": "commands/any.md"}


def bring(root, *parts):
    for part in parts:
        file = root / part / WISHES[part]
        file.parent.mkdir(parents=True)
        file.write_text("Wishes")


OWN, UNASKED = ("own", True, False), ("unasked", False, True)
TRUSTED, DECLINED = ("trusted", True, False), ("declined", False, False)


def test_a_plain_folder_is_the_persons_own_and_nothing_is_written_about_it(workspace, home):
    assert state(workspace) == OWN
    assert not home.exists()


@pytest.mark.parametrize("came", [(".dogent",), (".claude",), (".dogent", ".claude")])
@pytest.mark.parametrize(("trust", "known"), [(True, TRUSTED), (False, DECLINED)])
def test_what_came_is_asked_about_once(workspace, home, came, trust, known):
    bring(workspace.root, *came)
    assert state(workspace) == UNASKED
    assert FolderTrust(workspace).came == came
    FolderTrust(workspace).answer(trust=trust)
    assert state(workspace) == known
    assert stat.S_IMODE((home / "trust.json").stat().st_mode) == 0o600
    FolderTrust(workspace).answer(trust=not trust)
    assert state(workspace) == (DECLINED if trust else TRUSTED)


def test_what_the_application_made_is_its_own_but_not_what_comes_later(workspace):
    make_own_folder(workspace)
    assert state(workspace) == OWN
    make_own_folder(workspace)
    bring(workspace.root, ".claude")
    assert state(workspace) == UNASKED
    assert FolderTrust(workspace).came == (".claude",)
    FolderTrust(workspace).answer(trust=True)
    assert state(workspace) == TRUSTED


def test_writing_into_a_folder_that_came_does_not_make_it_ours(workspace):
    bring(workspace.root, ".dogent")
    make_own_folder(workspace)
    History(workspace.history_file).append(HistoryEntry(utc_now(), "command", "/help"))
    assert state(workspace) == UNASKED


def test_trust_belongs_to_the_real_folder(workspace, tmp_path):
    bring(workspace.root, ".dogent")
    FolderTrust(workspace).answer(trust=True)
    (tmp_path / "link").symlink_to(workspace.root)
    assert state(Workspace(tmp_path / "link")) == TRUSTED
    bring(tmp_path / "other", ".dogent")
    assert state(Workspace(tmp_path / "other")) == UNASKED


def test_the_command_line_gives_trust_for_one_start(workspace):
    bring(workspace.root, ".dogent")
    assert state(workspace, given=True) == TRUSTED
    assert state(workspace) == UNASKED


def test_a_link_of_that_name_came_too(workspace, tmp_path):
    bring(tmp_path / "elsewhere", ".claude")
    (workspace.root / ".claude").symlink_to("nowhere")
    assert state(workspace) == OWN  # there is nothing in it
    (workspace.root / ".claude").unlink()
    (workspace.root / ".claude").symlink_to(tmp_path / "elsewhere" / ".claude")
    assert state(workspace) == UNASKED


def test_empty_folders_bring_nothing(workspace):
    (workspace.root / ".claude" / ".cc-writes").mkdir(parents=True)
    workspace.dot.mkdir()
    assert state(workspace) == OWN


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (
            ".claude/settings.json",
            '{"hooks": {"Stop": []}, "permissions": {"allow": ["Bash"]}, "env": {"A": "b"}}',
        ),
        (".claude/agents/critic.md", "Be strict."),
        (".claude/commands/.gitkeep", ""),
        (
            ".dogent/dogent.json",
            (
                '{"profile": "glm", "theme": "nord", "primary_language": "", "ignored_folders":'
                ' ["old"]}'
            ),
        ),
        (".dogent/dogent.md", " \n\n"),
        (".dogent/lessons.md", ""),
        (".dogent/templates/notes.txt", "x"),
        (".dogent/history.json", "[]"),
        (".dogent/pdf.css", "p {}"),
        (".dogent/memory.md", "Tea"),
    ],
)
def test_where_nothing_that_came_would_be_used_nothing_is_asked(workspace, place, text):
    (workspace.root / place).parent.mkdir(parents=True)
    (workspace.root / place).write_text(text)
    assert state(workspace) == OWN
    assert FolderTrust(workspace).came == ()


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (".claude/commands/a/b.md", ""),
        (".dogent/dogent.json", '{"primary_language": "Deutsch"}'),
        (".dogent/dogent.json", '{"doc_template": "built-in:resume"}'),
        (".dogent/dogent.json", '{"primary_language": "Deutsch", "x": "' + "x" * 1_000_000 + '"}'),
        (".dogent/dogent.md", "x"),
        (".dogent/lessons.md", "x"),
        (".dogent/templates/letter.md", ""),
    ],
)
def test_what_would_be_used_is_asked_about_and_nothing_that_comes_beside_it_later_is_trusted_with_it(  # noqa: E501
    workspace, place, text
):
    part = place.partition("/")[0]
    other = ".claude" if part == ".dogent" else ".dogent"
    (workspace.root / place).parent.mkdir(parents=True)
    (workspace.root / place).write_text(text)
    (workspace.root / other).mkdir()
    (workspace.root / other / "settings.json").write_text("{}")
    trust = FolderTrust(workspace)
    assert (trust.state, trust.came) == ("unasked", (part,))
    trust.answer(trust=True)
    assert state(workspace) == TRUSTED
    (workspace.root / other / WISHES[other]).parent.mkdir(exist_ok=True)
    (workspace.root / other / WISHES[other]).write_text("Wishes")
    assert state(workspace) == UNASKED


def test_the_persons_own_folders_are_not_asked_about(tmp_path, monkeypatch):
    user = tmp_path / "user"
    bring(user, ".claude", ".dogent")
    assert state(Workspace(user)) == OWN
    bring(tmp_path / "texts", ".dogent")
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "texts" / ".dogent"))
    assert state(Workspace(tmp_path / "texts")) == OWN


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"workspaces": {"ROOT": 3}}', '{"workspaces": {"ROOT": [3, {"part": 1}]}}']
)
def test_a_broken_store_trusts_nothing_and_takes_new_answers(workspace, home, text):
    bring(workspace.root, ".dogent")
    home.mkdir()
    (home / "trust.json").write_text(text.replace("ROOT", str(workspace.root)))
    assert state(workspace) == UNASKED
    FolderTrust(workspace).answer(trust=True)
    assert state(workspace) == TRUSTED


def test_an_answer_that_cannot_be_kept_holds_for_now(workspace, home):
    bring(workspace.root, ".dogent")
    home.write_text("no folder")
    trust = FolderTrust(workspace)
    with pytest.raises(OSError):
        trust.answer(trust=True)
    assert trust.trusted


def test_what_came_is_named_with_what_trusting_uses_first(workspace):
    root = workspace.root
    for folder in (".dogent/templates", ".claude/commands"):
        (root / folder).mkdir(parents=True)
    assert trust_inventory(workspace) == ()
    hooks = {
        "hooks": {"PreToolUse": []},
        "permissions": {"allow": ["Bash"]},
        "env": {"ANTHROPIC_BASE_URL": "x"},
        "enabledPlugins": {"p": True},
    }
    for place, text in {
        ".dogent/dogent.md": "# Style\n\nShort [b]sentences[/b].\n",
        ".dogent/dogent.json": json.dumps({"primary_language": "Deutsch", "profile": "glm"}),
        ".claude/settings.json": json.dumps(hooks),
        ".claude/commands/ship.md": "x",
        ".dogent/templates/letter.md": "x",
        ".dogent/lessons.md": "x",
        ".mcp.json": json.dumps({"mcpServers": {"files": {}}}),
    }.items():
        (root / place).write_text(text)
    found = trust_inventory(workspace)
    assert [(one.what, one.text) for one in found if one.used] == [
        ("Writing constraints for the agent, 2 lines", "# Style / Short [b]sentences[/b]."),
        ("Lessons for the agent, 1 line", "x"),
        ("Reply language", "Deutsch"),
        ("Document templates", "letter.md"),
        ("Commands", "ship.md"),
    ]
    assert {(one.what, one.place, one.text) for one in found if not one.used} == {
        ("Hooks", ".claude/settings.json", "PreToolUse"),
        ("Rules that allow tool calls", ".claude/settings.json", "Bash"),
        ("Environment variables", ".claude/settings.json", "ANTHROPIC_BASE_URL"),
        ("Plugins", ".claude/settings.json", ""),
        ("MCP servers", ".mcp.json", "files"),
    }
    assert [one.used for one in found] == sorted((one.used for one in found), reverse=True)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"hooks": 3, "permissions": [], "env": "x", "mcpServers": 1}', "[" * 100_000],
)
def test_what_cannot_be_read_stops_nothing(workspace, text):
    (workspace.root / ".claude").mkdir()
    (workspace.root / ".claude" / "settings.json").write_text(text)
    (workspace.root / ".mcp.json").write_text(text)
    assert "MCP servers" in {one.what for one in trust_inventory(workspace)}
