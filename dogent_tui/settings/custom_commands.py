"""Commands written in Markdown by the user, or in a trusted workspace: ``.claude/commands/*.md``,
as in Claude Code.

The file is a prompt. ``$ARGUMENTS`` in it is replaced by what was typed after the name, ``$1`` to
``$9`` by its words; if it has neither, what was typed follows it. A front matter may give
``description`` and ``argument-hint``. A file in a folder is ``/folder:name``. Its other features
are not supported: nothing in it runs, and it cannot allow tools.
"""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.storage.files import first_text
from dogent_tui.storage.paths import Workspace

_MOST_BYTES = 200_000
_MOST_FILES = 500
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*\n", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(description|argument-hint):[ \t]*(.*)$", re.MULTILINE)
_SLOT = re.compile(r"\$(ARGUMENTS|[1-9])(?!\w)")
_NAME = re.compile(r"[\w.-]+(?::[\w.-]+)*\Z")


class CustomCommand(Record):
    """A command: its name, its description, and its prompt."""

    name: str
    description: str
    argument: str
    prompt: str
    of_workspace: bool

    def filled_in(self, typed: str) -> str:
        """Return the prompt with what was `typed` after the name."""
        words = _words(typed)

        def fill(slot: re.Match[str]) -> str:
            if slot[1] == "ARGUMENTS":
                return typed
            place = int(slot[1]) - 1
            return words[place] if place < len(words) else ""

        filled, slots = _SLOT.subn(fill, self.prompt)
        return filled if slots or not typed else f"{filled.rstrip()}\n\n{typed}"


def custom_commands(workspace: Workspace, home: Path, *, trusted: bool) -> list[CustomCommand]:
    """Return the commands of the user's `home` folder and, if it is `trusted`, of the workspace,
    which take precedence.
    """
    found = {command.name: command for command in _in_folder(home / ".claude" / "commands", None)}
    if trusted:
        found |= {
            command.name: command
            for command in _in_folder(workspace.root / ".claude" / "commands", workspace)
        }
    return sorted(found.values(), key=lambda command: command.name)


def _in_folder(folder: Path, inside: Workspace | None) -> Iterator[CustomCommand]:
    for path in command_files(folder):
        name = path.relative_to(folder).with_suffix("").as_posix().replace("/", ":")
        if not _NAME.match(name) or (inside is not None and not inside.contains(path)):
            continue
        try:
            text = first_text(path, _MOST_BYTES).replace("\r\n", "\n")
        except OSError:
            continue
        yield _command(name, text, of_workspace=inside is not None)


def command_files(folder: Path) -> Iterator[Path]:
    """Yield the files in the folder whose names make them commands."""
    files = (
        Path(at, name)
        for at, _, names in os.walk(folder)
        for name in sorted(names)
        if name.endswith(".md")
    )
    for path, _ in zip(files, range(_MOST_FILES), strict=False):
        if path.is_file():  # opening a pipe would block
            yield path


def _command(name: str, text: str, *, of_workspace: bool) -> CustomCommand:
    head = _FRONT_MATTER.match(text)
    fields = (
        {found[1]: found[2].strip().strip("\"'") for found in _FIELD.finditer(head[1])}
        if head
        else {}
    )
    prompt = text[head.end() :] if head else text
    first = next((line.strip("# ").strip() for line in prompt.splitlines() if line.strip()), "")
    return CustomCommand(
        name,
        one_line(fields.get("description") or first)[:200],
        one_line(fields.get("argument-hint", ""))[:60],
        prompt.strip(),
        of_workspace,
    )


def _words(typed: str) -> list[str]:
    try:
        return shlex.split(typed)
    except ValueError:  # a quote that is not closed
        return typed.split()
