"""Which engines are available, in which versions, which files are used, and what to do about what
is missing.

Changes nothing and shows no keys.
"""

import asyncio
import importlib.metadata
import os
import platform
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

from dogent_tui import __version__
from dogent_tui.agent.cli_process import cli_program
from dogent_tui.agent.conversation import ServerState
from dogent_tui.agent.doctor_servers import Finding, State, examine_servers
from dogent_tui.agent.wall_status import find_wall_status, wall_words
from dogent_tui.documents.export.browser import find_browsers
from dogent_tui.documents.export.docx_reference import NAME as REFERENCE
from dogent_tui.documents.export.styles import NAME as STYLE_SHEET
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import pandoc_path, pandoc_version
from dogent_tui.errors import ConfigError
from dogent_tui.language import and_more, tr
from dogent_tui.plain import columns_of, one_line
from dogent_tui.processes import stream_process
from dogent_tui.settings.config_check import ConfigWarning, checked, read_profiles
from dogent_tui.settings.config_models import PROFILE_MODELS, secret_keys
from dogent_tui.settings.key_files import open_to_others
from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.mcp_servers import NAME as MCP
from dogent_tui.settings.profiles import Endpoint, choose_endpoint
from dogent_tui.settings.secrets import revealed
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import HomeSettings, WorkspaceSettings, load_settings, loaded
from dogent_tui.storage.files import read_json
from dogent_tui.storage.paths import (
    Workspace,
    cache_dir,
    display_path,
    dogent_home,
    log_dir,
    state_dir,
)
from dogent_tui.vision.model import VisionError
from dogent_tui.vision.profiles import load_profile
from dogent_tui.vision.providers import client_for
from dogent_tui.wall.own import own_wall
from dogent_tui.web.model import WebError
from dogent_tui.web.profiles import choose_profile
from dogent_tui.web.search.providers import provider_of

_LIMIT_S = 30.0
_NAME_COLUMNS = 22
_WORDS = {
    "Agent": tr("Agent"),
    "Documents": tr("Documents"),
    "Folders": tr("Folders"),
    "Who does the work": tr("Models and services"),
    "Your files": tr("Your files"),
    "This workspace": tr("This workspace"),
    "MCP servers, outside the wall": tr("MCP servers, outside the wall"),
    "answers": tr("model"),
    "searches": tr("search"),
    "looks at pictures": tr("vision"),
    "environment": tr("environment"),
    "profiles": tr("profiles"),
    "wall": tr("wall"),
    "wall for readers": tr("wall for readers"),
    "browser": tr("browser"),
    "fonts for CJK": tr("CJK fonts"),
    "your files": tr("your files"),
    "conversations": tr("conversations"),
    "documents read": tr("document cache"),
    "logs": tr("logs"),
}
"""Groups and names of findings for display. In JSON they are the same in every language."""
_MARKS: dict[State, str] = {
    "ok": "✓",
    "warning": "!",
    "missing": "✗",
    "optional": "–",
    "broken": "✗",
}


async def examine(workspace: Workspace, servers: Collection[ServerState] = ()) -> list[Finding]:
    """Examine everything for `workspace`. Runs programs to get their versions, one of them behind
    the wall. `servers` are the states of the running MCP servers.
    """
    wall, readers, engines, files = await asyncio.gather(
        asyncio.to_thread(_wall, workspace),
        asyncio.to_thread(_wall_of_readers),
        _engines(),
        asyncio.to_thread(examine_files, workspace, servers),
    )
    claude, *others = engines
    return [claude, wall, readers, *others, *files]


def as_text(findings: Sequence[Finding]) -> str:
    """Format `findings` for reading."""
    lines = [
        f"dogent-tui {__version__} · Python {platform.python_version()} · {platform.platform()}"
    ]
    group = ""
    for finding in findings:
        if finding.group != group:
            group = finding.group
            lines += ["", _WORDS.get(group, group)]
        where = f"  {one_line(display_path(finding.path))}" if finding.path else ""
        name = _WORDS.get(finding.name, finding.name)
        name += " " * (_NAME_COLUMNS - columns_of(name))
        lines.append(f"  {_MARKS[finding.state]} {name} {one_line(finding.detail)}{where}".rstrip())
        lines += [
            f"    {one_line(words)}" for words in (finding.remedy, *finding.problems) if words
        ]
    return "\n".join(lines) + "\n"


async def _engines() -> list[Finding]:
    programs = await asyncio.gather(_claude(), _pandoc(), _browser(), _cjk_fonts())
    claude, pandoc, browser, fonts = programs
    packages = [
        _package("pypandoc_binary", tr("provides and finds pandoc")),
        _package("PyMuPDF", tr("reads pdf")),
        _package("openpyxl", tr("translates shared formulas of xlsx")),
        _package("python-calamine", tr("reads xls, ods and xlsb")),
        _package("typst", tr("makes pdfs without a browser")),
        _package("playwright", tr("controls the browser")),
    ]
    return [claude, pandoc, browser, fonts, *packages]


async def _claude() -> Finding:
    """Examine the CLI in the SDK's wheel by asking for its version, because it is a third-party
    program that must run here.
    """
    try:
        program = cli_program()
    except OSError:
        remedy = tr("Reinstall the package claude-agent-sdk, which provides it.")
        return Finding("Agent", "Claude CLI", "missing", remedy=remedy)
    version = await _version(program)
    if not version:
        remedy = tr("Try: {program} --version", program=display_path(program))
        return Finding("Agent", "Claude CLI", "broken", tr("it does not start"), program, remedy)
    return Finding("Agent", "Claude CLI", "ok", version, program)


