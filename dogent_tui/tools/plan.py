"""`plan`: the steps of the agent's work, shown above the prompt. It replaces TodoWrite, whose
description is long.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.server import Tool, typed_tool

NAME = "plan"

DESCRIPTION = (
    "Show the user the steps of your work. Give all of them each time; one is in_progress."
)


class _Step(msgspec.Struct):
    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class _Input(msgspec.Struct):
    todos: list[_Step]


def planning_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tool of this module. The translator of events displays its calls
    (`TodosChanged`).
    """
    del libraries

    async def plan(wanted: _Input, _: object) -> str:
        open_steps = sum(step.status != "completed" for step in wanted.todos)
        return f"Shown. Open: {open_steps} of {len(wanted.todos)}."

    yield typed_tool(NAME, DESCRIPTION, _Input, plan, "Nothing was planned")
