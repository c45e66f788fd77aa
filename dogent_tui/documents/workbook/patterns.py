"""One section of a number format, such as ``"$"#,##0.00_)``: the digits of a number between the
literal text around them.
"""

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

_Kind: TypeAlias = Literal["text", "digit"]

_CONTEXT = Context(
    prec=700, rounding=ROUND_HALF_UP
)  # a double has at most 309 digits before the point
_MOST_PLACES = 30
_UNITS = [Decimal(1).scaleb(-places) for places in range(2 * _MOST_PLACES + 1)]
_TOKEN = re.compile(r'"[^"]*"?|\\.|\[[^\]]*\]|[_*].|General|E[+-]|.', re.IGNORECASE | re.DOTALL)
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_FRACTION = re.compile(r"(?:([#0?,]+)[^#0?/]+)?[#0?]+\s*/\s*([#0?]+|[1-9][0-9]*)")


class Pattern(msgspec.Struct, frozen=True):
    """How a section shows a number: `whole`, `decimals` and `exponent` are placeholders (0, #, ?)
    with text between them.

    `scale` is the power of ten by which the number is multiplied before. `fraction` is the largest
    denominator, or the only one where `fixed`; `mixed` shows the whole number apart. `general` puts
    the number between `before` and `after` as it is, `plain` with just so many decimals: most
    formats are so, and quick then.
    """

    whole: tuple[tuple[_Kind, str], ...] = ()
    decimals: tuple[tuple[_Kind, str], ...] = ()
    point: bool = False
    exponent: int = 0
    plus: bool = False
    grouped: bool = False
    scale: int = 0
    fraction: int = 0
    fixed: bool = False
    mixed: bool = False
    general: bool = False
    plain: bool = False
    before: str = ""
    after: str = ""

    def show(self, number: float, general: str) -> str:
        """Return `number` as this section shows it; `general` is how it looks without a format."""
        if self.general:
            return f"{self.before}{general}{self.after}".strip()
        if not self.fraction and not any(
            kind == "digit" for kind, _text in self.whole + self.decimals
        ):
            return "".join(text for _kind, text in self.whole).strip()
        value = Decimal(f"{number:.15g}")
        if self.scale:
            value = value.scaleb(self.scale, context=_CONTEXT)
        size = abs(value)
        if self.fraction:
            text = f"{self.before}{self._as_fraction(size)}{self.after}"
        elif self.exponent:
            text = self._as_power(size)
        else:
            text = self._as_decimal(size)
        negative = value < 0 and any(character in "123456789" for character in text)
        return f"{'-' if negative else ''}{text.strip()}"

    def _as_decimal(self, value: Decimal) -> str:
        places = sum(kind == "digit" for kind, _text in self.decimals)
        rounded = value.quantize(_UNITS[places], context=_CONTEXT)
        if self.plain:
            return (
                f"{self.before}{rounded:,f}{self.after}"
                if self.grouped
                else f"{self.before}{rounded:f}{self.after}"
            )
        whole, _, decimals = f"{rounded:f}".partition(".")
        text = _filled_left(self.whole, whole if whole != "0" else "", self.grouped)
        if not self.point:
            return text + "".join(literal for _kind, literal in self.decimals)
        return f"{text}.{_filled_right(self.decimals, decimals)}"

    def _as_power(self, value: Decimal) -> str:
        step = max(1, sum(kind == "digit" for kind, _text in self.whole))
        places = sum(kind == "digit" for kind, _text in self.decimals)
        power = (
            value.adjusted() // step * step
            if value and step > 1
            else value.adjusted()
            if value
            else 0
        )
        unit = _UNITS[places]
        mantissa = value.scaleb(-power, context=_CONTEXT).quantize(unit, context=_CONTEXT)
        if mantissa >= Decimal(10) ** step:  # rounding gave it one digit more
            power += step
            mantissa = value.scaleb(-power, context=_CONTEXT).quantize(unit, context=_CONTEXT)
        sign = "-" if power < 0 else "+" if self.plus else ""
        shown = self._as_decimal(mantissa)
        return f"{self.before}{shown}E{sign}{str(abs(power)).zfill(self.exponent)}{self.after}"

    def _as_fraction(self, value: Decimal) -> str:
        exact = Fraction(value)
        if self.fixed:
            parts = Fraction(round(exact * self.fraction), 1)
            numerator, denominator = int(parts), self.fraction
        else:
            near = exact.limit_denominator(self.fraction)
            numerator, denominator = near.numerator, near.denominator
        if not self.mixed:
            return f"{numerator}/{denominator}"
        whole, numerator = divmod(numerator, denominator)
        if not numerator:
            return str(whole)
        return f"{whole} {numerator}/{denominator}" if whole else f"{numerator}/{denominator}"


