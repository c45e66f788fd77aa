"""/mcp: the user's own tools, the state of their servers, and switching them on and off."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

from textual import on
from textual.content import Content
from textual.widgets import OptionList

from dogent_tui.agent.conversation import ServerState
from dogent_tui.agent.doctor_servers import SERVER_STATES, state_of
from dogent_tui.agent.service import AgentService
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.language import and_more, tr
from dogent_tui.plain import one_line
from dogent_tui.settings.mcp_servers import McpServer, mcp_servers, switch
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen, Words
from dogent_tui.tui.widgets import bound

_MARKS = {
    "connected": "●",
    "failed": "✗",
    "needs-auth": "✗",
    "pending": "◌",
    "disabled": "○",
    "unknown": "◌",
}
_OUTSIDE = tr(
    "These servers run outside the wall, with your rights: nothing holds back what they do. Each of"
    " their tools asks before its first call."
)
_NONE = tr(
    "No MCP servers. Add them to ~/.dogent/mcp.json, as other programs have them; docs/tools.md"
    " shows how."
)
_NOT_HERE = tr(
    "None run now: neither the built-in engine nor consent mode uses tools of MCP servers."
)
_EVERY_S = 1.0
_MOST_TOOLS = 8


def server_lines(server: McpServer, state: ServerState | None) -> Content:
    """Return the lines for a server: state, origin, command, and its tools or its error."""
    now = state_of(server, state)
    mark, words = _MARKS[now], SERVER_STATES[now]
    whose = tr("of this folder") if server.of_workspace else tr("yours")
    about = [f" · {words} · {whose}", f"\n  {one_line(server.shown)}"]
    if details := _details(server, state):
        about.append(f"\n  {details}")
    return Content.assemble(f"{mark} {one_line(server.name)}", *((line, "dim") for line in about))


def _details(server: McpServer, state: ServerState | None) -> str:
    if not server.on:
        return (
            tr("It came with the folder: look at it before you turn it on.")
            if server.of_workspace
            else ""
        )
    if state is None or state.error:
        return one_line(state.error) if state is not None else ""
    return one_line(and_more(state.tools, _MOST_TOOLS))


class ServersScreen(DialogScreen[None]):
    """Lists the MCP servers, and switches and restarts them."""

    BINDINGS = [
        bound("escape,q", "dismiss", "Close"),
        bound("space", "switch", "On or off"),
        bound("r", "restart", "Restart"),
    ]

    def __init__(
        self, workspace: Workspace, service: AgentService, *, trusted: bool, started: bool
    ) -> None:
        """List the servers of the user and of `workspace`, if it is `trusted`. `started`: the agent
        uses servers at all.
        """
        self._workspace = workspace
        self._service = service
        self._trusted = trusted
        self._started = started
        self._servers: Sequence[McpServer] = ()
        self._problems: Sequence[str] = ()
        self._states: Mapping[str, ServerState] = {}
        self._list = ChoiceList[McpServer](id="servers-list")
        self._note = Words("", id="servers-note", classes="dialog-note")
        why = Words(_OUTSIDE, classes="dialog-why -first")
        title = tr("Your own tools: MCP servers")
        super().__init__(
            Dialog(title, {}, why, self._list, self._note, id="servers", classes="-wide")
        )

    async def on_mount(self) -> None:
        """Read the files, then update the state of the servers regularly."""
        await self._read()
        self.set_interval(_EVERY_S, self._look)
        self._look()

    @on(OptionList.OptionSelected)
    def action_switch(self) -> None:
        """Switch the selected server on or off in this folder."""
        if (server := self._list.chosen) is not None:
            self.run_worker(self._tried(self._switch(server, on=not server.on)), group="server")

    def action_restart(self) -> None:
        """Restart the selected server."""
        server = self._list.chosen
        if server is not None and server.on and self._started:
            self.run_worker(self._tried(self._restart(server)), group="server")

    async def _switch(self, server: McpServer, *, on: bool) -> None:
        await asyncio.to_thread(lambda: switch(self._workspace, server, on=on))
        await self._read()
        if self._started:
            await self._service.switch_server(server.name, on=on)

    async def _restart(self, server: McpServer) -> None:
        await self._service.switch_server(server.name, on=False)
        await self._service.switch_server(server.name, on=True)

    async def _tried(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (OSError, DogentError) as error:
            self.warn(str(error))
        self._look()

    async def _read(self) -> None:
        self._servers, warnings = await asyncio.to_thread(
            lambda: mcp_servers(self._workspace, trusted=self._trusted)
        )
        self._problems = [str(warning) for warning in warnings]
        self._show()

    def _look(self) -> None:
        if self._started and self._servers:
            self.run_worker(self._ask(), group="states", exclusive=True)

    async def _ask(self) -> None:
        with suppress(AgentError):
            states = {state.name: state for state in await self._service.servers()}
            if states != self._states:
                self._states = states
                self._show()

    def _show(self) -> None:
        servers = self._servers
        self._list.show(
            servers, [server_lines(server, self._states.get(server.name)) for server in servers]
        )
        notes = [*self._problems]
        if not servers:
            notes.append(_NONE)
        if not self._started:
            notes.append(_NOT_HERE)
        self._note.display = bool(notes)
        self._note.update("\n".join(map(one_line, notes)))
        keys = {"space": tr("On or off"), "r": tr("Restart"), "up,down": tr("Choose")}
        self.dialog.keys.show((keys if servers else {}) | {"escape": tr("Close")})
