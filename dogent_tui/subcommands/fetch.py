"""`dogent-tui fetch`: a page, a document or an image from the web, without a model."""

import asyncio
import re
from argparse import Namespace

from dogent_tui.arguments import CommandLine
from dogent_tui.language import tr
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace, display_path, dogent_home
from dogent_tui.subcommands.terminal import (
    PATIENCE_S,
    Terminal,
    add_part,
    around_part,
    existing_folder,
)
from dogent_tui.tools.libraries import Libraries
from dogent_tui.web.article_lines import squeezed
from dogent_tui.web.model import DEFAULT_CHARS, FetchResult, WebError
from dogent_tui.web.profiles import read_access

DESCRIPTION = tr("Write a web page as Markdown, a document on the web as text, or save an image.")
EPILOG = tr("Exit status: 0 fetched, 1 cannot be fetched, 2 usage, 14 interrupted.")


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument("url", metavar="URL", help=tr("the address"))
    parser.add_argument(
        "--mode",
        choices=("auto", "text", "image"),
        default="auto",
        help=tr("what to fetch (default: auto)"),
    )
    add_part(parser, DEFAULT_CHARS)
    parser.add_text("--filename", "NAME", tr("the file name for an image"))
    parser.add_text(
        "--workspace", "DIR", tr("the workspace to save images in (default: this folder)"), "."
    )
    parser.add_flag("--private", tr("allow an address on this computer or its network"))
    parser.add_flag("--json", tr("print one JSON object with the details"))


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Fetch the given page, write it, and return the exit status. Raises WebError."""
    workspace = Workspace(existing_folder(chosen.workspace))
    settings, warnings = load_settings(workspace)
    access, more = read_access("", dogent_home())
    terminal.note((*warnings, *more))
    libraries = Libraries(workspace, settings, access, patience_s=PATIENCE_S)
    found = asyncio.run(_fetch(libraries, chosen))
    if chosen.json:
        terminal.write_json(found)
    else:
        terminal.write(_about(found) + found.text if found.image is None else found.image.snippet)
        terminal.note(_notes(found))
    return 0


async def _fetch(libraries: Libraries, wanted: Namespace) -> FetchResult:
    if wanted.private:
        libraries.hosts.approve(wanted.url)
    try:
        return await libraries.fetcher.fetch(
            wanted.url,
            mode=wanted.mode,
            max_chars=wanted.max_chars,
            offset=wanted.offset,
            filename=wanted.filename,
            allow=libraries.hosts.approved(wanted.url),
        )
    except WebError as error:
        if error.code == "private_address" and not wanted.private:
            own = display_path(dogent_home() / "dogent.json")
            remedy = tr(
                "If you do mean that address, add --private, or add it to web_allow_hosts in"
                " {own}.",
                own=own,
            )
            raise WebError(error.message, remedy, code=error.code) from None
        raise
    finally:
        await libraries.close()


def _about(found: FetchResult) -> str:
    """Return the lines above the text of a page: its title, author and date, since the text has no
    title.
    """
    if found.format != "page" or found.offset:
        return ""
    headings = [squeezed(line) for line in found.text.split("\n", 20)[:20] if line.startswith("#")]
    title = squeezed(found.title)
    parts = (
        []
        if not title or any(title in heading for heading in headings)
        else [f"# {_escaped(found.title)}"]
    )
    if said := " · ".join(_escaped(part) for part in (found.author, found.date) if part):
        parts.append(said)
    return "".join(f"{part}\n\n" for part in parts)


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*\[\]<>])", r"\\\1", text)


def _notes(found: FetchResult) -> list[str]:
    notes = list(found.warnings)
    if found.image is not None:
        image = found.image
        notes.append(
            tr(
                "Saved as {path} ({format}, {width} × {height} pixels).",
                path=image.path,
                format=image.format,
                width=image.width,
                height=image.height,
            )
        )
    elif found.next_offset is not None or found.offset:
        of, more = around_part(found.total_chars, found.next_offset)
        notes.append(
            tr(
                "characters {offset} to {end}{of}{more}.",
                offset=found.offset,
                end=found.offset + len(found.text),
                of=of,
                more=more,
            )
        )
    return notes
