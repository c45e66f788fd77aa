"""The doctor's findings, and those about the user's MCP servers: which exist, their states, and
that they run without a wall. None is started.
"""

import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from dogent_tui.agent.conversation import ServerState
from dogent_tui.language import tr
from dogent_tui.settings.mcp_servers import McpServer, mcp_servers, started_with
from dogent_tui.settings.secrets import redact
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.storage.paths import Workspace

_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
"""User name and password before the host of an address."""

State: TypeAlias = Literal["ok", "warning", "missing", "optional", "broken"]
"""`optional`: missing, but most things work without it. `broken`: present but unusable. `warning`:
used, but something about it is wrong.
"""


class Finding(msgspec.Struct, frozen=True):
    """One finding. `detail` is a version, or what was found; `remedy` says what to do if it is not
    `ok`.

    `problems` are sentences about what is wrong, each with its remedy.
    """

    group: str
    name: str
    state: State = "ok"
    detail: str = ""
    path: str = ""
    remedy: str = ""
    problems: tuple[str, ...] = ()

    def judged(self, detail: str, warnings: Iterable[object]) -> "Finding":
        """Return the finding with a detail and `warnings`."""
        problems = tuple(map(str, warnings))
        return replace(
            self, state="warning" if problems else "ok", detail=detail, problems=problems
        )

    def without(self, secrets: tuple[str, ...]) -> "Finding":
        """Return the finding without any of `secrets`."""

        def safe(text: str) -> str:
            return _USERINFO.sub("••••@", redact(text, secrets))

        told = {name: safe(getattr(self, name)) for name in ("name", "detail", "path", "remedy")}
        return replace(self, **told, problems=tuple(map(safe, self.problems)))


SERVER_STATES: Mapping[str, str] = {
    "connected": tr("connected"),
    "failed": tr("failed"),
    "needs-auth": tr("needs a login, which is not supported here: put a key into its headers"),
    "pending": tr("connecting"),
    "disabled": tr("off"),
    "unknown": tr("on"),
}
"""The state of a server for display. `unknown`: it is on but has not been asked."""

_GROUP = "MCP servers, outside the wall"
_MARKS: Mapping[str, State] = {"failed": "broken", "needs-auth": "broken", "disabled": "optional"}


def state_of(server: McpServer, known: ServerState | None) -> str:
    """Return the state of `server`, one of `SERVER_STATES`; `known` is what the agent process
    reports.
    """
    if not server.on:
        return "disabled"
    return known.state if known is not None else "unknown"


def examine_servers(
    workspace: Workspace,
    states: Collection[ServerState] = (),
) -> Iterator[Finding]:
    """Yield a finding for each server of the user and of a trusted `workspace`; `states` are what
    the agent process reports about those it started.
    """
    servers, warnings = mcp_servers(workspace, trusted=FolderTrust(workspace).trusted)
    known = {state.name: state for state in states}
    for server in servers:
        yield _finding(server, known.get(server.name))
    for warning in warnings:
        yield Finding(_GROUP, "mcp.json", "broken", warning.message, remedy=warning.remedy)


def _finding(server: McpServer, known: ServerState | None) -> Finding:
    now = state_of(server, known)
    whose = tr("of this folder") if server.of_workspace else tr("yours")
    problems = started_with([server])[1]
    if known is not None and known.error:
        problems.append(known.error)
    command = str(server.config.get("command") or "")
    mark: State = _MARKS.get(now, "ok")
    if server.on and command and shutil.which(command) is None:
        mark = "missing"
        problems.append(tr("{command} is not installed, or not on PATH.", command=command))
    elif problems and mark == "ok":
        mark = "warning"
    detail = f"{SERVER_STATES[now]} · {whose} · {server.shown}"
    return Finding(_GROUP, server.name, mark, detail, problems=tuple(problems))
