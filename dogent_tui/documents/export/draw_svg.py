"""Writes the svg of standard input as a PNG to standard output. A program for `docx_svg`, which
imports nothing of ours.
"""

import sys
from importlib import import_module
from typing import Any

SIDE = 1600
"""Pixels of the longer side: sharp on paper up to some 14 cm."""


def draw(svg: bytes) -> bytes:
    """Return the drawing as a PNG. Raises what MuPDF raises."""
    pymupdf: Any = import_module("pymupdf")

    pymupdf.TOOLS.mupdf_display_errors(False)
    with pymupdf.open(stream=svg, filetype="svg") as document:
        page = document[0]
        scale = SIDE / max(page.rect.width, page.rect.height, 1)
        picture: bytes = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=True).tobytes(
            "png"
        )
    return picture


if __name__ == "__main__":
    sys.stdout.buffer.write(draw(sys.stdin.buffer.read()))
