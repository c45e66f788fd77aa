"""The transcript of a conversation: events in, lines on the screen."""

from dogent_tui.tui.transcript.search_bar import SearchBar
from dogent_tui.tui.transcript.view import Transcript

__all__ = ["SearchBar", "Transcript"]
