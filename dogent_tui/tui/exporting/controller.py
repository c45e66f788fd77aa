"""Exporting a document on request: which one, whether it may be written, with what, and the
result.
"""

import asyncio
import re
from functools import partial

import msgspec

from dogent_tui.agent.events import Notice
from dogent_tui.documents.export.browser import find_browsers, install_browser
from dogent_tui.documents.export.model import ExportRequest, ExportResult
from dogent_tui.documents.export.themes import theme_names
from dogent_tui.documents.exporter import KINDS, plan_export
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.language import ngettext, tr
from dogent_tui.markdown_search.model import is_markdown
from dogent_tui.permissions.model import ToolCall
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.references.file_index import FileIndex
from dogent_tui.tui.attachments.model import file_size, readable_size
from dogent_tui.tui.exporting.first_page import choose_theme
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.questions.own_writes import may_do
from dogent_tui.tui.screens.choice import choose

CHECKED = "checked"
CHOOSE = "theme"
"""The argument that asks for pictures of the themes."""
_WORD = re.compile(r'@?"([^"]*)"|(\S+)')
_USAGE = tr(
    "Usage: /export FILE.md pdf|docx THEME OUT checked, with each part optional; quote names with"
    " spaces."
)


class TypedExport(Record):
    """What is to be made. `markdown` is empty where no file is named, `output` where it goes
    beside that. `kind`: see `KINDS`. `checked`: what a check of its sources finds is appended.
    `theme` is one of `theme_names`, `CHOOSE` where the user wants to see them, empty for what the
    document says.
    """

    markdown: str
    kind: str
    output: str
    checked: bool = False
    theme: str = ""


def parse_export(typed: str) -> TypedExport:
    """Return the request for the arguments `typed`. The default format follows the extension of the
    output, otherwise it is pdf. Raises UsageError.
    """
    markdown = kind = output = theme = ""
    checked = False
    rest = []
    for found in _WORD.finditer(typed):
        quoted, word = found.groups()
        path = quoted if quoted is not None else word.removeprefix("@")
        said = word.lower() if quoted is None else ""
        if not checked and said == CHECKED:
            checked = True
        elif not kind and said in KINDS:
            kind = said
        elif not theme and said in (CHOOSE, *theme_names()):
            theme = said
        elif not markdown and is_markdown(path):
            markdown = path
        elif not output and (kind_named(path) or (markdown and not is_markdown(path))):
            output = path
        else:
            rest.append(path)
    if rest and not markdown:  # without the usual extension
        markdown = rest.pop(0)
    if rest:
        raise UsageError(tr("{word} is not recognized.", word=one_line(rest[0])), _USAGE)
    return TypedExport(markdown, kind or kind_named(output) or "pdf", output, checked, theme)


def kind_named(path: str) -> str:
    """Return the format named by the extension of `path`, empty if none."""
    ending = path.rpartition(".")[2].lower()
    return ending if "." in path and ending in KINDS else ""


_MOST_OFFERED = 200
_MOST_LISTED = 12
"""The maximum number of omissions named in a notice."""
_NO_BROWSER = tr(
    "No browser on this computer can print the pdf. Without one, the built-in typst engine makes it"
    " in a simpler style that ignores pdf.css. You're asked only once per session."
)


