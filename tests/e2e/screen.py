"""What a terminal shows: bytes of an application in, text, modes and the answers to its questions
out.

pyte draws; this adds what pyte leaves out and Textual uses: the alternate screen, private modes,
mode queries, the keyboard protocol's stack and the clipboard of OSC 52.
"""

import base64
import re
import unicodedata

import pyte
from pyte.screens import wcwidth

ALTERNATE_SCREEN = 1049
MOUSE = 1003
FOCUS_REPORTS = 1004
BRACKETED_PASTE = 2004
SYNCHRONIZED = 2026
CURSOR_VISIBLE = 25

_OUR_PART = re.compile(
    rb"\x1b\[\?(?P<modes>[\d;]+)(?P<switch>[hl])"
    rb"|\x1b\[\?(?P<asked>\d+)\$p"
    rb"|\x1b\[(?P<keyboard>[<>=])[\d;]*u"
    rb"|\x1b\[(?P<report>[\d?>]*[nc])"
    rb"|\x1b\[[?>][\d;]*m"
    rb"|\x1b\]52;[a-z]*;(?P<clipboard>[A-Za-z0-9+/=]*)(?:\x07|\x1b\\)"
)
"""Sequences that are handled here. Everything else goes to pyte."""

_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:?<>=$ ]*|\][^\x07\x1b]*\x1b?)?\Z")
"""A sequence at the end of what has arrived whose rest is still on its way."""

_ANSWERS = {
    b"c": b"\x1b[?62;22c",
    b"0c": b"\x1b[?62;22c",
    b">c": b"\x1b[>0;0;0c",
    b"5n": b"\x1b[0n",
}


class _Screen(pyte.Screen):  # type: ignore[misc]
    def draw(self, data: str) -> None:
        """Draw what has a width, and what combines: at any other character, pyte would leave out
        all that follows.
        """
        super().draw("".join(each for each in data if wcwidth(each) > 0 or _combines(each)))


def _combines(character: str) -> bool:
    return unicodedata.combining(character) > 0


class TerminalScreen:
    """The screen of a terminal of `columns` by `rows` cells. `feed` it; then look at `text`,
    `modes` and the rest.

    `frames` counts the synchronized updates that were completed, `clipboard` is what was last
    copied by OSC 52.
    """

    def __init__(self, columns: int, rows: int, *, drawn: bool = True) -> None:
        """Be of this size. Where nobody looks (`drawn` is False), questions are answered and
        nothing is drawn.
        """
        self.modes: set[int] = {CURSOR_VISIBLE, 7}
        self.keyboard_stack = 0
        self.clipboard: str | None = None
        self.frames = 0
        self._main = _Screen(columns, rows)
        self._shown = self._main
        self._stream = pyte.ByteStream(self._shown)
        self._rest = b""
        self._drawn = drawn
        self._text: str | None = (
            None  # until something is drawn: whoever waits looks at it after every chunk
        )

    @property
    def text(self) -> str:
        """What is on the screen, one line a row, without the blanks at the ends."""
        if self._text is None:
            self._text = "\n".join(line.rstrip() for line in self._shown.display)
        return self._text

    @property
    def title(self) -> str:
        """The title of the window."""
        return str(self._shown.title)

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the cursor, from 0."""
        return self._shown.cursor.x, self._shown.cursor.y

    def colors(self) -> set[str]:
        """The colors, front and back, of all cells; `default` where the terminal's own is used."""
        cells = [cell for row in self._shown.buffer.values() for cell in row.values()]
        return {cell.fg for cell in cells} | {cell.bg for cell in cells}

    def resize(self, columns: int, rows: int) -> None:
        """Make it another size."""
        self._text = None
        for screen in {self._main, self._shown}:
            screen.resize(rows, columns)

    def feed(self, data: bytes) -> bytes:
        """Draw `data`, and return what the terminal answers to the questions in it."""
        self._text = None
        data = self._rest + data
        unfinished = _UNFINISHED.search(data)
        end = unfinished.start() if unfinished else len(data)
        data, self._rest = data[:end], data[end:]
        answers, drawn = b"", 0
        for found in _OUR_PART.finditer(data):
            self._draw(data[drawn : found.start()])
            drawn = found.end()
            answers += self._handle(found)
        self._draw(data[drawn:])
        return answers

    def _draw(self, data: bytes) -> None:
        if self._drawn:
            self._stream.feed(data)

    def _handle(self, found: re.Match[bytes]) -> bytes:
        parts = found.groupdict()
        if parts["modes"]:
            for mode in parts["modes"].split(b";"):
                self._switch(int(mode), on=parts["switch"] == b"h")
        elif parts["asked"]:
            return b"\x1b[?%s;%d$y" % (parts["asked"], self._mode_state(int(parts["asked"])))
        elif parts["keyboard"]:
            self.keyboard_stack += {b">": 1, b"<": -1}.get(parts["keyboard"], 0)
        elif parts["report"] == b"6n":
            column, row = self.cursor
            return b"\x1b[%d;%dR" % (row + 1, column + 1)
        elif parts["report"]:
            return _ANSWERS.get(parts["report"], b"")
        elif parts["clipboard"] is not None:
            self.clipboard = base64.b64decode(parts["clipboard"]).decode("utf-8", errors="replace")
        return b""

    def _switch(self, mode: int, *, on: bool) -> None:
        if mode == SYNCHRONIZED and not on and mode in self.modes:
            self.frames += 1
        if mode == ALTERNATE_SCREEN and on is (mode not in self.modes):
            self._shown = _Screen(self._main.columns, self._main.lines) if on else self._main
            self._stream = pyte.ByteStream(self._shown)
        (self.modes.add if on else self.modes.discard)(mode)
        if mode in (7, CURSOR_VISIBLE):
            (self._shown.set_mode if on else self._shown.reset_mode)(mode, private=True)

    def _mode_state(self, mode: int) -> int:
        """1: set, 2: reset, 0: never heard of it. Windows report their size by signal here, as
        over ssh, not in band (2048).
        """
        known = mode in (SYNCHRONIZED, BRACKETED_PASTE, FOCUS_REPORTS, MOUSE, ALTERNATE_SCREEN)
        return 0 if not known else 1 if mode in self.modes else 2
