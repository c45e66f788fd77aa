"""The text of a page from PyMuPDF, as our lines and blocks, inside the elements of the structure
tree if there is one.
"""

import base64
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import pymupdf
from msgspec.structs import replace

from dogent_tui.documents.looks import is_monospaced
from dogent_tui.documents.pandoc.archive import MAX_MEMBER, unpacks_to_too_much
from dogent_tui.documents.pdf.model import (
    WIDE,
    Box,
    Element,
    Line,
    Nodes,
    Page,
    Run,
    TextBlock,
    around,
    exchanged,
    lines_in,
    reads_leftward,
    shift_of,
    untagged,
)
from dogent_tui.documents.pdf.sight import Found, Sight, all_layers, part_of
from dogent_tui.documents.pdf.tree import StructureTree
from dogent_tui.language import tr

_ITALIC, _MONO, _BOLD = 2, 8, 16
"""The flags of a span: https://pymupdf.readthedocs.io/en/latest/textpage.html#span-dictionary"""

_STRUCTURE = 2
"""The type of a block that is an element of the structure tree and contains blocks."""

_LIGATURES = re.compile("[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]")
"""Alphabetic presentation forms: one character for several letters, or for a letter's shape."""

_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_RIGHTWARD = re.compile(r"(?=U*D|L)[DUES]*(?:L(?:[^RA]*[DL])?|D)U*")
"""What is read from left to right: numbers, and words of other scripts with what is between
them.
"""

_KINDS = {"AL": "A", "NSM": "R", "R": "R", "AN": "D", "EN": "D", "L": "L", "ET": "U"}
_KINDS |= {"CS": "S", "ES": "E"}
"""The role of a character by its class (https://www.unicode.org/reports/tr9/#W1): R a letter, A one
of Arabic, L a letter of another script, D a digit, U a unit next to a number, S and E separators
within numbers.
"""
_LEFTWARD_PART = re.compile("[RA](?:[^L]*[RA])?|.")
_IN_ARABIC = re.compile("A[^RAL]*+(?!L)")
"""Where neither a unit nor a plus or minus is part of a number."""

_BLANKS = re.compile("[\t\xa0\u2007\u202f]")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200c\u2060\ufe0e\ufeff\ud800-\udfff]")

_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_NO_WIDTH = 0.05

_UNSPACED = re.compile(rf"{WIDE.pattern}|[\uac00-\ud7a3]")
_CLOSE = {
    re.compile(rf"{WIDE.pattern}[^\W_]|[\w%]{WIDE.pattern}"): 0.35,
    re.compile(rf"(?:{_UNSPACED.pattern}){{2}}"): 0.25,
}
"""Two characters, one of them Chinese, Japanese or Korean → the gap up to which it is typography or
justification rather than a blank, in text sizes.
"""

_TURNS = {(0, -1): 90, (0, 1): 270}
"""The direction of a text → the rotation that makes it horizontal."""

_WIDE_GAP = 1.5
"""The gap between two texts of a line, one of them from the right, in text sizes."""

_FEW = 3
_LEAST_TRACKED, _MOST_TRACKED = 0.1, 0.5
"""The gaps between letters that are set apart, in text sizes, if they are not `_FEW`."""

_HIGH = 1.8
"""How much larger than the text a letter as high as several lines is."""

_BLANK = 0.18
"""The gap between words relative to the size."""

_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "-bd")


def page_content(page: Any, tree: StructureTree | None) -> Page:
    """Return the content of the pymupdf page in file order, without empty lines; with a `tree`,
    inside its elements.
    """
    _check_size(page)
    # Ligatures are split here: MuPDF does it in the order of the page, which is wrong for
    # right-to-left text.
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES
    if tree is not None:
        tree.locate(page)
        flags |= pymupdf.TEXT_COLLECT_STRUCTURE
    everywhere = pymupdf.INFINITE_RECT()  # text beside the page is hidden, and reported
    with all_layers(page.parent) as some_off:
        found = page.get_text("rawdict", flags=flags, clip=everywhere)["blocks"]
        if _set_upright(page, found):
            found = page.get_text("rawdict", flags=flags, clip=everywhere)["blocks"]
        all_of_it, shown = (
            page.get_text("text", flags=flags | clip, clip=everywhere)
            for clip in (0, pymupdf.TEXT_CLIP)
        )
    sight = Sight(page, doubtful=some_off or len(shown) < len(all_of_it))
    reader = _Reader(page, sight, tree)
    nodes = _with_initials(tuple(reader.nodes(found, tree.root if tree is not None else 0)))
    return Page(sight.area, nodes, tuple(reader.hidden), tuple(reader.raw))


