"""What the sidebar and the preview look like."""

import pytest
from textual.app import App, ComposeResult

from dogent_tui.agent.events import Attachment
from dogent_tui.tui.attachments.model import AttachmentEntry
from dogent_tui.tui.attachments.preview import PreviewScreen
from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar
from dogent_tui.tui.stylesheets import stylesheet

SIZES = [(80, 24), (200, 60)]
ENTRIES = (
    AttachmentEntry(Attachment("notes.md", "notes.md", "md"), sent=True, read="read", size=2_345),
    AttachmentEntry(Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "My costs"), sent=True, read="reading", size=1_234_567),
    AttachmentEntry(
        Attachment("a/very long name of a file, indeed.docx", "very long name of a file, indeed.docx", "docx"), sent=True
    ),
    AttachmentEntry(Attachment("报告[/b].md", "报告[/b].md", "md"), sent=True, read="failed", size=88),
    AttachmentEntry(Attachment("docs", "docs", "folder"), pending=True),
)


class SidebarApp(App[None]):
    CSS_PATH = stylesheet("attachments.tcss")
    CSS = "AttachmentsSidebar { dock: right; }"

    def __init__(self, *entries: AttachmentEntry) -> None:
        super().__init__()
        self.sidebar = AttachmentsSidebar()
        self.sidebar.show(entries)

    def compose(self) -> ComposeResult:
        yield self.sidebar

    def on_mount(self) -> None:
        self.sidebar.focus_list()


@pytest.mark.parametrize("size", SIZES)
def test_sidebar(snap_compare, size) -> None:
    assert snap_compare(SidebarApp(*ENTRIES), terminal_size=size, press=["down"])


def test_empty_sidebar(snap_compare) -> None:
    assert snap_compare(SidebarApp(), terminal_size=(80, 24))


@pytest.mark.parametrize("size", SIZES)
def test_preview(snap_compare, size, tmp_path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n\n[/b] and \x1b[31m are text.\n" + "A line of the notes. " * 30 + "\n\n" + "中文 " * 40)
    app = SidebarApp(*ENTRIES)

    async def run(pilot) -> None:
        await app.push_screen(PreviewScreen(path))
        await app.workers.wait_for_complete()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=run)
