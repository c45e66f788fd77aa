"""`export_document` as the model calls it."""

import docx
import pytest

from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.export_document import export_tools
from dogent_tui.tools.libraries import Libraries


@pytest.fixture
def call(tmp_path):
    """Call the tool in a workspace with a report; return whether it is an error, and what it
    says.
    """
    (tmp_path / "report.md").write_text("# Report\n\n![gone](gone.png)\n", encoding="utf-8")
    (tool,) = export_tools(Libraries(Workspace(tmp_path), WorkspaceSettings()))

    async def called(**values):
        answer = await tool.handler(values)
        return answer["is_error"], answer["content"][0]["text"]

    return called


async def test_the_answer_names_the_file_and_what_was_left_out(call, tmp_path):
    is_error, text = await call(md_path="report.md", format="docx")
    assert not is_error
    assert text.splitlines()[0].startswith("Wrote report.docx (pandoc ")
    assert "Left out: Image gone.png (line 3): no such file." in text
    assert docx.Document(str(tmp_path / "report.docx")).paragraphs[0].text == "Report"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"md_path": "report.md"}, "format"),
        ({"md_path": "report.md", "format": "odt"}, "odt"),
        ({"md_path": 7, "format": "pdf"}, "md_path"),
        ({"md_path": "no.md", "format": "docx"}, "no.md does not exist"),
        (
            {"md_path": "report.md", "format": "docx", "output_path": ".dogent/x.docx"},
            "outside .dogent",
        ),
        (
            {"md_path": "report.md", "format": "docx", "output_path": "report.md/x.docx"},
            "cannot be written",
        ),
    ],
)
async def test_a_wrong_call_says_what_to_change(call, values, words):
    is_error, text = await call(**values)
    assert is_error
    assert text.startswith("Nothing was exported")
    assert words in text
