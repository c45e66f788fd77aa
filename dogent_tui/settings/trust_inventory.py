"""What came with a folder and would speak to the agent or start programs, for the question whether
to trust it. Read-only.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.language import ngettext, tr
from dogent_tui.records import Json, Record
from dogent_tui.settings.custom_commands import command_files
from dogent_tui.storage.files import names_in, read_json
from dogent_tui.storage.paths import Workspace

_MOST_BYTES = 1_000_000
"""The maximum size of a file to read; a larger one is listed without its content."""
_MOST_FILES = 1_000


class Found(Record):
    """One thing that came. `place` is relative to the workspace, `text` its content. `used`: once
    the folder is trusted.
    """

    what: str
    place: str
    text: str = ""
    used: bool = False


def trust_inventory(workspace: Workspace) -> tuple[Found, ...]:
    """Return what came with the folder, starting with what trusting it would use. Never raises:
    unreadable files are listed.
    """
    root = workspace.root
    found = [*_own(root), *_settings_of_claude(root), *_mcp_servers(root), *_folders(root)]
    return tuple(sorted(found, key=lambda one: not one.used))


def _own(root: Path) -> Iterator[Found]:
    place = ".dogent/dogent.md"
    if os.path.lexists(root / place):
        text = _text(root / place)
        lines = [line for line in (text or "").splitlines() if line.strip()]
        if text is None or lines:
            count = (
                ngettext(", {count} line", ", {count} lines", len(lines), count=len(lines))
                if text is not None
                else ""
            )
            yield Found(
                tr("Writing constraints for the agent") + count,
                place,
                " / ".join(lines[:3]),
                used=True,
            )
    place = ".dogent/lessons.md"
    if os.path.lexists(root / place) and _text(root / place) != "":
        yield Found(tr("Lessons for the agent"), place, used=True)
    if names := [
        name for name in names_in(root / ".dogent/templates", _MOST_FILES) if name.endswith(".md")
    ]:
        yield Found(tr("Document templates"), ".dogent/templates/", ", ".join(names), used=True)
    yield from _own_servers(root)
    yield from _own_settings(root)


def _own_servers(root: Path) -> Iterator[Found]:
    servers = _json(root / ".dogent/mcp.json").get("mcpServers")
    if isinstance(servers, dict) and servers:
        what = tr(
            "MCP servers: programs outside the wall. Trusting starts none; /mcp turns them on"
        )
        yield Found(what, ".dogent/mcp.json", ", ".join(map(str, servers)), used=True)


def _own_settings(root: Path) -> Iterator[Found]:
    """Everything else in there is used in any case, and says nothing to the agent."""
    place = ".dogent/dogent.json"
    if os.path.lexists(root / place) and _text(root / place) is None:
        yield Found(tr("Settings that can't be shown"), place, used=True)
    settings = _json(root / place)
    for key, what in (
        ("primary_language", tr("Reply language")),
        ("doc_template", tr("Document template")),
    ):
        value = settings.get(key)
        if isinstance(value, str) and value.strip():
            yield Found(what, place, value.strip(), used=True)


_OF_CLAUDE = {
    "hooks": tr("Hooks"),
    "permissions.allow": tr("Rules that allow tool calls"),
    "env": tr("Environment variables"),
    "enabledPlugins": tr("Plugins"),
    "extraKnownMarketplaces": tr("Plugins"),
}
"""Where settings of Claude Code hold something, and what it is."""


def _settings_of_claude(root: Path) -> Iterator[Found]:
    for place in (".claude/settings.json", ".claude/settings.local.json"):
        settings = _json(root / place)
        permissions = settings.get("permissions")
        rules = permissions.get("allow") if isinstance(permissions, dict) else None
        told = {what: settings.get(key) for key, what in _OF_CLAUDE.items() if settings.get(key)}
        told |= {_OF_CLAUDE["permissions.allow"]: rules} if rules else {}
        for what, held in told.items():
            names = "" if what == _OF_CLAUDE["enabledPlugins"] else _listed(held)
            yield Found(what, place, names)


def _listed(held: object) -> str:
    return ", ".join(map(str, held)) if isinstance(held, dict | list) else ""


def _mcp_servers(root: Path) -> Iterator[Found]:
    if os.path.lexists(root / ".mcp.json"):
        servers = _json(root / ".mcp.json").get("mcpServers")
        yield Found(tr("MCP servers"), ".mcp.json", _listed(servers))


def _folders(root: Path) -> Iterator[Found]:
    commands = root / ".claude/commands"
    if names := [file.relative_to(commands).as_posix() for file in command_files(commands)]:
        yield Found(tr("Commands"), ".claude/commands/", ", ".join(names), used=True)
    if names := names_in(root / ".claude/agents", _MOST_FILES):
        yield Found(tr("Subagents"), ".claude/agents/", ", ".join(names))
    if names := names_in(root / ".claude/skills", _MOST_FILES):
        yield Found(tr("Skills"), ".claude/skills/", ", ".join(names), used=True)


def _text(path: Path) -> str | None:
    """Return the content of a regular file; None if it is not one, too large, or unreadable."""
    try:
        found = path.stat()
        # opening a pipe would block
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
            return None
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None


def _json(path: Path) -> Json:
    return read_json(path, moves=False)[0]