def compile_pattern(section: str) -> Pattern:
    """Return what `section` of a number format says."""
    tokens = [_literal(match.group()) for match in _TOKEN.finditer(section)]
    words = [text for kind, text in tokens if kind == "word"]
    if "General" in words:
        position = next(index for index, token in enumerate(tokens) if token == ("word", "General"))
        return Pattern(
            general=True, before=_texts(tokens[:position]), after=_texts(tokens[position + 1 :])
        )
    bare = "".join(text if kind != "text" else " " for kind, text in tokens)
    if match := _FRACTION.search(bare):
        return _fraction(tokens, match)
    return _decimal(tokens)


def _literal(token: str) -> tuple[str, str]:
    """Return what a token is: "text" that is shown, a "digit" placeholder, or a "word" of the
    format's own language.
    """
    start, single = token[0], len(token) == 1
    if start == '"':
        return "text", token.strip('"')
    if start == "\\" and not single:
        return "text", token[1]
    if start == "[":
        currency = _CURRENCY.fullmatch(token)
        return "text", currency[1] if currency else ""
    if start in "_*" and not single:
        return "text", " " if start == "_" else ""
    if token.lower() == "general":
        return "word", "General"
    if start in "0#?":
        return "digit", token
    if start in ".,%/@123456789" or not single:  # the others of two characters are E+ and E-
        return "word", token.upper()
    return "text", token


def _texts(tokens: list[tuple[str, str]]) -> str:
    return "".join(text for kind, text in tokens if kind == "text")


def _fraction(tokens: list[tuple[str, str]], match: re.Match[str]) -> Pattern:
    placeholders = [index for index, (kind, _text) in enumerate(tokens) if kind == "digit"]
    denominator = match[2]
    fixed = denominator.isdigit() and denominator.strip("0") != ""
    return Pattern(
        fraction=int(denominator[:6]) if fixed else 10 ** min(len(denominator), 6) - 1,
        fixed=fixed,
        mixed=match[1] is not None,
        before=_texts(tokens[: placeholders[0]]),
        after=_texts(tokens[placeholders[-1] + 1 :]),
    )


def _decimal(tokens: list[tuple[str, str]]) -> Pattern:
    body, exponent, plus, after = _without_exponent(tokens)
    last_whole = _last_whole(body)
    whole: list[tuple[_Kind, str]] = []
    decimals: list[tuple[_Kind, str]] = []
    scale, grouped, point = 0, False, False
    for index, (kind, text) in enumerate(body):
        part = decimals if point else whole
        if text == "." and kind == "word" and not point:
            point = True
        elif text == "," and kind == "word":
            if index < last_whole:
                grouped = True
            elif not point or decimals:
                scale -= 3
        elif text == "%" and kind == "word":
            scale += 2
            part.append(("text", "%"))
        elif kind == "digit":
            if len(part) < 2 * _MOST_PLACES:
                part.append(("digit", text))
        elif text != "@":
            part.append(("text", text))
    pattern = Pattern(
        tuple(whole), tuple(decimals), point, exponent, plus, grouped, scale, after=after
    )
    return pattern if exponent else _plain(pattern)


