"""The themes of our own: their words can be read."""

import pytest
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from dogent_tui.tui.themes import CONTRAST, NIGHT, PAPER, described

INK = ("foreground", "primary", "secondary", "accent", "success", "warning", "error")
PAPERS = ("background", "surface", "panel")


def luminance(color: Color) -> float:
    """WCAG 2.2, “relative luminance”."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in color.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def theme_colors(theme: Theme) -> dict[str, str]:
    """Return what the variables of a stylesheet are in `theme`."""
    defaults = App().get_theme_variable_defaults()
    return {**defaults, **theme.to_color_system().generate(), **theme.variables}


def ratios(theme: Theme, names: tuple[str, ...]) -> dict[tuple[str, str], float]:
    colors = theme_colors(theme)
    found = {}
    for paper in PAPERS:
        behind = Color.parse(colors[paper])
        for name in names:
            found[name, paper] = contrast(behind, Color.parse(colors[name]))
    return found


@pytest.mark.parametrize(("theme", "least"), [(CONTRAST, 7.0), (NIGHT, 4.5), (PAPER, 3.7)])
def test_words_stand_out_from_what_is_behind_them(theme, least):
    """WCAG 2.2: 4.5 to 1 for words, 7 to 1 for eyes that need more, 3 to 1 for large ones."""
    poor = {pair: round(ratio, 1) for pair, ratio in ratios(theme, INK).items() if ratio < least}
    assert not poor


def test_what_is_muted_can_be_read_at_high_contrast():
    colors = theme_colors(CONTRAST)
    for name in ("text-muted", "text-disabled"):
        assert contrast(Color.parse(colors["panel"]), Color.parse(colors[name])) >= 7


def test_our_own_themes_stand_first_in_a_list_and_it_says_what_they_are():
    others = {"nord": Theme("nord", "#88c0d0"), "a-day": Theme("a-day", "#000000", dark=False)}
    listed = described({**others, **{theme.name: theme for theme in (NIGHT, PAPER, CONTRAST)}})
    assert list(listed) == ["dogent-night", "dogent-paper", "dogent-contrast", "a-day", "nord"]
    assert list(listed.values())[1:4] == [
        "dogent-paper · light",
        "dogent-contrast · high contrast",
        "a-day · light",
    ]
