"""What the styles of lines look like in the colors of the terminal, which nobody knows and which
cannot be mixed.
"""

import pytest
from rich.style import Style
from textual.app import App, ComposeResult
from textual.widgets import Static

from dogent_tui.tui.outline.rows import LOOKS as OUTLINE
from dogent_tui.tui.questions.widgets import QUESTION_LOOKS
from dogent_tui.tui.review.rows import LOOKS as REVIEW
from dogent_tui.tui.transcript.palette import Palette


class _OneWidget(App[None]):
    def compose(self) -> ComposeResult:
        yield Static(id="here")


async def styles(theme: str) -> dict[str, Style]:
    app = _OneWidget()
    async with app.run_test() as pilot:
        app.theme = theme
        await pilot.pause()
        here = app.query_one("#here")
        return {
            f"{n}:{key}": s
            for n, looks in enumerate((REVIEW, QUESTION_LOOKS, OUTLINE))
            for key, s in Palette(here, looks).styles.items()
        }


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_in_the_colors_of_the_terminal_no_words_are_on_their_own_color_nor_in_a_fixed_one(
    theme,
):
    found = await styles(theme)
    for name, style in found.items():
        if name.endswith(":selection"):
            continue  # of the theme itself
        assert style.bgcolor is None or style.bgcolor.is_default, name
        assert style.color is None or style.color.triplet is None, name
    for marked in ("0:match", "0:cursor", "2:selected"):
        assert found[marked].reverse
    assert found["0:muted"].dim
    assert not found["0:quote"].dim
    assert found["0:added"].color != found["0:removed"].color


async def test_other_themes_keep_their_tints():
    found = await styles("nord")
    assert found["0:added"].bgcolor is not None
    assert not found["0:cursor"].reverse