def _check_size(page: Any) -> None:
    """Raise DocumentError (`hostile`) if the content of a page would unpack to more than
    `MAX_MEMBER`, which MuPDF does not check.
    """
    document = page.parent
    for xref in page.get_contents():
        content: bytes = document.xref_stream_raw(xref) or b""
        for name in re.findall(r"/(\w+)", document.xref_get_key(xref, "Filter")[1]):
            with suppress(zlib.error, ValueError):  # MuPDF reads what it can of a damaged stream
                if name in ("ASCII85Decode", "A85"):
                    content = base64.a85decode(content.rstrip().removesuffix(b"~>"))
                elif name in ("FlateDecode", "Fl"):
                    content = zlib.decompressobj().decompress(content, MAX_MEMBER)
            if len(content) >= MAX_MEMBER:
                how = tr("the content of a page is over {size} MB").format(size=MAX_MEMBER >> 20)
                raise unpacks_to_too_much(Path(document.name).name, how)


def _set_upright(page: Any, blocks: Iterable[Found]) -> bool:
    """Turn a page whose text `blocks` mostly run up or down, such as one with a wide table. Return
    whether it was turned.
    """
    lengths: Counter[tuple[int, int]] = Counter()
    waiting = list(blocks)
    for block in waiting:  # grows while it is read
        waiting += block.get("blocks", ())
        for line in block.get("lines", ()):
            across, down = line["dir"]
            is_vertical_script = line["wmode"] == 1
            direction = (1, 0) if is_vertical_script else (round(across), round(down))
            lengths[direction] += sum(len(span["chars"]) for span in line["spans"])
    turn = next((_TURNS.get(most, 0) for most, _ in lengths.most_common(1)), 0)
    if not turn or page.first_annot is not None:  # the marks of a highlight would stay behind
        return False
    page.set_rotation(turn)
    page.remove_rotation()
    return True


_Sign: TypeAlias = tuple[float, float, str, Run]
"""A character with its horizontal range, and the run that it is in."""


def _kinds(signs: Iterable[_Sign]) -> str:
    roles = (unicodedata.bidirectional(text[:1] or " ") for _, _, text, _ in signs)
    return "".join(_KINDS.get(role, "-") for role in roles)


