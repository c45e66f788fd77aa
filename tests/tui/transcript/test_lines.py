from hypothesis import example, given
from hypothesis import strategies as st

from dogent_tui.tui.transcript.lines import Line, Span, crop, wrap

_words = st.text(alphabet="ab é.“”—漢。 \n👩", max_size=120)


@given(st.text(alphabet="ab é.“”—", max_size=120), st.integers(2, 30))
def test_plain_text_is_broken_as_any_other(text: str, width: int) -> None:
    # The same text in two spans takes the other way.
    plain = [(line.text, line.glue) for line in wrap([Span(text)], width)]
    assert plain == [
        (line.text, line.glue) for line in wrap([Span(text[:7]), Span(text[7:], "strong")], width)
    ]


@example("  a", 2)
@given(_words, st.integers(2, 30))
def test_wrapping_loses_only_trailing_space(text: str, width: int) -> None:
    lines = wrap([Span(text)], width)
    assert all(line.width <= width for line in lines)
    whole = "".join(line.text + line.glue for line in lines)
    assert [line.rstrip() for line in whole.split("\n")] == [
        line.rstrip() for line in f"{text}\n".split("\n")
    ]


@given(_words, st.integers(1, 30))
def test_cropping_fits(text: str, width: int) -> None:
    spans = [Span(text[:5]), Span(text[5:].replace("\n", ""), "strong")]
    assert Line(crop(spans, width)).width <= width
