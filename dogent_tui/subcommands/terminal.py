"""Where a user who typed a command is, and what is asked there: mostly, whether to download what
is missing.
"""

import asyncio
from typing import TextIO

import msgspec

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import is_pandoc_missing
from dogent_tui.language import tr
from dogent_tui.plain import one_line


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
        if self.stderr.isatty():
            self.stderr.write(f"\r\x1b[K{one_line(what)}{'…' if what else ''}")
            self.stderr.flush()


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


async def offer_pandoc(terminal: Terminal, error: DocumentError) -> bool:
    """Where there being no pandoc is why `error` came: offer to download it. Returns whether it is
    here now.

    Raises DocumentError where it cannot be downloaded.
    """
    if not await asyncio.to_thread(is_pandoc_missing, error):
        return False
    from dogent_tui.documents.pandoc.download import MEGABYTES, VERSION, install_pandoc

    question = tr(
        "{message} Download pandoc {version} (about {megabytes} MB) from github.com?",
        message=error.message,
        version=VERSION,
        megabytes=MEGABYTES,
    )
    if not await terminal.may_download(question):
        return False
    try:
        await install_pandoc(terminal.progress)
    finally:
        terminal.progress("")
    return True
