"""Number formats: what a spreadsheet program shows for a number (ECMA-376 part 1, 18.8.31), with
dates as ISO writes them.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache, partial
from typing import TypeAlias

from dogent_tui.documents.workbook.dates import date_text, duration_text
from dogent_tui.documents.workbook.patterns import Pattern, compile_pattern

Formatter: TypeAlias = Callable[[float], str]

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)', 6: '"$"#,##0_);("$"#,##0)', 7: '"$"#,##0.00_);("$"#,##0.00)',
    8: '"$"#,##0.00_);("$"#,##0.00)',
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy",
    18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
    27: "yyyy-mm", 28: "mm-dd", 29: "mm-dd", 30: "mm-dd-yy", 31: "yyyy-mm-dd", 32: "h:mm",
    33: "h:mm:ss", 34: "h:mm",
    35: "h:mm:ss", 36: "yyyy-mm", 37: "#,##0_);(#,##0)", 38: "#,##0_);(#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);(#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
        42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
        44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
    50: "yyyy-mm", 51: "mm-dd", 52: "yyyy-mm", 53: "mm-dd", 54: "mm-dd", 55: "h:mm", 56: "h:mm:ss",
    57: "yyyy-mm", 58: "mm-dd",
}  # fmt: skip
"""The formats that a workbook names by number alone (18.8.30); 27 to 36 and 50 to 58 are those
of East Asian languages.
"""

_LONGEST_CODE = 1000
"""Characters; Excel takes 255."""

_SECTION = re.compile(r'(?:"[^"]*"?|\\.|\[[^\]]*\]|[_*].|[^;"\\\[_*]|.)*?(?:;|$)', re.DOTALL)
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?[0-9.]+)\]")
_NO_DATE = re.compile(
    r'"[^"]*"?|\\.|[_*].|\[(?!(?:h+|m+|s+)\])[^\]]*\]|General', re.IGNORECASE | re.DOTALL
)
_CLOCK = re.compile(r"AM/PM|A/P|上午/下午", re.IGNORECASE)
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)


@lru_cache(maxsize=4096)
def formatter(code: str, *, epoch_1904: bool = False) -> Formatter:
    """Return what shows numbers as the format `code` does. A code that cannot be understood
    shows them as General.
    """
    if code.lower() in {"general", "", "@"} or len(code) > _LONGEST_CODE:
        return general
    sections = [section.group().removesuffix(";") for section in _SECTION.finditer(code)][:4]
    bare = _NO_DATE.sub("", sections[0])
    if _ELAPSED.search(bare):
        return partial(_duration, fractions=".0" in bare)
    if dated := _dated(bare):
        has_date, has_time = dated
        return partial(
            _moment,
            has_date=has_date,
            has_time=has_time,
            epoch_1904=epoch_1904,
            fractions=".0" in bare,
        )
    return _numbers(sections)


def general(number: float) -> str:
    """Return `number` as a plain decimal unless it is very large or small.

    Twelve digits, one more than a spreadsheet program ever shows: further ones are mostly the noise
    of binary fractions. Whole numbers have all fifteen that a workbook holds.
    """
    if number != number or number in {float("inf"), float("-inf")}:
        return "#NUM!"
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    text = f"{number:.15g}" if number == int(number) else f"{number:.12g}"
    if "e" not in text:
        return text
    mantissa, _, exponent = text.partition("e")
    if -10 <= int(exponent) < 21:
        return f"{Decimal(text):f}"
    return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"


def _dated(bare: str) -> tuple[bool, bool] | None:
    """Tell whether a format that has lost its literals shows a date, and a time; None if it
    shows neither.
    """
    letters = _CLOCK.sub("h", bare).lower()
    if not any(letter in letters for letter in "dmyhs"):
        return None
    if re.search(
        r"[#?]|0[.,]?0*\s*[dmy]", letters
    ):  # placeholders beside letters that somebody forgot to quote
        return None
    has_time = "h" in letters or "s" in letters
    return ("y" in letters or "d" in letters or not has_time), has_time


def _duration(number: float, *, fractions: bool) -> str:
    text = duration_text(number, fractions=fractions)
    return general(number) if text is None else text


def _moment(
    number: float, *, has_date: bool, has_time: bool, epoch_1904: bool, fractions: bool
) -> str:
    text = date_text(
        number, has_date=has_date, has_time=has_time, epoch_1904=epoch_1904, fractions=fractions
    )
    return general(number) if text is None else text


def _numbers(sections: list[str]) -> Formatter:
    """Return what chooses the section for a number and shows it so."""
    if len(sections) > 1 and not sections[-1] and len(sections) < 4:
        sections = sections[:-1] or sections  # the end of the code, not a section
    choices = []
    for position, section in enumerate(sections[:3]):
        condition = _CONDITION.search(section)
        limit = (
            (condition[1], float(condition[2])) if condition and _is_number(condition[2]) else None
        )
        choices.append(
            (limit or _usual(position, len(sections)), compile_pattern(section), limit is None)
        )
    return partial(_choose, choices=choices)


def _usual(position: int, count: int) -> tuple[str, float]:
    """Return the condition of a section that states none: positive; negative; zero."""
    if position == 0:
        return (">=", 0) if count == 2 else (">", 0) if count > 2 else ("<>", float("inf"))
    return ("<", 0) if position == 1 else ("=", 0)


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda number, limit: number < limit,
    ">": lambda number, limit: number > limit,
    "=": lambda number, limit: number == limit,
    "<=": lambda number, limit: number <= limit,
    ">=": lambda number, limit: number >= limit,
    "<>": lambda number, limit: number != limit,
}


def _choose(number: float, *, choices: list[tuple[tuple[str, float], Pattern, bool]]) -> str:
    if number != number or number in {float("inf"), float("-inf")}:
        return "#NUM!"
    for position, ((comparison, limit), pattern, usual) in enumerate(choices):
        if _COMPARE[comparison](number, limit) or position == len(choices) - 1:
            for_negative = position == 1 if usual else comparison in {"<", "<="} and limit <= 0
            value = (
                -number if for_negative and number < 0 else number
            )  # such a section shows the sign itself
            return pattern.show(value, general(value))
    return general(number)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