class Exporting:
    """`/export` for `app`. Remembers whether it has asked about the browser."""

    def __init__(self, app: AppPort) -> None:
        self._app = app
        self._asked_for_browser = False

    async def export(self, typed: str) -> str:
        """Run the command with the arguments `typed`, and return a message about the result. Must
        not be awaited in a message handler. Raises DogentError.
        """
        try:
            return await self._export(typed)
        except DogentError as error:
            raise DogentError(tr("Nothing was exported. {error}", error=error)) from None

    async def _export(self, typed: str) -> str:
        screen, opened = self._app.conversation, self._app.opened
        screen.foreground.need_free()
        typed_export = parse_export(typed)
        markdown = typed_export.markdown or await self._document_meant()
        if markdown is None:
            return tr("Nothing was exported.")
        theme = typed_export.theme
        if theme == CHOOSE and (theme := await choose_theme(self._app) or "") == "":
            return tr("Nothing was exported.")
        plan = partial(plan_export, opened.workspace, markdown, typed_export.kind, theme=theme)
        request = await asyncio.to_thread(plan, typed_export.output)
        name = opened.workspace.relative(request.target)
        if not await asyncio.to_thread(request.markdown.is_file):
            return tr("There is no file {markdown} here.", markdown=markdown)
        if not await may_do(self._app, partial(_as_call, request), _BECAUSE):
            return tr("Nothing was exported: {name} is unchanged.", name=name)
        if request.kind == "pdf" and not await self._offer_browser():
            return tr("Nothing was exported.")
        if self._app.opened is not opened:  # while the question was open
            return tr("Nothing was exported.")
        made = await self._make(request, checked=typed_export.checked)
        if made is None:
            return tr("The export was stopped: {name} was not written.", name=name)
        opened.service.tell_exported(opened.workspace.relative(made.path))
        self._remark(name, made)
        screen.refresh_files()
        return await asyncio.to_thread(_done, name, made)

    async def _make(self, request: ExportRequest, *, checked: bool) -> ExportResult | None:
        """Create the document, with the findings of a source check if `checked`. None if
        stopped.
        """
        foreground, libraries = self._app.conversation.foreground, self._app.opened.libraries
        name = request.markdown.name
        if checked:
            appendix = await foreground.run(
                lambda _: libraries.quotes.appendix(request.markdown, request.root),
                tr("Checking {name}", name=name),
            )
            if appendix is None:
                return None
            request = msgspec.structs.replace(request, appendix=appendix)
        make = partial(libraries.exporter.export, request)
        return await foreground.run(make, tr("Exporting {name}", name=name))

    # ── Which document ────────────────────────────────────────────────────────────────────────

    async def _document_meant(self) -> str | None:
        """Return the document written last in this conversation, or the only one in the workspace,
        or the user's choice.
        """
        screen = self._app.conversation
        last = screen.results.last_markdown
        is_there = bool(last) and await asyncio.to_thread(
            screen.opened.workspace.absolute(last).is_file
        )
        if is_there:
            return last
        found = await asyncio.to_thread(_markdown_files, screen.index)
        if not found:
            raise DogentError(
                tr("There is no Markdown file in this folder."), tr("Specify one: /export FILE.md.")
            )
        if len(found) == 1:
            return found[0]
        chosen = await choose(self._app, tr("Which document should be exported?"), "", found)
        return None if chosen is None else found[chosen]

    # ── The browser ───────────────────────────────────────────────────────────────────────────

    async def _offer_browser(self) -> bool:
        """If no browser is installed, ask once whether to download one, and do so. False if the
        user cancels.

        Without a browser, another engine creates the pdf.
        """
        if self._asked_for_browser:
            return True
        if await asyncio.to_thread(find_browsers):
            return True
        answers = (
            tr("Make the pdf without a browser"),
            tr("Download Chromium (about 100 MB, through Playwright)"),
        )
        chosen = await choose(
            self._app, tr("Download a browser for better pdfs?"), _NO_BROWSER, answers
        )
        if chosen is None:
            return False
        self._asked_for_browser = True
        screen = self._app.conversation
        if chosen == 1:
            try:
                await screen.foreground.run(install_browser, tr("Downloading Chromium"))
            except DogentError as error:
                screen.handle(Notice(message=error.message, remedy=error.remedy))
        return True

    def _remark(self, name: str, made: ExportResult) -> None:
        """Tell the user in the transcript about limitations of the layout and missing content."""
        said = [one_line(f"{name}: {warning}") for warning in made.warnings]
        if made.left_out:
            left_out = _listed(made)
            said.append(
                tr("Left out of {name}:\n{left_out}", name=one_line(name), left_out=left_out)
            )
        for message in said:
            self._app.conversation.handle(Notice(message=message))


_BECAUSE = tr("You asked for this with /export.")


def _as_call(request: ExportRequest) -> ToolCall:
    """Return the equivalent tool call of the agent, so that one permission rule covers both."""
    paths = {"md_path": str(request.markdown), "output_path": str(request.target)}
    return ToolCall("mcp__dogent__export_document", {**paths, "format": request.kind})


def _markdown_files(index: FileIndex) -> list[str]:
    """Return the Markdown files of the workspace, most recently changed first. Walks the folder if
    it has not been indexed.
    """
    if not index.ready:
        index.refresh()
    return [
        hit.path
        for hit in index.search("", len(index))
        if not hit.is_folder and is_markdown(hit.path)
    ][:_MOST_OFFERED]


def _done(name: str, made: ExportResult) -> str:
    count = made.pages or 0
    pages = ngettext("{count:,} page, ", "{count:,} pages, ", count, count=count) if count else ""
    size = file_size(made.path)
    remarks = len(made.warnings) + bool(made.left_out)
    more = tr(" Notes are above.") if remarks else ""
    return tr(
        "Wrote {name}: {pages}{path}, by {engine}.{more}",
        name=name,
        pages=pages,
        path=tr("already gone") if size is None else readable_size(size),
        engine=re.sub(r"(\d+\.\d+)[\d.]*$", r"\1", made.engine),  # its major and minor version
        more=more,
    )


def _listed(made: ExportResult) -> str:
    shown, more = made.left_out[:_MOST_LISTED], len(made.left_out) - _MOST_LISTED
    if more > 0:
        shown = (*shown, tr("and {more} more", more=more))
    return "\n".join(f"· {one_line(entry)}" for entry in shown)