class _Reader:
    """Converts lines, and sets invisible ones aside."""

    def __init__(self, page: Any, sight: Sight, tree: StructureTree | None) -> None:
        self._links = [(Box(*link["from"]), link.get("uri") or "#") for link in page.get_links()]
        self._sight = sight
        self._tree = tree
        self.hidden: list[str] = []
        self._is_hidden = self._is_leftward = False  # the end of the last line
        self._is_mirrored: bool | None = None
        self.raw: list[str] = []

    def nodes(self, blocks: Iterable[Found], parent: int) -> list[Element | TextBlock]:
        """Return the content of the blocks in the element `parent`."""
        found: list[Element | TextBlock] = []
        for block in blocks:
            self._is_hidden = False
            if self._tree is not None and block["type"] == _STRUCTURE:
                index = block["index"]
                xref = self._tree.kid(parent, index)
                if kids := tuple(self.nodes(block.get("blocks", ()), xref)):
                    found.append(Element(block["std"], xref, index, kids))
            elif lines := tuple(filter(None, map(self._line, _apart(block.get("lines", ()))))):
                last = found[-1] if found else None
                if isinstance(last, TextBlock) and _touch(last.lines[-1], lines[0]):
                    found[-1] = TextBlock((*last.lines, *lines))
                else:
                    found.append(TextBlock(lines))
        return found

    def _line(self, line: Found) -> Line | None:
        across, down = line["dir"]
        spans = list(_respaced(line["spans"]))
        self.raw.append("".join(map(_text, spans)))
        seen: list[Found] = []
        unseen: list[Found] = []
        parts = [part for span in spans for part in self._sight.parts(span)]
        shown = next((is_seen for _, is_seen in parts if is_seen is not None), True)
        for span, is_seen in parts:
            shown = shown if is_seen is None else is_seen
            (seen if shown else unseen).append(span)
        if text := _plain("".join(map(_text, unseen))).strip():
            if self._is_hidden and _text(parts[0][0]) == _text(unseen[0]):
                self.hidden[-1] += " " + text
            else:
                self.hidden.append(text)
        if spans:
            self._is_hidden = not shown
        base, size = _baseline(seen)
        runs = self._runs(seen, base, size)
        if not any(run.text.strip() for run in runs):
            return None
        box = around(Box(*span["bbox"]) for span in seen)
        return Line(box, runs, upright=across > 0.99 and abs(down) < 0.1, base=base)

    def _runs(self, spans: list[Found], base: float, size: float) -> tuple[Run, ...]:
        runs = [self._run(span, base, size) for span in spans]
        if any(map(str.isalpha, text := "".join(run.text for run in runs))):
            self._is_leftward = reads_leftward(text)
        if not self._is_leftward and not _LEFTWARD.search(text):
            return tuple(runs)  # signs alone are read like what is before them
        pairs = zip(spans, runs, strict=True)
        signs = [(*sign, run) for span, run in pairs for sign in _clusters(span["chars"])]
        return tuple(self._leftward(signs) if self._is_leftward else self._rightward(signs))

    def _rightward(self, signs: list[_Sign]) -> Iterator[Run]:
        """Yield the runs of a line with right-to-left words in it."""
        placed = sorted(signs, key=lambda sign: sign[0] + sign[1])
        end = float("inf")
        for found in _LEFTWARD_PART.finditer(_kinds(placed)):
            part = placed[slice(*found.span())]
            x0, _, text, run = part[0]
            if x0 - end > _BLANK * run.size:
                yield replace(run, text=" ", x0=end, made=True)
            if len(part) > 1:
                yield from self._leftward(part)
            else:
                yield replace(run, text=_plain(text), x0=x0)
            end = part[-1][1]

    def _leftward(self, signs: list[_Sign]) -> Iterator[Run]:
        """Yield the runs of a right-to-left line by the positions of its characters: MuPDF's order
        is wrong around numbers.
        """
        placed = sorted(signs, key=lambda sign: -sign[0] - sign[1])
        for at in range(len(placed) - 1, 0, -1):  # MuPDF inserts no blank where its order jumps
            x0, _, text, run = placed[at - 1]
            _, x1, after, _ = placed[at]
            if x0 - x1 > _BLANK * run.size and text.strip() and after.strip():
                placed.insert(at, (x1, x0, " ", replace(run, made=True)))
        kinds = _IN_ARABIC.sub(lambda found: re.sub("[UE]", "-", found[0]), _kinds(placed))
        for found in _RIGHTWARD.finditer(kinds):
            part = slice(*found.span())
            right = placed[part][0][1]
            placed[part] = [(x0, right, text, run) for x0, _, text, run in reversed(placed[part])]
        brackets = (text for _, _, text, _ in placed if text in "()[]")
        if self._is_mirrored is None and (bracket := next(brackets, "")):  # a page begins with one
            self._is_mirrored = bracket in ")]"
        for _, x1, text, run in placed:
            text = _plain(text.translate(_MIRRORED) if self._is_mirrored else text)
            yield replace(run, text=text, x0=x1)

    def _run(self, span: Found, base: float, size: float) -> Run:
        text, font, flags = _text(span), span["font"].lower(), span["flags"]
        box = Box(*span["bbox"])
        rise = (base - span["origin"][1]) / max(size, 0.1)
        return Run(
            _plain(text),
            round(span["size"] * 2) / 2,
            bold=bool(flags & _BOLD) or any(name in font for name in _BOLD_NAMES),
            italic=bool(flags & _ITALIC),
            mono=bool(flags & _MONO) or is_monospaced(font),
            shift=0 if span["size"] > size else shift_of(rise),
            uri=next((uri for place, uri in self._links if place.holds(box.middle)), ""),
            x0=box.x0,
            font=span["font"],
            made=span["made"],
        )


def _apart(lines: Iterable[Found]) -> Iterator[Found]:
    """Yield the lines, and the parts of one that are far apart: MuPDF takes a text from the right
    for the continuation of one from the left.
    """
    for line in lines:
        chars = [char for span in line["spans"] for char in span["chars"]]
        if not any(_LEFTWARD.match(char["c"]) for char in chars):
            yield line
            continue
        least = _WIDE_GAP * line["spans"][0]["size"]
        edges = sorted((char["bbox"][0], char["bbox"][2]) for char in chars)
        starts = [right for (_, left), (right, _) in pairwise(edges) if right - left > least]
        for low, high in pairwise([float("-inf"), *starts, float("inf")]):
            spans = [
                {**span, "chars": [char for char in span["chars"] if low <= char["bbox"][0] < high]}
                for span in line["spans"]
            ]
            yield {**line, "spans": [span for span in spans if span["chars"]]}


def _touch(line: Line, other: Line) -> bool:
    """Return whether `other` begins where `line` ends, after a raised or lowered sign."""
    return abs(line.base - other.base) < 1 and abs(other.box.x0 - line.box.x1) < 0.5


