"""The vocabulary as JSON lines: what is written comes back the same."""

import json
from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.events import (
    EVENTS,
    Attachment,
    Event,
    Notice,
    Prompt,
    QueueChanged,
    QueuedPrompt,
    RunStarted,
    UiAnswer,
    UiSettled,
    from_json,
)
from dogent_tui.records import to_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.dictionaries(st.text(), inner),
    max_leaves=5,
)


def events() -> st.SearchStrategy[Event]:
    st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
    return st.sampled_from([cls for cls in EVENTS.values() if not _has_mapping(cls)]).flatmap(
        st.from_type
    )


def _has_mapping(cls: type[Event]) -> bool:
    return cls is UiSettled or any("Mapping" in str(hint) for hint in get_type_hints(cls).values())


@given(events())
def test_an_event_comes_back_from_its_line(event):
    line = to_json(event)
    assert "\n" not in line
    assert json.loads(line)["type"] == event.type
    assert from_json(line) == event


@given(st.dictionaries(st.text(), JSON))
def test_the_input_of_a_tool_comes_back(tool_input):
    event = EVENTS["tool_use"](tool_use_id="t", name="Write", input=tool_input)
    assert from_json(to_json(event)) == event


@pytest.mark.parametrize(
    "answer",
    [
        None,
        UiAnswer(),
        UiAnswer({"a": "1", "b": ["2", "3"]}),
        UiAnswer(outline="# 一", comment="Gut"),
    ],
)
def test_what_the_user_answered_comes_back(answer):
    event = UiSettled(request_id="r", answer=answer)
    assert from_json(to_json(event)) == event


def test_nested_records_come_back_as_what_they_were():
    prompt = Prompt("看", (Attachment("a.xlsx", "a.xlsx", "xlsx", "表"),))
    event = QueueChanged(prompts=(QueuedPrompt(id="1", prompt=prompt),), seq=7)
    assert from_json(to_json(event)) == event
    assert "看" in to_json(event)


def test_fields_of_a_newer_version_are_left_out():
    line = json.dumps({**json.loads(to_json(RunStarted(prompt=Prompt("Hi")))), "mood": "new"})
    assert from_json(line) == RunStarted(prompt=Prompt("Hi"))


@pytest.mark.parametrize(
    "line", ["", "[]", "{", '{"type": "no_such_event"}', '{"type": "run_started"}', "null"]
)
def test_what_is_no_event_is_refused(line):
    with pytest.raises(ValueError):
        from_json(line)


def test_events_cannot_be_changed():
    with pytest.raises(AttributeError):
        RunStarted(prompt=Prompt("Hi")).seq = 1


def test_metadata_of_an_attachment_has_a_sheet_only_where_one_is_named():
    assert Attachment("a.md", "a.md", "md").as_metadata() == {
        "path": "a.md",
        "name": "a.md",
        "type": "md",
    }
    assert Attachment("a.xlsx", "a.xlsx", "xlsx", "S").as_metadata()["sheet"] == "S"


def test_a_file_name_that_is_not_utf_8_survives():
    event = Notice(level="info", message="caf\udce9.md")
    assert from_json(to_json(event)) == event
