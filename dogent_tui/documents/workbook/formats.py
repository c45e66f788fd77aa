"""Number formats: what a spreadsheet program shows for a number (ECMA-376 part 1, 18.8.31), with
dates as ISO writes them.
"""

import math
import operator
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import TypeAlias

import msgspec

from dogent_tui.documents.workbook.dates import date_text, duration_text
from dogent_tui.documents.workbook.package import Package

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

_CONTEXT = Context(
    prec=700, rounding=ROUND_HALF_UP
)  # a double has at most 309 digits before the point
_MOST_PLACES = 60
_TOKEN = re.compile(
    r'"[^"]*"?|\\.|\[[^\]]*\]|[_*].|General|AM/PM|A/P|上午/下午|E[+-]|.', re.IGNORECASE | re.DOTALL
)
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?\d+\.?\d*|-?\.\d+)\]")
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_FRACTION = re.compile(r"(?:([#0?,]+)[^#0?/]+)?[#0?]+\s*/\s*([#0?]+|[1-9][0-9]*)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "=": operator.eq,
    "<=": operator.le, ">=": operator.ge, "<>": operator.ne,
}  # fmt: skip
_USUAL = re.compile(r"(t*)#*0(?:\.0+)?t*")
"""The placeholders of most formats, with texts (t) around them: quick to show."""

_BLANKS = {"0": "0", "?": " "}
"""What a placeholder shows that no digit is left for."""

_Token: TypeAlias = tuple[str, str]
"""A "text" that is shown, a "digit" placeholder, or a "word" of the format's own language."""


@lru_cache(maxsize=4096)
def formatter(code: str, *, epoch_1904: bool = False) -> Formatter:
    """Return what shows numbers as the format `code` does. A code that cannot be understood
    shows them as General.
    """
    if code.lower() in {"general", "", "@"} or len(code) > _LONGEST_CODE:
        return general
    sections: list[list[str]] = [[]]
    for token in _TOKEN.findall(code):
        if token == ";":  # noqa: S105 — no password
            sections.append([])
        else:
            sections[-1].append(token)
    words = [word for word in sections[0] if len(word) == 1 or word[0] not in '"[\\_*']
    bare = "".join("h" if "/" in word[1:] or "午" in word else word for word in words).lower()
    fractions = ".0" in bare
    if any(map(_ELAPSED.fullmatch, sections[0])):
        return partial(_duration, fractions=fractions)
    bare = bare.replace("general", "")
    # placeholders beside letters are of a text that somebody forgot to quote
    if re.search("[dmyhs]", bare) and not re.search(r"[#?]|0[.,]?0*\s*[dmy]", bare):
        has_time = "h" in bare or "s" in bare
        has_date = "y" in bare or "d" in bare or not has_time
        return partial(
            _moment,
            has_date=has_date,
            has_time=has_time,
            epoch_1904=epoch_1904,
            fractions=fractions,
        )
    if 1 < len(sections) < 4 and not sections[-1]:
        sections.pop()  # the end of the code, not a section
    count = len(sections)
    return partial(_choose, choices=[_section(one, n, count) for n, one in enumerate(sections[:3])])


def general(number: float) -> str:
    """Return `number` as a plain decimal unless it is very large or small.

    Twelve digits, one more than a spreadsheet program ever shows: further ones are mostly the noise
    of binary fractions. Whole numbers have all fifteen that a workbook holds.
    """
    if not math.isfinite(number):
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


def _duration(number: float, *, fractions: bool) -> str:
    return duration_text(number, fractions=fractions) or general(number)


def _moment(number: float, **how: bool) -> str:
    return date_text(number, **how) or general(number)


class _Section(msgspec.Struct, frozen=True):
    """How numbers for which `holds` a comparison are shown. `unsigned`: the section shows the
    sign of negative ones itself.
    """

    holds: Callable[[float], bool]
    unsigned: bool
    show: Callable[[float], str]


