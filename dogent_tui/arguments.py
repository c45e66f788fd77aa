"""Argument parsers with help and errors in the language of the interface, including argparse's own
words.
"""

import argparse
import re
from typing import Any

from dogent_tui.language import tr
from dogent_tui.plain import columns_of

__all__ = ["CommandLine"]

_UNITS = re.compile(r"\s+|[“‘（]*(?:[!-~]+|[^\s!-~])[”’，。；：、？！）…]*")
"""Where a line may break: at white space, and after each non-Latin character with its
punctuation.
"""


# argparse's own words (Python 3.11 to 3.14), which it translates by this function; its default,
# gettext's, knows only the language of the system
vars(argparse)["_"] = tr
_OF_ARGPARSE = (
    tr("usage: "),
    tr("%(prog)s: error: %(message)s\n"),
    tr("argument %(argument_name)s: %(message)s"),
    tr("unrecognized arguments: %s"),
    tr("the following arguments are required: %s"),
    tr("expected one argument"),
    tr("not allowed with argument %s"),
    tr("ignored explicit argument %r"),
    tr("ambiguous option: %(option)s could match %(matches)s"),
    tr("invalid %(type)s value: %(value)r"),
    tr("invalid choice: %(value)r (choose from %(choices)s)"),
)


class CommandLine(argparse.ArgumentParser):
    """Like `argparse.ArgumentParser`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(add_help=False, formatter_class=_Help, **settings)
        self._placed = self.add_argument_group(tr("arguments"))
        self._named = self.add_argument_group(tr("options"))
        self.add_argument("-h", "--help", action="help", help=tr("show this help and exit"))

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        """Add an argument to its group in the help."""
        part = self._named if names[0].startswith("-") else self._placed
        return part.add_argument(*names, **settings)

    def add_flag(self, name: str, says: str) -> None:
        """Add a boolean option; `says` is its line in the help."""
        self.add_argument(name, action="store_true", help=says)

    def add_text(self, name: str, metavar: str, says: str, default: str = "") -> None:
        """Add an option that takes a text."""
        self.add_argument(name, default=default, metavar=metavar, help=says)

    def add_texts(self, name: str, metavar: str, says: str) -> None:
        """Add a repeatable option that takes a text."""
        self.add_argument(name, action="append", default=[], metavar=metavar, help=says)


class _Help(argparse.HelpFormatter):
    """Breaks lines by the display width of characters."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        lines = [""]
        for unit in _UNITS.findall(" ".join(text.split())):
            if columns_of(lines[-1] + unit.rstrip()) > width:
                lines.append("")
            lines[-1] += unit if lines[-1] else unit.lstrip()
        return [line.rstrip() for line in lines]

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in self._split_lines(text, width))


def add_profile(parser: CommandLine) -> None:
    """Add the option for the profile of a command's agent."""
    says = tr("a profile of ~/.dogent/claude.json, or “offline”")
    parser.add_text("--profile", "NAME", says)


def add_rights(parser: CommandLine) -> None:
    """Add the option for what a command's agent may do without asking."""
    says = tr("what the agent may do without asking, as with -p")
    parser.add_texts("--allow", "RULE", says)
    parser.add_flag("--trust", tr("trust what came with the folder, this time"))
