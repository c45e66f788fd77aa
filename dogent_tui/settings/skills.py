"""Skills: folders with a ``SKILL.md`` that describes how to do a kind of task, as in Claude Code,
and accompanying files.

They are in ``~/.claude/skills`` and ``~/.dogent/skills``, and in ``.claude/skills`` of a trusted
workspace. The front matter gives ``name`` and ``description``. Its other features are not
supported: it cannot allow tools.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dogent_tui.plain import one_line
from dogent_tui.records import JsonDict, Record, at
from dogent_tui.storage.files import first_text, names_in
from dogent_tui.storage.paths import Workspace, dogent_home

FILE = "SKILL.md"
_MOST = 100
_MOST_BYTES = 100_000
_LONGEST = 400
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"[\w.-]{1,60}")


class Skill(Record):
    """A skill. `folder` is its real path; `description` is one line, and says when it is useful."""

    name: str
    description: str
    folder: Path
    of_workspace: bool

    @property
    def file(self) -> Path:
        """The instructions."""
        return self.folder / FILE


def skills(workspace: Workspace, home: Path, *, trusted: bool) -> list[Skill]:
    """Return the skills of the user and, if it is `trusted`, of the workspace, which take
    precedence. Reads their first lines.
    """
    places: list[tuple[Path, Workspace | None]] = [
        (dogent_home() / "skills", None),
        (home / ".claude" / "skills", None),
    ]
    if trusted:
        places.append((workspace.root / ".claude" / "skills", workspace))
    found = {
        skill.name: skill for place, inside in places for skill in _in_folder(place, inside, home)
    }
    return sorted(found.values(), key=lambda skill: skill.name)[:_MOST]


def _in_folder(place: Path, inside: Workspace | None, home: Path) -> Iterator[Skill]:
    for entry in names_in(place, _MOST):
        folder = Path(os.path.realpath(place / entry))
        # a link to the home, or above it, would expose everything
        if home.resolve().is_relative_to(folder):
            continue
        if inside is not None and not (inside.contains(folder) and inside.contains(folder / FILE)):
            continue
        skill = _skill(entry, folder, of_workspace=inside is not None)
        if skill is not None:
            yield skill


def _skill(entry: str, folder: Path, *, of_workspace: bool) -> Skill | None:
    file = folder / FILE
    try:
        if not file.is_file():
            return None
        text = first_text(file, _MOST_BYTES)
    except OSError:
        return None
    told = _told(text)
    name = str(told.get("name") or entry)
    if not _NAME.fullmatch(name):
        name = entry
    if not _NAME.fullmatch(name):
        return None
    return Skill(
        name, one_line(str(told.get("description") or ""))[:_LONGEST], folder, of_workspace
    )


def _told(text: str) -> JsonDict:
    """Return the front matter."""
    head = _FRONT_MATTER.match(text)
    if head is None:
        return {}
    import yaml  # imported on use: most users have no skills

    with suppress(yaml.YAMLError, RecursionError):
        return at(yaml.safe_load(head[1]), dict)
    return {}
