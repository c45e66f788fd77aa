"""What went wrong in a workspace before, and how to do it right: ``.dogent/lessons.md``.

Plain Markdown that a user may edit: each lesson is a section ``## DATE · about``, the latest last.
"""

import re

from dogent_tui.language import phrases
from dogent_tui.plain import cut_bytes, one_line
from dogent_tui.settings.own_files import OwnChange, plan_change
from dogent_tui.storage.files import first_text
from dogent_tui.storage.paths import Workspace

MOST_BYTES = 24_000
"""The maximum size in bytes (UTF-8) of the lessons sent with a conversation: the latest that
fit.
"""

_HEAD = (
    "# Lessons\n\nWhat went wrong here before, and the right way. The agent reads this in each"
    " conversation.\n"
)
_SECTION = re.compile(r"^## ", re.MULTILINE)
_MOST_ABOUT = 80
_MOST_READ = 1_000_000


def plan_lesson(workspace: Workspace, lesson: str, *, day: str, about: str = "") -> OwnChange:
    """Return the change that adds `lesson`, learned on `day` (ISO 8601) from what `about` names.
    Raises OSError.
    """
    file = workspace.lessons_file
    now = lessons_text(workspace)
    heading = one_line(phrases(day, about))[:_MOST_ABOUT]
    # a heading in it would begin another lesson
    body = re.sub(r"^(#+ )", r"\\\1", lesson.strip(), flags=re.MULTILINE)
    begun = now.rstrip() if now.strip() else _HEAD.rstrip()
    return plan_change(file, f"{begun}\n\n## {heading}\n\n{body}\n")


def lessons_text(workspace: Workspace) -> str:
    """Return the content of the file; empty if it does not exist or leads out of the workspace.
    Raises OSError.
    """
    file = workspace.lessons_file
    if not workspace.contains(file) or not file.is_file():
        return ""
    return first_text(file, _MOST_READ)


def latest_lessons(text: str, most: int = MOST_BYTES) -> str:
    """Return the last complete lessons of `text` that fit into `most` bytes of UTF-8, and how many
    were left out.

    If none fits, return the beginning of the last one.
    """
    starts = [found.start() for found in _SECTION.finditer(text)]
    if len(text.encode("utf-8", "replace")) <= most:
        return text.strip()
    fitting = [start for start in starts if len(text[start:].encode("utf-8", "replace")) <= most]
    if not fitting:
        return cut_bytes(text[starts[-1] :] if starts else text, most).strip()
    left_out = starts.index(fitting[0])
    return f"[{left_out} earlier left out]\n\n{text[fitting[0] :].strip()}"
