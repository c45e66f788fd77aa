"""How a quotation differs from a near passage, and why that matters."""

import re
from collections.abc import Sequence
from typing import Literal

from dogent_tui.sources.quotes.alignment import Near, Quotation
from dogent_tui.sources.quotes.index import GAP, SourceIndex
from dogent_tui.sources.quotes.numbers import units_in
from dogent_tui.sources.quotes.tokens import negates, readable

Piece = tuple[Literal["equal", "delete", "insert"], str]
_NAME = re.compile(r"(?<!^)\b[A-ZÄÖÜ][^\W\d_]+|^[A-Z][a-z]+(?=\s*$)")
Flag = Literal["negation", "number", "name", "unit", "order", "page"]


def differences(quotation: Quotation, index: SourceIndex, near: Near) -> list[Piece]:
    """Compare the quotation with the passage: `equal` and `insert` make up the quotation, `equal`
    and `delete` the passage.
    """
    pieces: list[Piece] = []
    starts, text = quotation.plain_words.starts, quotation.text
    bounds = [0, *starts[1:], len(text)] if starts else [0, len(text)]
    for kind, i1, i2, j1, j2 in near.ops:
        ours = text[bounds[j1] : bounds[j2]] if j2 > j1 else ""
        if kind == "equal":
            pieces.append(("equal", ours))
            continue
        if i2 > i1:
            pieces.append(("delete", _passage_text(index, i1, i2, near.passage.end)))
        if ours:
            pieces.append(("insert", ours))
    return pieces


def _passage_text(index: SourceIndex, begin: int, end: int, last: int) -> str:
    """Return words of the source as written, up to the next word unless the passage ends."""
    start, stop = index.starts[begin], index.ends[end - 1]
    if end < last and index.coded[end] != GAP and index.starts[end] > stop:
        stop = index.starts[end]
    if stop <= start:
        return " ".join(index.words(begin, end)) + " "
    return readable(index.text[start:stop])


def flags(
    pieces: Sequence[Piece], quotation: Quotation, index: SourceIndex, near: Near
) -> list[Flag]:
    """Return why the differences matter."""
    changed = [step for step in near.ops if step[0] != "equal"]
    left = [word for _, i1, i2, *_ in changed for word in index.words(i1, i2)]
    put = [word for *_, j1, j2 in changed for word in quotation.plain_words.words[j1:j2]]
    odd = {*left} ^ {*put}
    why: dict[Flag, bool] = {
        "negation": any(map(negates, odd)),
        "number": any(re.search(r"\d", word) for word in odd),
        "name": any(_NAME.search(text) for kind, text in pieces if kind != "equal"),
        "unit": {*units_in(left, "en")} != {*units_in(put, "en")},
        "order": bool(left) and sorted(left) == sorted(put),
    }
    return [flag for flag, is_so in why.items() if is_so]
