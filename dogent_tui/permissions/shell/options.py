"""Command lines as getopt reads them: options with and without values, operands in between."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from dogent_tui.permissions.shell.words import Field


@dataclass(frozen=True)
class Parsed:
    """Options in order, each with its value if it takes one, and the operands."""

    options: list[tuple[str, Field | None]] = field(default_factory=list)
    operands: list[Field] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Return whether any of these options is there; long ones also match when cut short."""
        return any(_names(given, name) for given, _ in self.options for name in names)

    def values(self, *names: str) -> list[Field]:
        """Return the values that these options have, in order."""
        return [value for given, value in self.options if value is not None and any(_names(given, name) for name in names)]


def _names(given: str, name: str) -> bool:
    return given == name or (given.startswith("--") and len(given) > 3 and name.startswith(given))


def parse(args: list[Field], valued: Collection[str] = (), *, stop_at_operand: bool = False, words: bool = False) -> Parsed:
    """Read a command line. `valued`: the options that take a value (`-o`, `--output`).

    One that ends with `?` takes a value only after an equals sign (`--color=never`), never the next word.

    `stop_at_operand`: the first operand ends the options (`env`, `xargs`, `sudo`). `words`: an option with one dash is one
    word (`find -name`), not a cluster of letters.
    """
    found = Parsed()
    rest = iter(args)
    for arg in rest:
        if arg.text == "--":
            found.operands.extend(rest)
        elif not arg.text.startswith("-") or arg.text == "-":
            found.operands.append(arg)
            if stop_at_operand:
                found.operands.extend(rest)
        elif arg.text.startswith("--") or words:
            _long(arg, rest, valued, found)
        else:
            _cluster(arg, rest, valued, found)
    return found


def _long(arg: Field, rest: Iterator[Field], valued: Collection[str], found: Parsed) -> None:
    name, equals, value = arg.text.partition("=")
    if equals:
        found.options.append((name, replace(arg, text=value)))
    else:
        found.options.append((name, next(rest, None) if _takes(name, valued) else None))


def _takes(name: str, valued: Collection[str]) -> bool:
    return name in valued or (
        len(name) > 3 and name.startswith("--") and any(known.startswith(name) and not known.endswith("?") for known in valued)
    )


def _cluster(arg: Field, rest: Iterator[Field], valued: Collection[str], found: Parsed) -> None:
    letters = arg.text[1:]
    for index, letter in enumerate(letters):
        name = "-" + letter
        if name in valued:
            attached = letters[index + 1 :]
            found.options.append((name, replace(arg, text=attached) if attached else next(rest, None)))
            return
        found.options.append((name, None))