def _wall(workspace: Workspace) -> Finding:
    wall = find_wall_status(workspace)
    state: State = "ok" if wall.level == "full" else "warning"
    why = f"{wall.reason} {wall.remedy}".strip()
    return Finding("Agent", "wall", state, wall_words(wall), problems=(why,) if why else ())


_READERS = {
    "full": tr("document readers see one file and can reach nothing else"),
    "bare": tr("document readers see only one of your files; the browser runs in its own sandbox"),
    "none": tr("document readers run with your full permissions"),
}


def _wall_of_readers() -> Finding:
    wall = own_wall()
    state: State = "ok" if wall.level in ("full", "inside") else "warning"
    why = (one_line(wall.reason),) if wall.reason else ()
    return Finding(
        "Agent", "wall for readers", state, _READERS.get(wall.level, _READERS["full"]), problems=why
    )


async def _pandoc() -> Finding:
    try:
        path, version = await asyncio.to_thread(lambda: (pandoc_path(), pandoc_version()))
    except DocumentError as error:
        return Finding("Documents", "pandoc", "missing", error.message, remedy=error.remedy)
    return Finding("Documents", "pandoc", "ok", ".".join(map(str, version)), str(path))


async def _browser() -> Finding:
    programs = await asyncio.to_thread(find_browsers)
    for program in programs:
        version = await _version(str(program))
        if version:
            return Finding("Documents", "browser", "ok", version, str(program))
    remedy = tr(
        "For the best pdfs, install Chromium or Chrome (on Debian: chromium-headless-shell), or let"
        " “dogent-tui export” download one. Until then, typst makes them."
    )
    why = tr("does not start") if programs else tr("not installed")
    return Finding("Documents", "browser", "optional", why, remedy=remedy)


async def _cjk_fonts() -> Finding:
    name, lister = "fonts for CJK", shutil.which("fc-list")
    if lister is None and sys.platform in {"darwin", "win32"}:
        return Finding("Documents", name, "ok", tr("system fonts"))
    if lister is None:
        remedy = tr("Install fontconfig so that fonts can be found, and Noto Sans CJK.")
        return Finding("Documents", name, "optional", tr("unknown"), remedy=remedy)
    listed = await _output(lister, ":lang=zh", "family")
    families = sorted({line.split(",")[0].strip() for line in listed.splitlines() if line.strip()})
    if families:
        return Finding("Documents", name, "ok", and_more(families, 3))
    remedy = tr(
        "Install a font for Chinese, Japanese and Korean (on Debian: fonts-noto-cjk); without one,"
        " pdfs show boxes."
    )
    return Finding("Documents", name, "optional", tr("none"), remedy=remedy)


def _package(name: str, use: str) -> Finding:
    try:
        return Finding("Documents", name, "ok", f"{importlib.metadata.version(name)} · {use}")
    except importlib.metadata.PackageNotFoundError:
        remedy = tr(
            "Install the package {name} in the same environment as dogent-tui.", name=name.lower()
        )
        return Finding("Documents", name, "missing", use, remedy=remedy)


async def _version(program: str) -> str:
    """Return the version reported by `program`, empty if it does not start or reports none."""
    found = re.search(r"\d+(?:\.\d+)+", await _output(program, "--version"))
    return found[0] if found else ""


async def _output(*command: str) -> str:
    said = bytearray()
    try:
        status = await stream_process(
            command, cwd=Path(os.sep), on_output=said.extend, limit_s=_LIMIT_S
        )
    except (OSError, TimeoutError):
        return ""
    return said.decode("utf-8", "replace") if status == 0 else ""


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
    secrets = known_secrets()
    return [finding.without(secrets) for finding in found]


# ── Who does the work ─────────────────────────────────────────────────────────────────────────


def _who(workspace: Workspace, home: Path) -> Iterator[Finding]:
    group = "Who does the work"
    files = (workspace.settings_file, *(home / name for name in PROFILE_MODELS))
    # reading them like a session would set broken ones aside
    if any(map(_broken, files)):
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
    own = tr("the agent’s own tools, which need Anthropic’s endpoint: {name} may not have them")
    none = tr("nobody: {name} has no search of its own")
    detail = own if endpoint.kind == "custom" else none
    detail = detail.format(name=endpoint.name)
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
    if not any(_broken(folder / MCP) for folder in (home, workspace.dot)):
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
            try:
                revealed(data.get(key))
            except ConfigError as error:
                what = tr("{key} of {name} in {file} refers to a key that does not exist")
                what = what.format(key=key, name=name, file=file.name)
                warnings.append(ConfigWarning(f"{what}: {error.message}", error.remedy))
    warnings += open_to_others(file)
    names = ", ".join(profiles)
    return found.judged(
        tr("profiles: {names}", names=names) if names else tr("no profiles"), warnings
    )


def _settings(
    group: str, file: Path, name: str, model: type[WorkspaceSettings] | type[HomeSettings]
) -> Finding:
    found = _file(group, file, name)
    if found.state != "ok":
        return found
    return found.judged(tr("in use"), loaded(file, model)[1])


def _file(group: str, path: Path, name: str) -> Finding:
    if not path.is_file():
        return Finding(group, name, "optional", tr("not found"))
    if path.suffix == ".json" and (reason := _broken(path)):
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


def _broken(path: Path) -> str:
    """Return what is wrong with a JSON file, which is not changed; empty if nothing is."""
    kind = list if path.name == "history.json" else dict
    broken = read_json(path, moves=False, kind=kind)[1]
    return broken.reason if broken else ""


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
        if is_writable:
            words = tr("in use") if nearest == folder else tr("created when needed")
            yield Finding("Folders", name, "ok", words, str(folder))
        else:
            remedy = tr("Fix its permissions, or set DOGENT_HOME to another folder.")
            yield Finding(
                "Folders", name, "broken", tr("cannot be written to"), str(folder), remedy
            )
