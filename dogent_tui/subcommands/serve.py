"""`dogent-tui serve`: the agent for pages, over HTTP on this machine."""

import re
from argparse import ArgumentTypeError, Namespace
from pathlib import Path

from dogent_tui.agent.session import SessionOptions
from dogent_tui.arguments import CommandLine, add_profile, add_rights
from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.processes import guard_children
from dogent_tui.subcommands.terminal import Terminal, existing_folder

DESCRIPTION = tr(
    "Offer the agent to pages on this machine: the endpoint that the AI SDK speaks to, and"
    " a page of its own."
)
EPILOG = tr(
    "Only this machine is served, and only with the token. Exit status: 0 ended, 1 cannot"
    " serve, 2 usage."
)
_ORIGIN = re.compile(r"https?://(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?/?", re.IGNORECASE)


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help=tr("the folder to work in"),
    )
    parser.add_argument(
        "--port", type=_port, default=0, metavar="N", help=tr("the port (default: a free one)")
    )
    parser.add_texts("--origin", "URL", tr("a page elsewhere that may use it; repeatable"))
    add_profile(parser)
    parser.add_argument(
        "--tools",
        choices=("consent", "all"),
        default="consent",
        help=tr("consent: tools that ask each time (default); all: what the application offers"),
    )
    add_rights(parser)
    parser.add_flag("--json", tr('print one line {"url": …, "token": …}'))


def _port(typed: str) -> int:
    if not typed.isdecimal() or int(typed) > 65535:
        raise ArgumentTypeError(tr("a port is a number from 0 to 65535, not {typed}", typed=typed))
    return int(typed)


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Serve until the process is told to end, and return the exit status. Raises UsageError,
    OSError.
    """
    folder = existing_folder(chosen.folder)
    options = SessionOptions(
        chosen.profile,
        allow=tuple(chosen.allow),
        trust=chosen.trust,
        consent=chosen.tools == "consent",
    )
    origins = [_origin(each) for each in chosen.origin]

    def say(url: str, token: str, code: str) -> None:
        if chosen.json:
            terminal.write_json({"url": url, "token": token})
            return
        lines = (
            tr("Serving {folder} on this machine only.", folder=folder.resolve()),
            tr("Page, opens once: {address}", address=f"{url}/#{code}"),
            tr("Endpoint: {address}", address=f"{url}/api/chat"),
            tr("Token: {token}", token=token),
            tr("Ctrl+C ends it."),
        )
        print("\n".join(lines), file=terminal.stdout, flush=True)

    guard_children()
    from dogent_tui.faces.http import serve

    serve(folder, options, chosen.port, origins, say)
    return 0


def _origin(given: str) -> str:
    """Return an origin as browsers send it. Raises UsageError."""
    if not _ORIGIN.fullmatch(given):
        raise UsageError(
            tr("{given} is not an origin.", given=given),
            tr("Write it as https://notes.example."),
        )
    return given.lower().rstrip("/")
