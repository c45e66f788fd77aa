"""A text as its lines, with everything that a rewrite must preserve: line endings, byte order mark,
the end of the last line.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from dogent_tui.errors import DogentError
from dogent_tui.language import tr

_BOM = "\ufeff"
_ENDING = re.compile(r"\r\n|\n|\r")


class Lines(msgspec.Struct, frozen=True):
    """The lines of a text without their endings, and the endings; the last ending is "" if there is
    none.
    """

    lines: tuple[str, ...]
    endings: tuple[str, ...]
    has_bom: bool = False

    @property
    def text(self) -> str:
        """The text, without a byte order mark."""
        return "".join(line + ending for line, ending in zip(self.lines, self.endings, strict=True))

    @property
    def content(self) -> bytes:
        """The content of the file."""
        return ((_BOM if self.has_bom else "") + self.text).encode("utf-8")

    @property
    def ending(self) -> str:
        r"""The most frequent line ending; ``\n`` if there is none."""
        common = Counter(ending for ending in self.endings if ending).most_common(1)
        return common[0][0] if common else "\n"


def split(text: str) -> Lines:
    r"""Return `text` as its lines, which end with ``\n``, ``\r\n`` or ``\r``."""
    has_bom = text.startswith(_BOM)
    text = text.removeprefix(_BOM)
    if "\r" not in text:
        lines = text.split("\n")
        endings = ["\n"] * (len(lines) - 1) + [""]
    else:
        endings = [*_ENDING.findall(text), ""]
        lines = _ENDING.split(text)
    if not lines[-1]:
        lines.pop()
        endings.pop()
    return Lines(tuple(lines), tuple(endings), has_bom)


def decoded(content: bytes | None, name: str) -> Lines:
    """Return the content of a file, empty if there is none. Raises DogentError if it is not UTF-8
    text.
    """
    try:
        return split((content or b"").decode("utf-8"))
    except UnicodeDecodeError:
        raise DogentError(
            tr("{name} is not UTF-8 text.", name=name), tr("Convert it to UTF-8 first.")
        ) from None


def proposed(text: str, base: Lines) -> Lines:
    """Return a proposal as it would be written over `base`: with its line endings, byte order mark
    and last line ending.

    Raises DogentError for characters that cannot be stored in a file.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise DogentError(
            tr("The proposed text contains half a character (a lone surrogate)."),
            tr("Send valid Unicode."),
        ) from None
    new = split(text)
    if not base.lines:
        return Lines(new.lines, new.endings, base.has_bom)
    return Lines(new.lines, ended(new.lines, [None] * len(new.lines), base), base.has_bom)


def ended(lines: Sequence[str], endings: Iterable[str | None], base: Lines) -> tuple[str, ...]:
    """Return the `endings` of `lines`, filling in unknown ones (None) and that of the last line
    from `base`.
    """
    most = base.ending
    found = [ending or most for ending in endings]
    if "\r" in found:  # followed by an empty line that ends with \n it would be one ending
        for place in range(1, len(found)):
            if not lines[place] and (found[place - 1], found[place]) == ("\r", "\n"):
                found[place] = "\r"
    if found and lines[-1] and base.endings and not base.endings[-1]:
        found[-1] = ""
    return tuple(found)


def fingerprint(content: bytes | None) -> str:
    """Return a hash of this content of a file; "" if there is no file."""
    return "" if content is None else hashlib.sha256(content).hexdigest()
