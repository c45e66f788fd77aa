"""Character references of HTML (``&amp;``, ``&#8364;``) as the characters that they stand for."""

import re
from html import unescape

_ENDLESS = re.compile(r"&#[0-9]{1000,};?")
"""Python turns no number of over 4,300 digits into an int, and raises."""


def unescaped(text: str) -> str:
    """Return `text` with its character references replaced, in any text from outside: what
    stands for nothing is U+FFFD.
    """
    return unescape(_ENDLESS.sub("\ufffd", text))
