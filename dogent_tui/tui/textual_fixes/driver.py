"""Input from the terminal: keys, which Textual parses; pastes, which are read whole; and the
background color.

Textual 8.2 parses a paste character by character, like keys. If it contains an escape character,
what follows may be parsed as keys: pasted text would send the prompt, or quit. A megabyte takes
seconds. And a single byte that is not UTF-8 ends the application.
"""

import codecs
import contextlib
import logging
import os
import re
import selectors
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, TextIO, cast

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from dogent_tui.tui.widgets import message_fields

_START, _END = "\x1b[200~", re.compile("\x1b\\[201~")
"""The marks around a paste, in terminals asked for them (xterm's ctlseqs, “Bracketed Paste
Mode”).
"""

_COLOR, _COLOR_END = "\x1b]11;", re.compile("\x07|\x1b\\\\")
"""The marks around the background color that a terminal reports on request (xterm's ctlseqs, “OSC
11”).
"""
_ASK_COLOR = f"{_COLOR}?\x1b\\"
_LONGEST_COLOR = 64
_RGB = re.compile(r"rgba?:([0-9a-f]{1,4})/([0-9a-f]{1,4})/([0-9a-f]{1,4})", re.IGNORECASE)

_POLL_S = 0.1
"""Seconds between two checks whether an Esc was a key or the start of a sequence, and whether to
stop.
"""

_READ_BYTES = 65_536

_JOINERS = frozenset(map(chr, (*range(0x200C, 0x2010), *range(0xE0020, 0xE0080))))
"""What makes one emoji, or one word, of characters; Textual types nothing that `isprintable`
denies.
"""

_NO_KEYS = re.compile(f"{re.escape(_START)}|{re.escape(_COLOR)}")


@message_fields
class BackgroundReported(Message):
    """The terminal reported its background: `lightness` from 0, black, to 1, white."""

    lightness: float


def lightness_of(color: str) -> float | None:
    """Return the lightness of `color` as a terminal writes it (``rgb:1e1e/1e1e/2e2e``), from 0 to
    1; None if it is invalid.
    """
    found = _RGB.search(color)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / int("f" * len(part), 16) for part in found.groups())
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue  # luma, ITU-R BT.709


