"""Numbers as people write them: their values, and the units that belong to them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dogent_tui.permissions.text import names

NUMBER = re.compile(
    r"(?<![\w.,])(?<!\d/)(?<![A-Z][-–])(?:(?<![\w)\]])[-−–+](?=\d))?"
    r"(?:\d{1,3}(?:[\u00a0\u202f'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,:/]\d+)*)"
    r"(?=$|[^\w]|[\u2e80-\u9fff]|(?:km|kg|m|cm|mm|g|mg|t|h|min|ms|[kMGT]?B|[kMG]?Wh?|[kM]?Hz|[KkMm]|bn|x)(?![\w]))(?![./]\d)"
)
"""A number in a text: not one that is a part of a word or name."""
SENTENCE_END = re.compile(
    r"(?<!\b[A-Za-z])(?<!\d)[.!?][\"”“»’)\]*_]*\s+(?=[^\sa-z])|(?<=\d)[.!?]\s+(?=[A-ZÄÖÜÉÀ][^\s.])|[。！？]"
)

_SCALES = {
    "thousand": 3, "tausend": 3, "tsd": 3, "mille": 3, "k": 3, "千": 3, "万": 4, "萬": 4,
    "million": 6, "millions": 6,
    "millionen": 6, "mio": 6, "m": 6, "百万": 6, "mn": 6, "亿": 8, "億": 8, "billion": 9,
    "billions": 9, "bn": 9, "milliarde": 9,
    "milliarden": 9, "mrd": 9, "milliard": 9, "milliards": 9, "十亿": 9, "trillion": 12,
    "trillions": 12, "万亿": 12,
}  # fmt: skip
"""Words behind a number, as powers of ten. In German and French, billion is a million millions:
see `_power`.
"""
_UNITS = (
    "% percent prozent pourcent % |‰ permille promille |°c celsius |°f fahrenheit |€ euro euros eur"
    " 欧元 |$ dollar dollars usd 美元 |£ pound pounds gbp |¥ yuan yen rmb cny jpy 元 |chf franken"
    " francs |pp prozentpunkte prozentpunkten |bp basispunkte |s sec second seconds sekunde"
    " sekunden seconde secondes 秒 |ms |min minute minutes minuten 分钟 |h hour hours stunde"
    " stunden heure heures 小时 |day days tag tage tagen jour jours 天 日 |week weeks woche wochen"
    " semaine semaines 周 |month months monat monate monaten mois 月 |year years jahr jahre jahren"
    " an ans année années 年 |km kilometer kilometers kilometre kilometres kilomètres 公里 |m meter"
    " meters metre metres mètre mètres 米 |cm |mm |ft feet foot |mi mile miles |kg kilogram"
    " kilograms kilogramm 公斤 千克 |g gram grams gramm grammes 克 |mg |t ton tons tonne tonnes"
    " tonnen 吨 |l liter litre liters litres 升 |ml |w |kw |mw |gw |kwh |mwh |gwh |twh |hz |khz"
    " |mhz |ghz |b byte bytes |kb |mb |gb |tb |人 |次 |个 |条"
)
_UNIT = {name: group.split()[0] for group in _UNITS.split("|") for name in group.split()}
_POINTS = re.compile(
    r"\s*(?:percentage|per cent|basis)\s+points?|\s*个?百分点|\s*points? de pourcentage",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"[\s\u00a0\u202f-]{0,2}(百万|十亿|万亿|小时|分钟|公里|公斤|千克|美元|欧元|°\s?[CF]|[%‰€$£¥千万萬亿億秒天日周月年米克吨升元人次个条]|[^\W\d_\u2e80-\u9fff]+)\.?"
)
_BEFORE = re.compile(r"(US\$|[€$£¥]|\b(?:EUR|USD|CHF|GBP|CNY|RMB))\s?$")
_PER_CENT = re.compile(r"\s*(?:per cent|pour cent|v\. ?H\.)", re.IGNORECASE)


class Number(NamedTuple):
    """A number in a text, at `start` to `end`. `values` are those that its spelling can mean, ""
    the unit that is not told.
    """

    start: int
    end: int
    spelled: str
    values: frozenset[str]
    unit: str


def numbers_in(text: str, language: str) -> Iterator[Number]:
    """Yield the numbers of a text."""
    for found in NUMBER.finditer(text):
        yield number_at(text, found, language)


def number_at(text: str, found: re.Match[str], language: str) -> Number:
    """Return what the number that `NUMBER` found in `text` is."""
    scale, unit, at = 0, "", found.end()
    if _POINTS.match(text, at):
        unit = "pp" if "bas" not in text[at : at + 8].lower() else "bp"
    elif _PER_CENT.match(text, at):
        unit = "%"
    else:
        for _ in range(2):
            behind = _BEHIND.match(text, at)
            word = re.sub(r"\s", "", behind[1]).casefold() if behind else ""
            is_letter = word in {"m", "k"} and text[at : at + 1].isspace()
            if behind and word in _SCALES and not is_letter and not scale:
                scale, at = _power(word, language), behind.end()
                continue
            unit = _UNIT.get(word, "")
            break
    if before := _BEFORE.search(text, max(0, found.start() - 5), found.start()):
        unit = _UNIT.get(before[1].casefold().removeprefix("us"), unit)
    sign_at = found.start() - 1
    spelled = found[0]
    is_negative = spelled[0] in "-−–" or (
        text[sign_at : sign_at + 1] == "("
        and text[found.end() : found.end() + 1] == ")"
        and "|" in text
    )
    return Number(
        found.start(),
        found.end(),
        spelled,
        _values(spelled.lstrip("-−–+"), scale, is_negative, language),
        unit,
    )


def _power(word: str, language: str) -> int:
    return 12 if word in {"billion", "billions"} and language in {"de", "fr"} else _SCALES[word]


def _values(spelled: str, scale: int, is_negative: bool, language: str) -> frozenset[str]:
    plain = re.sub(r"[\u00a0\u202f'’ ]", "", spelled)
    sign = "-" if is_negative else ""
    marks = re.sub(r"\d", "", plain)
    readings: set[str] = set()
    if not marks:
        readings = {plain}
    elif set(marks) - {".", ","}:
        return frozenset({sign + plain})
    elif len(set(marks)) == 2:
        decimal = marks[-1]
        if marks.count(decimal) > 1:
            return frozenset({sign + plain})
        readings = {plain.replace("," if decimal == "." else ".", "").replace(",", ".")}
    else:
        parts = re.split(r"[.,]", plain)
        if all(len(part) == 3 for part in parts[1:]) and 0 < len(parts[0]) <= 3 and parts[0] != "0":
            readings.add("".join(parts))
        if len(parts) == 2:
            groups = "," if language in {"en", "zh"} else "."
            if not readings or marks != groups:
                readings = {".".join(parts)}
        elif not readings:
            return frozenset({sign + plain})
    return frozenset(sign + _scaled(reading, scale) for reading in readings)


def _scaled(reading: str, power: int) -> str:
    whole, _, part = reading.partition(".")
    if power:
        part = part.ljust(power, "0")
        whole, part = whole + part[:power], part[power:]
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{part}" if part else "")


_STOPS = {
    "en": names("the of and to in is that for with be"),
    "de": names("der die das und ist nicht ein von mit zu"),
    "fr": names("le la les des et est une dans pour que"),
}


def language_of(text: str, unknown: str = "en") -> str:
    """Return the language of a text, as far as separators of numbers need it: en, de, fr or zh;
    else `unknown`.
    """
    if len(re.findall("[\u3400-\u9fff]", text)) > len(text) / 8:
        return "zh"
    words = text.casefold().split()
    counts = {language: sum(word in stops for word in words) for language, stops in _STOPS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else unknown
