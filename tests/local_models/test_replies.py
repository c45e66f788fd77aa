"""What a local server streams is read, whatever it holds."""

import json

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.local_models.call_json import Tools
from dogent_tui.local_models.replies import LocalReply, UpstreamError, said_of
from dogent_tui.offline.messages_api import parse_request

WORDS = "delta content usage message choices tool_calls function name arguments error index id"
KEYS = st.sampled_from(WORDS.split())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
DELTA = st.fixed_dictionaries(
    {}, optional={"content": JSON, "reasoning": JSON, "tool_calls": st.lists(JSON) | JSON}
)
CHUNKS = st.dictionaries(KEYS, JSON, max_size=6) | st.fixed_dictionaries(
    {"choices": st.lists(st.fixed_dictionaries({"delta": DELTA | JSON}), max_size=2) | JSON}
)


@given(st.lists(CHUNKS, max_size=3))
def test_no_chunk_is_too_odd(chunks):
    request = parse_request(json.dumps({"messages": []}))
    reply = LocalReply(request, Tools([{"name": "Read", "input_schema": {}}]))
    try:
        for chunk in chunks:
            list(reply.take(chunk))
    except UpstreamError:
        assert any(chunk.get("error") for chunk in chunks)
    assert b"".join(reply.finish()).count(b"event: message_stop") == 1
    assert all(isinstance(said_of(chunk), str) for chunk in chunks)
