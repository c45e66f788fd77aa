"""The command line: from arguments to the application or print mode. Nothing is imported before it
is needed.
"""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from dogent_tui.language import choose, tr

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from dogent_tui.agent.launch import AnsweredBy
    from dogent_tui.agent.session import OpenedSession

USAGE_ERROR = 2
"""Exit status for an invalid command line (SPEC 7)."""

INTERRUPTED = 14
"""Exit status after Ctrl+C, as when it interrupts a run in print mode."""

_MAX_PIPED_BYTES = 8 * 1024 * 1024
"""The maximum size of print mode's stdin: far beyond any context window, and still no risk for
memory.
"""


_COLLECTED_AFTER = (60_000, 20, 20)
"""The thresholds of Python's garbage collector. The defaults cost a fifth of the time for importing
the SDK, and twenty collections per change of theme.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run dogent-tui with `argv` and return the exit status."""
    gc.set_threshold(*_COLLECTED_AFTER)
    _open_closed_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:  # answered before argparse is imported
        from dogent_tui import __version__

        print(f"dogent-tui {__version__}")
        return 0
    _settle_home()
    _settle_language()
    options = None if arguments and arguments[0] in _SUBCOMMANDS else _parsed(arguments)
    import os

    from dogent_tui.errors import DogentError, UsageError, outside_app, reason_of

    try:
        if options is not None or not {"-h", "--help"}.intersection(arguments):
            _must_have_folders()
        if options is None:
            return _subcommand(arguments[0], arguments[1:])
        return _print(options) if options.print is not None else _app(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has enough
        for stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return 1
    except (DogentError, OSError) as error:
        from dogent_tui.plain import visible

        told = reason_of(error)
        if isinstance(error, DogentError):
            told = outside_app(error.message, error.remedy)
        print(visible(f"dogent-tui: {told}"), file=sys.stderr)
        return USAGE_ERROR if isinstance(error, UsageError) else 1


def _open_closed_streams() -> None:
    """Let standard streams that the caller closed lead nowhere: the next file opened would take
    their place.
    """
    import os

    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _parser() -> argparse.ArgumentParser:
    from dogent_tui import __version__
    from dogent_tui.arguments import CommandLine, add_profile

    parser = CommandLine(
        prog="dogent-tui",
        description=tr(
            "Write documents together with an AI agent, in a full-screen terminal application."
        ),
        epilog=tr(
            "“dogent-tui read FILE” writes a pdf, docx, xlsx or other document as Markdown."
            " “dogent-tui export FILE.md --to pdf|docx” makes a finished document. “dogent-tui"
            " analyze FILE” describes an image or a video. “dogent-tui check FILE.md” checks"
            " quotes, numbers and citations against their sources. “dogent-tui doctor” shows what"
            " is installed and what is missing. “dogent-tui schema” gives your editor the JSON"
            " Schemas of the configuration files. “dogent-tui search QUERY” and “dogent-tui fetch"
            " URL” do what the agent does on the web. “dogent-tui explain” shows what would be"
            " decided about a tool call, and why. “dogent-tui serve” offers the agent to pages on"
            " this machine, and “dogent-tui acp” to editors. Exit status with -p: 0 completed, 1"
            " failed, 2 usage, 10 permission needed or denied, 11 clarification needed, 12 outline"
            " edit needed, 14 interrupted."
        ),
    )
    parser.add_argument(
        "placed",
        nargs="*",
        metavar="FOLDER",
        help=tr("the folder to work in (default: the current one)"),
    )
    parser.add_flag(
        "--sample", tr("work in a folder of sample documents: FOLDER, or ~/dogent-sample")
    )
    add_profile(parser)
    parser.add_argument(
        "-c",
        "--continue",
        dest="resume",
        action="store_true",
        help=tr("resume the last conversation in this folder"),
    )
    parser.add_argument(
        "-r",
        "--resume",
        dest="session",
        nargs="?",
        const="",
        metavar="ID",
        help=tr(
            "resume a conversation by its id or the start of its id, in its own folder; without an"
            " id, choose one"
        ),
    )
    parser.add_argument(
        "-p",
        "--print",
        nargs="?",
        const="",
        metavar="PROMPT",
        help=tr("run one prompt without a screen and print the result"),
    )
    parser.add_argument(
        "--output-format",
        choices=("text", "json", "stream-json"),
        default="text",
        help=tr("what -p prints (default: text)"),
    )
    parser.add_texts(
        "--allow",
        "RULE",
        tr(
            "what the agent may do without asking, as KIND:PLACE (read, create, change, write,"
            " delete, move, run; a folder with / at its end means all that is in it),"
            " network:TOOL/HOST or use:TOOL (one that looks through documents, such as"
            " use:list_file_tree); repeatable, for example --allow delete:chapters/old.md"
        ),
    )
    parser.add_argument(
        "--answers",
        metavar="FILE",
        help=tr(
            'with -p, answers to the agent\'s questions: JSON, question id → value, or {"outline":'
            ' "…"}; with --continue and no prompt, they answer the last questions'
        ),
    )
    parser.add_flag(
        "--trust",
        tr("trust what came with the folder (.dogent, .claude) this time, without asking"),
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"dogent-tui {__version__}",
        help=tr("show the version and exit"),
    )
    return parser


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the parsed `arguments`, even with other options between ``-p`` and its prompt."""
    import os

    parser = _parser()
    # argparse would otherwise cut what it takes for its own "usage: " off ours.
    parser.usage = parser.format_usage().removeprefix(tr("usage: ")).strip()
    options = parser.parse_intermixed_args(arguments)
    placed = options.placed
    if (
        options.print == ""
        and placed
        and not os.path.isdir(placed[-1])  # noqa: PTH112 — on start
        and not _is_path(placed[-1])
    ):
        options.print = placed.pop()
    if len(placed) > 1:
        parser.error(f"unrecognized arguments: {' '.join(placed[1:])}")
    options.workspace = placed[0] if placed else "."
    return options


def _is_path(text: str) -> bool:
    return "/" in text and not any(character.isspace() for character in text)


def _open(options: argparse.Namespace) -> OpenedSession:
    from pathlib import Path

    from dogent_tui.agent.session import SessionOptions, open_session
    from dogent_tui.processes import guard_children
    from dogent_tui.storage.paths import Workspace
    from dogent_tui.subcommands.terminal import existing_folder

    folder = _sample_folder(options) if options.sample else Path(options.workspace)
    resume = ""
    if options.session:
        resume, folder = _wanted_session(options.session, folder, given=options.workspace != ".")
    place = Workspace(existing_folder(folder))
    answered_by: AnsweredBy = (
        "user" if options.print is None else "nobody" if options.answers is None else "file"
    )
    chosen = SessionOptions(
        options.profile,
        options.resume,
        tuple(options.allow),
        trust=options.trust,
        answered_by=answered_by,
        resume=resume,
    )
    guard_children()
    return open_session(place, chosen)


def _wanted_session(wanted: str, folder: Path, *, given: bool) -> tuple[str, Path]:
    """Return the id of the requested conversation and its folder. Raises UsageError."""
    from pathlib import Path

    from dogent_tui.errors import UsageError
    from dogent_tui.storage.sessions import find_session

    record = find_session(wanted)
    if record is None:
        raise UsageError(
            tr("There is no conversation {wanted}.", wanted=wanted),
            tr("Run “dogent-tui FOLDER --resume” to choose one from that folder."),
        )
    held_in = Path(record.workspace) if record.workspace else folder
    if given and held_in != folder.resolve():
        raise UsageError(
            tr("The conversation {wanted} belongs to {held_in}.", wanted=wanted, held_in=held_in),
            tr("Omit the folder."),
        )
    return record.session_id, held_in


def _sample_folder(options: argparse.Namespace) -> Path:
    """Return the sample's folder: the given one, or the default, which is confirmed before it is
    created.
    """
    from pathlib import Path

    from dogent_tui.plain import OBEYED
    from dogent_tui.sample import SAMPLE, copy_sample

    usual = Path(SAMPLE).expanduser()
    if options.workspace != ".":
        return copy_sample(Path(options.workspace))
    if (
        options.print is not None
        or usual.is_dir()
        or not (sys.stdin.isatty() and sys.stdout.isatty())
    ):
        return copy_sample(usual)
    question = tr("Folder for the sample documents [{usual}]: ", usual=SAMPLE)
    try:
        named = input(question).strip()
        while OBEYED.search(named):  # an arrow or Escape was pressed, which is no name
            named = input(question).strip()
    except (EOFError, KeyboardInterrupt):
        print()
        sys.exit(130)
    return copy_sample(Path(named).expanduser() if named else usual)


def _print(options: argparse.Namespace) -> int:
    import asyncio

    from dogent_tui.print_mode import PrintRequest, run_print

    if options.session == "":
        print(tr("dogent-tui: with -p, --resume needs the id of a conversation."), file=sys.stderr)
        return USAGE_ERROR
    _never_fail_to_print()
    piped = "" if sys.stdin is None or sys.stdin.isatty() else _read_stdin()
    answers = _read_answers(options.answers) if options.answers is not None else None
    continues = options.resume or options.session
    if not options.print.strip() and not piped.strip() and not (continues and answers is not None):
        print(
            tr("dogent-tui: -p needs a prompt, as an argument or on standard input."),
            file=sys.stderr,
        )
        return USAGE_ERROR
    request = PrintRequest(options.print, piped, options.output_format, answers)
    return asyncio.run(run_print(_open(options), request, sys.stdout, sys.stderr))


def _read_answers(name: str) -> dict[str, object]:
    import json
    from pathlib import Path

    from dogent_tui.errors import UsageError, disk_remedy

    try:
        answers = json.loads(Path(name).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        reason, remedy = str(error), tr('Write {"question id": "value"}.')
        if isinstance(error, OSError):
            reason, remedy = error.strerror or reason, disk_remedy(error)
        raise UsageError(
            tr("The answers in {name} cannot be read: {error}.", name=name, error=reason),
            remedy,
        ) from error
    if not isinstance(answers, dict):
        raise UsageError(
            tr("The answers in {name} are not a JSON object.", name=name),
            tr('Write {"question id": "value"}.'),
        )
    return answers


def _never_fail_to_print() -> None:
    """Write characters missing from the terminal's encoding as escapes."""
    import io

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _subcommand(name: str, arguments: Sequence[str]) -> int:
    from dogent_tui.subcommands.terminal import Terminal, run_command

    _never_fail_to_print()
    return run_command(name, arguments, Terminal(sys.stdin, sys.stdout, sys.stderr))


_SUBCOMMANDS = (
    "acp",
    "analyze",
    "check",
    "doctor",
    "explain",
    "export",
    "fetch",
    "read",
    "schema",
    "search",
    "serve",
)
"""What is done without the application. A folder with such a name is ``./read``."""


def _read_stdin() -> str:
    from dogent_tui.errors import DogentError

    data = sys.stdin.buffer.read(_MAX_PIPED_BYTES + 1)
    if len(data) > _MAX_PIPED_BYTES:
        raise DogentError(
            tr("Standard input is larger than 8 MB."),
            tr("Put it into a file in the workspace and refer to it with @."),
        )
    return data.decode("utf-8", errors="replace")


def _app(options: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(
            tr("dogent-tui: the full screen needs a terminal; without one, use -p PROMPT."),
            file=sys.stderr,
        )
        return USAGE_ERROR
    import os

    from dogent_tui.errors import UsageError

    if (term := os.environ.get("TERM")) in ("dumb", "unknown"):
        raise UsageError(
            tr(
                "The full screen needs a terminal with a movable cursor; TERM is “{term}”.",
                term=term,
            ),
            tr("Use -p PROMPT, or give TERM the name of your terminal, such as xterm."),
        )
    from dogent_tui.tui.terminal_app import run_app

    return run_app(_open(options), choose=options.session == "")


def _settle_home() -> None:
    """Treat a home that is not an absolute path, such as an empty one, as not given: files would be
    created in the current folder.
    """
    import os

    if not os.environ.get("HOME", "/").startswith("/") and os.name == "posix":
        del os.environ["HOME"]


def _must_have_folders() -> None:
    """Raise ConfigError if the current folder was deleted, or if neither the environment nor the
    system knows a home folder, as in a container that runs under a number without a name.
    """
    import os

    from dogent_tui.errors import ConfigError

    try:
        os.getcwd()  # noqa: PTH109 — on start
    except FileNotFoundError:
        raise ConfigError(
            tr("The folder you are in was deleted."), tr("Change to another one with cd.")
        ) from None
    if os.path.expanduser("~") == "~":  # noqa: PTH111 — Path.home raises what is no sentence
        raise ConfigError(
            tr("No home folder is known: HOME is not set, and this user has no account here."),
            tr("Set HOME to a folder of yours: export HOME=/path/to/folder"),
        )


def _settle_language() -> None:
    """Set the language from the settings before anything is imported: constants contain messages.

    The file is therefore read without the settings package, which takes a while to load and reports
    errors in it later.
    """
    import json
    import os

    home = os.path.expanduser(os.environ.get("DOGENT_HOME", "").strip() or "~/.dogent")  # noqa: PTH111
    try:
        with open(f"{home}/dogent.json", encoding="utf-8-sig") as file:  # noqa: PTH123
            settings = json.load(file)
    except (OSError, ValueError, RecursionError):
        return
    named = settings.get("language") if isinstance(settings, dict) else None
    choose(named if isinstance(named, str) else "")


if __name__ == "__main__":
    sys.exit(main())
