"""A picture for the programs that draw no svg: Word before 2016, and most of what is not Word."""

import base64
import os
import subprocess
import sys
from pathlib import Path

from dogent_tui.documents.export.images import ExportImage
from dogent_tui.processes import Halt, run_to_end
from dogent_tui.wall.own import own_environment, walled

_LIMIT_S = 10.0
_DRAW = Path(__file__).with_name("draw_svg.py")
_PNG = b"\x89PNG\r\n\x1a\n"
_NOTHING = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
"""One pixel, where the drawing cannot be drawn: programs that know svg show it still."""


def fallback_png(drawing: ExportImage, halt: Halt | None = None) -> bytes:
    """Return the svg `drawing` as a PNG. Blocks for a second or so: for a thread. Never raises.

    MuPDF draws it in a process of its own, as a drawing may ask for any amount of work. ``-P``
    keeps the folder that we happen to stand in out of where Python looks for modules.
    """
    command = walled([sys.executable, "-P", str(_DRAW)])
    try:
        done = run_to_end(
            command,
            stdin=drawing.data,
            cwd=Path(os.sep),
            env=own_environment(),
            limit_s=_LIMIT_S,
            halt=halt,
        )
    except (OSError, subprocess.TimeoutExpired):
        return _NOTHING
    return done.stdout if done.returncode == 0 and done.stdout.startswith(_PNG) else _NOTHING
