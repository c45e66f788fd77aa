"""The record of the agent's requests to consult files: a call needs an approved request, and each
request allows one call.
"""

import json
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.language import tr
from dogent_tui.markdown_search.model import MarkdownSearchError
from dogent_tui.records import Json, Record

Status: TypeAlias = Literal["pending", "approved", "denied"]

_MOST = 500
"""The number of requests kept."""


class ToolRequest(Record):
    """A request. `tool` is the name of the tool, `action` what it does (``read``); `timestamp` is
    UTC, ISO 8601.
    """

    id: str
    tool: str
    action: str
    reason: str
    parameters: Json
    timestamp: str
    status: Status = "pending"
    used: bool = False


class RequestBook:
    """The requests of a session. Not thread-safe."""

    def __init__(self) -> None:
        self._requests: dict[str, ToolRequest] = {}

    def all(self) -> tuple[ToolRequest, ...]:
        """Return the requests, oldest first."""
        return tuple(self._requests.values())

    def open(self, request_id: str, tool: str, action: str, values: Json) -> ToolRequest:
        """Record a request. An existing request with the same id belongs to another call and is
        never replaced.

        Raises MarkdownSearchError if the id was used.
        """
        if request_id in self._requests:
            raise MarkdownSearchError(tr("This request was already made."), tr("Make a new one."))
        parameters = {key: value for key, value in values.items() if key != "reason"}
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        made = ToolRequest(
            request_id, tool, action, str(values.get("reason", "")).strip(), parameters, now
        )
        self._requests[request_id] = made
        while len(self._requests) > _MOST:
            self._requests.pop(next(iter(self._requests)))
        return made

    def settle(self, request_id: str, status: Status) -> None:
        """Record the answer. Denied and used requests keep their state."""
        request = self._requests.get(request_id)
        if request is not None and request.status != "denied" and not request.used:
            self._requests[request_id] = msgspec.structs.replace(request, status=status)

    def use(self, tool: str, values: Json) -> ToolRequest:
        """Take the approved request for exactly this call; it cannot be taken again. Raises
        MarkdownSearchError if there is none.
        """
        wanted = _comparable(values)
        for request in self._requests.values():
            is_open = request.status == "approved" and not request.used
            if (
                is_open
                and request.tool == tool
                and _comparable(request.parameters, request.reason) == wanted
            ):
                used = self._requests[request.id] = msgspec.structs.replace(request, used=True)
                return used
        raise MarkdownSearchError(
            tr("This call was not approved, or was already made."),
            tr("Ask again: each request allows one call."),
        )


def _comparable(values: Json, reason: str | None = None) -> str:
    said = values.get("reason", "") if reason is None else reason
    parameters = {key: value for key, value in values.items() if key != "reason"}
    return json.dumps([parameters, str(said).strip()], sort_keys=True, default=str)
