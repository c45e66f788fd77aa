"""Alt+Enter and Shift+Enter of terminals that do not speak the kitty keyboard protocol.

Such a terminal sends ESC CR for Alt+Enter (and for Shift+Enter where its user set that up for other
agents), which Textual 8.2 reads as a plain Enter: it would send the prompt. xterm's
``modifyOtherKeys`` sequences arrive with a raw CR in the key's name.
"""

import enum
from typing import Any, cast

from textual import _ansi_sequences


class _Newline(enum.Enum):
    ALT = "alt+enter"


def teach_newline_keys() -> None:
    """Have Textual's parser report these sequences as ``alt+enter`` and ``shift+enter``.
    Harmless when called again.
    """
    # private: tests/tui/textual_fixes/test_terminal_keys.py
    table = cast("dict[str, Any]", _ansi_sequences.ANSI_SEQUENCES_KEYS)
    table["\x1b\r"] = (_Newline.ALT,)
    table["\x1b\n"] = (_Newline.ALT,)


NEWLINE_KEYS = frozenset(
    {"shift+enter", "alt+enter", "ctrl+j", "ctrl+enter", "shift+\r", "alt+\r", "ctrl+\r"}
)
"""The keys that begin a new line, under every name that Textual gives them."""
