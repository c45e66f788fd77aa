"""The text of a Write, out of JSON of which the end is still to come."""

import json

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.translator import StreamedWrite


@given(
    st.text(max_size=400), st.lists(st.integers(1, 60), min_size=1), st.booleans(), st.booleans()
)
def test_the_pieces_are_the_text(text, sizes, is_ascii, path_last):
    fields = {"file_path": "/w/a “b”.md", "content": text}
    whole = json.dumps(
        dict(reversed(fields.items())) if path_last else fields, ensure_ascii=is_ascii
    )
    write, told, at = StreamedWrite("t"), "", 0
    while at < len(whole):
        size = sizes[at % len(sizes)]
        told += write.add(whole[at : at + size])
        at += size
        assert text.startswith(told)
        assert write.path in ("", fields["file_path"])
    told += write.rest()
    assert told == ("" if path_last else text)


def test_what_is_no_json_says_nothing():
    for broken in (
        "",
        "[1, 2",
        '{"file_path": 7, "content": "x"}',
        '{"content": "x", "file_path": "/w/hal',
    ):
        write = StreamedWrite("t")
        write.add(broken)
        assert write.rest() == ""


def test_a_long_text_is_not_read_again_for_each_word(monkeypatch):
    import pydantic_core

    read = []
    monkeypatch.setattr(pydantic_core, "from_json", lambda text, **_: read.append(len(text)) or {})
    write = StreamedWrite("t")
    for _ in range(100_000):
        write.add("ten chars.")
    assert sum(read) < 100 * 1_000_000
