"""What the sidebar looks like."""

import pytest
from textual.app import App, ComposeResult

from dogent_tui.agent.events import Attachment
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.attachments.model import AttachmentEntry
from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar

SIZES = [(80, 24), (200, 60)]
ENTRIES = (
    AttachmentEntry(Attachment("notes.md", "notes.md", "md"), sent=True, read="read"),
    AttachmentEntry(
        Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "My costs"),
        sent=True,
        read="reading",
    ),
    AttachmentEntry(
        Attachment(
            "a/very long name of a file, indeed.docx",
            "very long name of a file, indeed.docx",
            "docx",
        ),
        sent=True,
    ),
    AttachmentEntry(Attachment("报告[/b].md", "报告[/b].md", "md"), sent=True, read="failed"),
    AttachmentEntry(Attachment("docs", "docs", "folder"), pending=True),
)


class SidebarApp(App[None]):
    CSS_PATH = shipped("attachments.tcss")
    CSS = "AttachmentsSidebar { dock: right; }"

    def __init__(self, *entries: AttachmentEntry) -> None:
        super().__init__()
        self.sidebar = AttachmentsSidebar()
        self.sidebar.show(
            entries, sizes={"notes.md": 2_345, "numbers.xlsx": 1_234_567, "报告[/b].md": 88}
        )

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
