"""The CLI as a process: its arguments and environment, and its lines in and out.

It is started before the SDK is imported, which takes as long as the CLI takes to be ready: 0.6 s,
in parallel. This runs what the SDK would run; a test compares the two. Nothing here imports the
SDK.
"""

import asyncio
import contextlib
import errno
import json
import os
import shutil
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dogent_tui.agent.cli_transcripts import clear_keys, clear_keys_of_dead
from dogent_tui.agent.conversation import Effort, SessionChoice
from dogent_tui.agent.events import Notice
from dogent_tui.agent.project_instructions import ProjectInstructions
from dogent_tui.agent.ui_requests import ReviewMode
from dogent_tui.errors import AgentError, disk_remedy, reason_of
from dogent_tui.language import sentences, tr
from dogent_tui.processes import kill_tree
from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.secrets import redact
from dogent_tui.storage.files import atomic_write, private_folder
from dogent_tui.tools.libraries import Libraries

TOOLS = ("Read", "Write", "Edit", "Glob", "Grep", "Bash", "WebSearch", "WebFetch")
"""The CLI's own tools that are offered to the model."""
_OF_THE_WEB = 2
"""How many of these, at the end, are replaced by ours if a web profile is chosen."""
LONGEST_MS = 86_400_000
"""The longest time limit for a command that the CLI accepts (measured). The launcher enforces the
model's own.
"""
_RECORDS = {"permissions": {"deny": ["Read(.dogent/history.json)", "Read(.dogent/archives/**)"]}}
"""Our records of the workspace, which the CLI's Read, Grep and Glob leave out (measured): earlier
prompts are not a source.
"""
_OUR_SERVER = {"mcpServers": {"dogent": {"type": "sdk", "name": "dogent"}}}
_LONGEST_LINE = 64 * 1024 * 1024
"""The maximum length in bytes of a line between the CLI and us: a Write contains the whole file."""
_AFTER_REPAIR = tr("Then send the prompt again.")
_REINSTALL = tr(
    "Send the prompt again. If that doesn't help, reinstall claude-agent-sdk, which provides the"
    " process."
)
_LAST_WORDS, _MOST_WORDS = 20, 400
"""The number of lines of its standard error to keep, and of characters to report."""
_ENDS_WITHIN_S = 5.0
"""How long the CLI may take to exit after the end of its input: it writes its transcript then."""


@dataclass(frozen=True, slots=True)
class ConversationOptions:
    """What a conversation is started with. `choice` says which session it continues.

    `at_screen`: whether someone can answer while a turn waits. `native_tools` are those of the
    CLI's own that are offered. `notices` are reported first. `review_mode` says whether the user
    reviews every change; it may change at any time. `instructions` are the project's in the system
    prompt, `read_instructions` reads their current state. `budget_usd` is the remaining budget.
    `servers` are the user's MCP servers in the CLI's format, including keys.
    """

    cwd: Path
    endpoint: Endpoint
    config_dir: Path
    system_prompt: str
    choice: SessionChoice
    at_screen: bool = True
    native_tools: tuple[str, ...] = TOOLS
    notices: tuple[Notice, ...] = ()
    review_mode: ReviewMode = field(default_factory=ReviewMode)
    instructions: ProjectInstructions = field(default_factory=ProjectInstructions)
    read_instructions: Callable[[], ProjectInstructions] = ProjectInstructions
    budget_usd: float | None = None
    servers: Mapping[str, Any] = field(default_factory=dict)
    effort: Effort = ""

    def arguments(self, prompt_file: Path, servers_file: Path) -> list[str]:
        """Return the CLI's arguments. Every user of the machine can read arguments, so anything
        secret or long is passed in a file.
        """
        chosen = {
            "tools": ",".join(self.native_tools),
            "max-budget-usd": None if self.budget_usd is None else str(self.budget_usd),
            "model": self.endpoint.model or None,
            "permission-prompt-tool": "stdio",
            "permission-mode": "default",
            "settings": json.dumps(_RECORDS),
            "mcp-config": json.dumps(_OUR_SERVER),
            "system-prompt-file": str(prompt_file),
            "effort": self.effort or None,
            "input-format": "stream-json",
            "output-format": "stream-json",
        }
        pairs = [(f"--{name}", value) for name, value in chosen.items() if value is not None]
        given = [part for pair in pairs for part in pair]
        given += ["--verbose", "--include-partial-messages", "--strict-mcp-config"]
        given += ["--setting-sources="]
        choice = self.choice
        given += [f"--resume={choice.continues}"] if choice.continues else []
        given += [] if choice.resume else [f"--session-id={choice.session_id}"]
        given += ["--fork-session"] if choice.fork_of else []
        given += [f"--resume-session-at={choice.at}"] if choice.at else []
        return [*given, *(["--mcp-config", str(servers_file)] if self.servers else [])]


