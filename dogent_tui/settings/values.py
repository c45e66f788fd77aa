"""The settings of a workspace, ``.dogent/dogent.json``, and the user's own: read forgivingly,
written without a loss.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import fields

from dogent_tui.language import tr
from dogent_tui.settings.config_check import ConfigWarning, broken_file_warning, checked
from dogent_tui.settings.config_writer import plan_values
from dogent_tui.settings.own_files import OwnChange
from dogent_tui.storage.files import read_json
from dogent_tui.storage.paths import Workspace

__all__ = [
    "EVERY_TOOL",
    "KNOWN_KEYS",
    "ConfigWarning",
    "HomeSettings",
    "WorkspaceSettings",
    "broken_file_warning",
    "load_home_settings",
    "load_settings",
    "plan_settings",
]


EVERY_TOOL = "every_tool"
"""The value of `consent` with which the agent asks whenever it looks at a document."""


class WorkspaceSettings(msgspec.Struct, frozen=True):
    """What a workspace chose. An empty text means: not chosen.

    `review_edits` has the user review every change of a file before it is written.
    `consent` is ``every_tool`` where the agent is to ask whenever it looks at a document.
    `ignored_folders` are left out when Markdown files are searched: names, or paths from the root
    on with a ``/``. `extra` holds the keys that this version does not know; they are kept when the
    settings are saved.
    """

    profile: Annotated[
        str, Meta(description="The model: a profile of ~/.dogent/claude.json, or offline.")
    ] = ""
    web_profile: Annotated[
        str,
        Meta(
            description=(
                "Web search: a profile of ~/.dogent/web.json; default means the agent's own tools."
            )
        ),
    ] = ""
    vision_profile: Annotated[
        str, Meta(description="Vision: a profile of ~/.dogent/vision.json.")
    ] = "glm-4.6v"
    images_path: Annotated[
        str, Meta(description="The folder for images from the web, inside the workspace.")
    ] = "./images"
    doc_template: Annotated[str, Meta(description="The document template.")] = ""
    bibliography: Annotated[
        str,
        Meta(description="The bibliography of documents that name none: .bib, CSL JSON or YAML."),
    ] = ""
    csl: Annotated[str, Meta(description="The citation style (.csl) of documents.")] = ""
    primary_language: Annotated[str, Meta(description="The language of the replies.")] = ""
    learn_auto: Annotated[bool, Meta(description="Offer to note a lesson after a failed run.")] = (
        True
    )
    theme: Annotated[str, Meta(description="The theme.")] = ""
    export_theme: Annotated[
        str,
        Meta(
            description="The theme of exported documents: article, report, letter, manuscript or"
            " minutes."
        ),
    ] = ""
    review_edits: Annotated[bool, Meta(description="Review each change the agent writes.")] = False
    ignored_folders: Annotated[
        tuple[str, ...], Meta(description="Folders to leave out of searches.")
    ] = ()
    consent: Annotated[
        Literal["", "every_tool"],
        Meta(
            description=(
                "every_tool: the agent gets only tools that ask each time they look at a document."
            ),
        ),
    ] = ""
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict)


class HomeSettings(msgspec.Struct, frozen=True):
    """What a user wants in all folders, ``~/.dogent/dogent.json``. Nothing of it can come with a
    workspace.

    `keys` are the keys of the interface: the name of an action → the keys that do it.
    """

    profile: Annotated[
        str,
        Meta(
            description="The model for folders that set none: a profile of claude.json, or offline."
        ),
    ] = ""
    language: Annotated[
        str,
        Meta(
            description=(
                "The language of the interface, en or zh_CN, from the next start; the system's if"
                " empty."
            )
        ),
    ] = ""
    budget_usd: Annotated[
        float,
        Meta(
            ge=0,
            description=(
                "Dollars one conversation may cost before you are asked; 0 means no limit. Only"
                " where costs are known."
            ),
            extra={"expected": tr("a number of dollars")},
        ),
    ] = 0.0
    status_usage: Annotated[
        Literal["", "tokens", "cost"],
        Meta(description="What a conversation used, in the status bar: tokens, cost, or nothing."),
    ] = ""
    notify: Annotated[
        Literal["", "bell", "off"],
        Meta(
            description=(
                "When another window has the focus and the agent asks or is done: words and a bell,"
                " a bell, or nothing."
            ),
        ),
    ] = ""
    offer_setup: Annotated[
        bool, Meta(description="Offer set-up at the start if no model is chosen.")
    ] = True
    web_allow_hosts: Annotated[
        Any,
        Meta(
            description="Private hosts that web_fetch may reach, as exact names.",
            extra_json_schema={"type": "array"},
        ),
    ] = ()
    web_proxy: Annotated[
        Any, Meta(description="The proxy for the web.", extra_json_schema={"type": "string"})
    ] = ""
    keys: Annotated[
        Mapping[str, str],
        Meta(
            description="Keys of the interface by action.",
            extra={"expected": tr('an object {"action": "key"}')},
        ),
    ] = msgspec.field(default_factory=dict)


KNOWN_KEYS = tuple(field.name for field in fields(WorkspaceSettings) if field.name != "extra")
"""The keys of ``dogent.json``."""


def load_settings(workspace: Workspace) -> tuple[WorkspaceSettings, list[ConfigWarning]]:
    """Return the settings of `workspace`, and a warning for each thing in the file that could
    not be used. Never raises.
    """
    data, warnings = _read(workspace.settings_file)
    known, more = checked(
        {k: v for k, v in data.items() if k != "extra"}, WorkspaceSettings, workspace.settings_file
    )
    extra = {key: value for key, value in data.items() if key not in KNOWN_KEYS}
    return WorkspaceSettings(**known, extra=extra), [*warnings, *more]


def load_home_settings(home: Path) -> tuple[HomeSettings, list[ConfigWarning]]:
    """Return the user's own settings, and a warning for each thing in the file that could not be
    used. Never raises.
    """
    file = home / "dogent.json"
    data, warnings = _read(file)
    known, more = checked(data, HomeSettings, file)
    return HomeSettings(**known), [*warnings, *more]


def plan_settings(workspace: Workspace, changes: Mapping[str, Any]) -> OwnChange:
    """Return the change to the file of `workspace` that sets the keys in `changes` and nothing
    else; None removes a key.

    A broken file is set aside first, and begun again. Raises OSError where it cannot be, or cannot
    be read.
    """
    return plan_values(workspace.settings_file, {(key,): value for key, value in changes.items()})


def _read(file: Path) -> tuple[dict[str, Any], list[ConfigWarning]]:
    data, broken = read_json(file)
    return data, [broken_file_warning(broken)] if broken else []
