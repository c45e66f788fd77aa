"""What a font or a color says about text, in any kind of document: it is code, or invisible."""

import re

from dogent_tui.documents.elements import whole

_MONOSPACED = re.compile(
    r"mono(?!type)|courier|consol|menlo|typewriter|cmtt|(?<!uni)code(?!2000)", re.IGNORECASE
)
"""Names of monospaced fonts; Arial Unicode, Code2000 and Monotype's are none."""
MOST_CODE = 0.8
"""The share of a text that may be code."""
_SMALLEST = 3
"""Half points: smaller text is illegible."""
_ALIKE = 24
"""The difference (of 255) to the background in at least one color component that makes text
visible.
"""


def is_monospaced(font: str) -> bool:
    """Return whether the font with this name is monospaced."""
    return _MONOSPACED.search(font) is not None


def is_unseen(color: str, behind: str, half_points: str = "") -> bool:
    """Return whether text is invisible: tiny, or of the color of its background `behind`.

    Colors are six hexadecimal digits; `behind` is ``auto`` for paper, and anything else if unknown.
    """
    if whole(half_points, _SMALLEST + 1) <= _SMALLEST:
        return True
    text, ground = _rgb(color), _rgb("FFFFFF" if behind == "auto" else behind)
    return bool(text and ground) and all(
        abs(one - other) <= _ALIKE for one, other in zip(text, ground, strict=True)
    )


def _rgb(color: str) -> bytes:
    try:
        return bytes.fromhex(color) if len(color) == 6 else b""
    except ValueError:
        return b""
