"""Characters that make a path or a command look different from what it is."""

import unicodedata

from dogent_tui.language import tr

_JOINER = "\u200d"
_INVISIBLE = set("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2028\u2029\u0085")


def deceptive_character(text: str) -> str:
    """Return a sentence about the first character that hides what a text says, "" if there is none.

    CJK text, full-width punctuation and emoji (including joined ones) are ordinary; control
    characters, invisible and bidirectional marks and private-use characters are not.
    """
    for index, char in enumerate(text):
        category = unicodedata.category(char)
        if category in {"Cc", "Cs", "Co", "Cn"} and char not in "\n\t":
            return tr("It contains the control character U+{char:04X}.", char=ord(char))
        if char in _INVISIBLE or (category == "Cf" and not _joins_emoji(text, index)):
            return tr("It contains the invisible character U+{char:04X}.", char=ord(char))
    return ""


def _joins_emoji(text: str, index: int) -> bool:
    if text[index] != _JOINER or index == 0:
        return False
    before = text[index - 1]
    joined = unicodedata.category(before) in {"So", "Sk", "Lo", "Mn", "Mc"} and ord(before) > 0x900
    return joined or before == "\ufe0f"


def names(text: str) -> frozenset[str]:
    """Return the words of a text as a set, which keeps tables of names readable."""
    return frozenset(text.split())
