"""Pages that are pictures: read by the vision model where the user agreed, and reported where
nobody can.
"""

import json

import pymupdf
import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.permissions.model import ToolCall
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.documents import document_tools
from dogent_tui.tools.libraries import Libraries
from tests.vision.conftest import KEY


@pytest.fixture
async def read(tmp_path, provider, write_profiles):
    """Call the tool in a workspace with a scan of two pages; returns its text and whether it is
    an error.
    """
    root = tmp_path / "w"
    root.mkdir()
    with pymupdf.open() as document:
        for _ in range(2):
            document.new_page().draw_rect((72, 72, 300, 300), fill=(0, 0, 1))
        document.save(root / "scan.pdf")
    write_profiles(
        **{"glm-4.6v": {"provider": "glm-4.6v", "base_url": provider.url, "api_key": KEY}}
    )
    async with DocumentLibrary(tmp_path / "kept", full_page_s=60) as library:
        libraries = Libraries(Workspace(root), WorkspaceSettings())
        libraries.documents = library
        (tool,) = document_tools(libraries)

        async def call(**payload):
            answer = await tool.handler(payload)
            (content,) = answer["content"]
            return content["text"], answer["is_error"]

        yield call


@pytest.mark.slow
async def test_the_vision_model_reads_the_pages_that_were_named(read, provider):
    provider.say(json.dumps({"summary": "A letter.", "tags": [], "text": "Dear Sir,"}))
    provider.say("no JSON")
    provider.say("no JSON")
    text, is_error = await read(path="scan.pdf", ocr=True, pages="1-2")
    assert not is_error
    assert "<!-- page 1 is a picture: glm-4.6v read it -->\n\nDear Sir," in text
    assert "<!-- page 2 is a picture that glm-4.6v did not read: " in text


async def test_what_is_missing_is_said_before_anything_is_sent(read, provider, write_profiles):
    assert "No pages were named" in (await read(path="scan.pdf", ocr=True))[0]
    write_profiles()
    text, is_error = await read(path="scan.pdf", ocr=True, pages="1")
    assert (is_error, "There is no profile" in text, provider.requests) == (True, True, [])


async def test_the_sentence_of_a_scan_is_followed_by_what_can_be_done(read, write_profiles):
    text, is_error = await read(path="scan.pdf")
    assert is_error
    assert text.startswith("Unsupported PDF: no extractable text (scanned PDF not supported).")
    assert "the user is asked to have them read by glm-4.6v" in text
    write_profiles()
    assert "the user is asked" not in (await read(path="scan.pdf"))[0]


def test_sending_pages_is_asked_about_with_their_number_and_the_provider(tmp_path, write_profiles):
    write_profiles(
        **{
            "glm-4.6v": {
                "provider": "glm-4.6v",
                "base_url": "https://open.bigmodel.cn/x",
                "api_key": KEY,
            }
        }
    )
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-")
    authority = Authority(Workspace(tmp_path))
    call = {"path": "scan.pdf", "pages": "3-7,12"}
    assert (
        authority.decide(ToolCall("mcp__dogent__read_document", call, tmp_path)).verdict == "allow"
    )
    decision = authority.decide(
        ToolCall("mcp__dogent__read_document", {**call, "ocr": True}, tmp_path)
    )
    assert decision.verdict == "ask"
    assert (
        "6 pages of scan.pdf (3-7,12) are sent as pictures to glm-4.6v (open.bigmodel.cn)."
        in " ".join(decision.reasons)
    )
