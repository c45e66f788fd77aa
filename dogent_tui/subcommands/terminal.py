"""What subcommands share: the user's terminal for output and questions, mostly about downloading
what is missing, and common arguments.
"""

import asyncio
from argparse import ArgumentTypeError
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

import msgspec

from dogent_tui.arguments import CommandLine
from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.plain import one_line, visible
from dogent_tui.records import to_json
from dogent_tui.storage.paths import is_file, is_folder, is_there

PATIENCE_S = 60.0
"""How long to wait for all that was wanted: no program asks for the rest by itself."""


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
        self.stdout.write(f"{to_json(value)}\n")
        self.stdout.flush()

    def note(self, remarks: Iterable[object]) -> None:
        """Write `remarks`, one per line, separately from the command's result."""
        self.stderr.writelines(f"dogent-tui: {one_line(str(remark))}\n" for remark in remarks)


def run_command(name: str, arguments: Sequence[str], terminal: Terminal) -> int:
    """Run the command `name` with its `arguments`, and return the exit status."""
    command = import_module(f"dogent_tui.subcommands.{name}")
    about = {"description": command.DESCRIPTION, "epilog": command.EPILOG}
    parser = CommandLine(prog=f"dogent-tui {name}", **about)
    command.add_arguments(parser)
    status: int = command.run(parser.parse_args(arguments), terminal)
    return status


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


def existing_folder(named: str | Path) -> Path:
    """Return the folder to work in. Raises UsageError if it does not exist."""
    folder = Path(named)
    if is_file(folder):
        raise UsageError(
            tr("{folder} is a file, not a folder.", folder=folder),
            tr("Specify the folder that it is in."),
        )
    if not is_folder(folder):
        raise UsageError(
            tr("There is no folder {folder}.", folder=folder),
            tr("Specify an existing folder, or create it first."),
        )
    return folder


def existing_file(named: str) -> Path:
    """Return the absolute path of the file to work on. Raises UsageError if nothing has this
    name.
    """
    if not is_there(named):
        raise UsageError(
            tr("There is no file {path}.", path=one_line(named)),
            tr("Check the name and the folder."),
        )
    return Path(named).absolute()


def add_workspace(parser: CommandLine) -> None:
    """Add the argument for the folder whose settings apply."""
    parser.add_text("--workspace", "DIR", tr("the workspace (default: this folder)"), ".")


def add_part(parser: CommandLine, default_chars: int) -> None:
    """Add the arguments for the part of a text, in characters."""
    most = tr("at most N characters (default: {default_chars})", default_chars=default_chars)
    parser.add_argument(
        "--max-chars", type=partial(_at_least, 1), default=default_chars, metavar="N", help=most
    )
    parser.add_argument(
        "--offset",
        type=partial(_at_least, 0),
        default=0,
        metavar="N",
        help=tr("start after N characters"),
    )


def _at_least(least: int, typed: str) -> int:
    if not typed.isdecimal() or int(typed) < least:
        raise ArgumentTypeError(
            tr("a number from {least} on, not {typed}", least=least, typed=typed)
        )
    return int(typed)


def around_part(total_chars: int | None, next_offset: int | None) -> tuple[str, str]:
    """Return the continuation of a part's position: the total number of characters, and where the
    next part begins; either may be empty.
    """
    of = tr(" of {total_chars}", total_chars=total_chars) if total_chars is not None else ""
    more = (
        tr("; continue with --offset {next_offset}", next_offset=next_offset)
        if next_offset is not None
        else ""
    )
    return of, more
