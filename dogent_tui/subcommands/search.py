"""`dogent-tui search`: web search with the profile that the agent would use."""

import asyncio
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import msgspec

from dogent_tui.arguments import CommandLine
from dogent_tui.language import tr
from dogent_tui.plain import visible
from dogent_tui.settings.config_check import ConfigWarning
from dogent_tui.settings.home_files import ensure_home_files
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.subcommands.terminal import Terminal, add_workspace, existing_folder
from dogent_tui.web.profiles import WebAccess, find_profile, read_access
from dogent_tui.web.search.model import (
    DEFAULT_RESULTS,
    MOST_RESULTS,
    Result,
    SearchResults,
    WebResult,
)
from dogent_tui.web.search.searcher import Searcher

DESCRIPTION = tr("Search the web, or for images, with a profile of ~/.dogent/web.json.")
EPILOG = tr("Exit status: 0 searched, 1 cannot be searched, 2 usage, 14 interrupted.")


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument("query", metavar="QUERY", nargs="+", help=tr("what to search for"))
    parser.add_argument(
        "--mode", choices=("web", "image"), default="web", help=tr("pages (default) or images")
    )
    parser.add_argument(
        "-n",
        type=int,
        default=DEFAULT_RESULTS,
        metavar="N",
        help=tr("1 to {most_results} results (default: 5)", most_results=MOST_RESULTS),
    )
    parser.add_text("--profile", "NAME", tr("a web profile (default: the workspace's)"))
    add_workspace(parser)
    parser.add_flag("--json", tr("print one JSON object"))


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Search, print the results, and return the exit status.

    Raises WebError.
    """
    access, warnings = _access(chosen.workspace, chosen.profile)
    terminal.note(warnings)
    searcher = Searcher(access.profile, proxy=access.proxy)
    found = asyncio.run(searcher.search(" ".join(chosen.query), mode=chosen.mode, count=chosen.n))
    if chosen.json:
        terminal.write_json(found)
    else:
        terminal.stdout.write("\n".join(_lines(found)))
    return 0


def _access(folder: str, profile: str) -> tuple[WebAccess, list[ConfigWarning]]:
    existing_folder(folder)
    home = dogent_home()
    ensure_home_files(home)
    settings, warnings = load_settings(Workspace(Path(folder)))
    access, more = read_access("" if profile else settings.web_profile, home)
    if profile:
        access = msgspec.structs.replace(access, profile=find_profile(profile, home, more))
    return access, [*warnings, *more]


def _lines(found: SearchResults) -> Iterator[str]:
    if not found.results:
        yield tr("No results for “{query}”.\n", query=visible(found.query))
    for number, result in enumerate(found.results, 1):
        title, *rest = (visible(line) for line in _words(result) if line)
        yield f"{number:>2}. {title}\n" + "".join(f"    {line}\n" for line in rest)


def _words(result: Result) -> tuple[str, ...]:
    if isinstance(result, WebResult):
        published = f"{result.published} · " if result.published else ""
        return result.title, result.url, published + result.snippet
    size = (
        tr("{width} × {height} pixels", width=result.width, height=result.height)
        if result.width and result.height
        else ""
    )
    return (
        result.title or result.image_url,
        result.image_url,
        tr("on {page_url}", page_url=result.page_url) if result.page_url else "",
        size,
    )