def _section(tokens: list[str], position: int, count: int) -> _Section:
    usual = (">" if count > 2 else ">=", "<", "=")[position], 0.0
    stated = _CONDITION.search("".join(token for token in tokens if token[0] == "["))
    sign, limit = (stated[1], float(stated[2])) if stated else usual
    unsigned = (sign in {"<", "<="} and limit <= 0) if stated else position == 1
    compare = _COMPARE[sign]
    return _Section(
        lambda number: compare(number, limit), unsigned, _shower([*map(_token, tokens)])
    )


def _choose(number: float, *, choices: list[_Section]) -> str:
    if not math.isfinite(number):
        return "#NUM!"
    section = next((each for each in choices if each.holds(number)), choices[-1])
    return section.show(abs(number) if section.unsigned else number).strip()


def _token(token: str) -> _Token:
    start, single = token[0], len(token) == 1
    if start in "0#?":
        return "digit", token
    if start == '"':
        return "text", token.strip('"')
    if start == "[":
        currency = _CURRENCY.fullmatch(token)
        return "text", currency[1] if currency else ""
    if start in "\\_*" and not single:
        return "text", {"\\": token[1], "_": " "}.get(start, "")
    if start in ".,%/@123456789" or not single:
        return "word", token.upper()
    return "text", token


def _texts(tokens: list[_Token]) -> str:
    return "".join(text for kind, text in tokens if kind == "text")


def _shower(tokens: list[_Token]) -> Callable[[float], str]:
    """Return what shows a number as a section of these `tokens`."""
    if ("word", "GENERAL") in tokens:
        at = tokens.index(("word", "GENERAL"))
        before, after = _texts(tokens[:at]), _texts(tokens[at + 1 :])
        return lambda number: f"{before}{general(number)}{after}"
    places = [at for at, (kind, _) in enumerate(tokens) if kind == "digit"]
    if match := _FRACTION.search("".join(" " if kind == "text" else text for kind, text in tokens)):
        before, after = _texts(tokens[: places[0]]), _texts(tokens[places[-1] + 1 :])
        fraction = partial(_fraction, mixed=match[1] is not None, below=match[2])
        return lambda number: _signed(number, f"{before}{fraction(abs(number))}{after}")
    if not places:
        return lambda _: "".join(text for _, text in tokens if text != "@")
    return _decimal(tokens)


def _signed(number: float, text: str) -> str:
    minus = "-" if number < 0 and re.search("[1-9]", text) else ""
    return f"{minus}{text.strip()}"


def _fraction(number: float, *, mixed: bool, below: str) -> str:
    exact = Fraction(f"{number:.15g}")
    if below.strip("0").isdigit():
        denominator = int(below[:6])
        numerator = round(exact * denominator)
    else:
        near = exact.limit_denominator(10 ** min(len(below), 6) - 1)
        numerator, denominator = near.numerator, near.denominator
    whole, rest = divmod(numerator, denominator) if mixed else (0, numerator)
    shown = [str(whole)] if whole or (mixed and not rest) else []
    return " ".join([*shown, f"{rest}/{denominator}"] if rest or not mixed else shown)


def _decimal(tokens: list[_Token]) -> Callable[[float], str]:
    power = next((at for at, token in enumerate(tokens) if token[1] in {"E+", "E-"}), len(tokens))
    end = tokens[power:]
    body = [token for token in tokens[:power] if token[1] != "@"]
    point = body.index(("word", ".")) if ("word", ".") in body else len(body)
    last = max((at for at in range(point) if body[at][0] == "digit"), default=-1)
    commas = [at for at, token in enumerate(body) if token == ("word", ",")]
    percents = body.count(("word", "%"))
    whole, decimals = (
        [token for token in part if token != ("word", ",")][: 2 * _MOST_PLACES]
        for part in (body[:point], body[point + 1 :])
    )
    unit = Decimal(1).scaleb(-sum(kind == "digit" for kind, _ in decimals))
    grouped = any(at < last for at in commas)
    scale = 2 * percents - 3 * sum(at > last for at in commas)
    signs = "".join(
        text if kind == "digit" or text == "." else "t"
        for kind, text in [*whole, *body[point : point + 1], *decimals]
    )
    if not end and (usual := _USUAL.fullmatch(signs)):
        texts = [text for kind, text in [*whole, *decimals] if kind != "digit"]
        before, after = "".join(texts[: usual.end(1)]), "".join(texts[usual.end(1) :])
        sign = "," if grouped else ""

        def shown(number: float) -> str:
            value = abs(Decimal(f"{number:.15g}").scaleb(scale, context=_CONTEXT))
            text = format(value.quantize(unit, context=_CONTEXT), f"{sign}f")
            return _signed(number, f"{before}{text}{after}")

        return shown
    return partial(
        _show_decimal,
        whole=whole,
        decimals=decimals,
        unit=unit,
        point=point < len(body),
        grouped=grouped,
        scale=scale,
        exponent=sum(kind == "digit" for kind, _ in end),
        plus=bool(end) and end[0][1] == "E+",
        after=_texts(end),
    )


