"""What a local server is asked is what it takes: chat completions with two sides in turns, nothing
of Anthropic's own, and room for the reply.
"""

import json

from dogent_tui.local_models.upstream import LEAST_REPLY, chat_body
from dogent_tui.offline.messages_api import parse_request


def body(window=0, **raw):
    request = parse_request(
        json.dumps(
            {"model": "claude-haiku-4-5", "messages": [{"role": "user", "content": "Hi"}], **raw}
        )
    )
    return chat_body(request, "qwen3", window=window)


def text(words):
    return {"type": "text", "text": words}


CALL = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.md"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "Tea.", "is_error": True}
TOOL = {
    "name": "Read",
    "description": "Reads",
    "input_schema": {"type": "object"},
    "cache_control": {"type": "ephemeral"},
}


def function(name, arguments):
    written = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": "t1", "type": "function", "function": written}


def test_the_model_is_renamed_and_what_is_anthropics_own_left_out():
    made = body(
        system=[{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        tools=[TOOL, {"type": "web_search_20250305", "name": "web_search"}],
        tool_choice={"type": "auto"},
        metadata={"user_id": "somebody"},
        thinking={"type": "enabled", "budget_tokens": 9999},
        context_management={},
        temperature=1,
        stop_sequences=["END"],
        max_tokens=20,
    )
    read = {"name": "Read", "description": "Reads", "parameters": {"type": "object"}}
    assert made == {
        "model": "qwen3",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 20,
        "tools": [{"type": "function", "function": read}],
        "temperature": 1,
        "stop": ["END"],
    }


def test_system_messages_are_folded_into_what_stands_around_them():
    made = body(
        system="One.",
        messages=[
            {"role": "system", "content": "Two."},
            {"role": "user", "content": "Read it."},
            {"role": "system", "content": [text("Note A.")]},
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "Hm", "signature": "x"}, CALL],
            },
            {"role": "system", "content": "Note B."},
            {"role": "user", "content": [RESULT]},
            {"role": "user", "content": "And now?"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm"}]},
            {"role": "assistant", "content": "Done."},
            {"role": "system", "content": "Note C."},
        ],
    )
    assert made["messages"] == [
        {"role": "system", "content": "One.\n\nTwo."},
        {"role": "user", "content": "Read it.\n\nNote A."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [function("Read", {"file_path": "a.md"})],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "Tea."},
        {"role": "user", "content": "Note B.\n\nAnd now?"},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Note C."},
    ]


def test_what_cannot_be_shown_is_named():
    attached = [
        {"type": "document", "source": {}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        text("What is it?"),
    ]
    said = body(messages=[{"role": "user", "content": attached}])["messages"][0]["content"]
    assert "A document was attached" in said
    assert "A picture was attached" in said


def test_the_model_is_told_its_own_name():
    told = (
        "<system-reminder>\nYou are powered by the model named Haiku 4.5. It"
        " is.\n</system-reminder>"
    )
    made = body(messages=[{"role": "user", "content": told}])
    said = made["messages"][0]["content"].splitlines()
    assert said[1] == "You are powered by the model qwen3."


def test_odd_messages_do_no_harm():
    odd = [
        {"role": "user", "content": [{"type": "hologram"}, {"type": "text"}]},
        {"role": "wizard", "content": "x"},
    ]
    said = body(messages=odd, max_tokens="many")["messages"]
    assert said == [
        {
            "role": "user",
            "content": "[A hologram was attached here, which this model cannot be shown.]",
        }
    ]


def test_the_reply_gets_the_room_that_is_left():
    assert body(window=40_000, max_tokens=64_000)["max_tokens"] < 40_000
    assert body(window=40_000, max_tokens=100)["max_tokens"] == 100
    assert body(window=2000, max_tokens=64_000, system="x" * 9000)["max_tokens"] == LEAST_REPLY


def test_pictures_go_with_what_the_user_says_also_those_that_a_tool_returned():
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    picture = {"type": "image", "source": source}
    shown = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    made = body(
        messages=[
            {"role": "user", "content": [text("Read it."), picture]},
            {"role": "assistant", "content": [text("I do."), CALL]},
            {
                "role": "user",
                "content": [{**RESULT, "content": [text("Tea."), picture]}, text("Well?")],
            },
        ],
    )
    assert made["messages"] == [
        {"role": "user", "content": [text("Read it."), shown]},
        {
            "role": "assistant",
            "content": "I do.",
            "tool_calls": [function("Read", {"file_path": "a.md"})],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "Tea."},
        {"role": "user", "content": [shown, text("Well?")]},
    ]
