"""CSS lengths given by authors, and their conversion to points."""

import re

_LENGTH = re.compile(r"\s*(\d{1,5}(?:\.\d{1,3})?)\s*(px|%|cm|mm|in|pt|em)?\s*")
_POINTS = {"px": 0.75, "pt": 1.0, "em": 11.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4}
"""Unit → points; a pixel is CSS's, 96 per inch."""


def length(text: str) -> str:
    """Return `text` in points or percent (a bare number is in pixels), empty if it is no length."""
    number = points(text, 1)
    return text.strip() if "%" in text and number else f"{number:.2f}pt" if number else ""


def points(text: str, whole: float = 0) -> float:
    """Return a length in points, 0 if invalid; ``%`` is relative to `whole`."""
    found = _LENGTH.fullmatch(text)
    if found is None:
        return 0.0
    return float(found[1]) * (whole / 100 if found[2] == "%" else _POINTS[found[2] or "px"])
