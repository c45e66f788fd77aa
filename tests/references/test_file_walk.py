"""What a walk comes by."""

from dogent_tui.references.file_walk import changed_files


def test_what_git_ignores_is_not_listed_with_and_without_a_repository(tmp_path):
    for name in ("src/a.md", "build/b.md", "src/private.md", ".hidden/c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / ".gitignore").write_text("build/\nprivate*\n")
    assert changed_files(tmp_path) == {"src/a.md": (tmp_path / "src/a.md").stat().st_mtime}
    (tmp_path / ".git").mkdir()
    assert list(changed_files(tmp_path)) == ["src/a.md"]
    assert changed_files(tmp_path, most=0) == {}
