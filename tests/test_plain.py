import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.plain import cut_bytes, one_line, visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x00\x07\x7f", "␀␇␡"),
        ("\x9b2J", "⟦U+009B⟧2J"),
        ("invoice\u202efdp.exe", "invoice⟦U+202E⟧fdp.exe"),
        ("bad\udcff.md", "bad⟦U+DCFF⟧.md"),
        ("a\tb", "a   b"),
        ("[/b] [x](y) [ ] 漢字 👩‍👩‍👧", "[/b] [x](y) [ ] 漢字 👩‍👩‍👧"),
    ],
)
def test_controls_are_shown_and_the_rest_stays(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@given(st.text(alphabet=st.characters(codec=None)))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = visible(text)
    assert not any(
        unicodedata.category(character) in {"Cc", "Cs"} for character in shown.replace("\n", "")
    )
    assert visible(shown) == shown
    shown.encode()


def test_one_line() -> None:
    assert one_line(" a\n\tb \x1b ") == "a b ␛"


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("short", 5, "short"),
        ("longer", 5, "longe"),
        ("文字", 5, "文"),
        ("ae\u0301", 3, "a"),
        ("ae\u0301", 4, "ae\u0301"),
        ("👍🏽!", 6, ""),
        ("x👩\u200d🚀", 9, "x"),
        ("x👩\u200d🚀", 12, "x👩\u200d🚀"),
        ("☺\ufe0f", 3, ""),
    ],
)
def test_a_cut_text_fits_and_splits_no_character(text, most, cut):
    assert cut_bytes(text, most) == cut
