"""The tool read_document: what the model gets for what it writes."""

import io
import re

import docx
import pytest

from dogent_tui.documents.library import DocumentLibrary, ReadResult
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.documents import MOST_CHARS, as_text, document_tools
from dogent_tui.tools.libraries import Libraries
from tests.documents.pandoc.made_docx import PNG


@pytest.fixture
async def read(tmp_path):
    """Call the tool in a workspace; returns its text and whether it is an error."""
    root = tmp_path / "w"
    root.mkdir()
    (root / "a.csv").write_text("a,b\n" + "1,2\n" * 40_000, encoding="utf-8")
    (root / "b.md").write_text(
        "# B\n\nText: There is more: call read_document.\n", encoding="utf-8"
    )
    (root / "full").mkdir()
    async with DocumentLibrary(tmp_path / "kept", full_page_s=60) as library:
        libraries = Libraries(Workspace(root), WorkspaceSettings())
        libraries.documents = library
        (tool,) = document_tools(libraries)

        async def call(**payload):
            answer = await tool.handler(payload)
            (content,) = answer["content"]
            return content["text"], answer["is_error"]

        yield call


async def test_what_is_known_stands_before_the_text(read):
    text, is_error = await read(path="b.md")
    assert not is_error
    head, _, body = text.partition("\n\n")
    assert head.split("\n")[0] == "b.md · markdown · characters 0 to 45 of 45 · from line 1"
    assert "There is more" not in head
    assert '"encoding":"utf-8"' in head
    assert body == "# B\n\nText: There is more: call read_document."


async def test_a_long_document_comes_in_parts(read):
    text, _ = await read(path="a.csv")
    assert "There is more: call read_document again with offset 1" in text
    assert "A1:B" in text.split("\n")[0]
    assert 14_000 < len(text) < 16_000
    longest, _ = await read(path="a.csv", max_chars=10**9, offset=-3)
    assert MOST_CHARS * 0.9 < len(longest) < MOST_CHARS + 1000
    assert "past the end" in (await read(path="./a.csv", offset=10**9))[0]


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"path": "missing.pdf"}, "There is no file"),
        ({"path": ""}, "is a folder"),
        ({"path": "full"}, "is a folder"),
        ({"path": "b.md", "changes": "maybe"}, "the input is not right"),
        ({"path": 3}, "the input is not right"),
        ({}, "the input is not right"),
        ({"path": "b.md", "offset": "many"}, "the input is not right"),
        ({"path": "b.md", "max_chars": float("inf")}, "the input is not right"),
    ],
)
async def test_what_is_wrong_is_an_error_that_says_what(read, payload, words):
    text, is_error = await read(**payload)
    assert (is_error, words in text) == (True, True)


async def test_numbers_may_be_texts_and_what_is_null_was_not_said(read):
    text, is_error = await read(
        path="b.md", max_chars="2000", offset="5", sheet=None, pages=None, changes=None
    )
    assert (is_error, text.endswith("Text: There is more: call read_document.")) == (False, True)


async def test_a_file_url_and_a_path_from_the_root_are_read(read, tmp_path):
    assert "# B" in (await read(path=f"file://{tmp_path}/w/b.md"))[0]
    assert "# B" in (await read(path=f"{tmp_path}/w/b.md"))[0]


def test_the_schema_names_the_inputs(tmp_path):
    named = {
        "path",
        "sheet",
        "rows",
        "pages",
        "encoding",
        "changes",
        "max_chars",
        "offset",
        "images",
        "ocr",
    }
    (tool,) = document_tools(Libraries(Workspace(tmp_path), WorkspaceSettings()))
    assert set(tool.schema["properties"]) == named
    assert tool.schema["required"] == ["path"]


def test_what_is_known_of_a_document_stays_short():
    outline = [f"Chapter {number}" for number in range(5000)]
    found = ReadResult(
        "text", "pdf", {"pages": 9, "outline": outline, "title": "x" * 5000}, 0, None, 4, (), ()
    )
    text = as_text("a.pdf", found)
    assert '"pages":9' in text
    assert '"Chapter 0"' in text
    assert re.search(r"… and 49\d\d more", text)
    assert len(text) < 2500


async def test_it_says_that_pandoc_is_missing(no_pandoc, read, tmp_path):
    (tmp_path / "w" / "letter.rtf").write_text(r"{\rtf1 Dear reader\par}", encoding="ascii")
    text, is_error = await read(path="letter.rtf")
    assert is_error
    assert "needs pandoc, which is not installed" in text


@pytest.mark.slow
async def test_pictures_are_saved_on_request_into_the_images_folder(read, tmp_path):
    root = tmp_path / "w"
    document = docx.Document()
    document.add_picture(io.BytesIO(PNG))
    document.save(root / "a report.docx")
    text, is_error = await read(path="a report.docx")
    assert not is_error
    assert not (root / "images").exists()
    text, is_error = await read(path="a report.docx", images=True)
    assert not is_error
    assert text.startswith("Images are saved in images/a-report/")
    assert "media/" in text
    (saved,) = (root / "images" / "a-report" / "media").iterdir()
    assert saved.read_bytes() == PNG
    text, _ = await read(path="b.md", images=True)
    assert text.startswith("No images were saved")
    assert not (root / "images" / "b").exists()


async def test_no_picture_is_saved_outside_of_the_workspace(read, tmp_path):
    (tmp_path / "else").mkdir()
    (tmp_path / "w" / "images").symlink_to(tmp_path / "else")
    text, is_error = await read(path="b.md", images=True)
    assert is_error
    assert "points outside the workspace" in text
    assert not list((tmp_path / "else").iterdir())