def native_tools(libraries: Libraries) -> tuple[str, ...]:
    """Return which of the CLI's own tools are offered besides ours."""
    if libraries.consent:
        return ()
    return TOOLS if libraries.web.profile is None else TOOLS[:-_OF_THE_WEB]


class CliProcess:
    """One process of the CLI."""

    def __init__(self, options: ConversationOptions) -> None:
        self._options = options
        name = f"{options.choice.session_id}.{os.getpid()}.{uuid.uuid4().hex[:8]}.md"
        self._prompt_file = options.config_dir / "prompts" / name
        self._servers_file = self._prompt_file.with_suffix(".json")
        self._process: asyncio.subprocess.Process | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._stderr: list[str] = []
        self._writing = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """Its process id once it has been started."""
        return self._process.pid if self._process is not None else None

    @property
    def is_running(self) -> bool:
        """Whether it has been started and has not ended."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it. Raises OSError."""
        from importlib.metadata import version  # imported on use: 20 ms

        await asyncio.to_thread(self._write_files)
        options = self._options
        command = [cli_program(), *options.arguments(self._prompt_file, self._servers_file)]
        self._process = await asyncio.create_subprocess_exec(
            *command,
            cwd=options.cwd,
            env={
                **{name: value for name, value in os.environ.items() if name != "CLAUDECODE"},
                "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
                **environment(options.endpoint, options.config_dir),
                "CLAUDE_AGENT_SDK_VERSION": version("claude-agent-sdk"),
                "CLAUDE_CODE_SDK_READS_SESSION_STATE": "1",
                "PWD": str(options.cwd),
            },
            limit=_LONGEST_LINE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        self._hearing = asyncio.create_task(self._hear(self._process), name="agent-stderr")

    async def write(self, text: str) -> None:
        """Write to its input. Raises OSError if it is gone."""
        if self._process is None or self._process.stdin is None or not self.is_running:
            raise ConnectionError
        async with self._writing:
            self._process.stdin.write(text.encode())
            await self._process.stdin.drain()

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Yield its output, one JSON object per line, until it ends. Raises ValueError for a line
        that is too long or not JSON.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            # otherwise debug output, or truncated
            if line.lstrip().startswith(b"{") and line.endswith(b"\n"):
                yield json.loads(line)

    def end_input(self) -> None:
        """Close its input, which ends it."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    async def wait(self) -> int:
        """Return its exit status once it has ended."""
        assert self._process is not None
        return await self._process.wait()

    async def close(self) -> None:
        """End it and wait: first by closing its input, then by a signal, then by killing it."""
        for end in (self.end_input, self._terminate, self.kill):
            if self.is_running:
                end()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.wait(), _ENDS_WITHIN_S)
        if self._hearing is not None:
            self._hearing.cancel()
        await asyncio.to_thread(self._leave_no_key)

    def _terminate(self) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    def kill(self) -> None:
        """Kill it and everything it started, if it did not end when asked to."""
        if self.pid is not None:
            kill_tree(self.pid)

    def did_not_start(self, error: Exception) -> AgentError:
        """Return the error for a process that did not start or did not answer."""
        if not self._options.cwd.is_dir():
            words = tr("The folder {root} no longer exists.", root=self._options.cwd)
            return AgentError(words, tr("Open another one: dogent-tui FOLDER."))
        said = self.last_words() or self.redacted(reason_of(error))
        words = tr("The agent process did not start: {last_words}.", last_words=said)
        of_the_disk = isinstance(error, OSError) and not isinstance(
            error, (ConnectionError, FileNotFoundError)
        )
        repair = sentences(disk_remedy(error), _AFTER_REPAIR) if of_the_disk else _REINSTALL
        return AgentError(words, repair)

    def last_words(self) -> str:
        """Return the end of its standard error, without keys."""
        return self.redacted(" ".join(self._stderr)[-_MOST_WORDS:].strip())

    def redacted(self, text: str) -> str:
        """Return `text` without the keys of the endpoint."""
        return redact(text, self._options.endpoint.secrets)

    def servers_were_read(self) -> None:
        """Delete the file with the user's MCP servers, which contains keys."""
        self._servers_file.unlink(missing_ok=True)

    async def _hear(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        with contextlib.suppress(ValueError):  # a line too long to be a message
            while line := await process.stderr.readline():
                said = line.decode(errors="replace").rstrip()
                self._stderr = [*self._stderr[1 - _LAST_WORDS :], *([said] if said else [])]

    def _write_files(self) -> None:
        folder = self._prompt_file.parent
        # the CLI would create it, and its files, readable by everyone
        private_folder(folder.parent).chmod(0o700)
        private_folder(folder)
        clear_keys_of_dead(folder, known_secrets())
        prompt = self._options.system_prompt
        atomic_write(self._prompt_file, prompt, mode=0o600, durable=False)
        if servers := self._options.servers:
            text = json.dumps({"mcpServers": servers})
            atomic_write(self._servers_file, text, mode=0o600, durable=False)

    def _leave_no_key(self) -> None:
        """Remove keys from the transcript, unless the session has already been resumed by another
        process, which appends to it.
        """
        self._prompt_file.unlink(missing_ok=True)
        self._servers_file.unlink(missing_ok=True)
        session = self._options.choice.session_id
        if not any(self._prompt_file.parent.glob(f"{session}.*.md")):
            clear_keys(session, {*known_secrets(), *self._options.endpoint.secrets})


def cli_program() -> str:
    """Return the path of the CLI in the SDK's wheel, or of an installed one. Raises OSError."""
    found = find_spec("claude_agent_sdk")  # does not import it
    for place in found.submodule_search_locations or () if found is not None else ():
        if (bundled := Path(place, "_bundled", "claude")).is_file():
            return str(bundled)
    if installed := shutil.which("claude"):
        return installed
    raise FileNotFoundError(errno.ENOENT, tr("the agent's program is not installed"))


def environment(endpoint: Endpoint, config_dir: Path) -> dict[str, str]:
    """Return the CLI's environment variables, which override those it inherits from our process.

    The endpoint blanks every credential and route that is not its own: a key never reaches another
    endpoint.
    """
    inherited = {name: "" for name in os.environ if name.startswith(_STEERING)}
    # a proxy of the environment must not come before an endpoint on this machine
    known = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    direct = ",".join(filter(None, (known, "127.0.0.1", "localhost")))
    return {
        **inherited,
        **endpoint.environment(),
        "BASH_MAX_TIMEOUT_MS": str(LONGEST_MS),
        "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
        "CLAUDE_CONFIG_DIR": str(config_dir),
        "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
        "CLAUDE_CODE_ENABLE_TASKS": "0",
        "CLAUDE_CODE_MAX_RETRIES": "3",
        "ENABLE_TOOL_SEARCH": "false",
        "NO_PROXY": direct,
        "no_proxy": direct,
        # otherwise the first request waits for a slow server, up to 30 s (measured)
        "CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "1500",
        # for our own tools, which limit their answers in characters
        "MAX_MCP_OUTPUT_TOKENS": "60000",
        **(_OFFLINE if endpoint.kind in ("offline", "local") else {}),
        **(_small_window(endpoint.window) if endpoint.window else {}),
    }


def _small_window(tokens: int) -> dict[str, str]:
    """Return the variables that tell the CLI about a window other than that of the model it
    believes it is using.

    Its automatic summarizing is based on that model, and has to be off. It sends nothing unless
    there is room for the longest reply (measured: 20,000 tokens of a window of 24,000), so the
    longest reply is set to a quarter of the window.
    """
    reply = max(1024, min(32_000, tokens // 4))
    return {
        "CLAUDE_CODE_MAX_CONTEXT_TOKENS": str(tokens),
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(reply),
        "DISABLE_AUTO_COMPACT": "1",
    }


_STEERING = (
    "ANTHROPIC_",
    "CLAUDE_CODE_API_",
    "CLAUDE_CODE_EXTRA_BODY",
    "CLAUDE_CODE_OAUTH_",
    "CLAUDE_CODE_SESSION_ACCESS_TOKEN",
    "CLAUDE_CODE_SIMPLE",  # any value disables the hooks, and with them the gate
    "CLAUDE_CODE_USE_",
)
"""Prefixes of variables that would redirect a session, give it other keys, or disable hooks."""

_OFFLINE = {"CLAUDE_CODE_GLOB_NO_IGNORE": "false"}
"""The offline engine's unrequested searches should not fill the hundred results of a Glob with
files ignored by git.
"""
