"""What a spreadsheet program shows for a number."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.workbook.formats import BUILT_IN, formatter, general, iso_text


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("0.0%", 0.256, "25.6%"),
        ("0%", 1, "100%"),
        ('"$"#,##0.00', 1234.5, "$1,234.50"),
        ('"$"#,##0.00', -0.5, "-$0.50"),
        ('"$"#,##0.00_);("$"#,##0.00)', -1234.5, "($1,234.50)"),
        (BUILT_IN[44], -1234.5, "$(1,234.50)"),
        (BUILT_IN[44], 1234567, "$1,234,567.00"),
        (BUILT_IN[44], 0, "$-"),
        ("[$€-407]#,##0.00", -5, "-€5.00"),
        ("#,##0.00 [$€-407]", 5.005, "5.01 €"),
        ("¥#,##0", 1234, "¥1,234"),
        ('#,##0.00\\ "kr"', 1234.5, "1,234.50 kr"),
        ("0.00", 2.675, "2.68"),
        ("0.00", -0.001, "0.00"),
        ("0.00E+00", 12345.678, "1.23E+04"),
        ("##0.0E+0", 12345.678, "12.3E+3"),
        ("# ?/?", 1.5, "1.5"),
        ("00000", 123, "00123"),
        ("000-0000", 5551234, "555-1234"),
        ("(000) 000-0000", 2125551234, "(212) 555-1234"),
        ('0.0,,"M"', 12345678, "12.3M"),
        ("#,##0,", 1234567, "1,235"),
        ("#", 0, ""),
        ("#.##", 1.5, "1.5"),
        ("0;-0;;@", 0, ""),
        ("#,##0;-#,##0;", 0, ""),
        ("#,##0;", -3, ""),
        ("#,##0;", 0, "0"),
        (";;;", 5, ""),
        ('"Yes";"Yes";"No"', 0, "No"),
        ('General "kg"', 2.5, "2.5 kg"),
        ("[Red][<0]-0.0;0.0", -2.55, "-2.6"),
        ('[>=1000]#,##0,"K";0', 2500, "3K"),
        ('[>=1000]#,##0,"K";0', 25, "25"),
        ("@", 5, "5"),
        ('0.0"x"', 1.25, "1.3x"),
    ],
)
def test_numbers_are_shown_as_their_format_says(code, number, shown):
    assert formatter(code)(number) == shown


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("yyyy-mm-dd", 46027, "2026-01-05"),
        ("m/d/yy", 46027, "2026-01-05"),
        ('yyyy"年"m"月"d"日"', 46027, "2026-01-05"),
        ("mmm-yy", 46027, "2026-01-05"),
        ("m/d/yy h:mm", 46027.5, "2026-01-05 12:00"),
        ("m/d/yy h:mm:ss", 46027.5, "2026-01-05 12:00:00"),
        ("m/d/yy h:mm", 0, "00:00"),
        ("yyyy-mm-dd", 0, "0"),
        ("m/d/yy h:mm", 46027, "2026-01-05"),  # no 00:00:00
        ("hh:mm", 0.3958449, "09:30:01"),  # nothing is lost
        ("h:mm", 0.3958333, "09:30"),  # no 1899-12-31
        ("h:mm:ss", 0, "00:00:00"),
        ("[$-409]h:mm AM/PM", 0.75, "18:00"),
        ("mm:ss.0", 0.0008, "00:01:09.120"),
        ("[h]:mm:ss", 1.1354166, "27:15:00"),
        ("[hh]:mm", 2, "48:00"),
        ("[h]:mm:ss", -0.5, "-12:00:00"),
        ("[mm]:ss", 0.0208333, "0:30:00"),
        ("[$-804]aaaa", 45352, "2024-03-01"),  # the day of the week
        ("[$-411]ggge", 45352, "2024-03-01"),  # the year of an emperor
        ('@" pcs"', 5, "5 pcs"),
        ("yyyy-mm-dd", 59, "1900-02-28"),
        ("yyyy-mm-dd", 60, "1900-02-29"),  # which only spreadsheets know
        ("yyyy-mm-dd", 61, "1900-03-01"),
        ("yyyy-mm-dd", 1, "1900-01-01"),
        ("yyyy-mm-dd", 2958465, "9999-12-31"),
        ("yyyy-mm-dd", 2958466, "2958466"),  # beyond what any program shows
        ("yyyy-mm-dd", -3, "-3"),
        ("0.0 m", 3, "3.0 m"),  # no month
    ],
)
def test_dates_times_and_durations_are_iso(code, number, shown):
    assert formatter(code)(number) == shown


def test_dates_are_counted_from_1904_where_the_workbook_says_so():
    assert formatter("yyyy-mm-dd", epoch_1904=True)(42735) == "2021-01-01"
    assert formatter("yyyy-mm-dd", epoch_1904=True)(0) == "1904-01-01"


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (1000000.0, "1000000"),
        (0.1 + 0.2, "0.3"),
        (1e-07, "0.0000001"),
        (12345678901234567, "12345678901234600"),
        (1e300, "1E+300"),
        (-0.0, "0"),
        (float("nan"), "#NUM!"),
    ],
)
def test_a_number_without_a_format_is_a_plain_decimal(number, shown):
    assert general(number) == shown


@given(
    st.text(alphabet='0#?.,%/@;E+-eymdhs[]$€"\\_* <>=AMP123G', max_size=40),
    st.floats(allow_nan=True, allow_infinity=True),
)
def test_any_format_shows_any_number_as_some_short_text(code, number):
    assert len(formatter(code)(number)) < 5000


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_digits_are_never_lost(cents, places):
    number = cents / 100
    shown = formatter(f"#,##0.{'0' * places}" if places else "#,##0")(number)
    assert re.fullmatch(r"-?\d{1,3}(,\d{3})*" + (rf"\.\d{{{places}}}" if places else ""), shown)
    assert abs(float(shown.replace(",", "")) - number) <= 0.5 * 10.0**-places + 1e-6


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("2021-01-01T00:00:00", "2021-01-01"),
        ("2021-01-01T08:30:00.000Z", "2021-01-01 08:30:00"),
        ("2021-01-01", "2021-01-01"),
        ("T10:10:10", "10:10:10"),
        ("PT255H10M10S", "255:10:10"),
    ],
)
def test_dates_that_are_stored_as_text_read_the_same(stored, shown):
    assert iso_text(stored) == shown
