"""`dogent-tui export` as a user types it."""

import io
import json
import sys

import docx
import pymupdf
import pytest

from dogent_tui.cli import main
from dogent_tui.subcommands.export import find_root


class Tty(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.md").write_text("# Report\n\n![gone](gone.png)\n", encoding="utf-8")
    return tmp_path


def export(capsys, *arguments):
    status = main(["export", *arguments])
    return status, *capsys.readouterr()


def test_a_docx_is_made_beside_the_markdown(folder, capsys):
    status, out, err = export(capsys, "report.md", "--to", "docx")
    assert status == 0
    assert out.startswith(f"{folder / 'report.docx'} (pandoc ")
    assert err == "dogent-tui: left out: Image gone.png (line 3): no such file.\n"
    assert docx.Document("report.docx").paragraphs[0].text == "Report"


def test_the_ending_of_the_output_says_what_to_make(folder, capsys):
    status, out, _ = export(capsys, "report.md", "-o", "out/Final.DOCX", "--toc", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["path"] == str(folder / "out" / "Final.DOCX")
    assert found["left_out"] == ["Image gone.png (line 3): no such file."]


def test_an_existing_file_stays_unless_it_is_forced(folder, capsys):
    (folder / "report.docx").write_bytes(b"mine")
    status, _, err = export(capsys, "report.md", "--to", "docx")
    assert (status, (folder / "report.docx").read_bytes()) == (1, b"mine")
    assert "report.docx already exists. Add --force" in err
    assert export(capsys, "report.md", "--to", "docx", "--force")[0] == 0
    assert docx.Document("report.docx")


@pytest.mark.parametrize(("answer", "replaced"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_the_user_is_asked(folder, monkeypatch, answer, replaced):
    (folder / "report.docx").write_bytes(b"mine")
    for name, stream in (("stdin", Tty(f"{answer}\n")), ("stderr", Tty())):
        monkeypatch.setattr(sys, name, stream)
    status = main(["export", "report.md", "--to", "docx"])
    assert "report.docx already exists. Replace it?" in sys.stderr.getvalue()
    assert (status, (folder / "report.docx").read_bytes() == b"mine") == (
        0 if replaced else 1,
        not replaced,
    )


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ([], 2, "FILE.md --to"),
        (["report.md"], 2, "--to pdf or --to docx"),
        (["no.md", "--to", "docx"], 2, "no file no.md"),
        ([".", "--to", "docx", "-o", "x.docx"], 1, "it is not a file"),
        (["report.md", "-o", ".dogent/x.docx"], 1, "outside .dogent"),
        (["report.md", "--to", "docx", "--workspace", "nowhere"], 2, "no folder nowhere"),
        (["report.md", "--to", "docx", "--workspace", "report.md"], 2, "is a file, not a folder"),
    ],
)
def test_what_cannot_be_is_a_sentence(folder, capsys, arguments, status, words):
    found, out, err = export(capsys, *arguments)
    assert (found, out) == (status, "")
    assert words in err


def test_the_built_in_styles_are_handed_out(folder, capsys):
    assert export(capsys, "--write-styles", "reference.docx")[0] == 0
    assert "Source Code" in {style.name for style in docx.Document("reference.docx").styles}
    assert export(capsys, "--write-styles", "reference.docx")[0] == 1
    status, _, err = export(capsys, "--write-styles", str(folder), "--force")
    assert (status, "is a folder. Specify a file" in err) == (1, True)


def test_images_come_from_the_workspace_of_the_file(tmp_path, monkeypatch):
    (tmp_path / "work" / ".dogent").mkdir(parents=True)
    (tmp_path / "work" / "chapters").mkdir()
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    assert find_root(tmp_path / "work" / "chapters" / "a.md") == tmp_path / "work"
    assert find_root(tmp_path / "plain" / "a.md") == tmp_path / "plain"
    monkeypatch.chdir(tmp_path)
    assert find_root(tmp_path / "plain" / "a.md") == tmp_path


@pytest.mark.thorough_after(1)
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docx", "pdf"])
def test_what_a_check_finds_is_appended_behind_the_references(folder, capsys, kind):
    (folder / "notes.md").write_text("The ferry leaves the small harbour at seven.\n")
    entry = "@book{hale, author={Hale, Mira}, title={Ferries}, year=2019}\n"
    (folder / "refs.bib").write_text(entry)
    (folder / "report.md").write_text(
        "# Report\n\nSo “the ferry leaves the small harbour” (notes.md), but “a whale was *never*"
        " seen here” [@hale].\n"
    )
    status, _, err = export(capsys, "report.md", "-o", f"out.{kind}", "--sources-checked")
    assert (status, err) == (0, "")
    main(["read", f"out.{kind}"])
    text = " ".join(capsys.readouterr().out.split())
    places = [
        text.index(said)
        for said in (
            "never",
            "Hale, Mira. 2019.",
            "Sources checked",
            "4 claims checked: 3 verbatim, 1 not found.",
            "“the ferry leaves the small harbour” · verbatim · notes.md, line 1",
        )
    ]
    assert places == sorted(places)
    assert "seen here” · not found" in text


@pytest.fixture
def study(folder):
    """A pdf of three pages, and a bibliography that knows it."""
    with pymupdf.open() as made:
        for words in (
            "An introduction.",
            "The ferry leaves the small harbour at seven.",
            "An end.",
        ):
            made.new_page().insert_text((72, 72), words)
        (folder / "sources").mkdir()
        made.save(folder / "sources/a study.pdf")
    entry = (
        "@book{hale, author={Hale, Mira}, title={Ferries}, year=2019, file={sources/a study.pdf}}"
    )
    (folder / "refs.bib").write_text(entry)
    return folder


@pytest.mark.thorough
@pytest.mark.slow
def test_what_was_checked_is_linked_to_the_page_of_a_pdf_beside_the_document(study, capsys):
    (study / "report.md").write_text(
        "# Report\n\nSo “the ferry leaves the small harbour” [@hale, p. 2].\n"
    )
    (study / "out").mkdir()
    for kind in ("docx", "pdf"):
        status, _, err = export(capsys, "report.md", "-o", f"out/out.{kind}", "--sources-checked")
        assert (status, err) == (0, "")
    relations = docx.Document("out/out.docx").part.rels.values()
    linked = [each.target_ref for each in relations if each.is_external]
    assert linked == ["../sources/a%20study.pdf#page=2"] * len(linked) != []
    with pymupdf.open("out/out.pdf") as document:
        links = [link for page in document for link in page.get_links()]
        told = [document.xref_get_key(link["xref"], "Contents")[1] for link in links]
        leads = [link for link in links if link["kind"] == pymupdf.LINK_GOTOR]
        files = [document.xref_get_key(link["xref"], "A/F/UF")[1] for link in leads]
    assert files == ["../sources/a study.pdf"] * len(files) != []
    assert {link["page"] for link in leads} == {1}
    assert "../sources/a study.pdf#page=2" in told
    assert not [link for link in links if "invalid" in link.get("uri", "")]


@pytest.mark.slow
def test_a_page_that_the_file_of_a_work_has_not_is_a_warning(study, capsys):
    (study / "report.md").write_text("It is so [@hale, p. 99], and so [@hale, p. 3].\n")
    status, _, err = export(capsys, "report.md", "--to", "docx")
    assert status == 0
    assert "@hale is cited for page 99, but the work has pages 1–3." in err
    assert "page 3," not in err


def test_a_text_may_link_to_a_page_of_a_pdf_that_is_there(study, capsys):
    (study / "report.md").write_text(
        "[Here](sources/a%20study.pdf#page=3), [gone](gone.pdf#page=3), [out](../x.pdf#page=3).\n"
    )
    status, _, err = export(capsys, "report.md", "--to", "docx")
    assert status == 0
    assert err.count("left out: Link") == 2
    relations = docx.Document("report.docx").part.rels.values()
    linked = [each.target_ref for each in relations if each.is_external]
    assert linked == ["sources/a%20study.pdf#page=3"]
