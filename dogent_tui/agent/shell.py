"""The user's own shell commands (``!command``): run in the workspace, shown like a tool call,
offered to the agent.
"""

import asyncio
import codecs
import os
import uuid
from collections.abc import Callable
from pathlib import Path

import msgspec

from dogent_tui.agent.events import (
    SHELL_STOPPED,
    SHELL_TOOL,
    Event,
    ToolOutput,
    ToolResult,
    ToolUse,
)
from dogent_tui.errors import AgentError
from dogent_tui.language import tr
from dogent_tui.processes import stream_process

_MOST_KEPT = 1_000_000
_MOST_OFFERED = 10_000
"""The number of characters of output to keep for the screen, and to send with the next prompt: its
end, which has the result.
"""
_LEFT_OUT = "[the beginning is left out]\n"
_STOP_LIMIT_S = 1.0
"""How long a command may take to end when we close."""


class ShellNote(msgspec.Struct, frozen=True):
    """A command that the user ran, and its output, sent with the next prompt."""

    command: str
    output: str
    status: int | None

    def as_text(self) -> str:
        """Return the block for the model."""
        ended = "stopped by the user" if self.status is None else f"exit status {self.status}"
        output = (
            self.output
            if len(self.output) <= _MOST_OFFERED
            else f"{_LEFT_OUT}{self.output[-_MOST_OFFERED:]}"
        )
        return f"<shell-command>\n$ {self.command}\n{output.rstrip()}\n({ended})\n</shell-command>"


class PersonalShell:
    """Runs the user's commands, one at a time; `notes` are those that the agent has not been told
    about.
    """

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self.notes: list[ShellNote] = []
        self._publish = publish
        self._running: asyncio.Task[ShellNote] | None = None

    async def run(self, command: str, cwd: Path) -> None:
        """Run `command` in the folder `cwd` until it ends. Raises AgentError while another one is
        running.
        """
        if self._running is not None and not self._running.done():
            raise AgentError(
                tr("A shell command is still running."), tr("Wait for it, or stop it with Esc.")
            )
        self._running = asyncio.create_task(run_shell(command, cwd, self._publish), name="shell")
        await asyncio.wait({self._running})
        if not self._running.cancelled():
            self.notes.append(self._running.result())

    def stop(self) -> bool:
        """Stop the running command; return whether there is one."""
        if self._running is None or self._running.done():
            return False
        if not self._running.cancelling():
            self._running.cancel()
        return True

    def take_notes(self) -> list[str]:
        """Return what to tell the agent about commands since the last call."""
        notes, self.notes = self.notes, []
        return [note.as_text() for note in notes]

    async def close(self) -> None:
        """Stop the running command and briefly wait for its end."""
        if self.stop() and self._running is not None:
            await asyncio.wait({self._running}, timeout=_STOP_LIMIT_S)


async def run_shell(command: str, cwd: Path, publish: Callable[[Event], None]) -> ShellNote:
    """Run `command` in the user's shell and publish it as a tool call. Cancelling stops it, which
    is a result too.
    """
    tool_use_id = f"shell-{uuid.uuid4().hex[:12]}"
    publish(ToolUse(tool_use_id=tool_use_id, name=SHELL_TOOL, input={"command": command}))
    kept: list[str] = []
    held, is_cut = 0, False
    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def take(chunk: bytes) -> None:
        nonlocal held, is_cut
        text = decoder.decode(chunk)
        kept.append(text)
        held += len(text)
        is_cut = is_cut or held > _MOST_KEPT
        if held > 2 * _MOST_KEPT:  # not for each chunk: a megabyte would be copied
            kept[:] = ["".join(kept)[-_MOST_KEPT:]]
            held = _MOST_KEPT
        if text and not is_cut:  # more would only scroll by; the result has the end
            publish(ToolOutput(tool_use_id=tool_use_id, text=text))

    status: int | None = None
    try:
        status = await stream_process(
            [os.environ.get("SHELL") or "/bin/sh", "-c", command], cwd=cwd, on_output=take
        )
    except OSError as error:
        reason = tr(
            "The shell did not start: {strerror}. Set $SHELL to one that is installed.",
            strerror=error.strerror,
        )
        kept.append(reason)
        status = 127
    finally:
        output = _LEFT_OUT * is_cut + "".join(kept)[-_MOST_KEPT:]
        failed = (
            ""
            if status == 0
            else SHELL_STOPPED
            if status is None
            else tr("(exit status {status})", status=status)
        )
        content = "\n".join(part for part in (output.rstrip("\n"), failed) if part)
        publish(ToolResult(tool_use_id=tool_use_id, content=content, is_error=status != 0))
    return ShellNote(command, output, status)
