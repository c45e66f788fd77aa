"""What happens to what is typed: a prompt for the agent, a command of the application, or a shell
command.
"""

import asyncio
from collections.abc import Sequence

from dogent_tui.agent.session import make_prompt, with_template
from dogent_tui.errors import AgentError, DogentError, disk_remedy, reason_of
from dogent_tui.language import sentences, tr
from dogent_tui.plain import one_line
from dogent_tui.references.lookup import Reference
from dogent_tui.tui.commands.table import Command, CommandTable
from dogent_tui.tui.ports import ConversationPort
from dogent_tui.tui.terminal import edit_externally
from dogent_tui.tui.trust_question import settle_trust

UNTRUSTED_COMMANDS = tr("Commands that came with this folder work once you trust it: /trust.")
READ_ONLY = tr(
    "This conversation is open in another window and is read-only here. Use /new to start another,"
    " or /sessions to open one."
)

INDEX_DELAY_S = 0.5
"""Seconds from a tool result, or the last key of a draft that names files, until the file index is
refreshed.
"""


class PromptController:
    """Processes what is typed on `screen`. What could not be sent or run is put back into the
    prompt, with the reason.
    """

    def __init__(self, screen: ConversationPort, commands: CommandTable) -> None:
        self._screen = screen
        self._prompt = screen.prompt
        self._commands = commands
        self._sending = asyncio.Lock()

    def submit(self, text: str, references: Sequence[Reference]) -> None:
        """Send or run `text` in the background."""
        if text.startswith("/"):
            # it may replace this screen
            self._screen.app.run_command(self._run_typed(text))
        elif text.startswith("!"):
            self._screen.run_worker(self._run_shell(text[1:].strip()), group="shell")
        else:
            self._screen.run_worker(self.send(text, references), group="send")

    async def send(self, text: str, references: Sequence[Reference]) -> None:
        """Send `text` with the files of its `references`, the pending attachments, and the template
        that it names.
        """
        screen = self._screen
        attached = screen.attachments.pending if screen.opened.read_only else ()
        if not await self._screen.app.session.ensure_writable():
            self._give_back(text, READ_ONLY)
            return
        screen.attaching.attach_again(attached)
        async with self._sending:  # one at a time: prompts keep their order
            pending = screen.attachments.pending
            prompt, missing = await asyncio.to_thread(
                make_prompt, text, screen.opened.workspace, references, pending
            )
            try:
                await settle_trust(self._screen.app, screen.opened)
                if "@@" in text:
                    trusted = screen.opened.trust.trusted
                    prompt = await asyncio.to_thread(
                        with_template, prompt, screen.opened.workspace, trusted=trusted
                    )
                await screen.service.submit(prompt)
            except (DogentError, OSError) as error:
                self._give_back(text, one_line(str(error)))
                return
            screen.attaching.sent(prompt.attachments)
        if screen.service.requests:
            self._prompt.notify_hint(tr("This is queued until you answer the agent. F2 answers."))
        for reference in missing:
            screen.notify(
                tr(
                    "There is no file {path} here; the text was sent unchanged.",
                    path=one_line(reference.path),
                ),
            )
        screen.action_follow()

    async def _run_shell(self, command: str) -> None:
        if not await self._screen.app.session.ensure_writable():
            self._give_back(f"!{command}", READ_ONLY)
            return
        self._screen.conversation_layout.show_transcript()
        self._screen.action_follow()
        is_told = not self._screen.foreground.busy
        if is_told:
            self._prompt.set_doing(tr("Your command is running"))
        try:
            await self._screen.service.run_shell(command)
        except AgentError as error:  # another one is still running and remains shown
            self._give_back(f"!{command}", str(error))
            return
        if is_told and not self._screen.foreground.busy:
            self._prompt.set_doing("")
        await self._screen.app.record_command(f"!{command}")

    async def _run_typed(self, text: str) -> None:
        command, argument = self._commands.find(text)
        if command is None:
            untrusted = "" if self._screen.opened.trust.trusted else f" {UNTRUSTED_COMMANDS}"
            self._give_back(text, f"{self._commands.unknown(text)}{untrusted}")
        elif argument and not command.argument:
            self._give_back(text, tr("/{name} takes nothing after it.", name=command.name))
        else:
            await self.run(command, argument, text)

    async def run(self, command: Command, argument: str, text: str) -> None:
        """Run `command`, show its result, and record it as typed. Must not be awaited in a message
        handler, because a command may ask the user.
        """
        self._commands.used([text])
        recording = asyncio.create_task(self._screen.app.record_command(text))
        if command.at_once:  # it may change the history, or end the application
            await recording
        try:
            if done := await command.run(argument):
                self._prompt.notify_hint(one_line(done))
        except (DogentError, OSError) as error:
            said = str(error)
            if isinstance(error, OSError):
                said = sentences(f"{reason_of(error)}.", disk_remedy(error))
            self._prompt.notify_hint(one_line(said), warning=True)
        await recording

    async def stop(self) -> None:
        """Stop the user's own task; otherwise take back the queue; otherwise interrupt the run."""
        service = self._screen.service
        if self._screen.foreground.stop() or service.stop_shell():
            return
        idle = service.state != "running" and not service.queued and self._prompt.editor.is_blank
        if idle and self._screen.app.dismiss_setup():
            return
        waiting = [service.take_back(queued.id) for queued in service.queued]
        if waiting:
            texts = "\n\n".join(prompt.text for prompt in waiting if prompt is not None)
            stops = tr("Queued prompts are back in the editor. Press Esc again to stop the run.")
            waits = tr("Queued prompts are back in the editor.")
            self._prompt.put_back(texts)
            self._prompt.notify_hint(stops if service.state == "running" else waits)
        else:
            self._screen.status_bar.stop()
            await service.interrupt()

    async def edit_externally(self, text: str) -> None:
        """Open `text` in the user's external editor; the result replaces it."""
        try:
            edited = await edit_externally(self._screen.app, "prompt.md", text.encode())
        except DogentError as error:
            self._prompt.notify_hint(str(error), warning=True)
            return
        self._prompt.editor.replace_all(edited.decode(errors="replace").removesuffix("\n"))
        self._screen.refresh(layout=True)

    async def refresh_index(self) -> None:
        """Refresh the list of files in a thread."""
        # tool results come in bursts; one refresh after a burst is enough
        await asyncio.sleep(INDEX_DELAY_S)
        await asyncio.to_thread(self._screen.index.refresh)

    def _give_back(self, text: str, because: str) -> None:
        self._prompt.put_back(text)
        self._prompt.notify_hint(because, warning=True)
