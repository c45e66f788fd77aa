"""`dogent-tui doctor`: what is available and what is missing. The checks are in
`agent/doctor.py`.
"""

import asyncio
import platform
from argparse import Namespace

from msgspec.structs import replace

from dogent_tui import __version__
from dogent_tui.agent.doctor import as_text, examine
from dogent_tui.arguments import CommandLine
from dogent_tui.errors import outside_app
from dogent_tui.language import tr
from dogent_tui.storage.paths import Workspace
from dogent_tui.subcommands.terminal import Terminal, add_workspace, existing_folder

DESCRIPTION = tr(
    "Show the engines and their versions, the files in use, and how to fix what is missing."
)
EPILOG = tr("Exit status: 0 all good, 1 something is missing or broken, 2 usage.")


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    add_workspace(parser)
    parser.add_flag("--json", tr("print one JSON object"))


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Examine everything, write the findings, and return the exit status: 1 if something required
    is missing.
    """
    folder = existing_folder(chosen.workspace)
    findings = [
        replace(finding, remedy=outside_app("", finding.remedy))
        for finding in asyncio.run(examine(Workspace(folder)))
    ]
    if chosen.json:
        about = {
            "dogent_tui": __version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
        }
        terminal.write_json({**about, "findings": findings})
    else:
        terminal.stdout.write(as_text(findings))
    return 1 if any(finding.state in {"missing", "broken"} for finding in findings) else 0
