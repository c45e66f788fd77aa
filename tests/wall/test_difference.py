"""What a command did, read from a real overlay: exactly that, by path, and nothing that only was
opened.
"""

import os
import resource
import stat
from itertools import chain
from pathlib import Path

import pytest

from dogent_tui.undo.changes import Change, Difference
from dogent_tui.wall.difference import read_difference
from tests.wall.overlay import quoted, run_on_layer


@pytest.fixture
def root(tmp_path) -> Path:
    """A workspace with a bit of everything."""
    root = tmp_path / "中 文,a:b"
    (root / "ch" / "deep").mkdir(parents=True)
    (root / "a.md").write_text("a\n")
    (root / "ch" / "1.md").write_text("one\n")
    (root / "ch" / "2.md").write_text("two\n")
    (root / "ch" / "deep" / "3.md").write_text("three\n")
    (root / "ch" / "link").symlink_to("1.md")
    return root


def did(root: Path, command: str) -> Difference:
    """Run a command and read what it did. The real workspace is as it was, whatever that is."""
    before = picture(root)
    layer = run_on_layer(root, root.parent / f"layer-{len(list(root.parent.iterdir()))}", command)
    found = read_difference(layer.root, layer.upper, layer.began_ns)
    assert picture(root) == before
    return found


def picture(root: Path) -> dict[bytes, tuple]:
    found: dict[bytes, tuple] = {}
    for folder, folders, files in os.walk(os.fsencode(root)):
        for path in (os.path.join(folder, name) for name in (*folders, *files)):  # noqa: PTH118
            state = os.lstat(path)
            is_file = stat.S_ISREG(state.st_mode)
            content = Path(os.fsdecode(path)).read_bytes() if is_file else b""
            found[path] = (state.st_mode, state.st_mtime_ns, content)
    return found


def told(difference: Difference) -> list[str]:
    return [line(change) for change in difference.changes]


def line(change: Change) -> str:
    return f"{change.what} {change.path}" + (f" → {change.moved_to}" if change.moved_to else "")


IN_CH = ("", "/1.md", "/2.md", "/deep", "/deep/3.md", "/link")


