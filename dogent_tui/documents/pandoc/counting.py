"""The numbers that word processors write before paragraphs: counting and number formats."""

from collections.abc import Mapping

import roman

from dogent_tui.records import Record

_MOST = 4_999
"""Larger numbers are written in digits."""
_LETTERS = {
    "Letter": "abcdefghijklmnopqrstuvwxyz", "russian": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "ganada": "가나다라마바사아자차카타파하", "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノ"
        "ハヒフヘホマミムメモヤユヨラリルレロワヲン",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
}  # fmt: skip
_ENCLOSED = {
    "decimalEnclosedCircle": "①", "decimalEnclosedCircleChinese": "①", "decimalEnclosedParen": "⑴",
    "decimalEnclosedFullstop": "⒈", "ideographEnclosedCircle": "㊀",
}  # fmt: skip
"""The first of consecutive characters in Unicode."""
_MOST_ENCLOSED = {"㊀": 10}
_HAN, _HANGUL = "〇一二三四五六七八九", "영일이삼사오육칠팔구"
_DIGITS = {
    "ideographDigital": _HAN, "japaneseDigitalTenThousand": _HAN, "taiwaneseDigital": _HAN,
    "koreanDigital": _HANGUL, "koreanDigital2": _HAN, "decimalFullWidth": "０１２３４５６７８９",
    "thaiNumbers": "๐๑๒๓๔๕๖๗๘๙", "hindiNumbers": "०१२३४५६७८९", "hindiArabic": "٠١٢٣٤٥٦٧٨٩",
}  # fmt: skip
_WITH_UNITS = {
    "chineseCounting": (_HAN, "千百十", ""), "chineseCountingThousand": (_HAN, "千百十", "零"),
    "taiwaneseCounting": (_HAN, "千百十", ""), "taiwaneseCountingThousand": (_HAN, "千百十", "零"),
    "japaneseCounting": (_HAN, "千百十", ""), "koreanCounting": (_HANGUL, "천백십", ""),
    "japaneseLegal": ("〇壱弐参四伍六七八九", "阡百拾", ""),
    "chineseLegalSimplified": ("零壹贰叁肆伍陆柒捌玖", "仟佰拾", "零"),
    "ideographLegalTraditional": ("零壹貳參肆伍陸柒捌玖", "仟佰拾", "零"),
}  # fmt: skip
"""The digits, the characters for 1000, 100 and 10, and that for a skipped unit."""
_NO_ONE = ("japaneseCounting", "koreanCounting")
"""Formats that write ten without a one."""
_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


class Level(Record):
    """A level of a list: how its numbers are written.

    `text` contains ``%1`` in place of the number of the first level; `space` follows it.
    `restarts`: it counts from `start` again after each paragraph of a higher level. `is_legal`: all
    numbers are written in digits. `style` is the paragraph style of this level, `indent` that of
    its text in twips.
    """

    form: str = "decimal"
    text: str = ""
    start: int = 1
    restarts: bool = True
    is_legal: bool = False
    style: str = ""
    space: str = " "
    indent: int = 0


NO_LEVEL = Level()


def next_label(counts: dict[int, int], levels: Mapping[int, Level], at: int) -> str:
    """Count a paragraph on the level `at`, from 0, and return its label with the space after it;
    "" for bullets. `counts` are those of its list so far.
    """
    above = [levels.get(number, NO_LEVEL) for number in range(at + 1)]
    for number, level in enumerate(above):
        counts.setdefault(number, level.start - (number == at))
    counts[at] += 1
    for deeper in [number for number in counts if number > at]:
        if levels.get(deeper, NO_LEVEL).restarts:
            del counts[deeper]
    own = above[at]
    text = "" if own.form == "bullet" else own.text
    for number, level in enumerate(above):
        is_decimal = own.is_legal and level.form != "decimalZero"
        form = "decimal" if is_decimal else level.form
        text = text.replace(f"%{number + 1}", spelled(counts[number], form))
    return text.strip() + own.space if text.strip() else ""


def spelled(number: int, form: str) -> str:
    """Return a number in one of Word's formats (ECMA-376 part 1, 17.18.59); in rare ones, as a
    decimal.
    """
    is_upper = form.startswith("upper") or form.endswith("Upper")
    letters = _LETTERS.get(form.removesuffix("FullWidth"))
    letters = letters or next((_LETTERS[key] for key in ("Letter", "russian") if key in form), None)
    digits = str(number)
    if not 0 < number <= _MOST or form in {"none", "decimalZero", "numberInDash"}:
        special = {"none": "", "decimalZero": f"{number:02}", "numberInDash": f"- {number} -"}
        return special.get(form, digits)
    if letters:
        text = letters[(number - 1) % len(letters)] * ((number - 1) // len(letters) + 1)
    elif form in {"upperRoman", "lowerRoman"}:
        text = roman.toRoman(number).lower()
    elif form == "cardinalText" and number < 100:
        tens, ones = divmod(number, 10) if number > 19 else (0, number)
        words = [_TENS[tens - 2]] * (tens > 0) + [_ONES[ones]] * (ones > 0)
        return "-".join(words).capitalize()
    elif form in _ENCLOSED:
        first = _ENCLOSED[form]
        is_sign = number <= _MOST_ENCLOSED.get(first, 20)
        text = chr(ord(first) + number - 1) if is_sign else digits
    elif form in _DIGITS or (number > 99 and form in {"chineseCounting", "taiwaneseCounting"}):
        text = "".join(_DIGITS.get(form, _HAN)[int(digit)] for digit in digits)
    else:
        text = _with_units(number, form) if form in _WITH_UNITS else digits
    return text.upper() if is_upper else text


def _with_units(number: int, form: str) -> str:
    digits, units, zero = _WITH_UNITS[form]
    text, gap = "", ""
    for digit, unit in zip(map(int, f"{number:04}"), [*units, ""], strict=True):
        has_no_one = digit == 1 and unit and form in _NO_ONE
        if digit:
            text += gap + ("" if has_no_one else digits[digit]) + unit
        gap = zero if text and not digit else ""
    return text.removeprefix("一") if 9 < number < 20 else text
