"""The sidebar: what the conversation made, and what was attached to it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from dogent_tui.agent.events import Attachment
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.attachments.model import AttachmentEntry, ReadState, readable_size
from dogent_tui.tui.prompt.dropped import dropped_paths
from dogent_tui.tui.results.model import Result

if TYPE_CHECKING:
    from textual.style import Style

READ_MARKS: dict[ReadState, str] = {
    "unread": tr("not read"),
    "reading": tr("reading…"),
    "read": tr("read ✓"),
    "failed": tr("failed ✗"),
}

EMPTY = tr(
    "Nothing sent yet. Files for the next prompt are listed above it.\n\nType @ in the prompt to"
    " refer to a file, or press a."
)


RESULT_WORDS = {"written": tr("written"), "exported": tr("exported")}


class ResultList(OptionList):
    """The results, two lines each. Below the last one are the attachments."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", tr("Open")),
        Binding("e", "want('export')", tr("Export")),
        Binding("r", "want('reveal')", tr("Show in folder")),
        Binding("j", "cursor_down", tr("Down"), show=False),
        Binding("k", "cursor_up", tr("Up"), show=False),
    ]

    def action_want(self, what: str) -> None:
        """Ask for something to be done with the highlighted result."""
        if self.highlighted is not None:
            self.post_message(AttachmentsSidebar.ResultPressed(what, self.highlighted))

    def action_cursor_down(self) -> None:
        """Go down, and from the last one to the attachments."""
        if self.highlighted is None or self.highlighted < self.option_count - 1:
            super().action_cursor_down()
        else:
            self.screen.query_one(AttachmentList).enter(0)


