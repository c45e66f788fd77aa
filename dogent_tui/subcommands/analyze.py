"""`dogent-tui analyze`: what a picture or a video shows, by hand and without an agent."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import msgspec

from dogent_tui.arguments import CommandLine
from dogent_tui.language import tr
from dogent_tui.plain import visible
from dogent_tui.settings.profiles import ensure_home_files
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.subcommands.arguments import existing_folder
from dogent_tui.vision.look import look_at
from dogent_tui.vision.model import Analysis
from dogent_tui.vision.profiles import DEFAULT_PROFILE

INTERRUPTED = 14
"""Exit status, as in print mode."""


def run_analyze(arguments: Sequence[str], stdout: TextIO, stderr: TextIO) -> int:
    """Have the file that `arguments` name looked at, write what it shows to `stdout`, and return
    the exit status.

    Raises VisionError, and ConfigError where the profiles cannot be made.
    """
    chosen = _parser().parse_args(arguments)
    folder = existing_folder(chosen.workspace)
    home = dogent_home()
    ensure_home_files(home)
    profile = (
        chosen.profile or load_settings(Workspace(folder))[0].vision_profile or DEFAULT_PROFILE
    )
    if stderr.isatty():
        stderr.write(tr("Asking {profile}…", profile=visible(profile)))
        stderr.flush()
    try:
        seen = asyncio.run(look_at(Path(chosen.file).absolute(), profile, home, chosen.type))
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if stderr.isatty():
            stderr.write("\r\x1b[K")
    if chosen.json:
        stdout.write(msgspec.json.encode(seen).decode() + "\n")
    else:
        stdout.write(visible(_as_text(seen)) if stdout.isatty() else _as_text(seen))
    stdout.flush()
    return 0


def _as_text(seen: Analysis) -> str:
    parts = [seen.summary.strip()]
    if seen.tags:
        parts.append(tr("Tags: {tags}", tags=", ".join(seen.tags)))
    if seen.text.strip():
        parts.append(f"Text:\n{seen.text.strip()}")
    return "\n\n".join(parts) + "\n"


def _parser() -> CommandLine:
    parser = CommandLine(
        prog="dogent-tui analyze",
        description=tr(
            "Describe an image or a video. It is sent to the vision model of a profile in"
            " ~/.dogent/vision.json."
        ),
        epilog=tr("Exit status: 0 done, 1 cannot be analyzed, 2 usage, 14 interrupted."),
    )
    parser.add_argument("file", metavar="FILE", help=tr("the image or video"))
    parser.add_argument(
        "--type",
        choices=("image", "video"),
        help=tr("its type (default: detected from its content)"),
    )
    parser.add_argument(
        "--profile",
        default="",
        metavar="NAME",
        help=tr("a profile of vision.json (default: the workspace's)"),
    )
    parser.add_argument(
        "--workspace", default=".", metavar="DIR", help=tr("the workspace (default: this folder)")
    )
    parser.add_argument(
        "--json", action="store_true", help=tr('print one JSON object: {"summary", "tags", "text"}')
    )
    return parser
