"""What applies in every conversation of a workspace: the user's rules, the document template, the
lessons learned.
"""

import msgspec

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.plain import cut_bytes
from dogent_tui.settings.config_check import ConfigWarning
from dogent_tui.settings.lessons import latest_lessons, lessons_text
from dogent_tui.settings.templates import find_template, templates
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.files import first_text
from dogent_tui.storage.paths import Workspace, dogent_home

MOST_BYTES = 60_000
"""The bytes (UTF-8) of `.dogent/dogent.md` sent with every conversation. The rest is cut off, which
both user and model are told.
"""

_MOST_LANGUAGE = 60
_MOST_READ = 200_000
"""The bytes of `.dogent/dogent.md` to read."""


class ProjectInstructions(msgspec.Struct, frozen=True):
    """`constraints` is the text of `.dogent/dogent.md`, `template` that of the document template;
    empty if there is none.

    `language` is that of replies and documents, empty if the user chose none.
    """

    constraints: str = ""
    template: str = ""
    lessons: str = ""
    language: str = ""


def read_project_instructions(
    workspace: Workspace, settings: WorkspaceSettings
) -> ProjectInstructions:
    """Read what applies in `workspace`, which must be trusted. A missing template is left out.
    Raises OSError.
    """
    return ProjectInstructions(
        _constraints(workspace),
        _template(workspace, settings.doc_template),
        latest_lessons(lessons_text(workspace)),
        settings.primary_language.strip()[:_MOST_LANGUAGE],
    )


def instruction_warnings(workspace: Workspace) -> list[ConfigWarning]:
    """Return a notice for the user if part of it is not sent. Never raises."""
    try:
        text = _written(workspace)
    except OSError:
        return []
    if cut_bytes(text, MOST_BYTES) == text:
        return []
    message = tr(
        "{file} is too long: the agent gets its first {most:,} bytes with every conversation."
    )
    return [
        ConfigWarning(
            message.format(file=workspace.relative(workspace.constraints_file), most=MOST_BYTES),
            tr("Shorten it, or move parts of it to files that it names."),
            "constraints_too_long",
        )
    ]


def _constraints(workspace: Workspace) -> str:
    text = _written(workspace)
    sent = cut_bytes(text, MOST_BYTES)
    return (
        text
        if sent == text
        else f"{sent}\n\n[cut here: the file is longer; read it whole with the Read tool]"
    )


def _written(workspace: Workspace) -> str:
    """Return the beginning of `.dogent/dogent.md`. Links out of the workspace are not followed:
    they could send any file.
    """
    file = workspace.constraints_file
    if not workspace.contains(file) or not file.is_file():
        return ""
    return first_text(file, _MOST_READ)


def _template(workspace: Workspace, named: str) -> str:
    try:
        return (
            find_template(named, templates(workspace, dogent_home(), trusted=True)).text()
            if named
            else ""
        )
    except (ConfigError, OSError):
        return ""
