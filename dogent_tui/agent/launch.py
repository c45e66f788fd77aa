"""How a conversation is set up: the endpoint, the prompts, the policy, and the SDK, which is
imported here and not earlier.
"""

import asyncio
import importlib
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.cli_process import CliProcess, ConversationOptions, native_tools
from dogent_tui.agent.cli_transcripts import claude_config_dir
from dogent_tui.agent.conversation import Ask, AskForm, Conversation, Effort, SessionChoice
from dogent_tui.agent.events import Notice
from dogent_tui.agent.project_instructions import ProjectInstructions, read_project_instructions
from dogent_tui.agent.prompts import skills_prompt, system_prompt
from dogent_tui.agent.ui_requests import ReviewMode
from dogent_tui.references.file_walk import changed_files
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.skills import skills
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries

if TYPE_CHECKING:
    from collections.abc import Callable

    from dogent_tui.offline.server import LoopbackServer
    from dogent_tui.undo.undo_log import UndoLog


AnsweredBy: TypeAlias = Literal["user", "file", "nobody"]
"""Who answers the agent's questions: if no one is at a screen, a file may."""


class Budget(msgspec.Struct):
    """What a conversation may cost, in US dollars, and has cost; `limit_usd` 0: no limit. It may
    change at any time.
    """

    limit_usd: float = 0.0
    spent_usd: float = 0.0

    @property
    def left_usd(self) -> float | None:
        """The remaining budget, None if there is no limit."""
        return max(0.0, self.limit_usd - self.spent_usd) if self.limit_usd else None

    @property
    def is_spent(self) -> bool:
        """Whether the budget is used up."""
        return self.left_usd is not None and self.left_usd <= 0.0


