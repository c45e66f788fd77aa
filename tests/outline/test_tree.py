"""What is visible, where the cursor is, and what is selected."""

import pytest

from dogent_tui.outline.markdown import parse
from dogent_tui.outline.tree import OutlineTree

TEXT = "# A\n\n## B\n\n### C\n\n## D\n\n# E\n\n## F\n"


@pytest.fixture
def tree() -> OutlineTree:
    return OutlineTree(parse(TEXT))


def seen(tree: OutlineTree) -> str:
    here = tree.cursor
    headings = [tree.outline.headings[place] for place in tree.rows]
    return " ".join(
        f"{heading.level}{heading.text}{'<' if heading.id == here else ''}" for heading in headings
    )


def test_folding(tree):
    tree.go(1)
    tree.left()
    assert seen(tree) == "1A 2B< 2D 1E 2F"
    tree.left()
    tree.left()
    assert seen(tree) == "1A< 1E 2F"
    tree.right()
    tree.right()
    assert seen(tree) == "1A 2B< 2D 1E 2F"
    tree.fold_all()
    assert "3C" in seen(tree)
    tree.go(2)
    tree.fold_all()
    assert seen(tree) == "1A< 1E"


def test_what_is_folded_moves_along(tree):
    tree.fold(tree.id_at(0))
    assert tree.move(1)
    assert seen(tree) == "1E 2F 1A<"
    tree.fold(tree.id_at(2))
    assert seen(tree) == "1E 2F 1A< 2B 3C 2D"


def test_a_selection_moves_as_one_and_stays(tree):
    tree.go(2)
    tree.go(3, selecting=True)
    assert [tree.outline.get(id_).text for id_ in tree.selected] == ["C", "D"]
    assert tree.move(1)
    assert seen(tree) == "1A 1E 2B 3C 2D< 2F"
    assert len(tree.selected) == 2
    tree.go(0)
    assert len(tree.selected) == 1


def test_moving_into_what_is_folded_unfolds_it(tree):
    tree.fold(tree.id_at(4))
    tree.go(3)
    assert tree.move(1)
    assert seen(tree) == "1A 2B 3C 1E 2D< 2F"


def test_the_cursor_continues_after_a_deletion(tree):
    tree.go(5)
    assert tree.delete()
    assert seen(tree) == "1A 2B 3C 2D 1E<"
    tree.go(0)
    tree.go(4, selecting=True)
    assert tree.delete()
    assert tree.cursor is None
    assert not tree.delete()
    assert not tree.move(1)


def test_dropping(tree):
    tree.go(3)
    assert tree.drop(2, 2)
    assert seen(tree) == "1A 2B 3D< 3C 1E 2F"  # at level 2 it would take C along
    tree.outline.undo()
    tree.go(5)
    assert tree.drop(1, 9)
    assert seen(tree) == "1A 2F< 2B 3C 2D 1E"
    tree.go(1)
    assert tree.drop(6, 1)
    assert seen(tree) == "1A 2B 3C 2D 1E 1F<"
    assert not tree.drop(6, 1)


def test_what_undo_brings_back_is_shown(tree):
    tree.fold(tree.id_at(0))
    tree.go(2)
    done = tree.outline.duplicate([tree.outline.headings[2].id])
    tree.show(done[0])
    assert seen(tree) == "1A 2B 3C 3C< 2D 1E 2F"
