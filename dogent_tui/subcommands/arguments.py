"""Arguments common to several commands: the folder, and the part of a long text."""

from pathlib import Path

from dogent_tui.arguments import CommandLine
from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.storage.paths import is_folder


def existing_folder(named: str | Path) -> Path:
    """Return the folder given by ``--workspace``. Raises UsageError if it does not exist."""
    folder = Path(named)
    if not is_folder(folder):
        raise UsageError(
            tr("There is no folder {folder}.", folder=folder),
            tr("Specify an existing folder with --workspace."),
        )
    return folder


def add_workspace(parser: CommandLine) -> None:
    """Add the argument for the folder whose settings apply."""
    parser.add_text("--workspace", "DIR", tr("the workspace (default: this folder)"), ".")


def add_part(parser: CommandLine, default_chars: int) -> None:
    """Add the arguments for the part of a text, in characters."""
    most = tr("at most N characters (default: {default_chars})", default_chars=default_chars)
    parser.add_argument("--max-chars", type=int, default=default_chars, metavar="N", help=most)
    parser.add_argument(
        "--offset", type=int, default=0, metavar="N", help=tr("start after N characters")
    )


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
