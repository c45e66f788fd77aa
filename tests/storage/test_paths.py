from pathlib import Path

from dogent_tui.storage.paths import Workspace, display_path, dogent_home, log_dir, state_dir


def test_home_is_named_by_the_environment_or_lies_in_the_home_folder(tmp_path, monkeypatch):
    own = Path.home() / ".dogent"
    for named, home in ((str(tmp_path), tmp_path), ("~/d", Path.home() / "d"), (" ", own)):
        monkeypatch.setenv("DOGENT_HOME", named)
        assert dogent_home() == home
    monkeypatch.delenv("DOGENT_HOME")
    assert dogent_home() == own


def test_a_named_home_holds_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path))
    assert [f() for f in (state_dir, log_dir)] == [tmp_path / "state", tmp_path / "log"]


def test_without_one_the_platform_says_where(monkeypatch):
    monkeypatch.delenv("DOGENT_HOME")
    assert state_dir() != log_dir()
    assert all("dogent-tui" in folder.parts for folder in (state_dir(), log_dir()))


def test_a_workspace_is_the_same_by_whatever_path(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    one, other = Workspace(tmp_path / "real"), Workspace(tmp_path / "link")
    assert one == other
    assert one.key == other.key != Workspace(tmp_path).key
    assert one.history_file == tmp_path / "real" / ".dogent" / "history.json"


def test_containment_compares_folders_and_follows_links(tmp_path, workspace):
    (tmp_path / "ws-other").mkdir()
    (workspace.root / "out").symlink_to(tmp_path)
    (workspace.root / "in").symlink_to("sub")
    assert workspace.contains("a/b.md")
    assert workspace.contains(".")
    assert workspace.contains("in/new.md")
    assert not workspace.contains("../ws-other/x")
    assert not workspace.contains(tmp_path / "ws-other")
    assert not workspace.contains("out/x")
    assert not workspace.contains("in/../../x")
    assert not workspace.contains("~/x")


def test_relative_paths(tmp_path, workspace):
    (tmp_path / "alias").symlink_to(workspace.root)
    assert workspace.relative("a/b.md") == "a/b.md"
    assert workspace.relative(workspace.root / "a" / "b.md") == "a/b.md"
    assert workspace.relative(tmp_path / "alias" / "b.md") == "b.md"
    assert workspace.relative("a/../b.md") == "b.md"
    assert workspace.relative("../x.md") == str(tmp_path / "x.md")
    assert workspace.relative("~/x.md") == str(Path.home() / "x.md")
    assert workspace.relative("~$lock.docx") == "~$lock.docx"


def test_the_home_folder_is_shortened_for_screens():
    assert display_path(Path.home() / "a") == "~/a"
    assert display_path(Path.home()) == "~"
    assert display_path(f"{Path.home()}-other/a") == f"{Path.home()}-other/a"
    assert display_path("/etc/hosts") == "/etc/hosts"
