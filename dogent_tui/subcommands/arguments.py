"""What several commands take and say alike: the folder, and the part of a long text."""

from pathlib import Path

from dogent_tui.arguments import CommandLine
from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.storage.paths import is_folder


def existing_folder(named: str | Path) -> Path:
    """Return the folder that is meant by ``--workspace``. Raises UsageError where there is none."""
    folder = Path(named)
    if not is_folder(folder):
        raise UsageError(
            tr("There is no folder {folder}.", folder=folder),
            tr("Specify an existing folder with --workspace."),
        )
    return folder


def add_workspace(parser: CommandLine) -> None:
    """Have `parser` take the folder whose settings hold."""
    parser.add_text("--workspace", "DIR", tr("the workspace (default: this folder)"), ".")


def add_part(parser: CommandLine, default_chars: int) -> None:
    """Have `parser` take which part of a text is wanted, in characters."""
    most = tr("at most N characters (default: {default_chars})", default_chars=default_chars)
    parser.add_argument("--max-chars", type=int, default=default_chars, metavar="N", help=most)
    parser.add_argument(
        "--offset", type=int, default=0, metavar="N", help=tr("start after N characters")
    )


def around_part(total_chars: int | None, next_offset: int | None) -> tuple[str, str]:
    """Return how the place of a part continues: of how many characters it is, and where the next
    one begins; each may be empty.
    """
    of = tr(" of {total_chars}", total_chars=total_chars) if total_chars is not None else ""
    more = (
        tr("; continue with --offset {next_offset}", next_offset=next_offset)
        if next_offset is not None
        else ""
    )
    return of, more
