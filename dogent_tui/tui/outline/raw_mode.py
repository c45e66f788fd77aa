"""The outline as raw Markdown: what is typed there, tree and preview follow."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from dogent_tui.outline.edit_session import OutlineEditing
from dogent_tui.outline.model import RawEdit
from dogent_tui.tui.outline.inputs import RawMarkdown
from dogent_tui.tui.prompt.literal import carry, release

if TYPE_CHECKING:
    from textual.timer import Timer

FOLLOW_DELAY_S = 0.12
"""Seconds after a key until tree and preview follow; they do so while the user keeps typing."""
_QUICK_CHARACTERS = 20_000
"""What is read at once, in a few milliseconds; a longer text is read in a thread."""


class RawMode:
    """Keeps `editing` in step with the text in `area`. `followed` is called when it has
    followed.
    """

    def __init__(
        self, editing: OutlineEditing, area: RawMarkdown, followed: Callable[[], None]
    ) -> None:
        self._editing = editing
        self._area = area
        self._followed = followed
        self._edit: RawEdit | None = None
        self._timer: Timer | None = None
        self._is_following = self._is_late = False

    @property
    def text(self) -> str:
        """What is typed, control characters as they were."""
        return release(self._area.text)

    def begin(self) -> None:
        """Show the text of the outline, the cursor on the heading that it is on in the tree."""
        self._area.load_text(carry(self._editing.markdown))
        self._edit = RawEdit(self._editing.outline, self.text)
        self._area.tell_code()
        self.show_cursor()

    def show_cursor(self) -> None:
        """Go to the heading under the cursor of the tree."""
        self._area.move_cursor((self._editing.line_of_cursor(), 0), center=True)

    def settle(self) -> None:
        """Take over what is typed, now."""
        if self._edit is not None:
            self._edit.take(self.text)

    def end(self) -> None:
        """Take over what is typed, and put the cursor of the tree on the heading that it is
        about.
        """
        self.settle()
        self._editing.go_to_line(self._area.cursor_location[0])
        self._edit = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def touch(self) -> None:
        """The text was changed, or the cursor is elsewhere: follow soon."""
        if self._edit is None:
            return
        if self._is_following:
            self._is_late = True
        elif self._timer is None:
            self._timer = self._area.set_timer(FOLLOW_DELAY_S, self._follow)

    async def _follow(self) -> None:
        self._timer = None
        self._is_following, self._is_late = True, False
        try:
            edit, text = self._edit, self.text
            if edit is None:
                return
            if text != edit.text:
                read = self._editing.outline.read
                outline = (
                    read(text)
                    if len(text) < _QUICK_CHARACTERS
                    else await asyncio.to_thread(read, text)
                )
                if edit is not self._edit:  # they have left
                    return
                edit.take(text, outline)
                self._area.tell_code()
            self._editing.go_to_line(self._area.cursor_location[0])
            self._followed()
        finally:
            self._is_following = False
            if self._is_late:
                self.touch()
