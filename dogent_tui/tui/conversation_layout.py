"""The parts of a conversation that the first paint does not need: each is created on first use and
placed in the layout.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.widget import Widget

from dogent_tui.tui.imports import loaded

if TYPE_CHECKING:  # imported on creation, after the first paint
    from dogent_tui.tui.attachments.model import Sizes
    from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar
    from dogent_tui.tui.pane.pane import DocumentPane
    from dogent_tui.tui.ports import ConversationPort
    from dogent_tui.tui.setup.panel import SetupPanel
    from dogent_tui.tui.transcript.search_bar import SearchBar
    from dogent_tui.tui.transcript.view import Transcript

SIDEBAR_FROM = 110
"""Columns from which the attachments are shown beside the transcript automatically; in a narrower
window Ctrl+B shows them.
"""

SIDEBAR_BESIDE_PANE_FROM = 170
"""Columns from which the sidebar fits beside an open document."""

PANE_FROM = 110
"""Columns from which a document is shown beside the conversation; in a narrower window one covers
the other.
"""

COMFORTABLE_ROWS = 20
"""Rows from which there is an empty line above the prompt."""

COMFORTABLE_COLUMNS = 60
"""Columns from which the status bar has a margin."""


class ConversationLayout:
    """Lays out what is above the prompt of `screen`. `clear` prepares it for another session."""

    def __init__(self, screen: "ConversationPort") -> None:
        self._screen = screen
        self._placed: list[Widget] = []
        self._sidebar_wanted: bool | None = None
        self._pane: DocumentPane | None = None
        self._pane_covers = False
        self._setup: SetupPanel | None = None
        self._sizes: Sizes = {}

    @cached_property
    def transcript(self) -> "Transcript":
        """The widget of the conversation."""
        from dogent_tui.tui.transcript.view import Transcript

        transcript = Transcript()
        transcript.display = False
        return transcript

    @cached_property
    def sidebar(self) -> "AttachmentsSidebar":
        """The files referred to in the conversation."""
        from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar

        sidebar = AttachmentsSidebar()
        sidebar.display = False
        return sidebar

    @cached_property
    def search(self) -> "SearchBar":
        """The search line of the conversation."""
        from dogent_tui.tui.transcript.search_bar import SearchBar

        return SearchBar(self.transcript)

    async def bring(self) -> None:
        """Add what is not visible at first, once the rest is painted: its imports and styles alone
        cost a third of the first paint.
        """
        await loaded("dogent_tui.tui.transcript.view")
        # otherwise the user has left or is leaving
        if self._screen.is_attached and self._screen.query("#conversation"):
            await self._place(self.transcript, "#conversation")
            await self.place_sidebar()

    def show_transcript(self) -> None:
        """Show the conversation instead of the placeholder of an empty one."""
        if not self.transcript.display:
            self._screen.welcome.display = False
            self.transcript.display = True

    async def open_search(self) -> None:
        """Search the conversation, or the document if that has the focus or covers it."""
        pane = self._pane
        if pane is not None and pane.display and (pane.has_focus_within or not self._is_wide()):
            pane.search.open()
            return
        await self._place(self.search, "#conversation", before=0)
        if self._screen.size.width < SIDEBAR_FROM:  # the sidebar would cover it
            self._sidebar_wanted = None
            await self.place_sidebar()
        self.search.open()

    async def show_setup(self, panel: "SetupPanel | None") -> None:
        """Show `panel` directly above the prompt, replacing the current one; None removes it."""
        if self._setup is not None:
            if self._setup.has_focus:
                self._screen.prompt.focus_editor()
            await self._setup.remove()
        self._setup = panel
        if panel is not None:
            await self._screen.mount(panel, before=self._screen.prompt)

    async def fit(self, size: Size) -> None:
        """Hide the sidebar in a narrow window, and the empty lines in a low one."""
        self._screen.set_class(size.height < COMFORTABLE_ROWS, "-short")
        self._screen.set_class(size.width < COMFORTABLE_COLUMNS, "-slim")
        self._place_pane()
        if self._setup is not None:
            self._setup.place(size.height)
        await self.place_sidebar()

    async def toggle_sidebar(self) -> None:
        """Show and focus the attachments; if they have the focus or are in the way, hide them."""
        leaves = self.sidebar.display and self.sidebar.has_focus_within
        if leaves:
            self._screen.prompt.focus_editor()
        self._sidebar_wanted = not leaves
        await self.place_sidebar()
        if not leaves:
            self.sidebar.focus_list()

    async def place_sidebar(self, sizes: "Sizes | None" = None) -> None:
        """Show results and attachments if there are any and they fit, unless the user decided
        otherwise, with their latest `sizes`.
        """
        self._sizes = self._sizes if sizes is None else sizes
        entries, results = self._screen.attachments.entries, self._screen.results.entries
        width = self._screen.size.width
        wide = width >= SIDEBAR_FROM
        has_room = wide and (self._pane is None or width >= SIDEBAR_BESIDE_PANE_FROM)
        wanted = (
            has_room and bool(entries or results)
            if self._sidebar_wanted is None
            else self._sidebar_wanted
        )
        if wanted:
            await self._place(self.sidebar, "#body")
        if "sidebar" in self.__dict__:
            self.sidebar.show(entries, results, self._sizes)
            self.sidebar.display = wanted
            self.sidebar.set_class(not wide, "-narrow")

    async def show_pane(self, pane: "DocumentPane", *, covers: bool = True) -> None:
        """Show the open document. If it `covers` the conversation, in a narrow window, it takes the
        focus.
        """
        if self._pane is None:
            self._pane = pane
            await self._screen.query_one("#body").mount(pane, after="#conversation")
        self._pane_covers = covers or self._pane_covers
        # it would take the space that the document needs
        if covers and self._screen.size.width < SIDEBAR_BESIDE_PANE_FROM:
            self._sidebar_wanted = None
        self._place_pane()
        await self.place_sidebar()
        if covers and not self._is_wide():
            pane.view.focus()

    def uncover(self) -> None:
        """Show the conversation if the document covers it."""
        self._pane_covers = False
        self._place_pane()

    async def take_pane(self) -> None:
        """Remove the document."""
        pane, self._pane = self._pane, None
        if pane is not None:
            await pane.remove()
        self._screen.query_one("#conversation").display = True
        await self.place_sidebar()

    def _is_wide(self) -> bool:
        return self._screen.size.width >= PANE_FROM

    def _place_pane(self) -> None:
        if self._pane is None:
            return
        wide, had_focus = self._is_wide(), self._pane.has_focus_within
        self._pane.display = wide or self._pane_covers
        self._pane.set_class(not wide, "-whole")
        self._screen.query_one("#conversation").display = wide or not self._pane_covers
        if not self._pane.display and had_focus:
            self._screen.prompt.focus_editor()

    async def clear(self) -> None:
        """Remove the parts; they are created again when needed."""
        await self.show_setup(None)
        for part in self._placed:
            await part.remove()
        self._placed.clear()
        for name in ("transcript", "search", "sidebar"):
            self.__dict__.pop(name, None)
        self._screen.welcome.display = True

    async def _place(self, part: Widget, room: str, before: int | None = None) -> None:
        """Mount `part` unless it is mounted already."""
        if part not in self._placed:
            self._placed.append(part)
            await self._screen.query_one(room).mount(part, before=before)
