"""`dogent-tui schema`: the JSON Schema of a configuration file, for an editor."""

from collections.abc import Sequence

from dogent_tui.arguments import CommandLine
from dogent_tui.language import tr
from dogent_tui.settings.json_schemas import NAMES, schema_file
from dogent_tui.subcommands.terminal import Terminal


def run(arguments: Sequence[str], terminal: Terminal) -> int:
    """Write the schema given by `arguments`, or the folder of all schemas, and return the exit
    status.
    """
    chosen = _parser().parse_args(arguments)
    if chosen.name:
        terminal.stdout.write(schema_file(chosen.name).read_text(encoding="utf-8"))
    else:
        terminal.stdout.writelines(f"{name:<8} {schema_file(name).as_uri()}\n" for name in NAMES)
    return 0


def _parser() -> CommandLine:
    parser = CommandLine(
        prog="dogent-tui schema",
        description=tr(
            "Print the JSON Schema of a configuration file; without a name, show where the schemas"
            " are."
        ),
        epilog=tr(
            'Add that address to the file as "$schema", and your editor completes keys and marks'
            " mistakes. “dogent” is for a folder's .dogent/dogent.json, “home” for"
            " ~/.dogent/dogent.json. Exit status: 0 printed, 2 usage."
        ),
    )
    parser.add_argument("name", nargs="?", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    return parser