def _with_initials(nodes: Nodes) -> Nodes:
    """Return `nodes` with each letter as high as several lines at the beginning of the first one
    beside it; tags say so themselves.
    """
    lines = lines_in(untagged(nodes))
    begun: dict[Line, Line | None] = {}
    for letter in (line for line in lines if len(line.text) == 1 and line.text.isalpha()):
        box, size = letter.box, letter.size
        beside = [
            line
            for line in lines
            if _HIGH * line.size < size
            and box.y0 < line.box.middle[1] < letter.base
            and -0.1 * size < line.box.x0 - box.x1 < line.size
        ]
        if len(beside) > 1:
            first = min(beside, key=lambda line: line.base)
            run = replace(first.runs[0], text=letter.text)
            begun[first] = replace(first, runs=(run, *first.runs))
            begun[letter] = None
    return exchanged(nodes, begun)


def _respaced(spans: Iterable[Found]) -> Iterator[Found]:
    """Yield the spans, with gaps as spans of their own: those that MuPDF inserts a blank in, and
    those beside Chinese, Japanese and Korean characters. A gap that is typography has no blank.
    """
    spans = list(spans)
    tracking = _tracking(spans)
    parts: list[tuple[Found, bool, list[Found]]] = []
    before: Found = {"c": ""}
    blank: Found | None = None
    for span, char in ((part, char) for part in spans for char in part["chars"]):
        if char["synthetic"]:
            blank = char
            continue
        pair, gap = before["c"] + char["c"], blank
        if blank is None and parts and _UNSPACED.search(pair):
            (_, y0, x0, y1), (x1, *_) = before["bbox"], char["bbox"]
            gap = {**char, "bbox": (x0, y0, x1, y1)} if x1 - x0 > _BLANK * span["size"] else None
        if parts and gap is not None:
            width = (gap["bbox"][2] - gap["bbox"][0]) / span["size"]
            is_close = any(width < most and close.fullmatch(pair) for close, most in _CLOSE.items())
            is_close |= blank is not None and width < tracking
            parts.append((span, True, [{**gap, "c": "" if is_close else " "}]))
        if not parts or parts[-1][0] is not span or parts[-1][1]:
            parts.append((span, False, []))
        parts[-1][2].append(char)
        before, blank = char, None
    for span, made, chars in parts:
        yield {**part_of(span, chars, chars), "made": made}


def _tracking(spans: Sequence[Found]) -> float:
    """Return the gap up to which a word continues in a line set with wide gaps between all of its
    letters, in text sizes; 0 in any other line.
    """
    chars = [char for span in spans for char in span["chars"] if not char["synthetic"]]
    gaps = [
        right["bbox"][0] - left["bbox"][2]
        for left, right in pairwise(chars)
        if left["c"].isalpha() and right["c"].isalpha()
    ]
    least = min(gaps) / spans[0]["size"] if len(gaps) > _FEW else 0.0
    return least + _BLANK if _LEAST_TRACKED < least < _MOST_TRACKED else 0.0


def _text(span: Found) -> str:
    return "".join(char["c"] for char in span["chars"])


def _baseline(spans: Iterable[Found]) -> tuple[float, float]:
    """Return the baseline of most characters of a line, and their size."""
    weights: dict[float, tuple[float, float]] = {}
    for span in spans:
        at = round(span["origin"][1], 1)
        length, size = weights.get(at, (0.0, 0.0))
        weights[at] = length + len(_text(span).strip()) * span["size"], max(size, span["size"])
    at = max(weights, key=lambda at: weights[at], default=0.0)
    return at, weights.get(at, (0.0, 0.0))[1]


def _clusters(characters: list[Found]) -> Iterator[tuple[float, float, str]]:
    """Yield the horizontal range of each character, and its letters. Those of a ligature are in
    reverse order, and all but the last have no width.
    """
    held: list[str] = []
    for character in characters:
        x0, _, x1, _ = character["bbox"]
        held.append(character["c"])
        if (
            x1 - x0 > _NO_WIDTH
            or not _LEFTWARD.match(character["c"])
            or unicodedata.combining(character["c"])
        ):
            yield x0, x1, "".join(reversed(held) if all(map(_LEFTWARD.match, held)) else held)
            held = []
    if held:
        yield x0, x1, "".join(held)


def _plain(text: str) -> str:
    """Return `text` without invisible characters (zero-width marks, control characters), and with
    ligatures split.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LIGATURES.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    # a soft hyphen in a file is drawn; many fonts have one glyph for it and the hyphen
    text = re.sub("\xad(?=.)", "-", text).replace("\xad", "\u2010")
    return _UNSEEN.sub("", _BLANKS.sub(" ", text))
