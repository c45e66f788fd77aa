"""A text file, line by line and decoded, in bounded memory."""

import codecs
import io
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.text.charset import Encoding, guessed
from dogent_tui.language import ngettext, tr

_CHUNK = 65_536
_LONGEST_LINE = 1 << 20


class TextSource:
    """The text file `path`. As far as it was read: `read` counts the bytes, `count` the lines,
    `damaged` what is no character.
    """

    def __init__(self, path: Path, encoding: str = "") -> None:
        """Tell the encoding, unless it is known. Raises DocumentError where the file is no text,
        or nobody knows the encoding.
        """
        self.path = path
        self.read = self.count = self.damaged = 0
        self.size = path.stat().st_size
        with path.open("rb") as file:
            found = Encoding(_known(encoding)) if encoding else guessed(file)
        self.encoding, self.others = found.name, found.others
        if not self.encoding:
            raise DocumentError(
                tr(
                    "{path} is not text, nor a kind of document that read_document supports."
                ).format(path=path.name),
                tr("Convert it to pdf, docx or plain text first."),
                code="unsupported",
            )

    def lines(self) -> Iterator[str]:
        """Yield the lines, each with a ``\\n`` at its end but the last, whatever ends them in the
        file.

        A line of more than a megabyte, as minified code has them, comes in parts.
        """
        decoder = io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder(self.encoding)(errors="replace"), translate=True
        )
        rest = ""
        self.read = self.count = self.damaged = 0
        with self.path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                self.read += len(chunk)
                decoded = decoder.decode(chunk)
                self.damaged += decoded.count("\ufffd")
                *whole, rest = (rest + decoded).split("\n")
                self.count += len(whole)
                yield from (f"{line}\n" for line in whole)
                if len(rest) > _LONGEST_LINE:
                    yield rest
                    rest = ""
        rest += decoder.decode(b"", final=True)
        if rest:
            self.count += 1
            yield rest

    def warnings(self) -> Iterator[str]:
        """Yield what is to be said of the decoding, once all was read."""
        if self.others:
            yield tr(
                "The encoding is a guess: {encoding}; it may be {others}. If letters are wrong,"
                " read it again with `encoding`."
            ).format(encoding=self.encoding, others=tr(", ").join(self.others))
        if self.damaged:
            yield ngettext(
                "1 character is not valid in the encoding {encoding} and appears as �.",
                "{count} characters are not valid in the encoding {encoding} and appear as �.",
                self.damaged,
            ).format(count=self.damaged, encoding=self.encoding)
        if not self.size:
            yield tr("The file is empty.")


def _known(name: str) -> str:
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        codec = None
    if codec is None or not codec._is_text_encoding:  # noqa: SLF001 — what `bytes.decode` asks as well
        raise DocumentError(
            tr("There is no encoding “{name}”.").format(name=name),
            tr("Name one such as cp1252 or gb18030."),
            code="unsupported",
        )
    return codec.name
