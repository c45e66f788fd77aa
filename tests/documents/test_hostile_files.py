"""Hostile files that are told by a look at them: each ends at once, as a sentence or as what there
is to read.

`make bench` reads all of `HOSTILE`, those too that take until patience ends.
"""

import asyncio
from pathlib import Path

import pytest
import pytest_asyncio

from dogent_tui.documents.library import DocumentLibrary, ReadResult
from dogent_tui.documents.model import DocumentError
from tests.documents.hostile_files import HOSTILE

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

REFUSED = {
    "deep tables.docx": "hostile",
    "entities.docx": "hostile",
    "outside.docx": "hostile",
    "entities.odt": "hostile",
    "deep lists.odt": "hostile",
    "entities.pptx": "hostile",
    "entities.xlsx": "hostile",
    "nested bomb.docx": "hostile",
    "beyond.xlsx": "damaged",
    "page loop.pdf": "damaged",
    "deep objects.pdf": "damaged",
    "huge image.pdf": "scanned",
    "one line.csv": "unsupported",
    "pipe.pdf": "unsupported",
    "device.docx": "unsupported",
    "folder.pdf": "unsupported",
    "socket.txt": "unsupported",
    "loop.md": "failed",
}

READ = {
    "far cell.xlsx": "1\n\n2",
    "merges.xlsx": "1",
    "wide spans.docx": "",
    "wide.docx": "x x x",
    "huge xref.pdf": "<!-- page 1 -->\n\nx",
    "xref loop.pdf": "<!-- page 1 -->\n\nx",
    "outline loop.pdf": "<!-- page 1 -->\n\nx",
    "structure loop.pdf": "<!-- page 1 -->\n\nx",
    "deep.json": "```json\n[[[",
    "many pages.pdf": "<!-- page 1 -->\n\nx\n\n<!-- page 2 -->",
}
"""How what is read of them begins."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def library(tmp_path_factory):
    async with DocumentLibrary(tmp_path_factory.mktemp("conversions"), full_page_s=60) as library:
        yield library


async def read(library: DocumentLibrary, folder: Path, name: str) -> ReadResult:
    HOSTILE[name](folder / name)
    async with asyncio.timeout(60):
        return await library.read(folder / name)


@pytest.mark.parametrize("name", REFUSED)
async def test_it_is_refused_with_a_sentence(name, library, tmp_path):
    with pytest.raises(DocumentError) as refused:
        await read(library, tmp_path, name)
    assert refused.value.code == REFUSED[name]
    assert refused.value.message.endswith((".", ")"))
    assert refused.value.remedy


@pytest.mark.parametrize("name", READ)
async def test_it_is_read_as_far_as_there_is_something(name, library, tmp_path):
    result = await read(library, tmp_path, name)
    assert result.text.startswith(READ[name])


async def test_a_document_without_a_text_says_so(library, tmp_path):
    (tmp_path / "empty.html").write_text("<html><body></body></html>")
    result = await library.read(tmp_path / "empty.html")
    assert (result.text, result.warnings) == ("", ("The document contains no text.",))


async def test_a_file_that_grows_while_it_is_read_is_read_anew(library, tmp_path):
    path = tmp_path / "growing.txt"
    path.write_text("first line\n" * 2_000_000)
    first = await library.read(path)
    with path.open("a") as file:
        file.write("the last line\n")
    again = await library.read(path, offset=first.next_offset or 0)
    assert "changed since" in again.warnings[0]
