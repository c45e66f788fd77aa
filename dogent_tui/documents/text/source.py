"""A text file, line by line and decoded, in bounded memory."""

import codecs
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.text.charset import guessed
from dogent_tui.language import ngettext, tr

_LONGEST_LINE = 1 << 20


class TextSource:
    """The text file `path`. `count` is the number of lines read so far, `damaged` that of invalid
    characters.
    """

    def __init__(self, path: Path, encoding: str = "") -> None:
        """Detect the encoding unless it is given. Raises DocumentError if the file is not text, or
        the encoding is unknown.
        """
        self.path = path
        self.count = self.damaged = 0
        self._data: BinaryIO | None = None
        self.size = path.stat().st_size
        with path.open("rb") as file:
            found = (_known(encoding),) if encoding else guessed(file)
        self.encoding, *self.others = found or ("",)
        if not self.encoding:
            raise DocumentError(
                tr(
                    "{path} is not text, nor a kind of document that read_document supports.",
                    path=path.name,
                ),
                tr("Convert it to pdf, docx or plain text first."),
                code="unsupported",
            )

    @property
    def read(self) -> int:
        """The number of bytes read."""
        return self.size if self._data is None or self._data.closed else self._data.tell()

    def lines(self) -> Iterator[str]:
        """Yield the lines, each but the last with a ``\\n`` at its end, whatever line endings the
        file uses.

        A line of more than a megabyte, as in minified code, comes in parts.
        """
        self.count = self.damaged = 0
        has_ended = True
        with (
            self.path.open("rb") as self._data,
            io.TextIOWrapper(self._data, self.encoding, errors="replace") as text,
        ):
            while line := text.readline(_LONGEST_LINE):
                has_ended = line.endswith("\n")
                self.count += has_ended
                self.damaged += line.count("\ufffd")
                yield line
        self.count += not has_ended

    def warnings(self) -> Iterator[str]:
        """Yield warnings about the decoding, once everything has been read."""
        if self.others:
            yield tr(
                "The encoding is a guess: {encoding}; it may be {others}. If letters are wrong,"
                " read it again with `encoding`.",
                encoding=self.encoding,
                others=tr(", ").join(self.others),
            )
        if self.damaged:
            yield ngettext(
                "1 character is not valid in the encoding {encoding} and appears as �.",
                "{count} characters are not valid in the encoding {encoding} and appear as �.",
                self.damaged,
                count=self.damaged,
                encoding=self.encoding,
            )
        if not self.size:
            yield tr("The file is empty.")


def _known(name: str) -> str:
    try:
        "".encode(name)  # some codecs are not for text
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        raise DocumentError(
            tr("There is no encoding “{name}”.", name=name),
            tr("Name one such as cp1252 or gb18030."),
            code="unsupported",
        ) from None
