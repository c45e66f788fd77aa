"""A change of a document as a request to the user, beside those of `ui_requests`, which waits in
its run.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.ui_requests import Request, answer_text, parse_request
from dogent_tui.language import tr

KIND: Literal["document_change"] = "document_change"


class ReviewMode(msgspec.Struct):
    """Whether every change of the agent is reviewed, for one session. `/review` changes it while
    the agent works.
    """

    on: bool = False


class ChangeRequest(msgspec.Struct, frozen=True):
    """The text that the agent proposes for the file `path`. `base` is what it last saw there, None
    for no file.

    `is_unread`: the agent has not seen what the file holds, so `base` is what it held when this was
    proposed. `place` is its real path where a proposal leads there by an approval only, else empty.
    """

    path: str
    new_content: str
    summary: str = ""
    base: str | None = None
    place: str = ""
    is_unread: bool = False

    @property
    def payload(self) -> dict[str, Any]:
        """This as the payload of the event that asks the user."""
        made: dict[str, Any] = msgspec.to_builtins(self)
        return {"type": KIND, "title": self.path, **made}


def read_request(payload: Mapping[str, Any]) -> Request | ChangeRequest:
    """Return what the payload of a `UiRequested` asks. Raises RequestError,
    msgspec.ValidationError for one that is not ours.
    """
    return (
        msgspec.convert(payload, ChangeRequest)
        if payload.get("type") == KIND
        else parse_request(payload)
    )


def answer_words(payload: Mapping[str, Any], answer: UiAnswer) -> str:
    """Return the user's message that answers a request."""
    request = read_request(payload)
    if isinstance(request, ChangeRequest):
        undecided = tr("I haven't decided on your change to {path}; nothing was written.").format(
            path=request.path
        )
        return answer.review or undecided
    return answer_text(request, answer)
