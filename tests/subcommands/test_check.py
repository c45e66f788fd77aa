"""`dogent-tui check` as a user types it."""

import json

import pytest

from dogent_tui.cli import main

NOTES = "# Notes\n\nThe ferry leaves the small harbour at seven, and it does not wait.\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "notes.md").write_text(NOTES, encoding="utf-8")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden/other.md").write_text(
        "A hidden file says something else.", encoding="utf-8"
    )
    (tmp_path / "broken.docx").write_bytes(b"PK\x03\x04 no more")
    return tmp_path


def check(capsys, folder, draft, *options):
    (folder / "draft.md").write_text(draft, encoding="utf-8", newline="")
    status = main(["check", str(folder / "draft.md"), *map(str, options)])
    return status, *capsys.readouterr()


def test_what_is_right_is_said_in_a_line(folder, capsys):
    status, out, err = check(capsys, folder, "“the ferry leaves the small harbour” (notes.md)\n")
    assert (status, err) == (0, "")
    assert out == "Not read: broken.docx (damaged)\n2 claims checked: 2 verbatim. 1 source.\n"


def test_a_draft_in_a_folder_of_the_workspace_is_held_against_the_whole_workspace(folder, capsys):
    (folder / ".dogent").mkdir()
    (folder / "drafts").mkdir()
    words = "“the ferry leaves the small harbour” (notes.md)\n"
    (folder / "drafts/draft.md").write_text(words, encoding="utf-8")
    assert main(["check", str(folder / "drafts/draft.md")]) == 0
    assert "2 verbatim. 1 source." in capsys.readouterr().out


def test_what_is_wrong_is_told_with_its_place_and_the_words(folder, capsys):
    status, out, _ = check(
        capsys,
        folder,
        "A line.\r\n\r\nIt is said that “at seven, and it does wait” (notes.md).\r\n",
    )
    assert status == 1
    assert out.startswith("draft.md:3:18: altered (negation): at seven, and it does wait\n")
    assert "notes.md, line 3" in out
    assert "does [-not-] wait" in out


def test_json_is_one_object(folder, capsys):
    status, out, err = check(
        capsys, folder, "> The ferry leaves at eight\n>\n> — broken.docx\n", "--json"
    )
    found = json.loads(out)
    assert (status, err, out.count("\n")) == (1, "", 1)
    assert found["sources"] == [
        {"path": "broken.docx", "state": "unreadable", "reason": "damaged"},
        {"path": "notes.md", "state": "read"},
    ]
    assert {each["verdict"] for each in found["findings"]} == {"unreadable_source"}
    assert found["summary"]["unreadable_source"] == 2


def test_a_source_that_changes_is_read_again(folder, capsys):
    draft = "“the ferry leaves the small harbour” (notes.md)\n"
    assert check(capsys, folder, draft)[0] == 0
    (folder / "notes.md").write_text(
        "The ferry never leaves the small harbour any more.\n", encoding="utf-8"
    )
    assert check(capsys, folder, draft)[0] == 1


def test_what_cannot_be_checked_is_status_2(folder, capsys):
    (folder / "latin.md").write_bytes("Ä".encode("latin-1"))
    for arguments in (
        [folder / "gone.md"],
        [folder / "latin.md"],
        [folder / "notes.md", "--sources", folder / "gone"],
    ):
        assert main(["check", *map(str, arguments)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("dogent-tui: ")
