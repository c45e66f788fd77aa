"""The tools that a session offers are made in one place."""

from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools import offered
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.offered import offered_tools
from dogent_tui.tools.server import Tool


async def _nothing(_: object) -> dict[str, object]:
    return {}


def test_every_family_makes_its_tools_from_the_libraries(tmp_path, monkeypatch):
    def family(*names: str):
        return lambda libraries: [
            Tool(name, f"In {libraries.workspace.root}", {}, _nothing) for name in names
        ]

    monkeypatch.setattr(
        offered, "FAMILIES", (family("read_document"), family("export_document", "list_templates"))
    )
    tools = offered_tools(Libraries(Workspace(tmp_path), WorkspaceSettings()))
    assert [tool.name for tool in tools] == ["read_document", "export_document", "list_templates"]
    assert tools[0].description == f"In {tmp_path}"
