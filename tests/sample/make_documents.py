"""Recreates the documents of the sample workspace: ``python -m tests.sample.make_documents``. They
are ours, and small.
"""

import asyncio
import tempfile
from pathlib import Path

import openpyxl
import pymupdf

from dogent_tui.documents.exporter import Exporter, plan_export
from dogent_tui.storage.paths import Workspace

FILES = Path(__file__).parents[2] / "dogent_tui" / "sample" / "files"
SUNDAY = 640
"""Euros that a Sunday costs, as the minutes have it."""

STATEMENT = """\
---
title: Statement of the staff council on Sunday opening
author: Petra Wolff
date: 30 January 2026
lang: en
---

# What we counted

From May to December colleagues worked 412 extra hours on Sundays. Four of the fourteen worked 231 of these, which is more than
half. Nobody was ordered to come.

# What we ask for

1. Sunday duty stays voluntary, and this is written into the agreement.
2. Nobody works on more than two Sundays a month.
3. A Sunday is paid back with a free day within four weeks.

# What we offer

The staff council agrees to two further years under these conditions. It asks for a second count in December 2026.
"""  # noqa: E501

OFFER = (
    (
        "Offer 2026-0117",
        "Brenner Library Systems, 9 January 2026",
        "To Lindenhof Library, for the repair of the second self-checkout machine.",
        "The reader for the cards and the conveyor belt have to be replaced.",
        "Parts cost 2,950 euros, and two days of work cost 1,230 euros.",
        "The whole repair costs 4,180 euros. A new machine would cost 11,900 euros.",
    ),
    (
        "Terms",
        "The offer holds until 28 February 2026.",
        "Repair takes two days. It can begin three weeks after the order.",
        "The parts come with a warranty of 24 months.",
        "During the repair a replacement can be rented for 95 euros a day.",
    ),
)


async def make(folder: Path = FILES) -> None:
    """Write the documents into `folder`."""
    _offer(folder / "repair-offer.pdf")
    _budget(folder / "budget-2026.xlsx")
    with tempfile.TemporaryDirectory() as temporary:
        workspace = Workspace(Path(temporary))
        (workspace.root / "statement.md").write_text(STATEMENT, encoding="utf-8")
        async with Exporter() as exporter:
            made = await exporter.export(plan_export(workspace, "statement.md", "docx"))
        (folder / "staff-council.docx").write_bytes(made.path.read_bytes())


def _offer(target: Path) -> None:
    with pymupdf.open() as pdf:
        for title, *lines in OFFER:
            page = pdf.new_page()
            page.insert_text((72, 90), title, fontsize=20)
            for number, line in enumerate(lines):
                page.insert_text((72, 130 + 30 * number), line, fontsize=11)
        pdf.set_metadata(
            {
                "title": "Offer for the repair of a self-checkout machine",
                "author": "Brenner Library Systems",
            }
        )
        pdf.save(target, garbage=4, deflate=True)


def _budget(target: Path) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, sundays, winter in (("With summer", 50, 0), ("Without summer", 42, 5_120)):
        sheet = book.create_sheet(name)
        rows = (
            ("Item", "Euros", "Note"),
            ("Wages and security", sundays * SUNDAY, f"{sundays} Sundays at {SUNDAY} euros"),
            (
                "Second librarian",
                winter,
                "November and December" if winter else "not in this version",
            ),
            ("Repair of the self-checkout", 4_180, "once, see the offer"),
            ("In all", sundays * SUNDAY + winter + 4_180, "committee decides on 24 February"),
        )
        for row in rows:
            sheet.append(row)
        for (cell,) in sheet.iter_rows(min_row=2, min_col=2, max_col=2):
            cell.number_format = "#,##0"
    book.properties.creator = "Jonas Brandt"
    book.properties.title = "Budget of Sunday opening 2026/27, two versions"
    book.save(target)


if __name__ == "__main__":
    asyncio.run(make())
