"""The sidebar: the documents that the conversation produced, and its attachments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import OptionList

from dogent_tui.agent.events import Attachment
from dogent_tui.language import phrases, tr
from dogent_tui.plain import one_line
from dogent_tui.tui.attachments.model import AttachmentEntry, ReadState, readable_size
from dogent_tui.tui.dialog import Words
from dogent_tui.tui.prompt.dropped import dropped_paths
from dogent_tui.tui.results.model import Result
from dogent_tui.tui.textual_fixes.option_list import PagedList
from dogent_tui.tui.widgets import bound

Item = TypeVar("Item")

READ_MARKS: dict[ReadState, tuple[str, str]] = {
    "unread": (tr("not read"), "detail"),
    "reading": (tr("reading…"), "detail"),
    "read": (tr("read ✓"), "read"),
    "failed": (tr("failed ✗"), "failed"),
}
"""The label and the style of each state."""

EMPTY = tr(
    "Nothing sent yet. Files for the next prompt are listed above it.\n\nType @ in the prompt to"
    " refer to a file, or press a."
)


RESULT_WORDS = {"written": tr("written"), "exported": tr("exported")}


class FileList(PagedList, Generic[Item]):
    """Files, by the shortest names that distinguish them. Lines wider than the sidebar are
    wrapped.
    """

    BINDINGS = [
        bound("j", "cursor_down", "Down", show=False),
        bound("k", "cursor_up", "Up", show=False),
    ]

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(id=id, markup=False, compact=True)
        self.items: Mapping[object, Item] = {}

    @property
    def chosen(self) -> Item | None:
        """The file under the cursor."""
        return None if self.highlighted is None else [*self.items.values()][self.highlighted]

    def show(self, items: Mapping[object, Item], rows: Sequence[Content]) -> None:
        """Show `items` as `rows`, keeping the highlighted item."""
        before = None if self.highlighted is None else [*self.items][self.highlighted]
        keys, self.items = [*items], items
        self.set_options(rows)
        if keys:
            self.highlighted = keys.index(before) if before in items else None

    def enter(self, at: int) -> None:
        """Take the focus, at item `at` if it exists."""
        self.focus()
        if at < self.option_count:
            self.highlighted = at


class ResultList(FileList[Result]):
    """The results, two lines each. The attachments follow below the last one."""

    BINDINGS = [
        bound("enter", "select", "Open"),
        bound("e", "want('export')", "Export"),
        bound("r", "want('reveal')", "Show in folder"),
    ]

    def action_want(self, what: str) -> None:
        """Request an action on the highlighted result."""
        if self.chosen is not None:
            self.post_message(AttachmentsSidebar.ResultWanted(what, self.chosen))

    def action_cursor_down(self) -> None:
        """Move down, and from the last result to the attachments."""
        if self.highlighted is None or self.highlighted < self.option_count - 1:
            super().action_cursor_down()
        else:
            self.screen.query_one(AttachmentList).enter(0)


class AttachmentList(FileList[AttachmentEntry]):
    """The attachments: two lines each, and one for each sheet."""

    BINDINGS = [
        bound("delete,backspace", "remove", "Remove"),
        bound("a", "add", "Add"),
        bound("enter", "select", "Open"),
    ]

    def action_cursor_up(self) -> None:
        """Move up, and from the first attachment to the results."""
        results = self.screen.query_one(ResultList)
        if results.display and not self.highlighted:
            results.enter(results.option_count - 1)
        else:
            super().action_cursor_up()

    def action_remove(self) -> None:
        """Request that the highlighted attachment be removed."""
        if self.chosen is not None:
            self.post_message(AttachmentsSidebar.RemoveRequested(self.chosen.attachment))

    def action_add(self) -> None:
        """Ask for a file to attach."""
        self.post_message(AttachmentsSidebar.AddRequested())


class AttachmentsSidebar(Vertical):
    """The documents produced and the files referred to: type, sheet, size, and whether the agent
    has read them.
    """

    COMPONENT_CLASSES = {
        "attachment--detail",
        "attachment--read",
        "attachment--failed",
        "attachment--pending",
    }

    @dataclass
    class OpenRequested(Message):
        """Open `attachment`."""

        attachment: Attachment

    @dataclass
    class ResultWanted(Message):
        """Run `what` (``open``, ``export`` or ``reveal``) on `result`."""

        what: str
        result: Result

    class AddRequested(Message):
        """Let the user choose a file to attach."""

    @dataclass
    class PathsPasted(Message):
        """Attach the existing files at `paths`, which were pasted or dropped here."""

        paths: list[str]

    @dataclass
    class RemoveRequested(Message):
        """Detach `attachment` if it is pending, or remove it from the list if it was sent."""

        attachment: Attachment

    def __init__(self) -> None:
        super().__init__(id="attachments")
        self._entries: tuple[AttachmentEntry, ...] = ()
        self._results: tuple[Result, ...] = ()
        self._look: Style | None = None
        self._results_title = Words("", id="results-title")
        self._result_list = ResultList("results-list")
        self._title = Words("", id="attachments-title")
        self._empty = Words(EMPTY, id="attachments-empty")
        self._list = AttachmentList("attachments-list")

    def compose(self) -> ComposeResult:
        """Lay out the titles and lists, or a hint when there are no entries."""
        yield self._results_title
        yield self._result_list
        yield self._title
        yield self._empty
        yield self._list

    def on_mount(self) -> None:
        """Draw the entries."""
        self._draw()

    def notify_style_update(self) -> None:
        """Draw the entries in the current colors."""
        super().notify_style_update()
        if self._look is not None and self._look != self._style("detail"):
            self._draw()

    def show(self, entries: tuple[AttachmentEntry, ...], results: tuple[Result, ...] = ()) -> None:
        """Show `entries` and `results`, keeping the highlighted item."""
        if (entries, results) != (self._entries, self._results):
            self._entries, self._results = entries, results
            if self.is_mounted:
                self._draw()

    def focus_list(self) -> None:
        """Focus the results, or the attachments if there are no results. The keys work even if both
        are empty.
        """
        focused = self._result_list if self._results else self._list
        focused.enter(focused.highlighted or 0)

    def _draw(self) -> None:
        results, entries = self._results, self._entries
        self._results_title.display = self._result_list.display = bool(results)
        self._results_title.update(tr("Results {count}", count=len(results)))
        self._result_list.show(
            {result.path: result for result in results}, [self._result_row(one) for one in results]
        )
        if self._result_list.has_focus and not results:
            self._list.focus()
        self._look = self._style("detail") if results or entries else None
        count = tr("Attachments {count}", count=len(entries))
        self._title.update(count if entries else tr("Attachments"))
        self._empty.display = not entries
        self._list.show(
            {entry.attachment: entry for entry in entries}, [self._row(one) for one in entries]
        )

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"attachment--{name}", partial=True)

    def _result_row(self, result: Result) -> Content:
        facts = [RESULT_WORDS[result.kind]]
        if result.gone:
            facts.append(tr("gone"))
        if result.size is not None:
            facts.append(readable_size(result.size))
        detail = Content.styled(phrases(*facts), self._style("detail"))
        return Content.assemble(one_line(result.name), "\n  ", detail)

    def _row(self, entry: AttachmentEntry) -> Content:
        attachment = entry.attachment
        below = f" · {attachment.type}"
        if entry.size is not None:
            below += f" · {readable_size(entry.size)}"
        if attachment.sheet is not None:
            below += tr("\n  sheet {sheet}", sheet=one_line(attachment.sheet))
        if attachment.lines is not None:
            below += tr("\n  lines {lines}", lines=one_line(attachment.lines))
        words, style = READ_MARKS[entry.read]
        if entry.pending:
            words, style = tr("next prompt"), "pending"
        state = Content.styled(words, self._style(style))
        detail = Content.styled(below, self._style("detail"))
        return Content.assemble(one_line(attachment.name), "\n  ", state, detail)

    def _on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        result = self._result_list.chosen
        if event.option_list is self._result_list and result is not None:
            self.post_message(self.ResultWanted("open", result))
        elif (entry := self._list.chosen) is not None:
            self.post_message(self.OpenRequested(entry.attachment))

    def _on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()

    def on_paste(self, event: events.Paste) -> None:
        """Handle pasted or dropped paths; other text goes to the prompt."""
        if paths := dropped_paths(event.text):
            event.stop()
            self.post_message(self.PathsPasted(paths))
