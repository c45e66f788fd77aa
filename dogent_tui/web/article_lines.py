"""Removes from an article's Markdown what sites insert: adverts, "read also", "follow us", share
buttons.

Only whole, short blocks are removed; prose stays whatever it says.
"""

import re

from dogent_tui.web.phrases import ALONE, ALSO, PLEA

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)"
)
_PICTURE = re.compile(r"\[?!\[[^\n]*\)")
_MARKS = re.compile(r"</?[a-z]{1,6}>|[*_`#>|\\~-]+")
_ADDRESS = re.compile(r"\[[*_ ]*(?:https?://|www\.)")
_WORDS = re.compile(r"\w+")
_ITEM = re.compile(r"\s{0,200}+(?:[-*+]|\d{1,9}[.)])\s")
"""The beginning of a list item, searched for in each line after the first one, which must not take
time in proportion to the line's length.
"""

_SHORT = 260
_PROSE_CHARS = 90
_MUCH_PROSE = 700
"""The amount of prose in an article from which on blocks of links are not its subject."""


def tidied(found: list[str], title: str) -> list[str]:
    """Return the blocks that belong to an article; its first heading is dropped if it repeats
    `title`.
    """
    found = _without_title(found, title)
    prose = sum(len(text_of(block)) for block in found if _is_prose(block))
    kept = []
    for number, block in enumerate(found):
        if _is_said_alone(block):
            continue
        if _is_pointer(block, has_prose=prose >= _MUCH_PROSE):
            continue
        if (
            _is_heading(block)
            and ALSO.match(text_of(block))
            and not any(map(_is_prose, found[number + 1 : number + 3]))
        ):
            continue
        kept.append(block)
    return _without_tail(kept) if prose >= _MUCH_PROSE else kept


def _without_title(found: list[str], title: str) -> list[str]:
    wanted = squeezed(title)
    for number, block in enumerate(found[:3]):
        if _is_heading(block) and wanted and (said := squeezed(text_of(block))):
            if said == wanted or (len(said) > 15 and (said in wanted or wanted in said)):
                return found[:number] + found[number + 1 :]
            return found
    return found


def _without_tail(found: list[str]) -> list[str]:
    """Remove links, appeals and empty headings from the end."""
    end = len(found)
    while end > 1:
        last = end - 1
        # it is removed with the appeal above it
        while last > 1 and _PICTURE.fullmatch(found[last]):
            last -= 1
        block = found[last]
        text = text_of(block)
        if _is_code(block) or not (
            _is_heading(block) or _is_links(block) or (len(text) <= _SHORT and PLEA.match(text))
        ):
            break
        end = last
    return found[:end]


def _is_said_alone(block: str) -> bool:
    return len(block) < 120 and ALONE.fullmatch(text_of(block).strip(" .:!…|>»")) is not None


def _is_pointer(block: str, *, has_prose: bool) -> bool:
    """Return whether the block leads to another article instead of being part of this one."""
    text = text_of(block)
    if _is_code(block) or _is_heading(block) or len(text) > _SHORT or _ITEM.match(block):
        return False
    return ALSO.match(text) is not None or (
        has_prose and _is_links(block) and len(_WORDS.findall(text)) > 3
    )


def _is_prose(block: str) -> bool:
    return (
        not _is_code(block)
        and not _is_heading(block)
        and len(text_of(block)) >= _PROSE_CHARS
        and not _is_links(block)
    )


def _is_links(block: str) -> bool:
    """Return whether the block consists of links."""
    if _ADDRESS.search(block) or _PICTURE.fullmatch(block):  # spelled out so that it can be copied
        return False
    return bool(_LINK.search(block)) and not _WORDS.search(
        _MARKS.sub("", _LINK.sub("", _ITEM_EACH.sub("", block)))
    )


_ITEM_EACH = re.compile(r"^[^\S\n]*(?:[-*+]|\d+[.)])\s+", re.MULTILINE)


def _is_heading(block: str) -> bool:
    return block.startswith("#") and "\n" not in block


def _is_code(block: str) -> bool:
    return _FENCE.match(block) is not None


def text_of(block: str) -> str:
    """Return roughly the visible text of a block."""
    return " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", _ITEM_EACH.sub("", block))).split())


def squeezed(text: str) -> str:
    """Return the letters and digits of `text` in lower case, which do not depend on formatting."""
    return "".join(character for character in text.casefold() if character.isalnum())