class AttachmentList(OptionList):
    """The attachments, two lines each, and one for a sheet; what is longer than the sidebar is
    wide continues below.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete,backspace", "remove", tr("Remove")),
        Binding("a", "add", tr("Add")),
        Binding("enter", "select", tr("Preview")),
        Binding("j", "cursor_down", tr("Down"), show=False),
        Binding("k", "cursor_up", tr("Up"), show=False),
    ]

    def enter(self, at: int) -> None:
        """Take the keyboard, at the attachment number `at` where there is one."""
        self.focus()
        if at < self.option_count:
            self.highlighted = at

    def action_cursor_up(self) -> None:
        """Go up, and from the first one to the results."""
        results = self.screen.query_one(ResultList)
        if results.display and not self.highlighted:
            results.focus()
            results.highlighted = results.option_count - 1
        else:
            super().action_cursor_up()

    def action_remove(self) -> None:
        """Ask for the highlighted attachment to be taken back."""
        if self.highlighted is not None:
            self.post_message(AttachmentsSidebar.RemovePressed(self.highlighted))

    def action_add(self) -> None:
        """Ask for a file to attach."""
        self.post_message(AttachmentsSidebar.AddRequested())


class AttachmentsSidebar(Vertical):
    """The documents that were made, and what the conversation refers to: type, sheet, size,
    whether the agent has read it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "attachment--detail",
        "attachment--read",
        "attachment--failed",
        "attachment--pending",
    }

    @dataclass
    class PreviewRequested(Message):
        """Show what is in `attachment`."""

        attachment: Attachment

    @dataclass
    class ResultWanted(Message):
        """Do `what` (``open``, ``export`` or ``reveal``) with `result`."""

        what: str
        result: Result

    @dataclass
    class ResultPressed(Message):
        """A key was pressed on a result. Handled here."""

        what: str
        row: int

    class AddRequested(Message):
        """Let the user choose a file to attach."""

    @dataclass
    class PathsPasted(Message):
        """Attach the files at `paths`, which were pasted or dropped here, if they exist."""

        paths: list[str]

    @dataclass
    class RemoveRequested(Message):
        """Take `attachment` back where it is pending, or off the list where it was sent."""

        attachment: Attachment

    @dataclass
    class RemovePressed(Message):
        """The remove key was pressed on a row. Handled here."""

        row: int

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._entries: tuple[AttachmentEntry, ...] = ()
        self._look: Style | None = None
        self._results: tuple[Result, ...] = ()
        self._results_title = Static("", id="results-title", markup=False)
        self._result_list = ResultList(id="results-list", markup=False, compact=True)
        self._title = Static(tr("Attachments"), id="attachments-title", markup=False)
        self._empty = Static(EMPTY, id="attachments-empty", markup=False)
        self._list = AttachmentList(id="attachments-list", markup=False, compact=True)

    def compose(self) -> ComposeResult:
        """Lay out the titles and the lists, or what to press when there is none."""
        yield self._results_title
        yield self._result_list
        yield self._title
        yield self._empty
        yield self._list

    def on_mount(self) -> None:
        """Draw the entries."""
        self._draw_again()

    def notify_style_update(self) -> None:
        """Draw the entries in the colors there are now."""
        super().notify_style_update()
        if self._look is not None and self._look != self.get_visual_style(
            "attachment--detail", partial=True
        ):
            at = self._result_list.highlighted
            self._draw_results(self._results[at].path if at is not None else "")
            self._draw(self._highlighted)

    def show(self, entries: tuple[AttachmentEntry, ...], results: tuple[Result, ...] = ()) -> None:
        """Show `entries` and `results`, what is highlighted staying highlighted."""
        if results != self._results:
            at = self._result_list.highlighted
            path = self._results[at].path if at is not None else ""
            self._results = results
            if self.is_mounted:
                self._draw_results(path)
        if entries != self._entries:
            key = self._highlighted
            self._entries = entries
            if self.is_mounted:
                self._draw(key)

    @property
    def _highlighted(self) -> object:
        """What tells the highlighted entry from the others."""
        highlighted = self._list.highlighted
        return self._entries[highlighted].key if highlighted is not None else None

    def focus_list(self) -> None:
        """Focus the results, or where there are none the attachments, also without any: its keys
        work there too.
        """
        if self._results:
            self._result_list.focus()
            self._result_list.highlighted = self._result_list.highlighted or 0
            return
        self._list.focus()
        if self._entries and self._list.highlighted is None:
            self._list.highlighted = 0

    def _draw_again(self) -> None:
        self._draw_results()
        self._draw()

    def _draw_results(self, path: str = "") -> None:
        has_any = bool(self._results)
        self._results_title.display = self._result_list.display = has_any
        self._results_title.update(tr("Results {count}", count=len(self._results)))
        self._result_list.set_options(Option(self._result_row(result)) for result in self._results)
        paths = [result.path for result in self._results]
        if has_any:
            self._result_list.highlighted = paths.index(path) if path in paths else None
        elif self._result_list.has_focus:
            self._list.focus()

    def _result_row(self, result: Result) -> Content:
        facts = [RESULT_WORDS[result.kind], *([tr("gone")] if result.gone else [])]
        if result.size is not None:
            facts.append(readable_size(result.size))
        detail = Content(" · ".join(facts)).stylize(
            self.get_visual_style("attachment--detail", partial=True)
        )
        return Content.assemble(one_line(result.name), "\n  ", detail)

    def _draw(self, key: object = None) -> None:
        count = len(self._entries)
        self._look = (
            self.get_visual_style("attachment--detail", partial=True) if self._entries else None
        )
        self._title.update(tr("Attachments {count}", count=count) if count else tr("Attachments"))
        self._empty.display = not self._entries
        self._list.set_options(Option(self._row(entry)) for entry in self._entries)
        keys = [entry.key for entry in self._entries]
        if keys:
            self._list.highlighted = keys.index(key) if key in keys else None

    def _row(self, entry: AttachmentEntry) -> Content:
        attachment = entry.attachment
        facts = [attachment.type]
        if entry.size is not None:
            facts.append(readable_size(entry.size))
        below = "".join(f" · {fact}" for fact in facts)
        if attachment.sheet is not None:
            below += tr("\n  sheet {sheet}", sheet=one_line(attachment.sheet))
        if attachment.lines is not None:
            below += tr("\n  lines {lines}", lines=one_line(attachment.lines))
        detail = Content(below).stylize(self.get_visual_style("attachment--detail", partial=True))
        return Content.assemble(one_line(attachment.name), "\n  ", self._state(entry), detail)

    def _state(self, entry: AttachmentEntry) -> Content:
        if entry.pending:
            return Content(tr("next prompt")).stylize(
                self.get_visual_style("attachment--pending", partial=True)
            )
        names = {"read": "attachment--read", "failed": "attachment--failed"}
        return Content(READ_MARKS[entry.read]).stylize(
            self.get_visual_style(names.get(entry.read, "attachment--detail"), partial=True)
        )

    @on(OptionList.OptionSelected, "#results-list")
    def _open_result(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.ResultWanted("open", self._results[event.option_index]))

    @on(ResultPressed)
    def _want_result(self, event: ResultPressed) -> None:
        event.stop()
        self.post_message(self.ResultWanted(event.what, self._results[event.row]))

    @on(OptionList.OptionSelected, "#attachments-list")
    def _preview(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.PreviewRequested(self._entries[event.option_index].attachment))

    @on(OptionList.OptionHighlighted)
    def _keep_to_ourselves(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()

    def on_paste(self, event: events.Paste) -> None:
        """Offer pasted or dropped paths."""
        event.stop()
        if paths := dropped_paths(event.text):
            self.post_message(self.PathsPasted(paths))

    @on(RemovePressed)
    def _remove(self, event: RemovePressed) -> None:
        event.stop()
        self.post_message(self.RemoveRequested(self._entries[event.row].attachment))
