"""The sidebar and the preview, by keyboard."""

from pathlib import Path

import pytest
from textual import events, on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widgets import Static

from dogent_tui.agent.events import Attachment
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.attachments.model import AttachmentEntry
from dogent_tui.tui.attachments.preview import Preview, PreviewScreen, load_preview
from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar

NOTES = Attachment("docs/notes.md", "notes.md", "md")
SALES = Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "Q1 [b]")


class SidebarApp(App[None]):
    CSS_PATH = shipped("attachments.tcss")

    def __init__(self, *entries: AttachmentEntry) -> None:
        super().__init__()
        self.sidebar = AttachmentsSidebar()
        self.sidebar.show(entries)
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.sidebar

    def on_mount(self) -> None:
        self.sidebar.focus_list()

    @on(AttachmentsSidebar.PreviewRequested)
    @on(AttachmentsSidebar.AddRequested)
    @on(AttachmentsSidebar.RemoveRequested)
    @on(AttachmentsSidebar.PathsPasted)
    def note(self, message: Message) -> None:
        self.posted.append(message)

    def drawn(self) -> str:
        return "\n".join(
            "".join(segment.text for segment in line)
            for line in self.screen._compositor.render_strips()
        )


async def test_empty_says_what_to_press() -> None:
    app = SidebarApp()
    async with app.run_test() as pilot:
        assert "press a" in app.drawn()
        await pilot.press("a")
        assert isinstance(app.posted[0], AttachmentsSidebar.AddRequested)
        await pilot.press("delete", "enter")
        assert len(app.posted) == 1


async def test_each_attachment_shows_what_is_known() -> None:
    app = SidebarApp(
        AttachmentEntry(NOTES, read="read", size=2_345), AttachmentEntry(SALES, pending=True)
    )
    async with app.run_test(size=(60, 12)):
        drawn = app.drawn()
        assert "Attachments 2" in drawn
        assert "read ✓ · md · 2.3 KB" in drawn
        assert "next prompt · xlsx" in drawn


async def test_a_long_sheet_name_is_whole() -> None:
    sheet = "第一季度销售额 and costs, by branch"
    app = SidebarApp(
        AttachmentEntry(Attachment("book.xlsx", "book.xlsx", "xlsx", sheet), sent=True)
    )
    async with app.run_test(size=(60, 12)):
        lines = [line.rpartition("▏")[2].strip() for line in app.drawn().splitlines()]
        assert sheet.replace(" ", "") in "".join(lines).replace(" ", "")


async def test_keys() -> None:
    app = SidebarApp(AttachmentEntry(NOTES), AttachmentEntry(SALES, pending=True))
    async with app.run_test() as pilot:
        await pilot.press("enter")  # the first is highlighted from the start
        assert app.posted.pop().attachment.path == "docs/notes.md"
        await pilot.press("delete")
        assert app.posted.pop().attachment == NOTES
        await pilot.press("down", "delete")
        message = app.posted.pop()
        assert isinstance(message, AttachmentsSidebar.RemoveRequested)
        assert message.attachment == SALES


async def test_a_path_can_be_dropped_on_it() -> None:
    app = SidebarApp(AttachmentEntry(NOTES))
    async with app.run_test() as pilot:
        app.post_message(events.Paste("no path"))
        app.post_message(events.Paste("'/home/me/a b.md'"))
        await pilot.pause()
        await pilot.pause()
        assert [message.paths for message in app.posted] == [["/home/me/a b.md"]]


async def test_the_highlight_stays_on_its_attachment() -> None:
    app = SidebarApp(AttachmentEntry(NOTES), AttachmentEntry(SALES))
    async with app.run_test() as pilot:
        await pilot.press("down")
        app.sidebar.show((AttachmentEntry(SALES, read="read"), AttachmentEntry(NOTES)))
        await pilot.press("enter")
        assert app.posted.pop().attachment == SALES


class TestLoading:
    def preview(self, path: Path, data: bytes) -> Preview:
        path.write_bytes(data)
        return load_preview(path)

    def test_text(self, tmp_path: Path) -> None:
        assert self.preview(tmp_path / "a", "Grüße\r\n\x1b[31m".encode()) == Preview(
            "14 B", "Grüße\n\x1b[31m"
        )

    def test_the_beginning_of_a_long_text_cut_inside_of_a_character(self, tmp_path: Path) -> None:
        preview = self.preview(tmp_path / "a", ("x" + "中文字\n" * 1_000 + "中" * 30_000).encode())
        assert preview.note == "the first 66 KB of 100 KB"
        assert preview.text is not None
        assert preview.text.startswith("x中文字\n中")
        assert "\N{REPLACEMENT CHARACTER}" not in preview.text

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
    def test_other_encodings(self, tmp_path: Path, encoding: str) -> None:
        assert self.preview(tmp_path / "a", "城市图书馆".encode(encoding)).text == "城市图书馆"

    def test_binary(self, tmp_path: Path) -> None:
        assert self.preview(tmp_path / "a", b"PK\x03\x04\0\0" * 200_000) == Preview(
            "binary file, 1.2 MB", is_binary=True
        )

    def test_many_lines(self, tmp_path: Path) -> None:
        assert self.preview(tmp_path / "a", b"\n" * 30_000).note == "the first 2,000 lines of 30 KB"

    def test_a_long_line(self, tmp_path: Path) -> None:
        text = self.preview(tmp_path / "a", b"x" * 60_000).text
        assert text is not None
        assert text.endswith("… (58,000 more characters)")

    def test_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "a.md").touch()
        assert load_preview(tmp_path) == Preview("folder, 2 entries", "a.md\nsub/")

    def test_nothing_there(self, tmp_path: Path) -> None:
        assert load_preview(tmp_path / "none").text is None


async def test_the_preview_shows_a_file_literally(tmp_path: Path) -> None:
    path = tmp_path / "odd [b].md"
    path.write_text("[/b] \x1b[31m text\n")
    app = SidebarApp()
    async with app.run_test() as pilot:
        await app.push_screen(PreviewScreen(path, DocumentLibrary(tmp_path)))
        await app.workers.wait_for_complete()
        await pilot.pause()
        drawn = app.drawn()
        assert "odd [b].md" in drawn
        assert "[/b] ␛[31m text" in drawn
        assert str(app.screen.query_one("#preview-note", Static).content) == "16 B"
        await pilot.press("escape")
        assert not isinstance(app.screen, PreviewScreen)
