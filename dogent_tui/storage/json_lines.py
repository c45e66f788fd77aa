"""The line number of a key in a JSON file, for a user who has to correct it there."""

from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str, ...]
"""The keys that lead to a value, from the outside in."""


def line_of(file: Path, path: KeyPath) -> int:
    """Return the line of the key at `path` in the JSON `file`, counted from 1; 0 if it is not
    found. Never raises.
    """
    import yaml  # imported on use: only mistakes need it

    line = 0
    # JSON is YAML, which tells where things are, except for what YAML takes for a line break
    with suppress(
        OSError, ValueError, StopIteration, AttributeError, RecursionError, yaml.YAMLError
    ):
        text = file.read_text(encoding="utf-8-sig")
        plain = "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)
        node = yaml.compose(plain)
        for key in path:  # of a duplicate key the last one counts
            name, node = next(pair for pair in reversed(node.value) if pair[0].value == key)
            line = name.start_mark.line + 1
        return line
    return 0
