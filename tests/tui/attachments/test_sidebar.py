"""The sidebar, by keyboard."""

from types import MappingProxyType

from textual import events, on
from textual.app import App, ComposeResult
from textual.message import Message

from dogent_tui.agent.events import Attachment
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.attachments.model import AttachmentEntry, Sizes
from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar
from dogent_tui.tui.widgets import ActionRequested

NOTES = Attachment("docs/notes.md", "notes.md", "md")
SALES = Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "Q1 [b]")


class SidebarApp(App[None]):
    CSS_PATH = shipped("attachments.tcss")

    def __init__(self, *entries: AttachmentEntry, sizes: Sizes = MappingProxyType({})) -> None:
        super().__init__()
        self.sidebar = AttachmentsSidebar()
        self.sidebar.show(entries, (), sizes)
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.sidebar

    def on_mount(self) -> None:
        self.sidebar.focus_list()

    @on(ActionRequested)
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
        assert app.posted[0].what == "add"
        await pilot.press("delete", "enter")
        assert len(app.posted) == 1


async def test_each_attachment_shows_what_is_known() -> None:
    app = SidebarApp(
        AttachmentEntry(NOTES, read="read"),
        AttachmentEntry(SALES, pending=True),
        sizes={NOTES.path: 2_345},
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
        assert app.posted.pop().item.path == "docs/notes.md"
        await pilot.press("delete")
        assert app.posted.pop().item == NOTES
        await pilot.press("down", "delete")
        message = app.posted.pop()
        assert (message.what, message.item) == ("remove", SALES)


async def test_a_path_can_be_dropped_on_it() -> None:
    app = SidebarApp(AttachmentEntry(NOTES))
    async with app.run_test() as pilot:
        app.post_message(events.Paste("no path"))
        app.post_message(events.Paste("'/home/me/a b.md'"))
        await pilot.pause()
        await pilot.pause()
        assert [message.item for message in app.posted] == [["/home/me/a b.md"]]


async def test_the_highlight_stays_on_its_attachment() -> None:
    app = SidebarApp(AttachmentEntry(NOTES), AttachmentEntry(SALES))
    async with app.run_test() as pilot:
        await pilot.press("down")
        app.sidebar.show((AttachmentEntry(SALES, read="read"), AttachmentEntry(NOTES)))
        await pilot.press("enter")
        assert app.posted.pop().item == SALES


async def test_after_a_removal_the_next_one_is_highlighted() -> None:
    app = SidebarApp(AttachmentEntry(NOTES), AttachmentEntry(SALES))
    async with app.run_test() as pilot:
        app.sidebar.show((AttachmentEntry(SALES),))
        await pilot.press("delete")
        assert app.posted.pop().item == SALES
