"""Makes untrusted text safe to display: every control character is replaced by a visible one."""

import re
from unicodedata import combining, east_asian_width

TAB_WIDTH = 4
"""Columns between tab stops."""

OBEYED = re.compile(
    # C0, DEL, C1: cursor movement, colors, clipboard, title, …
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "\u2028\u2029"  # line and paragraph separators
    # bidirectional embeddings and overrides, which change the displayed order
    "\u202a-\u202e\u2066-\u2069"
    # lone surrogates, which no terminal encoding can represent (file names that are not UTF-8)
    "\ud800-\udfff"
    "\U000e0000-\U000e007f]"  # tags: invisible text
)
"""What a terminal obeys, or cannot show, except line endings (see `newlines`)."""

_JOINS = (  # Arabic to Sinhala, Burmese, Khmer and Mongolian; emoji
    "[\u0620-\u0dff\u1000-\u109f\u1780-\u18af\u2600-\u27bf\ufe0f\U0001f1e6-\U0001faff]"
)
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # soft hyphen, joiners, fillers
    "\u200b\u200e\u200f\u2060-\u2064\u206a-\u206f"  # zero-width, marks of direction
    "\u3164\ufeff\uffa0\ufff9-\ufffb"  # more fillers, the byte order mark, annotations
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"  # of shorthand and music
    # (non-)joiners, except where they are ordinary spelling
    f"|(?<!{_JOINS})[\u200c\u200d]"
)
"""Characters that take no space and can make two texts look the same."""


_CONTINUES = re.compile("[\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
"""Characters that modify the previous one: a joiner, a variation selector, a skin tone, a tag."""


def newlines(text: str) -> str:
    """Return `text` with every line ending as ``\\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def visible(text: str) -> str:
    """Return `text` with control characters as visible symbols, newlines as ``\\n`` and tabs as
    spaces.

    ESC becomes ``␛``, NUL ``␀``, an override ``⟦U+202E⟧``. Brackets and everything else are
    unchanged: the result is plain text and must still be displayed as such, never as markup.
    """
    text = OBEYED.sub(_stand_in, newlines(text))
    return text.expandtabs(TAB_WIDTH) if "\t" in text else text


def revealed(text: str) -> str:
    """Return `text` made `visible`, including zero-width characters, which become ``⟦U+200B⟧``.

    For text on which a user bases a decision. Elsewhere they are kept, since emoji and some scripts
    need them.
    """
    return _UNSEEN.sub(_stand_in, visible(text))


def hidden_character(text: str) -> str:
    """Return the first character that `revealed` makes visible, or an empty string."""
    found = OBEYED.search(text) or _UNSEEN.search(text)
    return found[0] if found else ""


def one_line(text: str, most: int = 0) -> str:
    """Return `text` made `visible`, with every run of white space as one space; if it has more than
    `most` characters, its beginning, unless that is 0.
    """
    line = " ".join(visible(text).split())
    return f"{line[: most - 1]}…" if 0 < most < len(line) else line


def revealed_line(text: str) -> str:
    """Return `text` `revealed`, as `one_line`."""
    return one_line(revealed(text))


def cut_bytes(text: str, most: int) -> str:
    """Return the longest beginning of `text` within `most` bytes of UTF-8 that does not split a
    visible character.

    A letter keeps its combining marks; an emoji keeps its modifiers, and everything joined to it.
    """
    cut = text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
    while (
        cut
        and len(cut) < len(text)
        and (_CONTINUES.match(text[len(cut)]) or combining(text[len(cut)]) or cut[-1] == "\u200d")
    ):
        cut = cut[:-1]
    return cut


def columns_of(text: str) -> int:
    """Return the display width of `text` in a terminal or a monospaced font: East Asian characters
    take two columns.
    """
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _stand_in(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode's Control Pictures follow the order of C0
    return "␡" if code == 0x7F else f"⟦U+{code:04X}⟧"


_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\s\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]+"
)


def words_of(text: str) -> list[str]:
    """Return the words separated by blanks, and each Chinese or Japanese character, like word
    processors.
    """
    return _WORD.findall(text)
