"""Links that are swapped between the answer about a place and its use never lead out."""

import os
from pathlib import Path

import pytest

from dogent_tui.errors import DogentError
from dogent_tui.storage.files import atomic_write, write_checked
from dogent_tui.storage.places import ApprovedPlaces, open_real, pinned, write_real


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root/inner").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.md").write_text("outside")
    (tmp_path / "root/inner/a.md").write_text("inside")
    return tmp_path / "root"


def swap(root, name="inner"):
    """Put a link to the outside in the place of a folder or a file."""
    place = root / name
    place.rename(root.parent / f"was-{place.name}")
    place.symlink_to(root.parent / "outside" / ("" if name == "inner" else place.name))


def read(path):
    descriptor = open_real(path)
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


@pytest.mark.parametrize("name", ["inner", "inner/a.md"])
def test_what_is_opened_lies_where_it_was_said_to_lie(root, name):
    assert read(root / "inner/a.md") == b"inside"
    swap(root, name)
    with pytest.raises(OSError, match=r"symbolic link|Not a directory"):
        open_real(root / "inner/a.md")


def test_a_pipe_is_not_waited_for(root):
    os.mkfifo(root / "pipe")
    os.close(open_real(root / "pipe"))


def test_nothing_is_written_through_a_link(root):
    swap(root)
    for place in (root / "inner/a.md", root / "inner/new/b.md"):
        with pytest.raises(OSError, match="Not a directory"):
            write_real(place, b"x")
    assert sorted(place.name for place in (root.parent / "outside").iterdir()) == ["a.md"]
    assert (root.parent / "outside/a.md").read_text() == "outside"


def test_a_folder_that_is_swapped_while_it_is_held_stays_the_one_it_was(root):
    with pinned(root / "inner/a.md") as place:
        swap(root)
        assert write_checked(place, b"inside", "changed")
        atomic_write(place.with_name("b.md"), "new")
    was = root.parent / "was-inner"
    assert {path.name: path.read_text() for path in was.iterdir()} == {
        "a.md": "changed",
        "b.md": "new",
    }
    assert (root.parent / "outside/a.md").read_text() == "outside"
    assert not (root.parent / "outside/b.md").exists()


def test_missing_folders_are_made_and_a_link_as_the_file_is_replaced(root):
    write_real(root / "new/deep er/a.md", b"made")
    assert (root / "new/deep er/a.md").read_text() == "made"
    swap(root, "inner/a.md")
    write_real(root / "inner/a.md", b"written")
    assert not (root / "inner/a.md").is_symlink()
    assert (root.parent / "outside/a.md").read_text() == "outside"


def test_a_call_goes_where_it_was_judged_by_and_nowhere_else(root):
    places, payload = ApprovedPlaces(), {"path": "inner/a.md", "offset": 3}
    path = root / "inner/a.md"
    assert places.of(payload, path) == path  # nobody judged it: the tool is used directly
    places.note(payload, [path])
    assert places.of({"offset": 3, "path": "inner/a.md"}, path) == path
    swap(root)
    with pytest.raises(DogentError, match="no longer points to where"):
        places.of(payload, path)
    places.note(payload, [Path(os.path.realpath(path))])  # asked, and allowed
    assert places.of(payload, path) == root.parent / "outside/a.md"
    assert places.of({"path": "\0"}, Path("\0")) == Path("\0")