def _show_decimal(
    number: float,
    *,
    whole: list[_Token],
    decimals: list[_Token],
    unit: Decimal,
    point: bool,
    grouped: bool,
    scale: int,
    exponent: int,
    plus: bool,
    after: str,
) -> str:
    value = abs(Decimal(f"{number:.15g}").scaleb(scale, context=_CONTEXT))
    if exponent or after or plus:
        step = max(1, sum(kind == "digit" for kind, _ in whole))
        power = value.adjusted() // step * step if value else 0
        mantissa = value.scaleb(-power, context=_CONTEXT).quantize(unit, context=_CONTEXT)
        if mantissa >= Decimal(10) ** step:  # rounding gave it one digit more
            power += step
            mantissa = value.scaleb(-power, context=_CONTEXT)
        value = mantissa
        sign = "-" if power < 0 else "+" if plus else ""
        after = f"E{sign}{str(abs(power)).zfill(exponent)}{after}"
    left, _, right = f"{value.quantize(unit, context=_CONTEXT):f}".partition(".")
    text = _filled_left(whole, left.lstrip("0"), grouped) + "." * point
    for kind, sign in decimals:
        if kind != "digit":
            text += sign
            continue
        text += right[0] if sign == "0" or right.strip("0") else ""
        right = right[1:]
    return _signed(number, text + after)


def _filled_left(parts: list[_Token], digits: str, grouped: bool) -> str:
    """Put `digits` into the placeholders from the right; the first placeholder takes all that
    are left.
    """
    first = next((at for at, (kind, _) in enumerate(parts) if kind == "digit"), None)
    if first is None:
        return "".join(text for _, text in parts) + digits
    shown: list[str] = []
    count = 0
    for at in range(len(parts) - 1, -1, -1):
        kind, text = parts[at]
        if kind != "digit":
            shown.append(text)
            continue
        cut = 0 if at == first else max(0, len(digits) - 1)
        taken, digits = digits[cut:] or _BLANKS.get(text, ""), digits[:cut]
        for digit in reversed(taken):
            if grouped and count and not count % 3 and digit != " ":
                shown.append(",")
            shown.append(digit)
            count += digit != " "
    return "".join(reversed(shown))


_WANTED = frozenset({"numFmt", "xf"})


def read_formatters(package: Package, part: str, *, epoch_1904: bool) -> list[Formatter]:
    """Return what shows the numbers of a cell, by the number of the cell's style. Empty if there
    is no style sheet.
    """
    codes = dict(BUILT_IN)
    numbers: list[int] = []
    for element in package.elements(part, _WANTED):
        attributes = element.attributes
        if element.name == "numFmt" and element.parent == "numFmts":
            number = _number(attributes.get("numFmtId"))
            if number is not None:
                codes[number] = attributes.get("formatCode", "")
        elif element.name == "xf" and element.parent == "cellXfs":
            numbers.append(_number(attributes.get("numFmtId")) or 0)
    shown = {
        number: formatter(codes[number], epoch_1904=epoch_1904) if number in codes else general
        for number in set(numbers)
    }
    return [shown[number] for number in numbers]


def _number(text: str | None) -> int | None:
    try:
        return int(text or "")
    except ValueError:
        return None
