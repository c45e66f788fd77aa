"""The protocol: requests parsed, replies serialized."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dogent_tui.offline.messages_api import (
    ApiError,
    ReplyText,
    ReplyThinking,
    ReplyToolUse,
    parse_request,
    reply_events,
    reply_json,
    split,
    strip_reminders,
)


def request(*messages: dict[str, Any], **more: Any) -> Any:
    return parse_request(json.dumps({"model": "m", "messages": messages, **more}))


def events(data: bytes) -> list[dict[str, Any]]:
    parsed = []
    for part in data.decode().strip().split("\n\n"):
        name, _, body = part.partition("\n")
        parsed.append(json.loads(body.removeprefix("data: ")))
        assert name == f"event: {parsed[-1]['type']}"
    return parsed


def streamed(*blocks: Any) -> list[dict[str, Any]]:
    return events(b"".join(reply_events(request(stream=True), blocks)))


def test_content_may_be_a_string_or_blocks():
    parsed = request(
        {"role": "user", "content": "plain"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/a"}}
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": "inside"}],
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "…"}]},
        system=[{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        tools=[{"name": "Read"}, {"name": "Write"}],
    )
    assert parsed.system == "one\n\ntwo"
    assert parsed.tools == ("Read", "Write")
    assert parsed.messages[0].text == "plain"
    assert parsed.messages[1].tool_calls[0].input == {"file_path": "/a"}
    assert parsed.messages[2].tool_results[0].text == "inside"
    assert (parsed.messages[3].text, parsed.messages[3].tool_calls) == ("", [])


def test_media_of_a_tool_result_are_no_text():
    content = [{"type": "text", "text": "PDF file read"}, {"type": "document", "source": {}}]
    parsed = request(
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": content}],
        }
    )
    assert parsed.messages[-1].tool_results[0].text == "PDF file read"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        "nonsense",
        '{"messages": [1]}',
        '{"messages": [{"role": "user", "content": [3]}]}',
        '{"messages": [], "tools": "none"}',
        '{"messages": [{"role": "user"}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_request_is_refused_in_words(body):
    with pytest.raises(ValueError, match=r"\w+"):
        parse_request(body)


def test_the_last_user_text_is_what_a_user_typed():
    parsed = request(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "<system-reminder>x</system-reminder>"},
                {"type": "text", "text": "Hi"},
            ],
        },
        {"role": "assistant", "content": "…"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a"}]},
    )
    assert parsed.last_user_text() == "Hi"
    assert "x" in parsed.messages[0].text


def test_reminders_go_and_what_is_around_them_stays():
    assert (
        strip_reminders("a\n<system-reminder>b\nc</system-reminder>\nd <system-reminder>e")
        == "a\n\nd <system-reminder>e"
    )
    assert strip_reminders("3\t\n\n<system-reminder>b</system-reminder>") == "3\t"
    assert strip_reminders("  untouched \n") == "  untouched \n"


@given(st.text(), st.text())
def test_a_text_without_reminders_comes_back(before, after):
    assume("<system-reminder>" not in before)
    assert strip_reminders(before) == before
    assert strip_reminders(f"{before}<system-reminder>{after}</system-reminder>").startswith(
        before.rstrip("\n")[:3]
    )


def test_a_reply_streams_as_whole_blocks_in_order():
    sent = streamed(
        ReplyThinking("hm"),
        ReplyText("Hello 世界 " * 40),
        ReplyToolUse("Write", {"content": "\x1b[0m ☃"}),
    )
    assert [event["type"] for event in sent[:1] + sent[-2:]] == [
        "message_start",
        "message_delta",
        "message_stop",
    ]
    assert [event["index"] for event in sent if event["type"] == "content_block_start"] == [0, 1, 2]
    text = "".join(
        event["delta"].get("text", "") for event in sent if event["type"] == "content_block_delta"
    )
    tool_input = "".join(
        event["delta"].get("partial_json", "")
        for event in sent
        if event["type"] == "content_block_delta"
    )
    assert text == "Hello 世界 " * 40
    assert json.loads(tool_input) == {"content": "\x1b[0m ☃"}
    assert sent[-2]["delta"]["stop_reason"] == "tool_use"


def test_the_same_reply_as_json():
    whole = reply_json(request(), [ReplyText("Hello"), ReplyToolUse("Read", {"file_path": "/a"})])
    assert whole["content"][0] == {"type": "text", "text": "Hello"}
    assert whole["content"][1]["input"] == {"file_path": "/a"}
    assert whole["stop_reason"] == "tool_use"


@given(st.text())
def test_every_text_survives_the_stream(text):
    sent = streamed(ReplyText(text))
    received = "".join(
        event["delta"].get("text", "") for event in sent if event["type"] == "content_block_delta"
    )
    assert received == text.encode(errors="replace").decode()
    assert sent[-2]["delta"]["stop_reason"] == "end_turn"


@given(st.text(), st.integers(1, 5_000))
def test_pieces_make_up_the_whole(text, times):
    parts = list(split(text * times))
    assert "".join(parts) == text * times
    assert len(parts) <= 60


def test_an_error_names_the_kind_that_belongs_to_its_status():
    body = ApiError(529, "Overloaded").as_json()
    assert body["type"] == "error"
    assert body["error"] == {"type": "overloaded_error", "message": "Overloaded"}
    assert ApiError(418, "odd").as_json()["error"]["type"] == "invalid_request_error"
