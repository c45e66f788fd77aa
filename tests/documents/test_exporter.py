"""Where an export may be written, and that both formats come through one door."""

import os
import zipfile

import pymupdf
import pytest

from dogent_tui.documents.exporter import Exporter, plan_export
from dogent_tui.documents.model import DocumentError
from dogent_tui.permissions.model import ToolCall
from dogent_tui.permissions.policy import decide
from dogent_tui.storage.paths import Workspace, dogent_home, export_target


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "work"
    (root / "v1.2").mkdir(parents=True)
    (root / ".dogent").mkdir()
    (root / "report.md").write_text("# Report\n\nText.\n", encoding="utf-8")
    return Workspace(root)


def test_the_output_lies_beside_the_markdown_unless_it_is_named(workspace):
    assert plan_export(workspace, "report.md", "docx").target == workspace.root / "report.docx"
    assert (
        plan_export(workspace, "v1.2/notes", "pdf").target == workspace.root / "v1.2" / "notes.pdf"
    )
    assert plan_export(workspace, "a.b.md", "pdf").target == workspace.root / "a.b.pdf"
    request = plan_export(
        workspace, str(workspace.root / "report.md"), "pdf", "out/final", toc=True
    )
    assert (request.target, request.toc, request.home) == (
        workspace.root / "out" / "final",
        True,
        dogent_home(),
    )
    assert request.markdown == workspace.root / "report.md"


@pytest.mark.parametrize("output", ["out.docx", "out/final.odt"])
def test_a_name_of_another_format_is_refused(workspace, output):
    with pytest.raises(DocumentError, match=r"does not end in \.pdf\. End its name in \.pdf"):
        plan_export(workspace, "report.md", "pdf", output)


@pytest.mark.parametrize(
    "source",
    [
        "report.md",
        "v1.2/notes",
        "v1.2/a.md",
        "file:///x/report.md",
        "./report.md",
        "sub/../report.md",
    ],
)
@pytest.mark.parametrize("output", ["", "out.pdf", "v1.2/../out.pdf", "~/out.pdf", "/tmp/out.pdf"])
def test_what_is_written_is_what_the_policy_looked_at(workspace, source, output):
    values = {"md_path": source, "format": "pdf", **({"output_path": output} if output else {})}
    call = ToolCall("mcp__dogent__export_document", values, workspace.root / "v1.2")
    judged = {
        effect.kind.value: str(effect.path) for effect in decide(call, workspace.root).effects
    }
    request = plan_export(workspace, source, "pdf", output)
    assert judged == {"read": str(request.markdown), "create": str(request.target)}


def test_in_the_sample_workspace_which_lies_in_the_home_documents_can_be_exported_and_nowhere_else_there(  # noqa: E501
    home,
):
    folder = dogent_home() / "state" / "sample"
    folder.mkdir(parents=True)
    sample = Workspace(folder)
    assert plan_export(sample, "report.md", "pdf").target == sample.root / "report.pdf"
    for output in (".dogent/a.pdf", "../a.pdf", str(dogent_home() / "claude.json")):
        with pytest.raises(DocumentError, match="keeps its own files"):
            plan_export(sample, "report.md", "pdf", output)


def test_an_existing_file_is_replaced_only_after_the_question(workspace):
    def verdict(**values):
        call = ToolCall(
            "mcp__dogent__export_document", {"md_path": "report.md", "format": "docx", **values}
        )
        return decide(call, workspace.root).verdict

    assert verdict() == "allow"
    (workspace.root / "report.docx").write_bytes(b"old")
    assert verdict() == "ask"
    assert verdict(output_path="other.docx") == "allow"
    assert verdict(output_path="../other.docx") == "ask"
    assert verdict(md_path="/etc/hostname") == "ask"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (("report.md", "pdf", "v1.2"), "v1.2 is a folder"),
        (("report.md", "pdf", "report.md"), "the Markdown file itself"),
        (("report.md", "pdf", "link.pdf"), "the Markdown file itself"),
        (("report.md", "pdf", ".dogent/out.pdf"), "keeps its own files"),
        (("report.md", "pdf", ".dogent/new/out.pdf"), "keeps its own files"),
        (("report.md", "pdf", "~other/out.pdf"), "ambiguous"),
        (("report.md", "pdf", "a\0b"), "not a valid file name"),
    ],
)
def test_what_cannot_be_is_a_sentence(workspace, values, sentence):
    os.link(workspace.root / "report.md", workspace.root / "link.pdf")
    with pytest.raises(DocumentError, match=sentence):
        plan_export(workspace, *values)


def test_nothing_is_written_into_the_home_of_dogent(workspace):
    dogent_home().mkdir(parents=True)
    with pytest.raises(DocumentError, match="keeps its own files"):
        plan_export(workspace, "report.md", "pdf", str(dogent_home() / "claude.json"))


def test_a_link_is_followed_to_what_the_question_named(workspace):
    (workspace.root / "real.pdf").write_bytes(b"old")
    (workspace.root / "link.pdf").symlink_to(workspace.root / "real.pdf")
    assert (
        plan_export(workspace, "report.md", "pdf", "link.pdf").target == workspace.root / "real.pdf"
    )


def test_names_export_targets_as_they_are_spelled():
    assert export_target("a/b.md", "pdf") == "a/b.pdf"
    assert export_target("a.b/c", "docx") == "a.b/c.docx"
    assert export_target(".hidden", "pdf") == ".hidden.pdf"


@pytest.mark.thorough
@pytest.mark.slow
async def test_both_formats_come_through_one_door(workspace):
    async with Exporter() as exporter:
        docx = await exporter.export(plan_export(workspace, "report.md", "docx"))
        pdf = await exporter.export(plan_export(workspace, "report.md", "pdf"))
    assert zipfile.is_zipfile(docx.path)
    with pymupdf.open(pdf.path) as document:
        assert "Text." in document[0].get_text()
