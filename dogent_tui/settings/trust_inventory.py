"""What came with a folder and would speak to the agent or start programs, for the question whether
to trust it. Read-only.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.language import ngettext, tr
from dogent_tui.records import Json, Record, at
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
    found = [*_texts(root), *_own_settings(root), *_settings_of_claude(root), *_listings(root)]
    return tuple(sorted(found, key=lambda one: not one.used))


_TEXTS = {
    ".dogent/dogent.md": tr("Writing constraints for the agent"),
    ".dogent/lessons.md": tr("Lessons for the agent"),
}


def _texts(root: Path) -> Iterator[Found]:
    for place, what in _TEXTS.items():
        text = _text(root / place) if os.path.lexists(root / place) else ""
        lines = [line for line in (text or "").splitlines() if line.strip()]
        count = ngettext(", {count} line", ", {count} lines", len(lines), count=len(lines))
        if lines or text is None:
            yield Found(what + count * bool(lines), place, " / ".join(lines[:3]), used=True)


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


_RULES = tr("Rules that allow tool calls")
_OF_CLAUDE = {
    "hooks": tr("Hooks"),
    "env": tr("Environment variables"),
    "enabledPlugins": tr("Plugins"),
    "extraKnownMarketplaces": tr("Plugins"),
}
"""Where settings of Claude Code hold something, and what it is."""


def _settings_of_claude(root: Path) -> Iterator[Found]:
    for place in (".claude/settings.json", ".claude/settings.local.json"):
        settings = _json(root / place)
        rules = at(settings, list, "permissions", "allow")
        told = {what: settings.get(key) for key, what in _OF_CLAUDE.items() if settings.get(key)}
        for what, held in (told | ({_RULES: rules} if rules else {})).items():
            names = "" if what == _OF_CLAUDE["enabledPlugins"] else _listed(held)
            yield Found(what, place, names)


def _listed(held: object) -> str:
    return ", ".join(map(str, held)) if isinstance(held, dict | list) else ""


def _listings(root: Path) -> Iterator[Found]:
    """Yield what is listed by names: of files in a folder, and of servers."""
    commands, templates = root / ".claude/commands", root / ".dogent/templates"
    servers = tr("MCP servers: programs outside the wall. Trusting starts none; /mcp turns them on")
    named = {
        (".dogent/templates/", tr("Document templates"), True): [
            name for name in names_in(templates, _MOST_FILES) if name.endswith(".md")
        ],
        (".dogent/mcp.json", servers, True): _servers(root / ".dogent/mcp.json"),
        (".mcp.json", tr("MCP servers"), False): _servers(root / ".mcp.json"),
        (".claude/commands/", tr("Commands"), True): [
            file.relative_to(commands).as_posix() for file in command_files(commands)
        ],
        (".claude/agents/", tr("Subagents"), False): names_in(root / ".claude/agents", _MOST_FILES),
        (".claude/skills/", tr("Skills"), True): names_in(root / ".claude/skills", _MOST_FILES),
    }
    for (place, what, used), names in named.items():
        if names:
            yield Found(what, place, ", ".join(names), used)


def _servers(file: Path) -> list[str]:
    """Return the names of the servers in a file; an empty one if it cannot be read."""
    data, broken = read_json(file, moves=False)
    servers = data.get("mcpServers", {})
    return list(servers) if isinstance(servers, dict) and not broken else [""]


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
