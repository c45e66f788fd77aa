"""Lessons: added without losing what is there, and as many of the latest as fit."""

from dogent_tui.settings.lessons import latest_lessons, lessons_text, plan_lesson
from dogent_tui.settings.own_files import make_change


def note(workspace, lesson, **about):
    assert make_change(workspace, plan_lesson(workspace, lesson, day="2026-11-22", **about))
    return workspace.lessons_file.read_text()


def test_a_lesson_follows_those_before(workspace):
    first = note(workspace, "Ask before exporting.", about="Export it\n(failed)")
    assert "## 2026-11-22 · Export it (failed)\n\nAsk before exporting.\n" in first
    second = note(workspace, "# Not a heading\nof its own")
    assert second.startswith(first.rstrip())
    assert second.count("\n## ") == 2
    assert "\n# " not in second.partition("# Lessons")[2]


def test_what_the_user_wrote_there_stays(workspace):
    workspace.dot.mkdir()
    workspace.lessons_file.write_text("my own words")
    assert note(workspace, "A lesson").startswith("my own words\n\n## ")


def test_the_latest_that_fit_travel(workspace):
    for number in range(10):
        note(workspace, f"lesson {number} {'x' * 100}")
    latest = latest_lessons(lessons_text(workspace), 400)
    assert latest.startswith("[7 earlier left out]")
    assert [number for number in range(10) if f"lesson {number} " in latest] == [7, 8, 9]
    assert len(latest_lessons("## one\n\n" + "x" * 5000, 400)) <= 400
    assert latest_lessons("no sections", 400) == "no sections"
    chinese = "## 一\n\n" + "先问。" * 40 + "\n\n## 二\n\n" + "再写。" * 40
    assert latest_lessons(chinese, 400) == "[1 earlier left out]\n\n## 二\n\n" + "再写。" * 40
    assert len(latest_lessons(chinese, 100).encode()) <= 100


def test_no_link_out_of_the_workspace_is_read(workspace, tmp_path):
    (tmp_path / "secret").write_text("secret")
    workspace.dot.mkdir()
    workspace.lessons_file.symlink_to(tmp_path / "secret")
    assert lessons_text(workspace) == ""
