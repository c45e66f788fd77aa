"""Server-sent events, in whatever pieces they come."""

import json

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.local_models.reading import ChatPieces, error_message, events, message_pieces

SAID = [{"type": "a", "text": "Tea\n\nis hot"}, {"n": 1}, {"text": "茶"}]


async def read(chunks):
    async def coming():
        for chunk in chunks:
            yield chunk

    return [event async for event in events(coming())]


@given(st.integers(1, 30), st.sampled_from(["\n", "\r\n"]), st.booleans())
async def test_pieces_make_no_difference(size, end, last_ends):
    parts = [f"event: x{end}data: {json.dumps(said, ensure_ascii=False)}" for said in SAID]
    data = f": hello{end}{end}{(end * 2).join(parts)}{end * 2 if last_ends else ''}".encode()
    assert await read([data[at : at + size] for at in range(0, len(data), size)]) == SAID


KEYS = st.sampled_from(
    [
        "type",
        "delta",
        "content_block",
        "text",
        "usage",
        "message",
        "choices",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "error",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "message_delta", "error"]
)


@given(st.dictionaries(KEYS, JSON, max_size=6), TYPES)
def test_no_event_is_too_odd(event, kind):
    list(message_pieces({**event, "type": kind}))
    list(ChatPieces().read(event))
    assert isinstance(error_message(json.dumps(event).encode()), str)
