"""`dogent-tui schema`: the JSON Schema of a configuration file, for an editor."""

from argparse import Namespace

from dogent_tui.arguments import CommandLine
from dogent_tui.language import tr
from dogent_tui.settings.json_schemas import NAMES, schema_file
from dogent_tui.subcommands.terminal import Terminal

DESCRIPTION = tr(
    "Print the JSON Schema of a configuration file; without a name, show where the schemas are."
)
EPILOG = tr(
    'Add that address to the file as "$schema", and your editor completes keys and marks'
    " mistakes. “dogent” is for a folder's .dogent/dogent.json, “home” for"
    " ~/.dogent/dogent.json. Exit status: 0 printed, 2 usage."
)


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument("name", nargs="?", choices=NAMES, metavar="NAME", help=", ".join(NAMES))


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Print the given schema, or the location of all schemas, and return the exit status."""
    if chosen.name:
        terminal.stdout.write(schema_file(chosen.name).read_text(encoding="utf-8"))
    else:
        terminal.stdout.writelines(f"{name:<8} {schema_file(name).as_uri()}\n" for name in NAMES)
    return 0
