"""Which engines are available, in which versions, which files are used, and what to do about what
is missing.

Changes nothing and shows no keys.
"""

import asyncio
import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from dogent_tui import __version__
from dogent_tui.agent.cli_process import cli_program
from dogent_tui.agent.conversation import ServerState
from dogent_tui.agent.doctor_files import examine_files
from dogent_tui.agent.doctor_servers import Finding, State
from dogent_tui.agent.wall_status import find_wall_status, wall_words
from dogent_tui.documents.export.browser import find_browsers
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import pandoc_path, pandoc_version
from dogent_tui.language import tr
from dogent_tui.plain import columns_of, one_line
from dogent_tui.processes import stream_process
from dogent_tui.storage.paths import Workspace, display_path
from dogent_tui.wall.own import own_wall

_LIMIT_S = 10.0
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
        name = _padded(_WORDS.get(finding.name, finding.name))
        lines.append(f"  {_MARKS[finding.state]} {name} {one_line(finding.detail)}{where}".rstrip())
        lines += [
            f"    {one_line(words)}" for words in (finding.remedy, *finding.problems) if words
        ]
    return "\n".join(lines) + "\n"


def _padded(name: str) -> str:
    """Pad `name` to the column of the findings."""
    return name + " " * (_NAME_COLUMNS - columns_of(name))


async def _engines() -> list[Finding]:
    programs = await asyncio.gather(_claude(), _pandoc(), _browser(), _cjk_fonts())
    claude, pandoc, browser, fonts = programs
    packages = [
        _package("pypandoc_binary", "pypandoc", tr("provides and finds pandoc")),
        _package("PyMuPDF", "pymupdf", tr("reads pdf")),
        _package("openpyxl", "openpyxl", tr("translates shared formulas of xlsx")),
        _package("python-calamine", "python_calamine", tr("reads xls, ods and xlsb")),
        _package("typst", "typst", tr("makes pdfs without a browser")),
        _package("playwright", "playwright", tr("controls the browser")),
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
        more = tr(" and {more} more", more=len(families) - 3) if len(families) > 3 else ""
        return Finding("Documents", name, "ok", ", ".join(families[:3]) + more)
    remedy = tr(
        "Install a font for Chinese, Japanese and Korean (on Debian: fonts-noto-cjk); without one,"
        " pdfs show boxes."
    )
    return Finding("Documents", name, "optional", tr("none"), remedy=remedy)


def _package(name: str, module: str, use: str) -> Finding:
    if importlib.util.find_spec(module) is None:
        remedy = tr(
            "Install the package {name} in the same environment as dogent-tui.", name=name.lower()
        )
        return Finding("Documents", name, "missing", use, remedy=remedy)
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = "?"
    return Finding("Documents", name, "ok", f"{version} · {use}")


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
