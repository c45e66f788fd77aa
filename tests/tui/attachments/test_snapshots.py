"""What the sidebar and the preview look like."""

import docx
import openpyxl
import pytest
from textual.app import App, ComposeResult

from dogent_tui.agent.events import Attachment
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.attachments.model import AttachmentEntry
from dogent_tui.tui.attachments.preview import PreviewScreen
from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar

SIZES = [(80, 24), (200, 60)]
THREE_SIZES = [(80, 24), (120, 40), (200, 60)]
ENTRIES = (
    AttachmentEntry(Attachment("notes.md", "notes.md", "md"), sent=True, read="read", size=2_345),
    AttachmentEntry(
        Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "My costs"),
        sent=True,
        read="reading",
        size=1_234_567,
    ),
    AttachmentEntry(
        Attachment(
            "a/very long name of a file, indeed.docx",
            "very long name of a file, indeed.docx",
            "docx",
        ),
        sent=True,
    ),
    AttachmentEntry(
        Attachment("报告[/b].md", "报告[/b].md", "md"), sent=True, read="failed", size=88
    ),
    AttachmentEntry(Attachment("docs", "docs", "folder"), pending=True),
)


class SidebarApp(App[None]):
    CSS_PATH = shipped("attachments.tcss")
    CSS = "AttachmentsSidebar { dock: right; }"

    def __init__(self, *entries: AttachmentEntry) -> None:
        super().__init__()
        self.sidebar = AttachmentsSidebar()
        self.sidebar.show(entries)

    def compose(self) -> ComposeResult:
        yield self.sidebar

    def on_mount(self) -> None:
        self.sidebar.focus_list()

    def drawn(self) -> str:
        return "\n".join(
            "".join(segment.text for segment in line)
            for line in self.screen._compositor.render_strips()
        )


@pytest.mark.parametrize("size", SIZES)
def test_sidebar(snap_compare, size) -> None:
    assert snap_compare(SidebarApp(*ENTRIES), terminal_size=size, press=["down"])


def test_empty_sidebar(snap_compare) -> None:
    assert snap_compare(SidebarApp(), terminal_size=(80, 24))


@pytest.mark.parametrize("size", SIZES)
def test_preview(snap_compare, size, tmp_path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(
        "# Notes\n\n[/b] and \x1b[31m are text.\n"
        + "A line of the notes. " * 30
        + "\n\n"
        + "中文 " * 40
    )
    app = SidebarApp(*ENTRIES)

    async def run(pilot) -> None:
        await app.push_screen(PreviewScreen(path, DocumentLibrary(tmp_path)))
        await app.workers.wait_for_complete()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=run)


def test_preview_of_a_workbook(looks, tmp_path) -> None:
    workbook = openpyxl.Workbook()
    visits = workbook.active
    visits.title = "Visits 访问"
    visits.append(["Year", "Guests", "Remarks [b]"])
    for year in range(1990, 2026):
        visits.append(
            [
                year,
                (year - 1980) * 37,
                "Open on Sundays, as the council decided in spring" if year % 3 else "—",
            ]
        )
    for name in ("My costs", "Rooms", "Old"):
        workbook.create_sheet(name).append(["Item", "Price"])
    workbook["Old"].sheet_state = "hidden"
    workbook.properties.creator = "Ann"
    workbook.save(tmp_path / "visits.xlsx")
    looks(SidebarApp(*ENTRIES), previewed(tmp_path / "visits.xlsx", "1990"))


@pytest.mark.parametrize("size", THREE_SIZES)
def test_preview_of_a_document(snap_compare, size, tmp_path) -> None:
    document = docx.Document()
    document.core_properties.author = "Ann"
    document.core_properties.title = "Plan of the house"
    document.add_heading("Plan of the house", 1)
    document.add_paragraph("We open in May. [/b] and 中文 are text. " * 4)
    document.add_heading("Rooms", 2)
    for room in ("The hall", "The library"):
        document.add_paragraph(room, style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for place, text in enumerate(("Room", "Seats", "Hall", "80")):
        table.cell(place // 2, place % 2).text = text
    for number in range(60):
        document.add_paragraph(
            f"{number}. " + "The council decided to repair the bridge before winter. " * 3
        )
    document.save(str(tmp_path / "plan.docx"))
    assert snap_compare(
        SidebarApp(*ENTRIES),
        terminal_size=size,
        run_before=previewed(tmp_path / "plan.docx", "n Read on"),
    )


def previewed(path, until: str):
    """Open the preview of `path`, and wait until it shows `until`."""

    async def run(pilot) -> None:
        async with DocumentLibrary(path.parent / "kept") as library:
            await library.read(
                path, max_chars=1_000_000
            )  # to its end: what is known of it does not depend on the clock
            await pilot.app.push_screen(PreviewScreen(path, library, path.name))
            for _ in range(1000):
                await pilot.pause(0.01)
                if until in pilot.app.drawn() and not pilot.app.screen._is_reading:
                    return
            raise AssertionError(f"“{until}” never came:\n{pilot.app.drawn()}")

    return run
