"""`dogent-tui analyze`: what a picture or a video shows, without an agent."""

import asyncio
from argparse import Namespace

from dogent_tui.arguments import CommandLine
from dogent_tui.language import tr
from dogent_tui.plain import visible
from dogent_tui.settings.home_files import ensure_home_files
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.subcommands.terminal import Terminal, add_workspace, existing_file, existing_folder
from dogent_tui.vision.look import look_at
from dogent_tui.vision.model import Analysis
from dogent_tui.vision.profiles import DEFAULT_PROFILE

DESCRIPTION = tr(
    "Describe an image or a video. It is sent to the vision model of a profile in"
    " ~/.dogent/vision.json."
)
EPILOG = tr("Exit status: 0 done, 1 cannot be analyzed, 2 usage, 14 interrupted.")


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument("file", metavar="FILE", help=tr("the image or video"))
    parser.add_argument(
        "--type",
        choices=("image", "video"),
        help=tr("its type (default: detected from its content)"),
    )
    parser.add_text("--profile", "NAME", tr("a profile of vision.json (default: the workspace's)"))
    add_workspace(parser)
    parser.add_flag("--json", tr('print one JSON object: {"summary", "tags", "text"}'))


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Analyze the given file, print the result, and return the exit status.

    Raises VisionError, UsageError for the command line, and ConfigError if the profiles cannot
    be created.
    """
    file, folder = existing_file(chosen.file), existing_folder(chosen.workspace)
    home = dogent_home()
    ensure_home_files(home)
    profile = (
        chosen.profile or load_settings(Workspace(folder))[0].vision_profile or DEFAULT_PROFILE
    )
    terminal.show(tr("Asking {profile}…", profile=visible(profile)))
    try:
        seen = asyncio.run(look_at(file, profile, home, chosen.type))
    finally:
        terminal.show("")
    if chosen.json:
        terminal.write_json(seen)
    else:
        terminal.write(_as_text(seen))
    return 0


def _as_text(seen: Analysis) -> str:
    parts = [seen.summary.strip()]
    if seen.tags:
        parts.append(tr("Tags: {tags}", tags=", ".join(seen.tags)))
    if seen.text.strip():
        parts.append(f"Text:\n{seen.text.strip()}")
    return "\n\n".join(parts)
