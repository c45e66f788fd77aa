"""The two languages that the offline engine answers in."""

import re
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["en", "zh"]


def language_of(text: str) -> Language:
    """Return the language to answer in: Chinese as soon as a fifth of the letters are Chinese characters."""
    letters = re.findall(r"[^\W\d_]", text)
    chinese = sum(1 for letter in letters if "\u3400" <= letter <= "\u9fff")
    return "zh" if chinese * 5 > len(letters) else "en"
