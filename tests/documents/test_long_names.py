"""Names of 255 bytes, the longest that disks have, and longer ones that a text names."""

from pathlib import Path

import pytest

from dogent_tui.cli import main
from dogent_tui.documents.bibliography import key_of
from dogent_tui.documents.exporter import plan_export
from dogent_tui.documents.model import DocumentError
from dogent_tui.errors import DogentError
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.files import write_checked
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.text_file import TextFile, save_new
from dogent_tui.undo.restoring import undo
from dogent_tui.undo.undo_log import UndoLog

LONGEST = ["文" * 84 + ".md", "a" * 252 + ".md"]
TOO_LONG = "文" * 100 + ".md"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@pytest.mark.parametrize("name", LONGEST, ids=["chinese", "ascii"])
def test_the_longest_name_is_a_name_as_any(workspace, name):
    path = workspace.root / name
    assert len(name.encode()) == 255
    save_new(workspace, name, "# One\n")
    copies, seen = UndoLog.of(workspace, "s"), Ledger("s")
    assert copies.keep("r", [path]).left == ()
    seen.note(path)
    TextFile.open(workspace, name).save("# Two\n")
    assert write_checked(path, b"# Two\n", "# Three\n")
    assert seen.content(path) == b"# One\n"
    undo(copies)
    assert path.read_text() == "# One\n"
    with pytest.raises(DocumentError, match="too long"):
        plan_export(workspace, name, "docx")
    assert plan_export(workspace, name, "docx", "short.docx").markdown == path


def test_a_name_that_no_disk_can_have_is_said_in_a_sentence(workspace, capsys, monkeypatch):
    with pytest.raises(DogentError):
        TextFile.open(workspace, TOO_LONG)
    with pytest.raises(DogentError):
        save_new(workspace, TOO_LONG, "text")
    monkeypatch.chdir(workspace.root)
    for arguments in (["read", TOO_LONG], ["export", TOO_LONG, "--to", "docx"], [TOO_LONG, "-p"]):
        assert main(arguments) != 0
        assert "Errno" not in capsys.readouterr().err


def test_an_image_and_a_document_whose_names_are_too_long_are_left_out(workspace, monkeypatch):
    name = "x" * 400
    (workspace.root / "a.md").write_text(f"# A\n\n![picture]({name}.png)\n\nText.\n")
    (workspace.root / "a.bib").write_text(f"@book{{one, title = {{T}}, file = {{{name}.pdf}}}}\n")
    monkeypatch.chdir(workspace.root)
    assert main(["export", "a.md", "--to", "docx", "-o", "a.docx"]) == 0
    assert (workspace.root / "a.docx").stat().st_size
    assert main(["check", "a.md"]) == 0
    assert key_of(workspace.root / f"{name}.pdf", workspace.root) == "one"
