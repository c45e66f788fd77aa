"""The record of what the agent asked to consult: a call runs by a request that was approved, and
each allows one call.
"""

import json
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.language import tr
from dogent_tui.markdown_search.model import ManuscriptError
from dogent_tui.records import Json, Record

Status: TypeAlias = Literal["pending", "approved", "denied"]

_MOST = 500
"""Requests that are kept."""


class ToolRequest(Record):
    """One request. `tool` is the tool's own name, `action` what it does (``read``); `timestamp`
    is UTC, ISO 8601.
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
    """The requests of a session. For one thread."""

    def __init__(self) -> None:
        self._requests: dict[str, ToolRequest] = {}

    def all(self) -> tuple[ToolRequest, ...]:
        """Return the requests, the oldest first."""
        return tuple(self._requests.values())

    def open(self, request_id: str, tool: str, action: str, values: Json) -> ToolRequest:
        """Note a request. One that has the id already is another call's, and is not touched: the
        new one replaces nothing.

        Raises ManuscriptError where the id was used.
        """
        if request_id in self._requests:
            raise ManuscriptError(tr("This request was already made."), tr("Make a new one."))
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
        """Note the answer. What was denied or used stays so."""
        request = self._requests.get(request_id)
        if request is not None and request.status != "denied" and not request.used:
            self._requests[request_id] = msgspec.structs.replace(request, status=status)

    def use(self, tool: str, values: Json) -> ToolRequest:
        """Take an approved request for this very call; it cannot be taken again. Raises
        ManuscriptError where none is.
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
        raise ManuscriptError(
            tr("This call was not approved, or was already made."),
            tr("Ask again: each request allows one call."),
        )


def _comparable(values: Json, reason: str | None = None) -> str:
    said = values.get("reason", "") if reason is None else reason
    parameters = {key: value for key, value in values.items() if key != "reason"}
    return json.dumps([parameters, str(said).strip()], sort_keys=True, default=str)
