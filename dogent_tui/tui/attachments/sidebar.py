"""The sidebar: the documents that the conversation produced, and its attachments."""

from types import MappingProxyType

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList

from dogent_tui.agent.events import Attachment
from dogent_tui.language import phrases, tr
from dogent_tui.plain import one_line
from dogent_tui.tui.attachments.model import AttachmentEntry, ReadState, Sizes, readable_size
from dogent_tui.tui.dialog import ItemList, Words
from dogent_tui.tui.prompt.dropped import dropped_paths
from dogent_tui.tui.results.model import Result
from dogent_tui.tui.widgets import ActionRequested, bound, hidden

_DETAIL = "$foreground 60%"

READ_MARKS: dict[ReadState, tuple[str, str]] = {
    "unread": (tr("not read"), _DETAIL),
    "reading": (tr("reading…"), _DETAIL),
    "read": (tr("read ✓"), "$text-success"),
    "failed": (tr("failed ✗"), "$text-error"),
}
"""The label and the style of each state."""

EMPTY = tr(
    "Nothing sent yet. Files for the next prompt are listed above it.\n\nType @ in the prompt to"
    " refer to a file, or press a."
)


RESULT_WORDS = {"written": tr("written"), "exported": tr("exported")}


class FileList(ItemList[Attachment | Result]):
    """Files, by the shortest names that distinguish them. Lines wider than the sidebar are
    wrapped.
    """

    BINDINGS = [hidden("j", "cursor_down", "Down"), hidden("k", "cursor_up", "Up")]

    def enter(self, at: int) -> None:
        """Take the focus, at item `at` if it exists."""
        self.focus()
        if at < self.option_count:
            self.highlighted = at

    def action_want(self, what: str) -> None:
        """Request an action on the highlighted file."""
        if self.chosen is not None:
            self.post_message(ActionRequested(what, self.chosen))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Request that a file be opened."""
        event.stop()
        self.action_want("open")


class ResultList(FileList):
    """The results, two lines each. The attachments follow below the last one."""

    BINDINGS = [
        bound("enter", "select", "Open"),
        bound("e", "want('export')", "Export"),
        bound("r", "want('reveal')", "Show in folder"),
    ]

    def action_cursor_down(self) -> None:
        """Move down, and from the last result to the attachments."""
        if self.highlighted is None or self.highlighted < self.option_count - 1:
            super().action_cursor_down()
        else:
            self.screen.query_one(AttachmentList).enter(0)


class AttachmentList(FileList):
    """The attachments: two lines each, and one for each sheet."""

    BINDINGS = [
        bound("delete,backspace", "want('remove')", "Remove"),
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

    def action_add(self) -> None:
        """Ask for a file to attach."""
        self.post_message(ActionRequested("add"))


class AttachmentsSidebar(Vertical):
    """The documents produced and the files referred to: type, sheet, size, and whether the agent
    has read them.
    """

    def __init__(self) -> None:
        super().__init__(id="attachments")
        self._shown: tuple[tuple[AttachmentEntry, ...], tuple[Result, ...], Sizes] = (), (), {}
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

    def show(
        self,
        entries: tuple[AttachmentEntry, ...],
        results: tuple[Result, ...] = (),
        sizes: Sizes = MappingProxyType({}),
    ) -> None:
        """Show `entries` and `results` with the known `sizes`, keeping the highlighted item."""
        if (entries, results, sizes) != self._shown:
            self._shown = entries, results, sizes
            if self.is_mounted:
                self._draw()

    def focus_list(self) -> None:
        """Focus the results, or the attachments if there are no results. The keys work even if both
        are empty.
        """
        focused = self._result_list if self._result_list.items else self._list
        focused.enter(focused.highlighted or 0)

    def _draw(self) -> None:
        entries, results, sizes = self._shown
        self._results_title.display = self._result_list.display = bool(results)
        self._results_title.update(tr("Results {count}", count=len(results)))
        self._result_list.show(results, [_result_row(result, sizes) for result in results])
        if self._result_list.has_focus and not results:
            self._list.focus()
        count = tr("Attachments {count}", count=len(entries))
        self._title.update(count if entries else tr("Attachments"))
        self._empty.display = not entries
        attachments = [entry.attachment for entry in entries]
        self._list.show(attachments, [_row(entry, sizes) for entry in entries])

    def on_paste(self, event: events.Paste) -> None:
        """Handle pasted or dropped paths; other text goes to the prompt."""
        if paths := dropped_paths(event.text):
            event.stop()
            self.post_message(ActionRequested("attach", paths))


def _result_row(result: Result, sizes: Sizes) -> Content:
    facts = [RESULT_WORDS[result.kind]]
    if result.path in sizes:
        size = sizes[result.path]
        facts.append(tr("gone") if size is None else readable_size(size))
    return Content.assemble(one_line(result.name), "\n  ", (phrases(*facts), _DETAIL))


def _row(entry: AttachmentEntry, sizes: Sizes) -> Content:
    attachment = entry.attachment
    below = f" · {attachment.type}"
    if (size := sizes.get(attachment.path)) is not None:
        below += f" · {readable_size(size)}"
    if attachment.sheet is not None:
        below += tr("\n  sheet {sheet}", sheet=one_line(attachment.sheet))
    if attachment.lines is not None:
        below += tr("\n  lines {lines}", lines=one_line(attachment.lines))
    state = (tr("next prompt"), "$text-secondary") if entry.pending else READ_MARKS[entry.read]
    return Content.assemble(one_line(attachment.name), "\n  ", state, (below, _DETAIL))
