"""The tools that a session offers the model, besides `ui_request`, which belongs to its
conversation (`agent/claude.py`).

A family of tools is a module here with a function that creates them from the libraries, and an
entry in `FAMILIES`. Its display names are in `agent/tool_names.py`, its effects for the policy in
`permissions/tools.py`.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from dogent_tui.tools.check_quotes import checking_tools
from dogent_tui.tools.documents import document_tools
from dogent_tui.tools.export_document import export_tools
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.markdown_search import FIND, READ, SEARCH, TREE, markdown_search_tools
from dogent_tui.tools.plan import planning_tools
from dogent_tui.tools.server import Tool
from dogent_tui.tools.vision import vision_tools
from dogent_tui.tools.web import web_tools

Family: TypeAlias = Callable[[Libraries], Iterable[Tool]]
"""Creates the tools of one family. Called at each start of the agent process: lasting state belongs
in the libraries.
"""

FAMILIES: tuple[Family, ...] = (
    document_tools,
    export_tools,
    vision_tools,
    web_tools,
    markdown_search_tools,
    checking_tools,
    planning_tools,
)
"""In the order in which the model sees them."""


CONSENT = frozenset({"read_document", READ, FIND, SEARCH, TREE})
"""Our tools that are offered if every access to a document requires consent."""


def offered_tools(libraries: Libraries) -> list[Tool]:
    """Return the tools of every family; in consent mode only those that ask."""
    tools = [tool for family in FAMILIES for tool in family(libraries)]
    return [tool for tool in tools if not libraries.consent or tool.name in CONSENT]
