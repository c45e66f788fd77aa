"""`dogent-tui read` as a user types it."""

import io
import json

import docx
import pytest

from dogent_tui.cli import main
from dogent_tui.subcommands.terminal import Terminal, run_command
from tests.documents.pandoc.made_docx import PNG


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,2\n" * 1000, encoding="utf-8")
    return path


def read(capsys, *arguments):
    status = main(["read", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_document_is_markdown_and_continues_where_it_is_told(table, capsys):
    status, out, err = read(capsys, table, "--max-chars", 1000)
    assert status == 0
    assert out.startswith("| a | b |\n| --- | --- |\n| 1 | 2 |\n")
    assert len(out) <= 1000
    assert f"continue with --offset {len(out)}." in err
    assert "A1:B49" in err
    rest = read(capsys, table, "--max-chars", 100_000, "--offset", len(out))[1]
    assert (out + rest).count("| 1 | 2 |") == 1000


def test_json_holds_all_that_is_known(table, capsys):
    status, out, err = read(capsys, table, "--json", "--sheet", "S")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert found["format"] == "csv"
    assert found["metadata"]["delimiter"] == ","
    assert found["next_offset"] is None or found["next_offset"] == len(found["text"])
    assert found["sources"][0]["source"]["cells"] == "A1:B49"
    assert "sheets" in found["warnings"][0]
    odd = table.with_name("caf\udce9.md")
    odd.write_text("# x", "utf-8")
    assert json.loads(read(capsys, odd, "--json")[1])["path"] == str(odd)


def test_what_cannot_be_read_is_one_sentence_and_status_1(tmp_path, capsys):
    (tmp_path / "a\x1b[2Jb.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    status, out, err = read(capsys, tmp_path / "a\x1b[2Jb.png")
    assert (status, out) == (1, "")
    assert err.startswith("dogent-tui: a␛[2Jb.png is an image")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["read", "check", "analyze", "export --to pdf"])
def test_a_name_that_nothing_has_is_wrong_usage_in_every_command(tmp_path, capsys, command):
    assert main([*command.split(), str(tmp_path / "no\nsuch.md")]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "There is no file" in err


def test_a_terminal_is_not_told_what_to_do_by_a_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\x1b]0;title\x07 and more")

    class Screen(io.StringIO):
        def isatty(self):
            return True

    out, err = Screen(), Screen()
    assert run_command("read", [str(tmp_path / "a.txt")], Terminal(io.StringIO(), out, err)) == 0
    assert out.getvalue() == "␛]0;title␇ and more\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["a", "--max-chars", "many"],
        ["a", "--max-chars", "0"],
        ["a", "--offset", "-5"],
        ["a", "--changes", "some"],
    ],
)
def test_wrong_usage(capsys, arguments):
    with pytest.raises(SystemExit) as raised:
        main(["read", *arguments])
    assert raised.value.code == 2


def test_pictures_are_saved_where_it_is_said(tmp_path, capsys):
    document = docx.Document()
    document.add_picture(io.BytesIO(PNG))
    document.save(tmp_path / "a.docx")
    status, out, _ = read(capsys, tmp_path / "a.docx", "--images", tmp_path / "new" / "pictures")
    assert status == 0
    (saved,) = (tmp_path / "new" / "pictures" / "media").iterdir()
    assert f"media/{saved.name}" in out
    (tmp_path / "file").touch()
    status, _, err = read(capsys, tmp_path / "a.docx", "--images", tmp_path / "file" / "x")
    assert status == 1
    assert "cannot be created" in err


@pytest.fixture
def letter(tmp_path):
    path = tmp_path / "letter.rtf"
    path.write_text(r"{\rtf1 Dear reader\par}", encoding="ascii")
    return path


def test_without_pandoc_it_says_what_to_install(letter, no_pandoc, capsys):
    status, out, err = read(capsys, letter)
    assert (status, out) == (1, "")
    assert "This kind of document needs pandoc, which is not installed." in err
    assert "pypandoc_binary" in err


def test_a_pandoc_on_path_that_is_a_link_elsewhere_is_seen_behind_the_wall(
    letter, real_pandoc, no_pandoc, tmp_path_factory, capsys
):
    program = tmp_path_factory.mktemp("elsewhere") / "pandoc"
    program.write_text(f'#!/bin/sh\nexec "{real_pandoc}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (no_pandoc / "pandoc").symlink_to(program)
    assert read(capsys, letter) == (0, "Dear reader\n", "")
