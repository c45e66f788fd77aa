"""The styles kept as parsed: the same as Textual's own would be, and known before a theme is
chosen.
"""

import pytest
from textual.css import stylesheet as textual_stylesheet
from textual.css.errors import UnresolvedVariableError
from textual.css.stylesheet import Stylesheet

from dogent_tui.tui.textual_fixes.themed_styles import ThemedStylesheet

NIGHT = {"ink": "#ffffff", "paper": "#000000"}
DAY = {"ink": "#101010", "paper": "#fafafa"}
CSS = "Static { color: $ink; background: $paper 50%; } #a { border: solid $ink; }"


def styles_of(sheet: Stylesheet) -> list[str]:
    return [rule.css for rule in sheet.rules]


def plain(variables: dict[str, str], *sources: str) -> list[str]:
    sheet = Stylesheet(variables=variables)
    for source in sources:
        sheet.add_source(source)
    return styles_of(sheet)


@pytest.fixture
def sheet() -> ThemedStylesheet:
    sheet = ThemedStylesheet(variables=NIGHT)
    sheet.add_source(CSS)
    sheet.parse()
    return sheet


def change(sheet: ThemedStylesheet, variables: dict[str, str]) -> None:
    sheet.set_variables(variables)
    sheet.reparse()


def parse_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(*_: object, **__: object) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr(textual_stylesheet, "parse", parse)


def test_other_colors_hold(sheet: ThemedStylesheet) -> None:
    assert styles_of(sheet) == plain(NIGHT, CSS)
    change(sheet, DAY)
    assert styles_of(sheet) == plain(DAY, CSS) != plain(NIGHT, CSS)


def test_what_was_made_ready_is_not_parsed_again(
    sheet: ThemedStylesheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = plain(DAY, CSS)
    sheet.prepare(DAY)
    sheet.set_variables(DAY)  # waits for it
    parse_nothing(monkeypatch)
    sheet.reparse()
    assert styles_of(sheet) == day


def test_the_theme_before_is_not_parsed_again(
    sheet: ThemedStylesheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    night = styles_of(sheet)
    change(sheet, DAY)
    parse_nothing(monkeypatch)
    change(sheet, NIGHT)
    assert styles_of(sheet) == night


def test_styles_that_came_after_it_was_made_ready_are_there_too(sheet: ThemedStylesheet) -> None:
    more = "Input { color: $paper; }"
    sheet.prepare(DAY)
    sheet.add_source(more)
    change(sheet, DAY)
    assert styles_of(sheet) == plain(DAY, CSS, more)


def test_colors_that_cannot_be_made_ready_do_no_harm(sheet: ThemedStylesheet) -> None:
    sheet.prepare({"ink": "#ffffff"})  # no $paper
    change(sheet, DAY)
    assert styles_of(sheet) == plain(DAY, CSS)
    with pytest.raises(UnresolvedVariableError):
        change(sheet, {"ink": "#ffffff"})
