"""Pages of a pdf that are pictures: recognized by Tesseract if it is installed, otherwise saved for
a model with vision.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from dogent_tui.documents.model import Block, Source
from dogent_tui.processes import run_to_end
from dogent_tui.wall.own import own_environment

_DPI = 200
_MOST_PIXELS = 12_000_000
_PAGE_S = 6
"""The processor time in seconds for a page, less than what a page may take in all."""
_LIMIT_S = 50.0
"""The time for it on a busy machine."""
_MOST_LANGUAGES = 3
_NO_LANGUAGES = {"", "osd", "equ", "snum"}


class Scans:
    """Reads pages without text, or saves them to `folder`. `recognised` and `saved` are the
    numbers of those pages.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = Path(folder) if folder is not None else None
        self.recognised: list[int] = []
        self.saved: list[int] = []

    def blocks(self, page: Any, number: int) -> Iterator[Block]:
        """Yield the content of a pymupdf page without text; nothing if it is blank, or cannot be
        looked at.
        """
        tesseract = shutil.which("tesseract")
        if not (self._folder or tesseract) or not page.get_bboxlog():
            return
        most = 72 * (_MOST_PIXELS / max(1.0, page.rect.width * page.rect.height)) ** 0.5
        picture = page.get_pixmap(dpi=int(min(_DPI, most))).tobytes("png")
        if self._folder is not None:
            name = f"page-{number}.png"
            (self._folder / name).write_bytes(picture)
            self.saved.append(number)
            yield Block(f"![Page {number}, which is a picture]({name})", Source(page=number))
        elif tesseract and (text := _recognised(tesseract, picture)):
            self.recognised.append(number)
            said = f"<!-- page {number} is a picture: its text was recognised by Tesseract -->"
            yield Block(said, Source(page=number))
            yield Block(text, Source(page=number))


def _recognised(tesseract: str, picture: bytes) -> str:
    """Return the text that Tesseract recognizes on a picture, empty if there is none or it takes
    too long.
    """
    languages = "+".join(_languages(tesseract))
    said = _said(tesseract, "stdin", "stdout", "-l", languages, stdin=picture).replace("\f", "")
    return "\n\n".join(filter(None, (" ".join(part.split()) for part in said.split("\n\n"))))


@cache
def _languages(tesseract: str) -> list[str]:
    """Return the languages to recognize: the installed ones, that of the computer first; each takes
    additional time.
    """
    installed = set(_said(tesseract, "--list-langs").split("\n")[1:]) - _NO_LANGUAGES
    here = os.environ.get("LANG", "")[:2]
    preferred = sorted(installed, key=lambda name: (not name.startswith(here), name != "eng", name))
    return preferred[:_MOST_LANGUAGES] or ["eng"]


def _said(tesseract: str, *arguments: str, stdin: bytes = b"") -> str:
    """Return Tesseract's output, empty if it fails or takes too long."""
    environment = {**own_environment(), "OMP_THREAD_LIMIT": "1"}
    limited = f'ulimit -t {_PAGE_S} && exec "$0" "$@"'
    command, here = ["/bin/sh", "-c", limited, tesseract, *arguments], Path(os.sep)
    try:
        done = run_to_end(command, stdin=stdin, cwd=here, env=environment, limit_s=_LIMIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.decode("utf-8", "replace")