class LastingOutput:
    """Textual's writer, which also works when the terminal window is gone.

    Textual's thread ends with the first error; then its queue of 30 writes fills up, and the
    application waits forever for space in it, with all its child processes (Textual 8.2; seen in
    about one in ten windows closed on a busy machine).
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        """Write `text` if the terminal still exists."""
        with contextlib.suppress(OSError):
            return self._file.write(text)
        return 0

    def flush(self) -> None:
        """Flush if the terminal still exists."""
        with contextlib.suppress(OSError):
            self._file.flush()


class TerminalInput:
    """Turns what the terminal sends into messages. Never raises, whatever arrives."""

    def __init__(self, new_parser: Callable[[], XTermParser] = XTermParser) -> None:
        self._new_parser = new_parser
        self._keys = new_parser()
        # the end of what was read: it may contain the beginning of a mark
        self._recent = ""
        self._until: re.Pattern[str] | None = None  # inside a paste or a report of the background
        self._inside: list[str] = []

    def feed(self, text: str) -> Iterator[Message]:
        """Yield the messages for `text`, which may start and end anywhere."""
        while text:
            if self._until is None:
                text = yield from self._read_keys(text)
            else:
                text = yield from self._read_inside(self._until, text)

    def tick(self) -> Iterator[Message]:
        """Yield the Esc key if nothing followed it for a while. Must be called at least every
        `_POLL_S` seconds.
        """
        yield from self._safely(self._keys.tick)

    def _read_keys(self, text: str) -> Generator[Message, None, str]:
        """Parse keys up to something else, and return the rest."""
        known = len(self._recent)
        found = _NO_KEYS.search(self._recent + text)
        if found is None:
            self._recent = (self._recent + text)[-len(_START) + 1 :]
            yield from self._feed_keys(text)
            return ""
        if found.start() >= known:
            yield from self._feed_keys(text[: found.start() - known])
        else:
            self._renew()  # the old parser waits for the rest of something that is not a key
        self._recent, self._until = "", _END if found[0] == _START else _COLOR_END
        return text[found.end() - known :]

    def _read_inside(self, until: re.Pattern[str], text: str) -> Generator[Message, None, str]:
        """Read to the end of a paste or a report, and return the rest. An endless report is
        discarded.
        """
        text = self._recent + text
        end = until.search(text)
        if end is None:
            keep = len(_START) - 1
            self._inside.append(text[:-keep])
            self._recent = text[-keep:]
            if until is _END or sum(map(len, self._inside)) <= _LONGEST_COLOR:
                return ""
        read = "".join([*self._inside, text[: end.start() if end else 0]])
        self._recent, self._until, self._inside = "", None, []
        if until is _END:
            yield events.Paste(read.replace("\x00", ""))
        elif end and (lightness := lightness_of(read)) is not None:
            yield BackgroundReported(lightness)
        return text[end.end() :] if end else ""

    def _feed_keys(self, text: str) -> Iterator[Message]:
        # one by one: a malformed sequence must not swallow the keys after it
        for character in text:
            if character in _JOINERS:
                yield events.Paste(character)
            else:
                yield from self._safely(lambda: self._keys.feed(character))  # noqa: B023  (called at once)

    def _safely(self, read: Callable[[], Iterable[Message]]) -> Iterator[Message]:
        """Yield what `read` yields; after a failure of the parser, use a new one."""
        try:
            yield from list(read())
        except Exception:  # a malformed sequence: ValueError, OverflowError, …
            logging.getLogger(__name__).warning(
                "The terminal sent something that cannot be read.", exc_info=True
            )
            self._renew()

    def _renew(self) -> None:
        """Continue with a new parser that knows the position of the mouse."""
        old, self._keys = self._keys, self._new_parser()
        self._keys.last_x, self._keys.last_y = old.last_x, old.last_y


class TerminalDriver(LinuxDriver):
    """Textual's driver for Linux and macOS, with `TerminalInput` as its reader, and a writer that
    survives the terminal.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._file = cast("Any", LastingOutput(cast("TextIO", self._file)))

    def start_application_mode(self) -> None:
        """Take the terminal, and report a new size of it from the loop.

        Textual 8.2 posts the size from its signal handler. Where the next signal interrupts the
        handler, the later size is posted first, and the application keeps the earlier one.
        """
        super().start_application_mode()  # type: ignore[no-untyped-call]
        signal.signal(
            signal.SIGWINCH, lambda *_: self._loop.call_soon_threadsafe(self._report_size)
        )

    def _report_size(self) -> None:
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            self._app.post_message(events.Resize(size, size))
            if size == self._app.size:
                # it was smaller for a moment, and what was cut off is gone
                self._app.refresh()

    def ask_background(self) -> None:
        """Ask the terminal for its background color. Most answer: `BackgroundReported`."""
        self.write(_ASK_COLOR)
        self.flush()

    def _sigcont_application(self, *signalled: object) -> None:
        """Take the terminal again, with one reader and one writer.

        After a SIGSTOP they still exist, and Textual 8.2 would start a second reader: the two take
        keys from each other, and the application hangs on exit.
        """
        if not self._must_signal_resume:
            if not self._has_terminal():
                return
            self.suspend_application_mode()
            self._must_signal_resume = True  # everything is drawn again
        super()._sigcont_application(*signalled)

    def _has_terminal(self) -> bool:
        """Whether keys are being read, and the terminal is ours rather than another job's."""
        try:
            ours = os.tcgetpgrp(self.fileno) == os.getpgrp()
        except OSError:
            return False
        return ours and self._key_thread is not None and self._key_thread.is_alive()

    def run_input_thread(self) -> None:
        """Read until told to stop, or until the terminal is gone."""
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        terminal_input = TerminalInput(lambda: XTermParser(self._debug))
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_POLL_S):
                    data = self._read()
                    if not data:
                        self._hang_up()
                        return
                    self._pass_on(terminal_input.feed(decode(data)))
                self._pass_on(terminal_input.tick())

    def _hang_up(self) -> None:
        """Handle the loss of the terminal. A signal reports it too, but only if it is the
        controlling terminal.
        """
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            self._loop.call_soon_threadsafe(self._app.exit)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, _READ_BYTES)
        except OSError:
            return b""

    def _pass_on(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)
