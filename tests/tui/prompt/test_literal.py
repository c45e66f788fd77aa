"""Control characters in an editable text."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dogent_tui.plain import newlines
from dogent_tui.tui.prompt.literal import carry, pictures, release

# Plane 16 holds the carriers; nobody types it.
TEXTS = st.text(
    st.characters(max_codepoint=0xFFFFF, exclude_categories=["Cs"])
    | st.sampled_from("\x1b\r\n\x00\x9b\u2028\u202e\U000e0041")
)


@given(TEXTS)
def test_what_is_carried_comes_back(text: str) -> None:
    assert release(carry(text)) == newlines(text)


@given(TEXTS)
def test_what_is_drawn_is_no_control_and_as_long(text: str) -> None:
    carried = carry(text)
    drawn = pictures(carried)
    assert len(drawn) == len(carried)
    assert not [
        character
        for character in drawn
        if character not in "\n\t" and (ord(character) < 32 or 127 <= ord(character) < 160)
    ]


def test_a_picture_is_as_wide_as_its_carrier() -> None:
    for code in (*range(9), 0x0B, 0x1B, 0x7F, 0x9B, 0x2028, 0x202E, 0xE0041):
        carried = carry(chr(code))
        assert cell_len(carried) == cell_len(pictures(carried)) == 1, hex(code)


def test_an_escape_sequence_is_seen() -> None:
    assert pictures(carry("\x1b[31mred\x07")) == "␛[31mred␇"


def test_line_endings_become_newlines() -> None:
    assert carry("a\r\nb\rc\n") == "a\nb\nc\n"
