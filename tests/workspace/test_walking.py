"""What a walk comes by."""

from dogent_tui.workspace.walking import unseen


def test_what_git_ignores_is_not_seen_with_and_without_a_repository(tmp_path):
    for name in ("src/a.md", "build/b.md", "src/private.md", ".hidden/c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / ".gitignore").write_text("build/\nprivate*\n")
    everything = ["src", "src/a.md", "build", "build/b.md", "src/private.md", ".hidden/c.md", "gone.md"]
    ignored = {"build", "build/b.md", "src/private.md", ".hidden/c.md", "gone.md"}
    assert unseen(tmp_path, everything) == ignored
    (tmp_path / ".git").mkdir()
    assert unseen(tmp_path, everything) == ignored
    assert unseen(tmp_path, []) == frozenset()
