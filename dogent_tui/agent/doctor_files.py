"""All files and folders in use, for the doctor: what was found and what is wrong. Changes
nothing.
"""

import json
import os
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from dogent_tui.agent.conversation import ServerState
from dogent_tui.agent.doctor_servers import Finding, examine_servers
from dogent_tui.documents.export.docx_reference import NAME as REFERENCE
from dogent_tui.documents.export.styles import NAME as STYLE_SHEET
from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.settings.config_check import ConfigWarning, checked, read_profiles
from dogent_tui.settings.config_models import PROFILE_MODELS, secret_keys
from dogent_tui.settings.key_files import open_to_others
from dogent_tui.settings.mcp_servers import NAME as MCP
from dogent_tui.settings.profiles import Endpoint, choose_endpoint
from dogent_tui.settings.secrets import is_missing, reference, revealed
from dogent_tui.settings.suspected_secrets import suspected_secrets
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import HomeSettings, WorkspaceSettings, load_settings
from dogent_tui.storage.paths import Workspace, cache_dir, dogent_home, log_dir, state_dir
from dogent_tui.vision.model import VisionError
from dogent_tui.vision.profiles import load_profile
from dogent_tui.vision.providers import client_for
from dogent_tui.web.model import WebError
from dogent_tui.web.profiles import choose_profile
from dogent_tui.web.search.providers import provider_of

_ENVIRONMENT = (
    "ANTHROPIC_",
    "CLAUDE_CODE_",
    "API_TIMEOUT_MS",
    "DOGENT_",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "NO_COLOR",
)
"""Variables that change our behavior. Their names are shown, never their values."""

_COMMANDS = ".claude/commands"
_MOST_LISTED = 1_000
"""The number of entries of a folder to examine."""

_JSON_FILES = (*PROFILE_MODELS, MCP, "dogent.json", "permissions.json", "trust.json")


def examine_files(
    workspace: Workspace,
    servers: Collection[ServerState] = (),
) -> list[Finding]:
    """Return what is used in `workspace`, which model works there, and what is wrong, without
    secrets. `servers` are the states of the running MCP servers.
    """
    home = dogent_home()
    found = [
        *_who(workspace, home),
        *_home_files(home),
        *_workspace_files(workspace),
        *_servers(workspace, home, servers),
        *_folders(),
    ]
    secrets = suspected_secrets((workspace.settings_file, *(home / name for name in _JSON_FILES)))
    return [finding.without(secrets) for finding in found]


# ── Who does the work ─────────────────────────────────────────────────────────────────────────


def _who(workspace: Workspace, home: Path) -> Iterator[Finding]:
    group = "Who does the work"
    files = (workspace.settings_file, *(home / name for name in PROFILE_MODELS))
    # reading them like a session would set broken ones aside
    if any(_content(file)[1] for file in files):
        yield Finding(group, "profiles", "broken", tr("unknown until the files below are fixed"))
        return
    settings = load_settings(workspace)[0]
    endpoint, warnings = choose_endpoint(settings, home)
    model = f" · {endpoint.model}" if endpoint.model else ""
    yield Finding(group, "answers").judged(f"{endpoint.name}{model}: {endpoint.source}", warnings)
    yield _searches(group, settings, home, endpoint)
    yield _looks(group, settings, home)
    named = ", ".join(sorted(name for name in os.environ if name.upper().startswith(_ENVIRONMENT)))
    yield Finding(group, "environment", "ok", named or tr("not set here"))


def _searches(group: str, settings: WorkspaceSettings, home: Path, endpoint: Endpoint) -> Finding:
    profile, warnings = choose_profile(settings.web_profile, home)
    try:
        if profile is not None:
            provider_of(profile)
    except WebError as error:
        warnings.append(ConfigWarning(error.message, error.remedy))
    if profile is not None or warnings:
        detail = (
            f"{profile.name} · {profile.provider}"
            if profile
            else tr("the agent’s own tools: the web profile cannot be used")
        )
        return Finding(group, "searches").judged(detail, warnings)
    if endpoint.kind == "anthropic":
        built_in = tr("the agent's built-in tools: no web profile chosen")
        return Finding(group, "searches", "ok", built_in)
    nobody = {
        "offline": tr("nobody: the offline engine does not search the web"),
        "local": tr("nobody: a local model has no search of its own"),
    }
    detail = nobody.get(
        endpoint.kind,
        tr(
            "the agent’s own tools, which need Anthropic’s endpoint: {name} may not have them",
            name=endpoint.name,
        ),
    )
    remedy = tr("Choose a web profile in /settings; a search engine needs a key of yours.")
    return Finding(group, "searches", "optional", detail, remedy=remedy)


def _looks(group: str, settings: WorkspaceSettings, home: Path) -> Finding:
    try:
        profile = load_profile(settings.vision_profile, home)
        client_for(profile)
    except VisionError as error:
        return Finding(group, "looks at pictures", "optional", error.message, remedy=error.remedy)
    return Finding(
        group, "looks at pictures", "ok", f"{profile.name} · {profile.model or profile.provider}"
    )


# ── Files ─────────────────────────────────────────────────────────────────────────────────────