class ClaudeLauncher(msgspec.Struct):
    """Starts the real CLI for one workspace and one endpoint: together with the offline engine if
    that is the endpoint, or with a relay if it is a local server.

    `libraries` is what our tools work with; it is closed with the launcher. `settings` reads those
    of the workspace. `answered_by` is who answers the agent's questions. `review_mode`: whether the
    user reviews every change. `budget`: what the conversation may cost.
    """

    workspace: Workspace
    endpoint: Endpoint
    authority: Authority
    trust: FolderTrust
    libraries: Libraries
    copies: "Callable[[], UndoLog]"
    settings: "Callable[[], WorkspaceSettings]" = WorkspaceSettings
    answered_by: AnsweredBy = "user"
    review_mode: ReviewMode = msgspec.field(default_factory=ReviewMode)
    budget: Budget = msgspec.field(default_factory=Budget)
    effort: Effort = ""
    _shared: AsyncExitStack = msgspec.field(default_factory=AsyncExitStack)
    _reachable: Endpoint | None = None
    _untold: tuple[Notice, ...] = ()
    _told: tuple[Notice, ...] = ()

    async def start(self, choice: SessionChoice, ask: Ask, form: AskForm) -> Conversation:
        """See `Launcher.start`. The SDK is imported in a thread while everything else starts."""
        imported = asyncio.create_task(asyncio.to_thread(_import_conversation))
        endpoint, (words, instructions), about_skills, servers = await asyncio.gather(
            self._reach(),
            asyncio.to_thread(self._prepare),
            asyncio.to_thread(self._skills),
            asyncio.to_thread(self._servers),
        )
        options = ConversationOptions(
            cwd=self.workspace.root,
            endpoint=endpoint,
            config_dir=claude_config_dir(),
            system_prompt=f"{words}{about_skills}",
            choice=choice,
            at_screen=self.answered_by == "user",
            native_tools=native_tools(self.libraries),
            notices=self._untold,
            review_mode=self.review_mode,
            instructions=instructions,
            read_instructions=self._instructions,
            budget_usd=self.budget.left_usd if endpoint.kind == "anthropic" else None,
            servers=servers,
            effort=self.effort,
        )
        self._untold = ()
        process = CliProcess(options)
        try:
            try:
                await process.start()
            except OSError as error:
                raise process.did_not_start(error) from error
            await imported
            from dogent_tui.agent.claude import ClaudeConversation

            conversation = ClaudeConversation(
                options, process, self.authority, ask, form, self.libraries, self.copies()
            )
            await conversation.connect()
        except BaseException:  # including cancellation: no process must be left behind
            process.kill()
            raise
        return conversation

    async def close(self) -> None:
        """Stop the offline engine or the relay, if running, and close the libraries,
        concurrently.
        """
        await asyncio.gather(self._shared.aclose(), self.libraries.close())

    def _prepare(self) -> tuple[str, ProjectInstructions]:
        """Return the system prompt, and the instructions it contains."""
        instructions = self._instructions()
        words = system_prompt(
            workspace=str(self.workspace.root),
            instructions=instructions,
            can_answer=self.answered_by != "nobody",
            at_screen=self.answered_by == "user",
            wall=self.authority.wall_status.level,
            consent=self.libraries.consent,
        )
        return words, instructions

    def _instructions(self) -> ProjectInstructions:
        """Read what applies in the workspace now: nothing in an untrusted folder, whose author
        would speak for the user.
        """
        return (
            read_project_instructions(self.workspace, self.settings())
            if self.trust.trusted
            else ProjectInstructions()
        )

    def _skills(self) -> str:
        """Return what the system prompt says about the skills, and allow their folders to be
        read.
        """
        if self.endpoint.kind == "offline" or self.libraries.consent:
            return ""
        found = skills(self.workspace, Path.home(), trusted=self.trust.trusted)
        self.authority.readable = tuple(skill.folder for skill in found)
        return skills_prompt(found)

    def _servers(self) -> "dict[str, Any]":
        """Return the user's MCP servers. The offline engine calls none, and none is offered if
        every access requires consent.
        """
        if self.endpoint.kind == "offline" or self.libraries.consent:
            return {}
        from dogent_tui.settings.mcp_servers import mcp_servers, started_with

        servers, warnings = mcp_servers(self.workspace, trusted=self.trust.trusted)
        ready, left = started_with(servers)
        told = [Notice(message=one.message, remedy=one.remedy, code=one.code) for one in warnings]
        told += [Notice(message=words, code="mcp_server") for words in left]
        self._untold = (*self._untold, *(notice for notice in told if notice not in self._told))
        self._told = (*self._told, *told)
        return ready

    async def _reach(self) -> Endpoint:
        if self._reachable is None:
            starts = {"offline": self._start_engine, "local": self._start_relay}.get(
                self.endpoint.kind
            )
            self._reachable = await starts() if starts else self.endpoint
        return self._reachable

    async def _start_relay(self) -> Endpoint:
        from dogent_tui.local_models.relay import LocalRelay

        asked = self.endpoint
        assert asked.server is not None
        relay = LocalRelay(
            asked.server, asked.base_url, asked.model, key=asked.token or asked.api_key
        )
        endpoint = await self._through(relay)
        message, remedy = relay.warning
        if message:
            self._untold = (Notice(message=message, remedy=remedy, code="small_window"),)
        return replace(endpoint, window=relay.about.window)

    async def _start_engine(self) -> Endpoint:
        from dogent_tui.offline.engine import OfflineEngine

        return await self._through(OfflineEngine(partial(changed_files, self.workspace.root)))

    async def _through(self, server: "LoopbackServer") -> Endpoint:
        """Start a server of ours, and return the endpoint at which the CLI finds it."""
        await self._shared.enter_async_context(server)
        return replace(
            self.endpoint,
            base_url=server.base_url,
            token=server.token,
            api_key="",
            model=server.model,
            small_model=server.model,
        )


def _import_conversation() -> None:
    """Import the SDK and the policy."""
    for module in ("agent.claude", "permissions.policy", "permissions.question"):
        importlib.import_module(f"dogent_tui.{module}")
