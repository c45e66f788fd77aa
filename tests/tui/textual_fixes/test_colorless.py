from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from dogent_tui.tui.textual_fixes.colorless import Colorless

BACKGROUND = Color.parse("#101418")


def applied(style: Style) -> Style:
    (segment,) = Colorless().apply([Segment("x", style)], BACKGROUND)
    assert segment.style is not None
    assert segment.style.color is None
    assert segment.style.bgcolor is None
    return segment.style


def test_a_selection_is_reversed_and_a_shade_is_not() -> None:
    assert applied(Style(color="white", bgcolor="#3060a0")).reverse
    assert not applied(Style(color="white", bgcolor="#1a2026")).reverse


def test_faint_text_is_dim_and_attributes_and_links_stay() -> None:
    assert applied(Style(color="#505860")).dim
    kept = applied(
        Style(color="red", bold=True, underline=True, link="https://e.org", meta={"@click": "go"})
    )
    assert (kept.bold, kept.underline, kept.link, kept.meta) == (
        True,
        True,
        "https://e.org",
        {"@click": "go"},
    )


def test_what_was_reversed_stays_so() -> None:
    assert applied(Style(color="white", bgcolor="#3060a0", reverse=True)).reverse
