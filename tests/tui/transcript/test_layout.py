import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from dogent_tui.agent import events as ev
from dogent_tui.tui.transcript.layout import Layout
from dogent_tui.tui.transcript.markdown import markdown_lines
from dogent_tui.tui.transcript.model import TranscriptModel
from dogent_tui.tui.transcript.viewport import Viewport

_BLOCKS = [
    "# Head\n\n",
    "Some *words* that are wrapped at the end of the line. " * 4 + "\n\n",
    "- a\n- b\n\n",
    "```\ncode\n\ncode\n```\n",
]
_long = st.lists(st.sampled_from(_BLOCKS), min_size=30, max_size=110).map("".join)


def drawn(layout: Layout) -> list[str]:
    return [line.text for row in layout.rows for line in layout.lines(row)]


@settings(max_examples=10)
@given(_long, st.integers(200, 2000), st.booleans())
def test_a_long_reply_is_drawn_in_parts_as_if_it_were_one(
    text: str, step: int, other: bool
) -> None:
    model = TranscriptModel()
    layout = Layout(model)
    for start in range(0, len(text), step):
        layout.update(
            model.apply(ev.TextDelta(message_id="m", block=0, text=text[start : start + step]))
        )
        drawn(layout)
    if other:
        text = f"Another text.\n\n{text}"
    layout.update(model.apply(ev.TextFinished(message_id="m", block=0, text=text)))
    assert drawn(layout)[1:] == [line.text for line in markdown_lines(text, 80)]
    assert layout.total == len(drawn(layout))
    replayed = Layout(model)
    replayed.update([0])
    assert drawn(replayed) == drawn(layout)
    assert len(replayed.rows) > 1 or len(text) < 8_000


def test_every_line_is_found_where_it_is() -> None:
    model = TranscriptModel()
    layout = Layout(model)
    for number in range(50):
        event = ev.TextFinished(
            message_id=str(number), block=0, text=f"reply {number}\n\n" + "words " * number * 3
        )
        layout.update(model.apply(event))
    layout.measure(lambda: False)
    assert layout.measured
    lines = drawn(layout)
    for y, text in enumerate(lines):
        place = layout.find(y)
        assert place is not None
        assert layout.lines(place.row)[place.line].text == text
    assert layout.find(len(lines)) is None


def test_a_withdrawn_entry_takes_no_lines_and_keeps_the_place() -> None:
    model = TranscriptModel()
    layout = Layout(model)
    viewport = Viewport(layout)
    viewport.height = 5
    for number in range(20):
        layout.update(
            model.apply(ev.TextFinished(message_id=str(number), block=0, text=f"reply {number}"))
        )
    layout.update(model.apply(ev.TextDelta(message_id="x", block=0, text="half\n\n" * 9)))
    viewport.settle()
    viewport.scroll_to(10)
    before = [
        place and layout.lines(place.row)[place.line]
        for place in map(layout.find, range(viewport.top, viewport.top + 5))
    ]
    layout.update(model.apply(ev.MessageDropped(message_id="x")))
    viewport.settle()
    after = [
        place and layout.lines(place.row)[place.line]
        for place in map(layout.find, range(viewport.top, viewport.top + 5))
    ]
    assert after == before
    assert "half" not in drawn(layout)
    assert layout.total == 40


def test_parsers_are_imported_when_they_are_needed() -> None:
    code = (
        "import sys, dogent_tui.tui.transcript; print([m for m in ('markdown_it',"
        " 'pygments.lexers') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )
