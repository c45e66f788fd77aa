"""A text as its lines, with all that a rewrite has to keep: line endings, the byte order mark,
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
    """The lines of a text without their endings, and the endings; the last one is "" where the
    text ends without.
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
        """What the file holds."""
        return ((_BOM if self.has_bom else "") + self.text).encode("utf-8")

    @property
    def ending(self) -> str:
        r"""The ending that most lines have; ``\n`` where none has any."""
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
    """Return what a file holds, nothing where there is none. Raises DogentError where it is not
    a UTF-8 text.
    """
    try:
        return split((content or b"").decode("utf-8"))
    except UnicodeDecodeError:
        raise DogentError(
            tr("{name} is not UTF-8 text.", name=name), tr("Convert it to UTF-8 first.")
        ) from None


def proposed(text: str, base: Lines) -> Lines:
    """Return a proposal as it would be written over `base`: with its endings, its mark, and its
    last line ended or not.

    Raises DogentError for characters that no file can hold.
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
    """Return the `endings` of `lines`, those that are not known yet (None), and that of the last
    line, as `base` has them.
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
    """Return what tells this content of a file from any other; "" where there is no file."""
    return "" if content is None else hashlib.sha256(content).hexdigest()
