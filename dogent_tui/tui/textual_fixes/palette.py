"""The command palette under keys that come faster than it is laid out or closed.

In Textual 8.2, a second Enter, Esc or click in a palette that is closing closes the screen below it
as well; for Page Up see `option_list.py`.
"""

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette
from textual.message import Message
from textual.widgets import Input, OptionList


class Palette(CommandPalette):
    """A command palette that closes once and runs one command."""

    _is_left = False

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, unless it is closing already."""
        if self._is_left:
            return AwaitComplete()
        self._is_left = True
        return super().dismiss(result)

    async def _on_message(self, message: Message) -> None:
        answers = (Input.Changed, Input.Submitted, OptionList.OptionSelected)
        if not (self._is_left and isinstance(message, answers)):
            await super()._on_message(message)

    def _action_command_list(self, action: str) -> None:
        pages = action.startswith("page")
        if not pages or self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)