def _home_files(home: Path) -> Iterator[Finding]:
    group = "Your files"
    for name in PROFILE_MODELS:
        yield _profiles(group, home / name)
    yield _settings(group, home / "dogent.json", "dogent.json", HomeSettings)
    for name in (MCP, "permissions.json", "trust.json", STYLE_SHEET, REFERENCE):
        yield _file(group, home / name, name)
    yield _markdown_files(group, home / "templates", "templates", tr("templates: {count}"))
    yield _markdown_files(group, Path.home() / _COMMANDS, f"~/{_COMMANDS}", tr("commands: {count}"))


def _workspace_files(workspace: Workspace) -> Iterator[Finding]:
    group = "This workspace"
    yield _settings(group, workspace.settings_file, ".dogent/dogent.json", WorkspaceSettings)
    own = ("dogent.md", MCP, "history.json", "memory.md", "lessons.md", STYLE_SHEET, REFERENCE)
    for name in own:
        yield _file(group, workspace.dot / name, f".dogent/{name}")
    brought = (
        "" if FolderTrust(workspace).trusted else tr("not used until you trust this folder: /trust")
    )
    yield _markdown_files(
        group, workspace.dot / "templates", ".dogent/templates", tr("templates: {count}"), brought
    )
    yield _markdown_files(
        group, workspace.root / _COMMANDS, _COMMANDS, tr("commands: {count}"), brought
    )


def _servers(
    workspace: Workspace, home: Path, servers: Collection[ServerState]
) -> Iterator[Finding]:
    # A broken file is reported above; reading it like a session would set it aside.
    if not any(_content(folder / MCP)[1] for folder in (home, workspace.dot)):
        yield from examine_servers(workspace, servers)


def _profiles(group: str, file: Path) -> Finding:
    found = _file(group, file, file.name)
    if found.state != "ok":
        return found
    profiles, warnings = read_profiles(file)
    model = PROFILE_MODELS[file.name]
    for name, data in profiles.items():
        warnings += checked(data, model, file, ("profiles", name))[1]
        for key in secret_keys(model):
            what = tr("{key} of {name} in {file} refers to a key that does not exist")
            warnings += _unrevealed(data.get(key), what.format(key=key, name=name, file=file.name))
    warnings += open_to_others(file)
    names = ", ".join(profiles)
    return found.judged(
        tr("profiles: {names}", names=names) if names else tr("no profiles"), warnings
    )


def _unrevealed(value: Any, what: str) -> list[ConfigWarning]:
    if is_missing(value) or reference(value) is None:
        return []
    try:
        revealed(value)
    except ConfigError as error:
        return [ConfigWarning(f"{what}: {error.message}", error.remedy)]
    return []


def _settings(
    group: str, file: Path, name: str, model: type[WorkspaceSettings] | type[HomeSettings]
) -> Finding:
    found = _file(group, file, name)
    if found.state != "ok":
        return found
    data = _content(file)[0]
    _, warnings = checked(data if isinstance(data, dict) else {}, model, file)
    return found.judged(tr("in use"), warnings)


def _file(group: str, path: Path, name: str) -> Finding:
    if not path.is_file():
        return Finding(group, name, "optional", tr("not found"))
    if path.suffix == ".json" and (reason := _content(path)[1]):
        return Finding(group, name, "broken", reason, str(path), tr("Fix it, or move it away."))
    return Finding(group, name, "ok", tr("in use"), str(path))


def _markdown_files(group: str, folder: Path, name: str, what: str, instead: str = "") -> Finding:
    """Return the finding about a folder of Markdown files that are used automatically: `what`, in
    words; `instead` says why they are not.
    """
    try:
        count = sum(path.suffix == ".md" for path in islice(folder.rglob("*"), _MOST_LISTED))
    except OSError:
        count = 0
    if not count:
        return Finding(group, name, "optional", tr("not found"))
    return Finding(
        group,
        name,
        "optional" if instead else "ok",
        instead or what.format(count=count),
        str(folder),
    )


def _content(path: Path) -> tuple[Any, str]:
    """Return the content of a JSON file and what is wrong with it; the file is not changed."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, (error.strerror or tr("cannot be read")).lower()
    except UnicodeDecodeError:
        return {}, tr("not UTF-8 text")
    except (ValueError, RecursionError) as error:
        line = (
            tr(" (line {lineno})", lineno=error.lineno)
            if isinstance(error, json.JSONDecodeError)
            else ""
        )
        return {}, tr("not JSON{line}", line=line)
    wanted = list if path.name == "history.json" else dict
    return (
        (value, "")
        if isinstance(value, wanted)
        else ({}, tr("not a list") if wanted is list else tr("not an object {…}"))
    )


def _folders() -> Iterator[Finding]:
    folders = {
        "your files": dogent_home(),
        "conversations": state_dir(),
        "documents read": cache_dir(),
        "logs": log_dir(),
    }
    for name, folder in folders.items():
        nearest = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
        is_writable = nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
        if nearest != folder and is_writable:
            yield Finding("Folders", name, "ok", tr("created when needed"), str(folder))
        elif is_writable:
            yield Finding("Folders", name, "ok", tr("in use"), str(folder))
        else:
            remedy = tr("Fix its permissions, or set DOGENT_HOME to another folder.")
            yield Finding(
                "Folders", name, "broken", tr("cannot be written to"), str(folder), remedy
            )