def _plain(pattern: Pattern) -> Pattern:
    """Return `pattern` in its `plain` form if it shows a digit at least before the point and all
    after it, without text.
    """
    whole, decimals = pattern.whole, pattern.decimals
    digits = [index for index, (kind, _text) in enumerate(whole) if kind == "digit"]
    shown = [text for kind, text in decimals if kind == "digit"]
    together = bool(digits) and digits[-1] - digits[0] == len(digits) - 1
    if (
        not together
        or "".join(text for kind, text in whole if kind == "digit").count("0") != 1
        or whole[digits[-1]][1] != "0"
    ):
        return pattern
    if (
        "?" in "".join(whole[index][1] for index in digits)
        or set(shown) - {"0"}
        or pattern.point != bool(shown)
    ):
        return pattern
    if any(kind == "text" for kind, _text in decimals[: len(shown)]) or (
        shown and digits[-1] != len(whole) - 1
    ):
        return pattern
    after = "".join(text for _kind, text in whole[digits[-1] + 1 :]) + "".join(
        text for _kind, text in decimals[len(shown) :]
    )
    before = "".join(text for _kind, text in whole[: digits[0]])
    return msgspec.structs.replace(pattern, plain=True, before=before, after=after)


def _last_whole(body: list[tuple[str, str]]) -> int:
    """Return where the last placeholder before the point is."""
    last = -1
    for index, token in enumerate(body):
        if token == ("word", "."):
            break
        if token[0] == "digit":
            last = index
    return last


def _without_exponent(
    tokens: list[tuple[str, str]],
) -> tuple[list[tuple[str, str]], int, bool, str]:
    """Return the tokens before the exponent, its digits, whether it shows a plus, and the text
    after it.
    """
    for index, token in enumerate(tokens):
        if token in {("word", "E+"), ("word", "E-")}:
            digits = sum(kind == "digit" for kind, _text in tokens[index:])
            return tokens[:index], max(1, digits), token[1] == "E+", _texts(tokens[index:])
    return tokens, 0, False, ""


def _filled_left(parts: tuple[tuple[_Kind, str], ...], digits: str, grouped: bool) -> str:
    """Put `digits` into the placeholders from the right; the first placeholder takes all that
    are left.
    """
    places = [text for kind, text in parts if kind == "digit"]
    if not places:
        return "".join(text for _kind, text in parts) + digits
    rest = list(digits.rjust(len(places), "\0"))  # what no digit is left for is NUL
    surplus = len(rest) - len(places)
    filled: list[str] = []
    for position, text in enumerate(places):
        taken = rest[: surplus + 1] if position == 0 else [rest[surplus + position]]
        filled.append("".join(_place(digit, text) for digit in taken))
    if grouped:
        filled = _grouped(filled)
    shown = iter(filled)
    return "".join(next(shown) if kind == "digit" else text for kind, text in parts)


def _place(digit: str, placeholder: str) -> str:
    if digit != "\0":
        return digit
    return {"0": "0", "?": " "}.get(placeholder, "")


def _grouped(filled: list[str]) -> list[str]:
    """Put commas between the thousands of digits that stand in several places."""
    left = sum(character.isdigit() for text in filled for character in text)
    grouped = []
    for text in filled:
        shown = ""
        for character in text:
            shown += character
            left -= character.isdigit()
            if character.isdigit() and left and left % 3 == 0:
                shown += ","
        grouped.append(shown)
    return grouped


def _filled_right(parts: tuple[tuple[_Kind, str], ...], digits: str) -> str:
    """Put `digits` into the placeholders from the left, without the zeros that # and ? do not
    show.
    """
    kept = len(digits)
    optional = [text for kind, text in parts if kind == "digit"]
    while kept and digits[kept - 1] == "0" and optional[kept - 1] != "0":
        kept -= 1
    shown: list[str] = []
    position = 0
    for kind, text in parts:
        if kind == "text":
            shown.append(text)
            continue
        shown.append(digits[position] if position < kept else "")
        position += 1
    return "".join(shown)
