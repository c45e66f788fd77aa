"""What is looked for in the text of a command before it is parsed: characters that make it read otherwise than it runs."""

import unicodedata

from dogent_tui.language import tr

ANY = "\ue000"
"""Stands in a value for some text without slashes, spaces or a leading dash: a number, a date."""
SOME = ANY + "\ue002"
"""Stands for the name of some file that is there, where a search finds none now and may find one when it runs."""
DYNAMIC = "\ue001"
"""Stands in a value for text that only running the command could tell."""

_JOINER = "\u200d"
_INVISIBLE = {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u3164", "\uffa0", "\u2028", "\u2029", "\u0085"}
_LOOKALIKE_OPERATORS = set("；｜＆＜＞＄｀＂＇\u037e")


def deceptive_character(text: str) -> str:
    """Return a sentence about the first character that hides what a command does, "" if there is none.

    CJK text, full-width punctuation and emoji (joined ones too) are ordinary; control characters, invisible and bidirectional
    marks and private-use characters are not.
    """
    for index, char in enumerate(text):
        category = unicodedata.category(char)
        if category in {"Cc", "Cs", "Co", "Cn"} and char not in "\n\t":
            return tr("It holds the control character U+{char:04X}.").format(char=ord(char))
        if char in _INVISIBLE or (category == "Cf" and not _joins_emoji(text, index)):
            return tr("It holds the invisible character U+{char:04X}.").format(char=ord(char))
    return ""


def shown(text: str) -> str:
    """Return a text for people: what is not known beforehand becomes "…"."""
    return text.replace(SOME, "…").replace(ANY, "…").replace(DYNAMIC, "…")


def without_stand_ins(text: str) -> str:
    """Return a text without what stands in for the unknown."""
    return text.replace(SOME, "").replace(ANY, "").replace(DYNAMIC, "")


def deceptive_word(text: str) -> str:
    """Return a sentence about a look-alike of a space or an operator in unquoted text, "" if there is none."""
    for char in text:
        if char in _LOOKALIKE_OPERATORS or (unicodedata.category(char) == "Zs" and char != " "):
            return tr("The character “{char}” (U+{char:04X}) looks like shell syntax and is not.").format(char=ord(char))
    return ""


def _joins_emoji(text: str, index: int) -> bool:
    if text[index] != _JOINER or index == 0:
        return False
    before = text[index - 1]
    return before == "\ufe0f" or (unicodedata.category(before) in {"So", "Sk", "Lo", "Mn", "Mc"} and ord(before) > 0x900)
