"""An outline while its text is edited: the tree follows what is typed, and all of it is one step
of undo.
"""

from dogent_tui.outline.model import Outline


class RawEdit:
    """Edits `outline` as the text that it was shown as."""

    def __init__(self, outline: Outline, text: str) -> None:
        self.text = text
        """What the outline says now."""
        self._outline = outline
        self._begun = text
        self._is_step = False

    def take(self, text: str, read: Outline | None = None) -> bool:
        """Have the outline say `text`, in place of what was typed before. Returns whether that is
        another text.

        `read` is what `outline.read` made of it, where that was done before, in a thread.
        """
        if text == self.text:
            return False
        if self._is_step:
            self._outline.forget_last()
        self.text = text
        self._is_step = text != self._begun and self._outline.rewrite(text, read)
        return True
