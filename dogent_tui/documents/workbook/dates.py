"""Dates, times and durations of a workbook, which are numbers of days, as ISO writes them."""

import re
from datetime import date, timedelta
from functools import lru_cache

_LAST_SERIAL = 2_958_466
"""The day after 9999-12-31, the last that Excel shows; with the epoch of 1904 it is 1,462 days
less.
"""

_EPOCHS_APART = 1462

_MOST_DURATION = 10_000_000
"""Days; a duration that is longer is no duration."""

_EPOCH = date(1899, 12, 30)
_EPOCH_1904 = date(1904, 1, 1)
_DAY = 86_400

_ISO_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?")


def date_text(
    days: float, *, has_date: bool, has_time: bool, epoch_1904: bool, fractions: bool = False
) -> str | None:
    """Return the moment `days` after the workbook's epoch: ``2024-02-29``, ``2024-02-29 08:00:00``
    or ``08:00:00``.

    Midnight is left out where the format has a date, and the date where it has none and the number
    is no real date. `fractions` keeps milliseconds. None for what a spreadsheet program shows as no
    date.
    """
    if not 0 <= days < _LAST_SERIAL - (_EPOCHS_APART if epoch_1904 else 0):
        return None
    whole, seconds = _split(days, fractions)
    time = _clock(seconds)
    if not has_date and (whole < 366 or not has_time):
        return time
    if whole == 0 and not epoch_1904:  # the day before the first of January 1900 does not exist
        return time if has_time or seconds else None
    day = _day(whole, epoch_1904)
    return f"{day} {time}" if seconds else day


def duration_text(days: float, *, fractions: bool = False) -> str | None:
    """Return `days` as hours, minutes and seconds: ``27:15:00``. None for what is no sensible
    duration.
    """
    if not abs(days) < _MOST_DURATION:
        return None
    whole, seconds = _split(abs(days), fractions)
    hours, rest = divmod(seconds, 3600)
    clock = _clock(rest)
    return f"{'-' if days < 0 and (whole or seconds) else ''}{whole * 24 + int(hours)}{clock[2:]}"


def iso_text(text: str) -> str:
    """Return the value of a cell that holds a date as ISO text (t="d"), in the same words as
    `date_text`.
    """
    match = _ISO_DURATION.fullmatch(text)
    if match and any(match.groups()):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return f"{hours}:{minutes:02}:{seconds:02}"
    day, separator, time = text.rstrip("Z").partition("T")
    if not separator:
        return text
    time = re.sub(r"\.0+$", "", time)
    return day if time in {"00:00", "00:00:00"} else f"{day} {time}".strip()


@lru_cache(maxsize=4096)
def _day(whole: int, epoch_1904: bool) -> str:
    if epoch_1904:
        return (_EPOCH_1904 + timedelta(whole)).isoformat()
    if whole == 60:  # Lotus 1-2-3 took 1900 for a leap year, and Excel still does
        return "1900-02-29"
    return (_EPOCH + timedelta(whole + (whole < 60))).isoformat()


def _split(days: float, fractions: bool) -> tuple[int, float]:
    unit = 1000 if fractions else 1
    ticks = round(days * _DAY * unit)
    whole, rest = divmod(ticks, _DAY * unit)
    return whole, rest / unit if fractions else rest


def _clock(seconds: float) -> str:
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(int(minutes), 60)
    text = f"{hour:02}:{minute:02}:{int(second):02}"
    thousandths = round((second - int(second)) * 1000)
    return f"{text}.{thousandths:03}" if thousandths else text
