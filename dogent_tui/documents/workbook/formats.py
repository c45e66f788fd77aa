"""Number formats: how a spreadsheet program displays a number (ECMA-376 part 1, 18.8.31), with
dates as ISO.
"""

import math
import operator
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache, partial
from typing import TypeAlias

Formatter: TypeAlias = Callable[[float], str]

_DATE = "yyyy-mm-dd"
BUILT_IN = {
    **dict.fromkeys((14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), _DATE),
    **dict.fromkeys((18, 20, 32, 34, 55), "h:mm"),
    **dict.fromkeys((19, 21, 33, 35, 45, 56), "h:mm:ss"),
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
    **dict.fromkeys((5, 6), '"$"#,##0_);("$"#,##0)'),
    **dict.fromkeys((7, 8), '"$"#,##0.00_);("$"#,##0.00)'),
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 22: f"{_DATE} h:mm",
    **dict.fromkeys((37, 38), "#,##0_);(#,##0)"),
    **dict.fromkeys((39, 40), "#,##0.00_);(#,##0.00)"),
    41: '#,##0_);(#,##0);"-"_)', 42: '"$"#,##0_);"$"(#,##0);"$-"_)',
    43: '#,##0.00_);(#,##0.00);"-"_)', 44: '"$"#,##0.00_);"$"(#,##0.00);"$-"_)',
    46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""The built-in formats identified only by number (18.8.30), with dates as displayed here; 27 to 36
and 50 to 58 are those of East Asian languages.
"""

NOTHING = ";;;"
"""The format that shows nothing, whatever the cell contains."""
_LONGEST_CODE = 1000
"""Characters; Excel takes 255."""

# a double has at most 309 digits before the point
_CONTEXT = Context(prec=700, rounding=ROUND_HALF_UP)
_MOST_PLACES = 120
_TOKEN = re.compile(
    r"""
    "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | \[\$(?P<currency>[^\]-]*)[^\]]*\] | _(?P<blank>.)
    | (?P<elapsed>\[(?:h+|m+|s+)\]) | \[(?P<condition>[<>=]{1,2}\s*-?(?:\d+\.?\d*|\.\d+))\]
    | \[[^\]]*\] | \*. | (?P<end>;) | (?P<digit>[0#?])
    | (?P<word>General|AM/PM|A/P|上午/下午|E[+-]|[.,%/@1-9]) | (?P<text>.)
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_SHOWN = {"quoted", "escaped", "currency", "blank", "text"}
"""Groups of literal tokens; a "digit" is a placeholder, a "word" belongs to the format's own
language.
"""
_WHOLE = {("word", "GENERAL"), ("word", "@")}
"""Tokens that stand for the number itself."""
_THOUSANDS = re.compile(r"\B(?=(?:\d{3})+$)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "=": operator.eq,
    "<=": operator.le, ">=": operator.ge, "<>": operator.ne,
}  # fmt: skip

_Token: TypeAlias = tuple[str, str]
_Section: TypeAlias = tuple[Callable[[float], bool], bool, Formatter]
"""The numbers it applies to, whether it displays the sign of negative ones itself, and its
formatter.
"""


@lru_cache(maxsize=4096)
def formatter(code: str, *, epoch_1904: bool = False) -> Formatter:
    """Return a formatter for the format `code`. A code that cannot be parsed is treated as
    General.
    """
    if code.lower() in {"general", "", "@"} or len(code) > _LONGEST_CODE:
        return general
    sections: list[list[_Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup or "", match[match.lastgroup or 0]
        if kind == "end":
            sections.append([])
        elif kind:
            sections[-1].append((kind, " " if kind == "blank" else text))
    letters = "".join(
        "h" if "/" in text[1:] or "午" in text else text.lower()
        for kind, text in sections[0]
        if kind in {"text", "digit", "word"} and text.lower() != "general"
    )
    fractions = ".0" in letters
    if elapsed := "".join(text for kind, text in sections[0] if kind == "elapsed"):
        shown = partial(duration, fractions=fractions)
        return shown if "s" in letters + elapsed else partial(_to_the_minute, shown)
    # placeholders next to letters belong to a text that someone forgot to quote
    if re.search("[dmyhs]|aaa|ggg", letters) and not re.search(r"[#?]|0[.,]?0*\s*[dmy]", letters):
        shows_time = bool(re.search("[hs]", letters))
        is_time = shows_time and not re.search("[yd]", letters)
        moment = partial(
            _moment,
            is_time=is_time,
            shows_time=shows_time,
            epoch_1904=epoch_1904,
            fractions=fractions,
        )
        return moment if "s" in letters else partial(_to_the_minute, moment)
    count = len(sections)
    return partial(_choose, choices=[_section(one, n, count) for n, one in enumerate(sections[:3])])


def general(number: float) -> str:
    """Return `number` as a plain decimal unless it is very large or small.

    Twelve digits, one more than a spreadsheet program ever displays: further ones are mostly noise
    of binary fractions. Integers have all fifteen digits that a workbook stores.
    """
    if not math.isfinite(number):
        return "#NUM!"
    text = f"{number or 0.0:.15g}" if number == int(number) else f"{number:.12g}"
    if "e" not in text:
        return text
    mantissa, _, exponent = text.partition("e")
    if -10 <= int(exponent) < 21:
        return f"{Decimal(text):f}"
    return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"


_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_DAYS = 2_958_466
"""Up to 9999-12-31, the last day that Excel displays."""
_MOST_DURATION = 10_000_000
"""The maximum number of days of a duration."""


def _moment(
    number: float, *, is_time: bool, shows_time: bool, epoch_1904: bool, fractions: bool
) -> str:
    """Return the moment `number` days after the workbook's epoch: ``2024-02-29``, ``2024-02-29
    08:00:00`` or, if the format `is_time` and the number is not a real date, ``08:00:00``. Midnight
    is omitted from a date, but if the format `shows_time`, day zero is midnight. `fractions` keeps
    milliseconds.
    """
    epoch = _EPOCH_1904 if epoch_1904 else _EPOCH
    if not 0 <= number < _DAYS - (_EPOCH_1904 - _EPOCH).days * epoch_1904 - 1e-5:
        return general(number)
    moment = epoch + timedelta(seconds=round(number * 86_400, 3 if fractions else None))
    time = moment.time().isoformat("milliseconds").removesuffix(".000")
    day, is_midnight = (moment - epoch).days, time == "00:00:00"
    # Lotus 1-2-3 took 1900 for a leap year, and Excel still does
    is_early = day <= 60 and not epoch_1904
    if (is_time and day < 366) or (is_early and day == 0):  # 1900 has no day before its first one
        return general(number) if is_midnight and not shows_time else time
    date = (moment + timedelta(is_early and day < 60)).date().isoformat()
    date = "1900-02-29" if is_early and day == 60 else date
    return date if is_midnight else f"{date} {time}"


def _to_the_minute(moment: Formatter, number: float) -> str:
    """Return the moment without zero seconds, for a format that does not display seconds."""
    return re.sub(r"(?<=\d:\d\d):00$", "", moment(number))


def duration(number: float, *, fractions: bool = False) -> str:
    """Return a `number` of days as hours, minutes and seconds: ``27:15:00``."""
    if not abs(number) < _MOST_DURATION:
        return general(number)
    total = round(abs(number) * 86_400, 3 if fractions else 0)
    minutes, seconds = divmod(total, 60)
    hours, minutes = divmod(int(minutes), 60)
    text = f"{hours}:{minutes:02}:{seconds:06.3f}".removesuffix(".000")
    return f"-{text}" if number < 0 and total else text


_ISO_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?")


def iso_text(text: str) -> str:
    """Return the value of a cell with an ISO date (t="d") in the same form as numeric dates."""
    match = _ISO_DURATION.fullmatch(text)
    if match and any(match.groups()):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return f"{hours}:{minutes:02}:{seconds:02}"
    return re.sub(r"T00:00(:00)?(\.0+)?$|\.0+$", "", text.rstrip("Z")).replace("T", " ").strip()


def _section(tokens: list[_Token], position: int, count: int) -> _Section:
    sign, limit = (">" if count > 2 else ">=", "<", "=")[position], 0.0
    unsigned = position == 1
    for stated in (text for kind, text in tokens if kind == "condition"):
        number = stated.lstrip("<>=")
        sign, limit = stated.removesuffix(number), float(number)
        unsigned = sign in {"<", "<="} and limit <= 0
    compare = _COMPARE.get(sign, _COMPARE["="])
    shown = [
        (kind, text.upper() if kind == "word" else text)
        for kind, text in tokens
        if kind in {"digit", "word", *_SHOWN}
    ]
    return lambda number: compare(number, limit), unsigned, _shower(shown)


def _choose(number: float, *, choices: list[_Section]) -> str:
    if not math.isfinite(number):
        return "#NUM!"
    found = next((section for section in choices if section[0](number)), choices[-1])
    _, unsigned, show = found
    return show(abs(number) if unsigned else number).strip()


def _texts(tokens: list[_Token]) -> str:
    return "".join(text for kind, text in tokens if kind in _SHOWN)


def _shower(tokens: list[_Token]) -> Formatter:
    """Return the formatter for a section with these `tokens`."""
    words = [at for at, token in enumerate(tokens) if token in _WHOLE]
    places = [at for at, (kind, _) in enumerate(tokens) if kind == "digit"]
    if places and not {("word", "GENERAL"), ("word", "/")} & {*tokens}:
        return _decimal(tokens)
    if not (places := places or words):
        return lambda _: "".join(text for _, text in tokens)
    before, after = _texts(tokens[: places[0]]), _texts(tokens[places[-1] + 1 :])
    return lambda number: _signed(number, f"{before}{general(abs(number))}{after}")


def _signed(number: float, text: str) -> str:
    minus = "-" if number < 0 and re.search(r"(?<![/\d])\d*[1-9]", text) else ""
    return f"{minus}{text.strip()}"


def _decimal(tokens: list[_Token]) -> Formatter:
    """Return a function that puts the digits of a number into the placeholders among `tokens`."""
    power = next((at for at, token in enumerate(tokens) if token[1] in {"E+", "E-"}), len(tokens))
    end = tokens[power:]
    body = [token for token in tokens[:power] if token[1] != "@"]
    point = body.index(("word", ".")) if ("word", ".") in body else len(body)
    last = max((at for at in range(point) if body[at][0] == "digit"), default=-1)
    commas = [at for at, token in enumerate(body) if token == ("word", ",")]
    is_grouped = any(at < last for at in commas)
    scale = 2 * body.count(("word", "%")) - 3 * sum(at > last for at in commas)
    whole, decimals = (
        [token for token in part if token != ("word", ",")][:_MOST_PLACES]
        for part in (body[:point], body[point + 1 :])
    )
    filled = _filler(whole, is_grouped=is_grouped)
    step = max(1, sum(kind == "digit" for kind, _ in whole))
    unit = Decimal(1).scaleb(-sum(kind == "digit" for kind, _ in decimals))
    dot = "." if point < len(body) else ""

    def shown(number: float) -> str:
        value = abs(Decimal(f"{number:.15g}").scaleb(scale, context=_CONTEXT))
        after = ""
        if end:
            exponent = value.adjusted() // step * step if value else 0
            mantissa = value.scaleb(-exponent, context=_CONTEXT)
            if mantissa.quantize(unit, context=_CONTEXT) >= Decimal(10) ** step:
                exponent += step  # rounding added a digit
                mantissa = value.scaleb(-exponent, context=_CONTEXT)
            value = mantissa
            sign = "-" if exponent < 0 else "+" if end[0][1] == "E+" else ""
            digits = str(abs(exponent)).zfill(sum(kind == "digit" for kind, _ in end))
            after = f"E{sign}{digits}{_texts(end)}"
        left, _, right = f"{value.quantize(unit, context=_CONTEXT):f}".partition(".")
        text = filled(left.lstrip("0"))
        text += dot + _filled_after(decimals, right.rstrip("0"))
        return _signed(number, text + after)

    return shown


def _filler(parts: list[_Token], *, is_grouped: bool) -> Callable[[str], str]:
    """Return a function that puts digits into the placeholders from the right, with the zeros these
    require. The first placeholder takes all remaining ones.
    """
    texts = [text for _, text in parts]
    places = [at for at, (kind, _) in enumerate(parts) if kind == "digit"]
    zeros = next((len(places) - n for n, at in enumerate(places) if texts[at] == "0"), 0)
    single = places[1:] if not is_grouped else []
    template = ["" if kind == "digit" else text for kind, text in parts]
    first = places[0] if places else len(parts)

    def filled(digits: str) -> str:
        digits, shown = digits.zfill(zeros), [*template, ""]
        for at in reversed(single):
            digits, shown[at] = digits[:-1], digits[-1:]
        shown[first] = _THOUSANDS.sub(",", digits) if is_grouped else digits
        return "".join(shown)

    return filled


def _filled_after(parts: list[_Token], digits: str) -> str:
    """Put `digits` after the point into the placeholders from the left."""
    signs = "".join(text for kind, text in parts if kind == "digit")
    each = iter(digits.ljust(signs.rfind("0") + 1, "0"))
    return "".join(next(each, "") if kind == "digit" else text for kind, text in parts)
