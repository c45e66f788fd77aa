"""Characters that make a path or a command look different from what it is."""

import unicodedata

from dogent_tui.language import tr
from dogent_tui.plain import hidden_character


def deceptive_character(text: str) -> str:
    """Return a sentence about a character that hides what a text says, "" if there is none.

    CJK text, full-width punctuation and emoji are ordinary, and so are joiners where they are
    spelling; control, private-use and invisible characters are not.
    """
    for char in text:
        if unicodedata.category(char) in {"Cc", "Cs", "Co", "Cn"} and char not in "\n\t":
            return tr("It contains the control character U+{char:04X}.", char=ord(char))
    if char := hidden_character(text):
        return tr("It contains the invisible character U+{char:04X}.", char=ord(char))
    return ""


def names(text: str) -> frozenset[str]:
    """Return the words of a text as a set, which keeps tables of names readable."""
    return frozenset(text.split())
