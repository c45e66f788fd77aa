"""The settings of a workspace, ``.dogent/dogent.json``, and the user's own: parsed leniently,
written without losing anything.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from msgspec import Meta

from dogent_tui.language import tr
from dogent_tui.records import Json, Record
from dogent_tui.settings.config_check import ConfigWarning, checked, read_config
from dogent_tui.settings.config_writer import plan_values
from dogent_tui.settings.own_files import OwnChange
from dogent_tui.storage.paths import Workspace, dogent_home

_Settings = TypeVar("_Settings", bound=Record)

EVERY_TOOL = "every_tool"
"""The value of `consent` with which the agent asks before every access to a document."""


class WorkspaceSettings(Record):
    """What a workspace chose. An empty text means: not chosen.

    `review_edits` has the user review every change of a file before it is written.
    `consent` is ``every_tool`` where the agent is to ask whenever it looks at a document.
    `ignored_folders` are left out when Markdown files are searched: names, or paths from the root
    on with a ``/``.
    """

    profile: str = ""
    """The model: a profile of ~/.dogent/claude.json, or offline."""
    web_profile: str = ""
    """Web search: a profile of ~/.dogent/web.json; default means the agent's own tools."""
    vision_profile: str = "glm-4.6v"
    """Vision: a profile of ~/.dogent/vision.json."""
    images_path: str = "./images"
    """The folder for images from the web, inside the workspace."""
    doc_template: str = ""
    """The document template."""
    bibliography: str = ""
    """The bibliography of documents that name none: .bib, CSL JSON or YAML."""
    csl: str = ""
    """The citation style (.csl) of documents."""
    primary_language: str = ""
    """The language of the replies."""
    learn_auto: bool = True
    """Offer to note a lesson after a failed run."""
    theme: str = ""
    """The theme."""
    export_theme: str = ""
    """The theme of exported documents: article, report, letter, manuscript or minutes."""
    review_edits: bool = False
    """Review each change the agent writes."""
    ignored_folders: tuple[str, ...] = ()
    """Folders to leave out of searches."""
    consent: Literal["", "every_tool"] = ""
    """every_tool: the agent gets only tools that ask each time they look at a document."""


class HomeSettings(Record):
    """What a user wants in all folders, ``~/.dogent/dogent.json``. Nothing of it can come with a
    workspace.

    `keys` are the keys of the interface: the name of an action → the keys that do it.
    """

    profile: str = ""
    """The model for folders that set none: a profile of claude.json, or offline."""
    language: str = ""
    """The language of the interface, en or zh_CN, from the next start; the system's if empty."""
    budget_usd: Annotated[float, Meta(ge=0, extra={"expected": tr("a number of dollars")})] = 0.0
    """Dollars one conversation may cost before you are asked; 0 means no limit. Only where costs
    are known.
    """
    status_usage: Literal["", "tokens", "cost"] = ""
    """What a conversation used, in the status bar: tokens, cost, or nothing."""
    notify: Literal["", "bell", "off"] = ""
    """When another window has the focus and the agent asks or is done: words and a bell, a bell, or
    nothing.
    """
    offer_setup: bool = True
    """Offer set-up at the start if no model is chosen."""
    web_allow_hosts: tuple[str, ...] = ()
    """Private hosts that web_fetch may reach, as exact names."""
    web_proxy: str = ""
    """The proxy for the web."""
    keys: Annotated[
        Mapping[str, str], Meta(extra={"expected": tr('an object {"action": "key"}')})
    ] = {}
    """Keys of the interface by action."""


def load_settings(workspace: Workspace) -> tuple[WorkspaceSettings, list[ConfigWarning]]:
    """Return the settings of `workspace`, and a warning for each problem in the file. Never
    raises.
    """
    return loaded(workspace.settings_file, WorkspaceSettings)


def load_home_settings(home: Path) -> tuple[HomeSettings, list[ConfigWarning]]:
    """Return the user's own settings, and a warning for each problem in the file. Never raises."""
    return loaded(home / "dogent.json", HomeSettings)


def plan_settings(workspace: Workspace, changes: Json) -> OwnChange:
    """Return the change to the file of `workspace` that sets only the keys in `changes`; None
    removes a key.

    A broken file is first set aside, and a new one begun. Raises OSError if that fails, or if it
    cannot be read.
    """
    return plan_values(workspace.settings_file, {(key,): value for key, value in changes.items()})


def loaded(file: Path, model: type[_Settings]) -> tuple[_Settings, list[ConfigWarning]]:
    """Return the settings in `file`, and a warning for each problem. Never raises.

    The home folder may be a workspace too: its file then has the keys of both models.
    """
    data, warnings = read_config(file)
    folder = file.parent
    is_home = folder.resolve() == dogent_home().resolve()
    if is_home and (model is WorkspaceSettings or (folder / "history.json").exists()):
        both = {*WorkspaceSettings.__struct_encode_fields__, *HomeSettings.__struct_encode_fields__}
        others = both.difference(model.__struct_encode_fields__)
        data = {key: value for key, value in data.items() if key not in others}
    known, more = checked(data, model, file)
    return model(**known), warnings + more
