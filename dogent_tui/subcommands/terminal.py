"""The terminal of a user who typed a command: output, and questions, mostly about downloading what
is missing.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, TextIO

import msgspec

from dogent_tui.language import tr
from dogent_tui.plain import one_line, visible


class Terminal(msgspec.Struct, frozen=True):
    """Where a user may be: questions can only be asked if all three are a terminal.

    `agreed`: the user agreed to downloads on the command line.
    """

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    agreed: bool = False

    @property
    def answers(self) -> bool:
        """Whether someone is there to answer a question."""
        return self.stdin.isatty() and self.stderr.isatty()

    def agrees(self, question: str) -> bool:
        """Ask the user. Anything but yes is a no."""
        self.stderr.write(f"{question} [y/N] ")
        self.stderr.flush()
        return self.stdin.readline().strip().lower() in {"y", "yes"}

    async def may_download(self, question: str) -> bool:
        """Return whether the user wants a download: agreed before, or asked now. If no one can be
        asked, it is a no.
        """
        return self.agreed or (self.answers and await asyncio.to_thread(self.agrees, question))

    def progress(self, what: str) -> None:
        """Show the progress `what`, replacing the previous one."""
        self.show(f"{one_line(what)}…" if what else "")

    def show(self, text: str) -> None:
        """Show `text`, replacing the previous one, if someone can see it."""
        if self.stderr.isatty():
            self.stderr.write(f"\r\x1b[K{text}")
            self.stderr.flush()

    def write(self, text: str) -> None:
        """Write untrusted `text` as the result of the command."""
        self.stdout.write(visible(text) if self.stdout.isatty() else text)
        self.stdout.write("" if text.endswith("\n") else "\n")
        self.stdout.flush()

    def write_json(self, value: Any) -> None:
        """Write `value` as one line of JSON."""
        plain = msgspec.to_builtins(value, enc_hook=str)
        self.stdout.write(msgspec.json.encode(plain).decode() + "\n")
        self.stdout.flush()

    def note(self, remarks: Iterable[object]) -> None:
        """Write `remarks`, one per line, separately from the command's result."""
        self.stderr.writelines(f"dogent-tui: {one_line(str(remark))}\n" for remark in remarks)


async def offer_browser(terminal: Terminal) -> None:
    """Offer to download a browser if there is none. Without it, another engine creates the pdf.
    Raises DocumentError.
    """
    from dogent_tui.documents.export.browser import find_browsers, install_browser

    if await asyncio.to_thread(find_browsers):
        return
    if await terminal.may_download(
        tr(
            "There is no browser on this computer that can print the pdf. Download one (about 100"
            " MB)?"
        )
    ):
        await install_browser(terminal.progress)
