"""`ui_request`: the model asks the user on a screen of the application. Its turn ends; the answer
is the next message.
"""

from collections.abc import Callable

from msgspec import Struct

from dogent_tui.errors import DogentError
from dogent_tui.records import Json, JsonDict
from dogent_tui.tools.server import Tool, result, schema_of

NAME = "ui_request"

DESCRIPTION = """\
Ask the user on a screen, and stop: your turn ends with this call, and the answer is the next
message.
- "clarification": a form with all questions, each with options and the one you recommend.
- "outline_edit": an outline as Markdown headings, which the user edits in a tree."""

ANSWERING = (
    "The request is open: the user is answering on a screen. Your turn ends here; the answer is"
    " their next message."
)
"""What the model reads as the result of its call."""


def ui_request_tool(kind: type[Struct], check: Callable[[Json], object]) -> Tool:
    """Return the tool, whose input should be a `kind`. `check` raises DogentError for an invalid
    payload, which the model can then correct.
    """

    async def ask(payload: JsonDict) -> JsonDict:
        try:
            check(payload)
        except DogentError as error:
            return result(f"Nothing was asked: the input is not right. {error}", is_error=True)
        return result(ANSWERING)

    return Tool(NAME, DESCRIPTION, schema_of(kind), ask)
