"""`plan`: the steps of the agent's work, shown above the prompt. It stands in for TodoWrite,
whose words are long.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.server import Tool, result

NAME = "plan"

DESCRIPTION = (
    "Show the user the steps of your work. Give all of them each time; one is in_progress."
)

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "todos": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "status": {"enum": ["pending", "in_progress", "completed"]},
                },
                "required": ["content", "status"],
            },
        }
    },
    "required": ["todos"],
}


class _Step(msgspec.Struct):
    content: str
    status: str = "pending"


class _Input(msgspec.Struct):
    todos: list[_Step]


def planning_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tool of this module. Its calls are shown by whoever translates them
    (`TodosChanged`).
    """
    del libraries

    async def plan(payload: dict[str, Any]) -> dict[str, Any]:
        try:
            wanted = msgspec.convert(payload, _Input)
        except msgspec.ValidationError as error:
            return result(f"Nothing was planned: the input is not right. {error}.", is_error=True)
        open_steps = sum(step.status != "completed" for step in wanted.todos)
        return result(f"Shown. Open: {open_steps} of {len(wanted.todos)}.")

    yield Tool(NAME, DESCRIPTION, SCHEMA, plan)
