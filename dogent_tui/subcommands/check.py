"""`dogent-tui check`: checks the quotations, numbers and citations of a draft against its sources,
without a model.
"""

import asyncio
from argparse import Namespace
from pathlib import Path
from typing import TextIO

from dogent_tui.arguments import CommandLine
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.language import ngettext, tr
from dogent_tui.plain import one_line
from dogent_tui.sources.quotes.quote_checker import QuoteChecker
from dogent_tui.sources.quotes.verdicts import CheckReport
from dogent_tui.sources.quotes.words import finding_lines, summary
from dogent_tui.subcommands.export import find_root, workspace_of
from dogent_tui.subcommands.terminal import Terminal, existing_file, existing_folder

DESCRIPTION = tr(
    "Check the quotations, numbers and citations of a Markdown file against its sources."
)
EPILOG = tr(
    "Nothing is changed. Exit status: 0 everything is as its source has it, 1 something is"
    " not, 2 usage or a file that cannot be read, 14 interrupted."
)


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument("draft", metavar="DRAFT.md", help=tr("the Markdown file"))
    parser.add_text(
        "--sources",
        "DIR",
        tr(
            "the folder of the sources (default: the workspace, or the folder of the Markdown file)"
        ),
    )
    parser.add_flag("--json", tr("print one JSON object with all findings"))


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Check the given draft, print the findings, and return the exit status.

    Raises UsageError.
    """
    draft = existing_file(chosen.draft)
    folder = existing_folder(Path(chosen.sources or workspace_of(draft) or draft.parent).absolute())
    report = asyncio.run(_check(draft, folder))
    if chosen.json:
        terminal.write_json(report)
    else:
        _tell(report, terminal.stdout)
    return 0 if report.is_clean else 1


async def _check(draft: Path, folder: Path) -> CheckReport:
    async with DocumentLibrary() as documents:
        return await QuoteChecker(documents).check(draft, folder, root=find_root(draft))


def _tell(report: CheckReport, stdout: TextIO) -> None:
    for finding in report.findings:
        if finding.verdict != "verbatim":
            stdout.writelines(
                f"{one_line(line)}\n" for line in finding_lines(report.draft, finding)
            )
    unreadable = [source for source in report.sources if source.state == "unreadable"]
    stdout.writelines(
        tr("Not read: {path} ({reason})", path=one_line(source.path), reason=source.reason) + "\n"
        for source in unreadable
    )
    read = len(report.sources) - len(unreadable)
    sources = ngettext("{count} source.", "{count} sources.", read, count=read)
    stdout.write(f"{summary(report)} {sources}\n")
