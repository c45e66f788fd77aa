"""A document is opened, and saved unless someone else changed it."""

import pytest

from dogent_tui.errors import DogentError
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.text_file import TextFile, save_new


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    (tmp_path / "w").mkdir()
    return Workspace(tmp_path / "w")


@pytest.mark.parametrize("content", [b"# A\n", b"\xef\xbb\xbf# A\r\n\r\nx\r\n", b"# A\rx\n", b""])
def test_what_is_saved_unchanged_is_the_same(workspace, content):
    path = workspace.root / "a.md"
    path.write_bytes(content)
    file = TextFile.open(workspace, "a.md")
    assert "\r\n" not in file.text
    file.save(file.text)
    assert path.read_bytes() == content
    file.save(f"{file.text}more\n")
    file.save(f"{file.text}more\n")
    assert path.read_bytes().count(b"more") == 2


def test_a_file_that_somebody_else_changed_is_not_overwritten(workspace):
    path = workspace.root / "a.md"
    path.write_text("# A\n")
    file = TextFile.open(workspace, "a.md")
    path.write_text("# B\n")
    with pytest.raises(DogentError, match=r"a.md was changed by someone else in the meantime"):
        file.save("# C\n")
    assert path.read_text() == "# B\n"
    path.unlink()
    with pytest.raises(DogentError, match=r"There is no file a.md"):
        file.save("# C\n")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no.md", "There is no file"),
        ("../out.md", "outside"),
        (".", "is a folder"),
        ("bad.md", "not UTF-8 text. Specify a Markdown file"),
    ],
)
def test_what_cannot_be_opened(workspace, name, why):
    (workspace.root / "bad.md").write_bytes(b"\xff\xfe")
    (workspace.root.parent / "out.md").write_text("x")
    with pytest.raises(DogentError, match=why):
        TextFile.open(workspace, name)


def test_a_copy_is_a_new_file(workspace):
    assert save_new(workspace, " notes/o.md ", "# A\n") == "notes/o.md"
    assert (workspace.root / "notes" / "o.md").read_text() == "# A\n"
    with pytest.raises(DogentError, match="already"):
        save_new(workspace, "notes/o.md", "# B\n")
    for name in ("", "../o.md"):
        with pytest.raises(DogentError, match="outside"):
            save_new(workspace, name, "# B\n")


def test_what_the_agent_has_to_obey_is_not_opened(workspace):
    workspace.dot.mkdir()
    (workspace.dot / "dogent.md").write_text("# Rules\n")
    (workspace.root / "rules.md").symlink_to(workspace.dot / "dogent.md")
    for name in (".dogent/dogent.md", "rules.md"):
        with pytest.raises(DogentError, match="must follow"):
            TextFile.open(workspace, name)
    with pytest.raises(DogentError, match="must follow"):
        save_new(workspace, ".dogent/new.md", "# Rules\n")
    assert not (workspace.dot / "new.md").exists()
