"""Where a user who typed a command is: what is written there, and what is asked, mostly whether to
download what is missing.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, TextIO

import msgspec

from dogent_tui.language import tr
from dogent_tui.plain import one_line, visible


class Terminal(msgspec.Struct, frozen=True):
    """Where a user is, or is not: a question can be asked only where all three are a terminal.

    `agreed`: the user said with the command that what is missing may be downloaded.
    """

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    agreed: bool = False

    @property
    def answers(self) -> bool:
        """Whether somebody is there to answer a question."""
        return self.stdin.isatty() and self.stderr.isatty()

    def agrees(self, question: str) -> bool:
        """Ask the user. Anything but yes is a no."""
        self.stderr.write(f"{question} [y/N] ")
        self.stderr.flush()
        return self.stdin.readline().strip().lower() in {"y", "yes"}

    async def may_download(self, question: str) -> bool:
        """Whether the user wants a download: said before, or asked now. Where nobody can be
        asked, it is a no.
        """
        return self.agreed or (self.answers and await asyncio.to_thread(self.agrees, question))

    def progress(self, what: str) -> None:
        """Show `what` happens, in the place of what was shown before."""
        self.show(f"{one_line(what)}…" if what else "")

    def show(self, text: str) -> None:
        """Show `text` in the place of what was shown before, where somebody sees it."""
        if self.stderr.isatty():
            self.stderr.write(f"\r\x1b[K{text}")
            self.stderr.flush()

    def write(self, text: str) -> None:
        """Write `text`, which others wrote, as what the command was asked for."""
        self.stdout.write(visible(text) if self.stdout.isatty() else text)
        self.stdout.write("" if text.endswith("\n") else "\n")
        self.stdout.flush()

    def write_json(self, value: Any) -> None:
        """Write `value` as one line of JSON."""
        plain = msgspec.to_builtins(value, enc_hook=str)
        self.stdout.write(msgspec.json.encode(plain).decode() + "\n")
        self.stdout.flush()

    def note(self, remarks: Iterable[object]) -> None:
        """Write `remarks`, one a line, beside what the command was asked for."""
        self.stderr.writelines(f"dogent-tui: {one_line(str(remark))}\n" for remark in remarks)


async def offer_browser(terminal: Terminal) -> None:
    """Where no browser is here: offer to download one. Without it, another engine sets a pdf.
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
