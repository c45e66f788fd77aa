"""Our own tools, when a link was swapped after the gate let them through."""

from pathlib import Path

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.documents.exporter import Exporter
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.permissions.model import ToolCall
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.offered import offered_tools


@pytest.fixture
def root(tmp_path):
    for folder in ("root/notes", "outside"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.md").write_text(f"# In {folder}\n")
    return tmp_path / "root"


@pytest.fixture
async def tools(root, tmp_path):
    """Our tools by name, each called as the gate lets it, with what happens in between."""
    libraries = Libraries(Workspace(root), WorkspaceSettings())
    authority = Authority(libraries.workspace, places=libraries.places)
    async with (
        DocumentLibrary(tmp_path / "kept", full_page_s=60) as library,
        Exporter() as exporter,
    ):
        libraries.documents, libraries.exporter = library, exporter
        made = {tool.name: tool for tool in offered_tools(libraries)}

        async def call(name, payload, meanwhile):
            asked = ToolCall(f"mcp__dogent__{name}", payload, root)
            decision = authority.decide(asked)
            assert decision.verdict == "allow"
            authority.record_start(asked, decision)
            meanwhile()
            return (await made[name].handler(payload))["content"][0]["text"]

        yield call


def swapped(place: Path, target: Path):
    def swap():
        place.rename(place.with_name(f"was-{place.name}"))
        place.symlink_to(target)

    return swap


@pytest.mark.parametrize("name", ["notes", "notes/a.md"])
async def test_nothing_outside_is_read(tools, root, name):
    outside = root.parent / "outside" / name.removeprefix("notes").strip("/")
    text = await tools("read_document", {"path": "notes/a.md"}, swapped(root / name, outside))
    assert "no longer points to where" in text
    assert "In outside" not in text


async def test_what_did_not_change_is_read(tools, root):
    (root / "link.md").symlink_to("notes/a.md")
    assert "In root/notes" in await tools("read_document", {"path": "link.md"}, lambda: None)


async def test_nothing_outside_is_exported_or_written(tools, root):
    payload = {"md_path": "notes/a.md", "format": "docx"}
    text = await tools("export_document", payload, swapped(root / "notes", root.parent / "outside"))
    assert "no longer points to where" in text
    assert [place.name for place in (root.parent / "outside").iterdir()] == ["a.md"]


async def test_no_picture_outside_is_sent(tools, root):
    (root / "a.png").write_bytes(b"x")
    text = await tools(
        "analyze_media", {"path": "a.png"}, swapped(root / "a.png", root.parent / "outside/a.md")
    )
    assert "no longer points to where" in text
