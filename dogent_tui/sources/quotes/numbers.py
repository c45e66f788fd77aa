"""Numbers as people write them: their values and units."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dogent_tui.permissions.text import names


def _first_of(groups: str) -> dict[str, str]:
    """Return word → the first word of its group."""
    return {name: group.split()[0] for group in groups.split("|") for name in group.split()}


_MONTHS = (
    "january januar janvier jan 1 01|february februar février feb 2 02|march märz mars mar 3 03"
    "|april avril apr 4 04|may mai 5 05|june juni juin jun 6 06|july juli juillet jul 7 07"
    "|august août aug 8 08|september septembre sept sep 9 09|october oktober octobre oct okt 10"
    "|november novembre nov 11|december dezember décembre dec dez 12"
)
"""What takes the place of a unit at the day of a date."""
_MONTH = _first_of(_MONTHS)
MONTHS = {name: month for name, month in _MONTH.items() if name.isalpha()}
_NAMED = f"(?-i:(?!may))(?:{'|'.join(MONTHS)})"
_NOT_AFTER_WORD = r"(?<![^\W\u2e80-\u9fff])"
NUMBER = re.compile(
    rf"{_NOT_AFTER_WORD}(?<![.,])(?<!\d/)(?<![A-Z][-–])"
    rf"(?:{_NOT_AFTER_WORD}(?<![)\]])[-−–+](?=\d))?"
    r"(?:(?:(?P<times>\d+(?:[.,]\d+)?)\s?[×·x]\s?)?10(?P<power>[⁻⁺]?[¹²³⁰⁴-⁹]+)"
    r"|\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,:/]\d+)*)"
    r"(?=$|[^\w]|[¹²³⁰⁴-⁹\u2e80-\u9fff]|(?:km|kg|m|cm|mm|g|mg|t|h|min|ms|[kMGT]?B|[kMG]?Wh?|[kM]?Hz|[KkMm]|bn|x)(?![\w]))(?![./]\d)"
)
"""A number in a text that is not part of a word or name. A space may separate thousands."""
_SPACED = re.compile(r"\d+(?:[.,]\d+)?")
_DATE, _OF_DATE = re.compile(r"\d\d?([./])\d\d?\1\d{4}"), re.compile(r"\d+(?=[./]\d+[./])|\d{4}")
SENTENCE_END = re.compile(
    r"(?<!\b[A-Za-z])(?<!\b[A-Z][a-z])(?<!\b[A-Z][a-z]{2})(?<!\d)[.!?][\"”“»’)\]*_]*\s+(?=[^\sa-z])"
    rf"|(?<=\d)[.!?]\s+(?=[A-ZÄÖÜÉÀ][^\s.])(?!(?i:{_NAMED})\b)|[。！？]"
)

_SCALES = (
    "3 thousand tausend tsd mille milliers k teur t€ k€ 千|4 万 萬"
    "|6 million millions millionen mio m mn 百万|8 亿 億"
    "|9 billion billions bn milliarde milliarden mrd milliard milliards 十亿"
    "|12 trillion trillions 万亿"
)
"""Words after a number → powers of ten. In German and French, billion is a million millions: see
`number_at`.
"""
_UNITS = (
    "% percent prozent pourcent v.h.|‰ permille promille|°c celsius|°f fahrenheit"
    "|€ euro euros eur 欧元|$ dollar dollars usd us$ 美元|£ pound pounds gbp"
    "|¥ yuan yen rmb cny jpy 元|chf franken francs|pp prozentpunkte prozentpunkten percentagepoint"
    " percentagepoints percentpoint percentpoints pointdepourcentage pointsdepourcentage 百分点"
    " 个百分点|bp basispunkte basispoint basispoints|s sec second seconds sekunde sekunden seconde"
    " secondes 秒|ms|min minute minutes minuten 分钟|h hour hours stunde stunden heure heures 小时"
    "|day days tag tage tagen jour jours 天 日|week weeks woche wochen semaine semaines 周"
    "|month months monat monate monaten mois 月|year years jahr jahre jahren an ans année années 年"
    "|m² m2 qm|m³ m3|km² km2|km kilometer kilometers kilometre kilometres kilomètres 公里"
    "|m meter meters metre metres mètre mètres 米|cm|mm|ft feet foot|mi mile miles"
    "|kg kilogram kilograms kilogramm 公斤 千克|g gram grams gramm grammes 克|mg"
    "|t ton tons tonne tonnes tonnen 吨|l liter litre liters litres 升|ml|w|kw|mw|gw|kwh|mwh|gwh"
    "|twh|hz|khz|mhz|ghz|b byte bytes|kb|mb|gb|tb|人|次|个|条"
)

_PLAIN_WORD = re.compile(r"[Tk]€|[€$£¥]|[^\s()\[\]（）,.:：€$£¥]+")
_MONEY, _SCALED = {"€", "$", "£", "¥", "chf"}, "scaled"
_POWER, _UNIT = _first_of(_SCALES), _first_of(_UNITS)
_MONTH_BEHIND = re.compile(
    rf"(?:\.?\s?(?:[-–]|to|and|bis|und|au|et)\s?\d\d?)?\.?\s?({_NAMED})\b|\.(\d\d?)\.\d{{4}}",
    re.IGNORECASE,
)
_MONTH_BEFORE = re.compile(
    rf"(?<!\d\s)(?<!\d\.\s)\b({_NAMED})\.?\s$|\d{{4}}-(\d\d)-$", re.IGNORECASE
)
_BEHIND = re.compile(
    r"[\s\u00a0\u202f-]{0,2}([Tk]€|(?:percentage|per cent|basis)\s+points?|points? de pourcentage"
    r"|per cent|pour cent|v\. ?H\.|个?百分点|百万|十亿|万亿|小时|分钟|公里|公斤|千克|美元|欧元"
    r"|°\s?[CF]|[%‰€$£¥千万萬亿億秒天日周月年米克吨升元人次个条]|[^\W\d_¹²³⁰⁴-⁹\u2e80-\u9fff]+(?:(?<=m)[²³])?)\.?",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"(US\$|[€$£¥]|\b(?:EUR|USD|CHF|GBP|CNY|RMB))\s?$")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")


class Number(NamedTuple):
    """A number in a text, at `start` to `end`. `value` follows the spelling, `unit` is "" if there
    is none.
    """

    start: int
    end: int
    spelled: str
    value: str
    unit: str


def numbers_in(text: str, language: str) -> Iterator[Number]:
    """Yield the numbers of a text: what may be thousands or several numbers in a row, as both, and
    a date also as its day and its year.
    """
    for found in NUMBER.finditer(text):
        yield number_at(text, found, language)
        parts = _SPACED if " " in found[0] else _OF_DATE if _DATE.fullmatch(found[0]) else None
        for one in parts.finditer(text, *found.span()) if parts else ():
            yield number_at(text, one, language)


def units_in(text: str) -> Iterator[str]:
    """Yield the units among the words of a text."""
    for word in _PLAIN_WORD.findall(text):
        number = next(numbers_in(f"100 {word}", "en"), None)  # no day, so that no month is one
        if number and number.unit:
            yield number.unit


def readings(number: Number, language: str, own: Sequence[str], around: str) -> list[Number]:
    """Return a number of a table with the unit that its `own` row or column names, or the currency
    that is named `around` it. The scale that the nearest of these names too does not apply to a
    number without a unit.
    """
    near = " ".join(own)
    money = (unit for unit in units_in(f"{near} {around}") if unit in _MONEY)
    unit = number.unit or next(units_in(near), "") or next(money, "")
    bare = number._replace(unit=unit)
    for place in (*own, around) if not number.unit and unit in {"", *_MONEY} else ():
        scaled = list[Number]()
        for word in _PLAIN_WORD.findall(place):
            spelled = word + "n" * (word == "m" and unit in _MONEY)
            value = next(numbers_in(f"{number.spelled} {spelled}", language), number).value
            value = "-" * (number.value[0] == "-" and value[0] != "-") + value
            scaled += [bare._replace(value=value)] if value != number.value else []
        if scaled:
            return [bare._replace(unit=_SCALED), *scaled]
    return [bare]


def number_at(text: str, found: re.Match[str], language: str) -> Number:
    """Interpret a match of `NUMBER` in `text`."""
    power, unit, at = 0, "", found.end()
    while behind := _BEHIND.match(text, at):
        word = re.sub(r"\s", "", behind[1]).casefold()
        is_letter = word in {"m", "k"} and text[at : at + 1].isspace()
        if power or word not in _POWER or is_letter:
            unit = _UNIT.get(word, "")
            break
        is_long = word in {"billion", "billions"} and language in {"de", "fr"}
        power, at = 12 if is_long else int(_POWER[word]), behind.end()
    lead = text[max(0, found.start() - 14) : found.start()]
    if before := _BEFORE.search(lead):
        unit = _UNIT[before[1].casefold()]
    month = _MONTH_BEHIND.match(text, found.end()) or _MONTH_BEFORE.search(lead)
    if month and len(found[0]) <= 2:
        unit = _MONTH.get(month[month.lastindex or 0].casefold(), unit)
    around = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
    is_negative = found[0][0] in "-−–" or (around == "()" and "|" in text)
    spelled, raised, parts = found[0], "", found.groupdict()
    if exponent := parts.get("power"):
        spelled, raised = parts["times"] or "1", f"e{exponent}"
    value = _value(re.sub(r"[\u00a0\u202f'’ +−–-]", "", spelled), power, language) + raised
    return Number(found.start(), found.end(), found[0], "-" * is_negative + value, unit)


def _value(plain: str, power: int, language: str) -> str:
    marks, groups = re.sub(r"\d", "", plain), "," if language in {"en", "zh"} else "."
    is_grouped = bool(_GROUPED.fullmatch(plain)) and len(set(marks)) == 1
    decimal = ""
    if len(set(marks)) == 2 or (len(marks) == 1 and (not is_grouped or marks != groups)):
        decimal = marks[-1]
    if set(marks) - {".", ","} or (marks and not is_grouped and marks.count(decimal) != 1):
        return plain
    whole, _, part = plain.rpartition(decimal) if decimal else (plain, "", "")
    digits = re.sub(r"\D", "", whole) + part.ljust(power, "0")
    end = len(digits) - max(0, len(part) - power)
    part = digits[end:].rstrip("0")
    return (digits[:end].lstrip("0") or "0") + (f".{part}" if part else "")


FUNCTION_WORDS = {
    "en": names(
        "a an the of and or to in on at by for from with as is are was were be been has have had"
        " that this these those it its there than then which who their his her only about over"
        " under into"
    ),
    "de": names(
        "der die das den dem des ein eine einen einem einer eines und oder zu im am auf bei von vom"
        " mit für als ist sind war waren wird werden wurde wurden hat haben hatte dass dies diese"
        " dieser dieses es sie er nur nach aus um nicht"
    ),
    "fr": names(
        "le la les l un une du de d et ou à au aux en dans sur par pour avec est sont était étaient"
        " ont que qui ce cette ces il elle ils elles"
    ),
    "zh": names("的 了 是 在 和 与 有 为 也 而 及"),
}
"""Words that indicate the language of a text, whatever it is about."""


def language_of(text: str, unknown: str = "en") -> str:
    """Return the language of a text as far as number separators require it: en, de, fr or zh;
    otherwise `unknown`.
    """
    if len(re.findall("[\u3400-\u9fff]", text)) > len(text) / 8:
        return "zh"
    words = Counter(text.casefold().split())
    counts = {
        language: sum(words[one] for one in ones) for language, ones in FUNCTION_WORDS.items()
    }
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else unknown
