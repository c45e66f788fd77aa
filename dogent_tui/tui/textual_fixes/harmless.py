"""A screen that gives the terminal nothing to obey.

Textual 8.2 draws what is typed or pasted into an input line as it is: an escape sequence there
colors, hides or renames whatever follows it.
"""

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")


class Harmless(LineFilter):
    """Leaves control characters out, which have no width. Text that may hold them is shown with
    pictures of them instead where that matters: see `plain` and `literal`.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return `segments` without control characters."""
        del background
        return [
            part
            if part.control or part.text.isprintable()
            else part._replace(text=_CONTROLS.sub("", part.text))
            for part in segments
        ]
