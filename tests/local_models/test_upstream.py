"""What a local server is asked is what it takes: two sides in turns, nothing of Anthropic's own,
and room for the reply.
"""

import json

from dogent_tui.local_models.upstream import LEAST_REPLY, chat_body, messages_body
from dogent_tui.offline.messages_api import parse_request


def body(kind="llama.cpp", window=0, **raw):
    request = parse_request(
        json.dumps(
            {"model": "claude-haiku-4-5", "messages": [{"role": "user", "content": "Hi"}], **raw}
        )
    )
    return messages_body(request, "qwen3", kind=kind, window=window)


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


def test_the_model_is_renamed_and_what_is_anthropics_own_left_out():
    made = body(
        system=[{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        tools=[TOOL, {"type": "web_search_20250305", "name": "web_search"}],
        tool_choice={"type": "auto"},
        metadata={"user_id": "somebody"},
        thinking={"type": "enabled", "budget_tokens": 9999},
        context_management={},
        temperature=1,
        max_tokens=20,
    )
    assert made == {
        "model": "qwen3",
        "messages": [{"role": "user", "content": [text("Hi")]}],
        "stream": True,
        "max_tokens": 20,
        "system": "Be brief.",
        "tools": [{"name": "Read", "description": "Reads", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "auto"},
        "temperature": 1,
    }


def test_ollama_is_not_told_which_tool_to_choose_and_nobody_where_there_is_none():
    assert "tool_choice" not in body("ollama", tools=[TOOL], tool_choice={"type": "auto"})
    assert "tool_choice" not in body(tool_choice={"type": "auto"})


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
    assert made["system"] == "One.\n\nTwo."
    assert made["messages"] == [
        {"role": "user", "content": [text("Read it."), text("Note A.")]},
        {"role": "assistant", "content": [CALL]},
        {
            "role": "user",
            "content": [{**RESULT, "content": [text("Tea.")]}, text("Note B."), text("And now?")],
        },
        {"role": "assistant", "content": [text("Done.")]},
        {"role": "user", "content": [text("Note C.")]},
    ]


def test_what_cannot_be_shown_is_named():
    made = body(
        messages=[
            {"role": "user", "content": [{"type": "document", "source": {}}, text("What is it?")]}
        ]
    )
    assert "document" in made["messages"][0]["content"][0]["text"]


def test_the_model_is_told_its_own_name():
    told = (
        "<system-reminder>\nYou are powered by the model named Haiku 4.5. It"
        " is.\n</system-reminder>"
    )
    made = body(messages=[{"role": "user", "content": told}])
    assert (
        made["messages"][0]["content"][0]["text"].splitlines()[1]
        == "You are powered by the model qwen3."
    )


def test_odd_messages_do_no_harm():
    odd = [
        {"role": "user", "content": [3, {"type": None}, {"type": "text"}]},
        {"role": "wizard", "content": "x"},
    ]
    assert len(body(messages=odd, tools="none", max_tokens="many")["messages"]) == 1


def test_the_reply_gets_the_room_that_is_left():
    assert body(window=40_000, max_tokens=64_000)["max_tokens"] < 40_000
    assert body(window=40_000, max_tokens=100)["max_tokens"] == 100
    assert body(window=2000, max_tokens=64_000, system="x" * 9000)["max_tokens"] == LEAST_REPLY


def test_chat_completions_say_the_same():
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
    }
    made = chat_body(
        body(
            system="Be brief.",
            tools=[TOOL],
            stop_sequences=["END"],
            messages=[
                {"role": "user", "content": [text("Read it."), picture]},
                {"role": "assistant", "content": [text("I do."), CALL]},
                {"role": "user", "content": [RESULT, text("Well?")]},
            ],
        )
    )
    assert made["messages"] == [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                text("Read it."),
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
        },
        {
            "role": "assistant",
            "content": "I do.",
            "tool_calls": [
                {
                    "id": "t1",
                    "type": "function",
                    "function": {"name": "Read", "arguments": '{"file_path": "a.md"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "Tea."},
        {"role": "user", "content": "Well?"},
    ]
    function = {"name": "Read", "description": "Reads", "parameters": {"type": "object"}}
    assert made["tools"] == [{"type": "function", "function": function}]
    assert made["stop"] == ["END"]
    assert made["stream"] is True