def moved(old: str, new: str, held: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """What is told of a folder that moved with all that it held."""
    gone = [f"move {old}{rest} → {new}{rest}" for rest in held]
    return gone, [f"create {new}{rest}" for rest in held]


CASES = {
    "nothing": ("true", []),
    "read": ("cat a.md ch/*", []),
    "create": ("echo new > new.md", ["create new.md"]),
    "edit": ("echo b >> a.md", ["edit a.md"]),
    "edit by sed": ("sed -i s/one/eins/ ch/1.md", ["edit ch/1.md"]),
    "touch": ("touch a.md", []),
    "opened and not changed": (": >> a.md; exec 5<> ch/1.md", []),
    "deleted and put back": ("cp -p a.md ..x; rm a.md; mv ..x a.md", []),
    "emptied": (": > a.md", ["empty a.md"]),
    "overwritten by zero bytes": ("dd if=/dev/zero of=a.md bs=9 count=1", ["empty a.md"]),
    "emptied and lengthened": (": > a.md; truncate -s 1M a.md", ["empty a.md"]),
    "text after zero bytes": (": > a.md; truncate -s 1M a.md; echo >> a.md", ["edit a.md"]),
    "delete": ("rm ch/1.md", ["delete ch/1.md"]),
    "delete a folder": (
        "rm -r ch",
        [
            "delete ch",
            "delete ch/1.md",
            "delete ch/2.md",
            "delete ch/deep",
            "delete ch/deep/3.md",
            "delete ch/link",
        ],
    ),
    "made and taken away": ("mkdir d; echo x > d/f; rm -r d; echo x > f; rm f", []),
    "chmod": ("chmod 600 a.md", ["mode a.md"]),
    "chmod of a folder": ("chmod 700 ch", ["mode ch"]),
    "chmod back": ("chmod 600 a.md ch; chmod 644 a.md; chmod 755 ch", []),
    "setuid": ("chmod u+s a.md", ["mode a.md"]),
    "another link": ("ln -sfn 2.md ch/link", ["edit ch/link"]),
    "the same link again": ("ln -sfn 1.md ch/link", []),
    "link": ("ln -s /etc/passwd p", ["create p"]),
    "pipe": ("mkfifo pipe", ["create pipe"]),
    "move": ("mv a.md b.md", ["move a.md → b.md", "create b.md"]),
    "move and edit": ("mv a.md b.md; echo more >> b.md", ["delete a.md", "create b.md"]),
    "move over another": ("mv a.md ch/1.md", ["delete a.md", "edit ch/1.md"]),
    "moved link": ("mv ch/link l", ["move ch/link → l", "create l"]),
    "swapped": ("mv a.md x; mv ch/1.md a.md; mv x ch/1.md", ["edit a.md", "edit ch/1.md"]),
    "folder moved": ("mv ch part", [*chain(*moved("ch", "part", IN_CH))]),
    "folder moved into a new one": (
        "mkdir n; mv ch n",
        [*(both := moved("ch", "n/ch", IN_CH))[0], "create n", *both[1]],
    ),
    "folder below moved": ("mv ch/deep d", [*chain(*moved("ch/deep", "d", ("", "/3.md")))]),
    "folder moved, and one more file": (
        "mv ch part; echo x > part/x",
        [
            *(
                "delete ch",
                "move ch/1.md → part/1.md",
                "move ch/2.md → part/2.md",
                "move ch/deep → part/deep",
                "move ch/deep/3.md → part/deep/3.md",
            ),
            *("move ch/link → part/link", "create part", "create part/1.md", "create part/2.md"),
            *("create part/deep", "create part/deep/3.md", "create part/link", "create part/x"),
        ],
    ),
    "folder moved, and an empty one in it": (
        "mv ch/deep d; mkdir d/e",
        ["delete ch/deep", "move ch/deep/3.md → d/3.md", "create d", "create d/3.md", "create d/e"],
    ),
    "folder moved, and another mode": (
        "mv ch/deep d; chmod 600 d/3.md",
        ["delete ch/deep", "move ch/deep/3.md → d/3.md", "create d", "create d/3.md"],
    ),
    "what a folder held moved into one that was there": (
        "mv ch/deep/3.md ch; rmdir ch/deep",
        ["create ch/3.md", "delete ch/deep", "move ch/deep/3.md → ch/3.md"],
    ),
    "an empty file elsewhere is no move": (": > ch/e; rm ch/e; : > e", ["create e"]),
    "replaced folder": (
        "rm -r ch; mkdir ch; echo x > ch/x; echo one > ch/1.md",
        [
            "delete ch/2.md",
            "delete ch/deep",
            "delete ch/deep/3.md",
            "delete ch/link",
            "create ch/x",
        ],
    ),
    "replaced below": (
        "rm -r ch; mkdir -p ch/deep; cd ch; echo one > 1.md; echo two > 2.md; ln -s 1.md link",
        ["delete ch/deep/3.md"],
    ),
    "file to folder": ("rm a.md; mkdir a.md; echo x > a.md/x", ["replace a.md", "create a.md/x"]),
    "folder to file": (
        "rm -r ch/deep; echo x > ch/deep",
        ["replace ch/deep", "delete ch/deep/3.md"],
    ),
    "file to link": ("ln -sf ch/1.md a.md", ["replace a.md"]),
    "folder to link": (
        "rm -r ch/deep; ln -s /etc ch/deep",
        ["replace ch/deep", "delete ch/deep/3.md"],
    ),
    "hard link": ("ln a.md same.md", ["create same.md"]),
    "attribute": (
        (
            "setfattr -n user.who -v me a.md || python3 -c \"import os; os.setxattr('a.md',"
            " 'user.who', b'me')\""
        ),
        ["edit a.md"],
    ),
    "a closed folder": ("mkdir d; echo x > d/f; chmod 0 d/f d", ["create d", "create d/f"]),
    "killed git": (
        "mkdir -p .git; touch .git/index.lock yarn.lock",
        ["create .git", "create yarn.lock"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_tells_what_was_done(root, name):
    command, expected = CASES[name]
    assert told(did(root, command)) == expected


def test_an_entry_says_what_was_and_what_is(root):
    (root / "a.md").chmod(0o640)
    real = (root / "a.md").stat()
    before, after = (
        (change := did(root, "echo longer >> a.md; chmod 4755 a.md").changes[0]).before,
        change.after,
    )
    assert change.what == "mode"
    assert (before.kind, before.size, before.mode) == ("file", 2, 0o640)
    assert (before.device, before.inode, before.ctime_ns) == (
        real.st_dev,
        real.st_ino,
        real.st_ctime_ns,
    )
    assert (after.size, after.mode) == (9, 0o4755)
    link = did(root, "ln -sfn ../.. ch/link").changes[0]
    assert (link.before.target, link.after.target) == ("1.md", "../..")


def test_names_are_bytes(root):
    names = [b"\xff\xfe", b"two\nlines", b"-rf", "章".encode() * 85, b"\\x", b"a\x01b", b" "]
    command = "".join(f"echo x > ./{quoted(name)}; " for name in names)
    assert {os.fsencode(change.path) for change in did(root, command).changes} == set(names)
    for name in names:
        (root / os.fsdecode(name)).write_text("x")
    assert told(did(root, "rm -- ./*x* ./\\ ")) == ["delete  ", "delete \\x"]


def test_moves_of_many_files_that_hold_the_same_are_paired_by_name(root):
    for number in range(500):
        (root / f"{number}.md").write_text("the same\n")
    changes = did(root, "mkdir all; mv [0-9]*.md all/").changes
    moves = [change for change in changes if change.moved_to]
    assert len(moves) == 500
    assert all(change.moved_to == f"all/{change.path}" for change in moves)


def test_files_of_one_size_are_told_apart_whole(root):
    """Equal beginnings are not enough: what is called moved holds the same to the last byte."""
    start = os.urandom(200_000)
    (root / "one").write_bytes(start + b"1")
    (root / "two").write_bytes(start + b"2")
    assert told(did(root, "mv one x; printf 9 | dd of=x bs=1 seek=200000 conv=notrunc; mv two y"))[
        :2
    ] == [
        "delete one",
        "move two → y",
    ]


def test_what_a_moved_folder_holds_has_moved_too(root):
    found = did(root, "mv ch n; : > n/.git; rm n/.git")
    assert told(found) == [*chain(*moved("ch", "n", IN_CH))]
    assert {change.path: change.moved_from for change in found.changes if not change.before} == {
        f"n{rest}": f"ch{rest}" for rest in IN_CH
    }


def test_two_folders_that_are_alike_go_each_its_way(root):
    for name in ("x", "y"):
        (root / name).mkdir()
        (root / name / "f").write_text("same")
    assert told(did(root, "mkdir z; mv y x z")) == [
        *("move x → z/x", "move x/f → z/x/f", "move y → z/y", "move y/f → z/y/f"),
        *("create z", "create z/x", "create z/x/f", "create z/y", "create z/y/f"),
    ]


def test_one_that_was_copied_before_it_went_is_moved_once(root):
    assert told(did(root, "cp a.md b.md; mv a.md c.md")) == [
        "move a.md → b.md",
        "create b.md",
        "create c.md",
    ]


def test_the_marks_of_the_layer_cannot_be_made_by_the_command(root):
    """A command that marks its folder as replacing the real one deletes nothing by it."""
    mark = "import os\nfor name in ('opaque', 'whiteout', 'redirect', 'metacopy'):\n"
    mark += (
        "  for path in ('ch', 'a.md'):\n    try: os.setxattr(path, f'user.overlay.{name}', b'y')\n "
        "   except OSError: pass\n"
    )
    assert [
        change for change in did(root, f"python3 -c {quoted(mark)}").changes if change.after is None
    ] == []


@pytest.mark.slow
def test_a_deep_tree_is_read(root):
    make = "import os\nfor _ in range(900): os.mkdir('d'); os.chdir('d')\nopen('f', 'x').write('x')"
    changes = did(root, f"python3 -c {quoted(make)}").changes
    assert (len(changes), changes[-1].path) == (901, "d/" * 900 + "f")


def test_it_does_not_depend_on_the_size_of_the_workspace(root, monkeypatch):
    """What was not touched is not looked at: a folder beside may hold anything."""
    (root / "huge").mkdir()
    layer = run_on_layer(root, root.parent / "layer", "echo x >> ch/1.md; mv a.md huge/")
    looked: list[str] = []
    real = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: looked.append(str(path)) or real(path))
    assert told(read_difference(layer.root, layer.upper, layer.began_ns)) == [
        "move a.md → huge/a.md",
        "edit ch/1.md",
        "create huge/a.md",
    ]
    assert all(path.startswith(layer.upper) for path in looked)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_large_file_does_not_go_through_memory(root):
    """1 GB, most of it holes: equal to the last byte, so that all of it has to be compared."""
    with (root / "big").open("wb") as file:
        file.truncate(1_000_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert told(did_quietly(root, "touch big; cp --sparse=always big other")) == ["create other"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_of_a_file_larger_than_the_disk_only_what_it_holds_is_read(root):
    with (root / "big").open("wb") as file:
        file.truncate(7 << 40)
    assert told(did_quietly(root, "touch big")) == []


def did_quietly(root: Path, command: str) -> Difference:
    layer = run_on_layer(root, root.parent / "layer", command)
    return read_difference(layer.root, layer.upper, layer.began_ns)
