"""The keys for a new line, as terminals send them. Names the private table of Textual that
`terminal_keys` writes to.
"""

import pytest
from textual import _ansi_sequences
from textual._xterm_parser import XTermParser
from textual.events import Key

from dogent_tui.tui.textual_fixes.terminal_keys import NEWLINE_KEYS, teach_newline_keys


def test_the_private_table_is_still_there() -> None:
    assert isinstance(_ansi_sequences.ANSI_SEQUENCES_KEYS, dict)


@pytest.mark.parametrize(
    "sequence", ["\x1b\r", "\x1b\n", "\n", "\x1b[13;2u", "\x1b[13;3u", "\x1b[27;2;13~"]
)
def test_begins_a_new_line(sequence: str) -> None:
    teach_newline_keys()
    keys = [event.key for event in XTermParser().feed(sequence + "x") if isinstance(event, Key)]
    assert keys[-1] == "x"
    assert len(keys) == 2
    assert keys[0] in NEWLINE_KEYS


def test_enter_stays_enter() -> None:
    teach_newline_keys()
    assert [event.key for event in XTermParser().feed("\r") if isinstance(event, Key)] == ["enter"]
