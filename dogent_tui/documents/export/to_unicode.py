"""The mapping from a printed pdf's glyphs to characters, for searching and copying.

Chromium names each glyph by the first character that its font draws with it, which for many Chinese
characters is a radical that merely looks the same (U+2F42 for U+6587, U+2ECB for U+8F66): a search
for the word finds nothing. These tables are corrected here.
"""

import re
import unicodedata
from typing import Any

_LOOKALIKE = re.compile("[\u2e80-\u2fdf\uf900-\ufaff]")
"""Radicals, and characters that Unicode duplicates for compatibility with older encodings; no one
types them.
"""

_RADICALS = (
    "⺁厂⺂乛⺃乚⺄乙⺅亻⺆冂⺇𠘨⺈刀⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺑𡯂⺒巳⺓幺⺔彑⺕彐⺖忄"
    "⺗心⺘扌⺙攵⺛旡⺜日⺝月⺞歺⺟母⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王⺪𤴔⺫目⺬示⺭礻"
    "⺮𥫗⺯糹⺰纟⺱罓⺲罒⺳㓁⺴冗⺵𦉫⺶羊⺷𦍌⺸𦍋⺹耂⺺肀⺻聿⺼肉⺽𦥑⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀"
    "⻄西⻅见⻆角⻇𧢲⻈讠⻉贝⻊𧾷⻋车⻌辶⻍辶⻎辶⻏邑⻐钅⻑長⻒镸⻓长⻔门⻕𨸏⻖阝⻗雨⻘青⻙韦"
    "⻚页⻛风⻜飞⻝食⻞𩙿⻟飠⻠饣⻡𩠐⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜"
    "⻰龙⻱龜⻲亀⻳龟"
)
"""Radicals, each followed by its character (EquivalentUnifiedIdeograph.txt of Unicode), because
most of them have no compatibility decomposition.
"""
_USUAL = dict(zip(_RADICALS[::2], _RADICALS[1::2], strict=True))

_LINE = re.compile(
    rb"(?m)^<([0-9A-F]+)> *(?:<([0-9A-F]+)> *)?<([0-9A-F]{4})>[ \r]*$", re.IGNORECASE
)
"""A line of a CMap (Adobe Technical Note 5014, section 1.4.1) by itself: a code, or the first and
last of a range, and a character, or the first one. In an array, or after characters of two units,
codes are not a range.
"""


def usual(character: str) -> str:
    """Return the character that `character` merely looks like, or itself."""
    if _LOOKALIKE.match(character):
        return _USUAL.get(character) or unicodedata.normalize("NFKC", character)
    return character


def correct(document: Any) -> None:
    """Correct the tables of all fonts in the open pdf `document` (of PyMuPDF)."""
    fonts = {
        entry[0]
        for number in range(document.page_count)
        for entry in document.get_page_fonts(number)
    }
    for font in fonts:
        kind, reference = document.xref_get_key(font, "ToUnicode")
        if kind == "xref":
            table = int(reference.split()[0])
            before = document.xref_stream(table)
            if (corrected := corrected_table(before)) != before:
                document.update_stream(table, corrected)


def corrected_table(table: bytes) -> bytes:
    """Return the corrected CMap `table`: a range has its characters listed one by one, if one has
    to be corrected.
    """
    return _LINE.sub(_corrected, table)


def _corrected(line: re.Match[bytes]) -> bytes:
    first, last, start = (int(code or b"0", 16) for code in line.groups())
    count = min(last - first, 0xFFFF - start) + 1 if line[2] else 1
    characters = [*map(chr, range(start, start + count))]
    if not _LOOKALIKE.search("".join(characters)):
        return line[0]
    codes = [
        b"<%04X>" % int.from_bytes(usual(one).encode("utf-16-be", "surrogatepass"))
        for one in characters
    ]
    if line[2]:
        return b"<%s> <%s> [%s]" % (line[1], line[2], b" ".join(codes))
    return b"<%s> %s" % (line[1], codes[0])
