"""Alt+Enter and Shift+Enter in terminals without the kitty keyboard protocol.

Such a terminal sends ESC CR for Alt+Enter (and for Shift+Enter, if its user configured that for
other agents), which Textual 8.2 parses as a plain Enter: it would send the prompt. xterm's
``modifyOtherKeys`` sequences arrive with a raw CR in the key's name.
"""

import enum
from typing import Any, cast

from textual import _ansi_sequences


class _Newline(enum.Enum):
    ALT = "alt+enter"


def teach_newline_keys() -> None:
    """Make Textual's parser report these sequences as ``alt+enter`` and ``shift+enter``.
    Idempotent.
    """
    # private: tests/tui/textual_fixes/test_terminal_keys.py
    table = cast("dict[str, Any]", _ansi_sequences.ANSI_SEQUENCES_KEYS)
    table["\x1b\r"] = (_Newline.ALT,)
    table["\x1b\n"] = (_Newline.ALT,)


NEWLINE_KEYS = frozenset(
    {"shift+enter", "alt+enter", "ctrl+j", "ctrl+enter", "shift+\r", "alt+\r", "ctrl+\r"}
)
"""The keys that insert a line break, under every name that Textual gives them."""
