"""What the agent may ask, what of it is wrong, and what goes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.ui_requests import (
    Clarification,
    OfferedRequest,
    Option,
    OutlineRequest,
    Question,
    RequestError,
    answer_text,
    check_answers,
    from_ask_user_question,
    parse_request,
)
from dogent_tui.tools.server import schema_of

AUDIENCE = {
    "id": "audience",
    "question": "Who reads this?",
    "options": [
        {"label": "The board", "value": "board"},
        {"label": "工程师 [b]", "value": "engineers"},
    ],
    "recommended": "board",
}
LENGTH = {
    "id": "length",
    "question": "How long?",
    "options": ["short", "long"],
    "allow_freeform": True,
}
PARTS = {
    "id": "parts",
    "question": "Which parts?",
    "options": ["costs", "risks", "plan"],
    "multiple": True,
}
OPEN = {"id": "more", "question": "Anything else?", "placeholder": "A wish, a warning"}
PAYLOAD = {
    "type": "clarification",
    "title": "Before I write",
    "questions": [AUDIENCE, LENGTH, PARTS, OPEN],
}
OUTLINE = {"type": "outline_edit", "title": "Outline", "outline_text": "# One\n\n## Two\n"}


def asking(*questions, **fields):
    return {**PAYLOAD, "questions": list(questions), **fields}


def test_a_clarification_is_read_whole():
    request = parse_request({**PAYLOAD, "preface": " Two things first. "})
    assert isinstance(request, Clarification)
    assert request.title == "Before I write"
    assert request.preface == "Two things first."
    assert request.questions[0] == Question(
        "audience",
        "Who reads this?",
        (Option("The board", "board"), Option("工程师 [b]", "engineers")),
        ("board",),
    )
    assert [question.takes_text for question in request.questions] == [False, True, False, True]
    assert [question.multiple for question in request.questions] == [False, False, True, False]


def test_an_outline_keeps_its_text():
    assert parse_request(OUTLINE) == OutlineRequest("Outline", "# One\n\n## Two\n")
    assert (
        parse_request({**OUTLINE, "outline_text": "  - a\n    - b\n"}).outline_text
        == "  - a\n    - b\n"
    )


def test_response_type_is_another_spelling():
    payload = {"response_type": PAYLOAD["type"], "title": "T", "questions": [OPEN]}
    assert isinstance(parse_request(payload), Clarification)
    assert isinstance(parse_request({**payload, "type": "clarification"}), Clarification)


def test_what_is_clearly_meant_is_taken():
    request = parse_request(
        asking(
            "Who?",
            {"question": "How many?", "options": [1, 2.5, True]},
            {
                "id": "q4",
                "question": "Which?",
                "options": [{"value": "only"}, {"label": "Other", "description": "rare"}],
            },
            {"question": "And?", "recommended": "", "options": None, "multiple": None},
        )
    )
    assert [question.id for question in request.questions] == ["q1", "q2", "q4", "q4_"]
    assert [option.value for option in request.questions[1].options] == ["1", "2.5", "true"]
    assert request.questions[2].options == (
        Option("only", "only"),
        Option("Other", "Other", "rare"),
    )


def test_a_recommendation_may_be_a_label_or_several():
    assert parse_request(asking({**AUDIENCE, "recommended": "The board"})).questions[
        0
    ].recommended == ("board",)
    assert parse_request(asking({**PARTS, "recommended": ["risks", "plan"]})).questions[
        0
    ].recommended == ("risks", "plan")


WRONG = (
    ({}, "type"),
    ({**PAYLOAD, "type": "poll"}, "type"),
    ({**PAYLOAD, "type": ["clarification"]}, "type"),
    ({"response_type": "poll", "title": "T"}, "response_type"),
    ({**PAYLOAD, "response_type": "outline_edit"}, "response_type"),
    ({**PAYLOAD, "title": "  "}, "title"),
    ({**PAYLOAD, "title": {}}, "title"),
    ({**PAYLOAD, "preface": []}, "preface"),
    ({**OUTLINE, "outline_text": " \n"}, "outline_text"),
    ({"type": "clarification", "title": "T"}, "questions"),
    (asking(), "questions"),
    ({**PAYLOAD, "questions": "Who?"}, "questions"),
    ({**PAYLOAD, "questions": ["?"] * 51}, "questions"),
    (asking(OPEN, 7), "questions[1]"),
    (asking({"id": "x"}), "questions[0].question"),
    (asking({**OPEN, "id": []}), "questions[0].id"),
    (asking(OPEN, LENGTH, OPEN), "questions[2].id"),
    (asking({**OPEN, "options": {}}), "questions[0].options"),
    (asking({**OPEN, "options": [[]]}), "questions[0].options[0]"),
    (asking(OPEN, {**LENGTH, "options": [{"label": ""}]}), "questions[1].options[0].label"),
    (asking(OPEN, {**LENGTH, "options": [{"label": []}]}), "questions[1].options[0].label"),
    (
        asking({**LENGTH, "options": ["a", {"label": "b", "value": {}}]}),
        "questions[0].options[1].value",
    ),
    (
        asking({**LENGTH, "options": ["a", {"label": "b", "value": "a"}]}),
        "questions[0].options[1].value",
    ),
    (
        asking({**LENGTH, "options": ["a", {"label": "a", "value": "b"}]}),
        "questions[0].options[1].label",
    ),
    (
        asking({**LENGTH, "options": [{"label": "a", "description": []}]}),
        "questions[0].options[0].description",
    ),
    (asking({**LENGTH, "recommended": "medium"}), "questions[0].recommended"),
    (asking({**LENGTH, "recommended": ["short", "long"]}), "questions[0].recommended"),
    (asking({**OPEN, "recommended": "yes"}), "questions[0].recommended"),
    (asking({**LENGTH, "allow_freeform": "yes"}), "questions[0].allow_freeform"),
    (asking({**LENGTH, "multiple": 1}), "questions[0].multiple"),
    (asking({**LENGTH, "placeholder": []}), "questions[0].placeholder"),
)


@pytest.mark.parametrize(("payload", "field"), WRONG)
def test_each_wrong_field_is_named(payload, field):
    with pytest.raises(RequestError) as caught:
        parse_request(payload)
    assert caught.value.field == field
    assert caught.value.message.startswith(f"{field}: ")


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["clarification", "outline_edit"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "question", "options", "label", "value", "recommended", "multiple"]
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(
        st.sampled_from(["type", "response_type", "title", "preface", "questions", "outline_text"]),
        _json,
    )
)
def test_any_payload_is_a_request_or_an_error_that_names_a_field(payload):
    try:
        request = parse_request(payload)
    except RequestError as error:
        assert error.field
        return
    if isinstance(request, Clarification):
        ids = [question.id for question in request.questions]
        assert len(set(ids)) == len(ids) > 0
        for question in request.questions:
            assert set(question.recommended) <= {option.value for option in question.options}


# ── What goes back ────────────────────────────────────────────────────────────────────────────────


def test_the_answers_read_as_a_message():
    answers = {"audience": "board", "length": "Two pages,\nno more", "parts": ["costs", "risks"]}
    assert (
        answer_text(parse_request(PAYLOAD), UiAnswer(answers=answers, comment="Be kind."))
        == "My answers to “Before I write”:\n\n"
        "Who reads this?\n→ The board (board)\n\n"
        "How long?\n→ Two pages,\n  no more\n\n"
        "Which parts?\n→ costs\n→ risks\n\n"
        "Anything else?\n→ skipped, decide yourself\n\n"
        "Be kind."
    )


def test_an_outline_reads_as_a_message():
    request = parse_request(OUTLINE)
    assert answer_text(request, UiAnswer(outline="# One\n\n## Two")).startswith(
        "I accept this outline as it is (“Outline”):\n\n# One"
    )
    edited = answer_text(request, UiAnswer(outline="# One\n", comment="Two is gone."))
    assert edited == "This is the outline as I want it (“Outline”):\n\n# One\n\nTwo is gone."


def test_nothing_answered_says_so():
    assert "did not answer" in answer_text(parse_request(OUTLINE), UiAnswer())


def test_answers_of_a_file():
    request = parse_request(PAYLOAD)
    assert check_answers(
        request,
        {"audience": "The board", "length": "7 pages", "parts": ["risks", "costs", "risks"]},
    ) == UiAnswer(answers={"audience": "board", "length": "7 pages", "parts": ["risks", "costs"]})
    assert check_answers(request, {"parts": "plan", "more": 3, "audience": None,
        "length": ["short"]}).answers == {
        "parts": ["plan"], "more": "3", "length": "short",
    }  # fmt: skip
    assert check_answers(request, {}).answers == {}


def test_one_file_may_answer_several_requests():
    everything = {
        "audience": "board",
        "length": "long",
        "parts": None,
        "more": None,
        "tone": "dry",
        "outline": "# A",
        "comment": "c",
    }
    assert check_answers(parse_request(PAYLOAD), everything) == UiAnswer(
        answers={"audience": "board", "length": "long"}, comment="c"
    )
    assert check_answers(parse_request(OUTLINE), everything) == UiAnswer(outline="# A", comment="c")


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ({"audience": "kings"}, "audience"),
        ({"audience": ["board", "engineers"]}, "audience"),
        ({"parts": ["costs", "weather"]}, "parts"),
        ({"more": ""}, "more"),
        ({"more": {}}, "more"),
        ({"audence": "board"}, "audience"),
        ({"comment": []}, "comment"),
    ],
)
def test_a_wrong_answer_names_its_question(answers, field):
    with pytest.raises(RequestError) as caught:
        check_answers(parse_request(PAYLOAD), answers)
    assert caught.value.field == field


def test_an_outline_needs_an_outline():
    with pytest.raises(RequestError) as caught:
        check_answers(parse_request(OUTLINE), {"outline": " "})
    assert caught.value.field == "outline"


# ── AskUserQuestion ───────────────────────────────────────────────────────────────────────────────

ASKED = {
    "questions": [
        {
            "question": "Which library?",
            "header": "Library",
            "options": [
                {"label": "date-fns (Recommended)", "description": "Small"},
                {"label": "luxon", "description": ""},
            ],
            "multiSelect": False,
        },
        {
            "question": "Which parts?",
            "header": "Parts",
            "options": [{"label": "a"}, {"label": "b"}],
            "multiSelect": True,
        },
    ]
}


def test_the_question_of_the_cli_becomes_a_clarification():
    request = from_ask_user_question(ASKED)
    library, parts = request.questions
    assert library.header == "Library"
    assert library.options[0] == Option("date-fns", "date-fns (Recommended)", "Small")
    assert library.recommended == ("date-fns (Recommended)",)
    assert library.takes_text
    assert parts.multiple
    assert parts.recommended == ()


@pytest.mark.parametrize(
    "questions",
    [
        None,
        [],
        "x",
        [7],
        [{}],
        [{"question": "?", "options": "x"}],
        [{"question": "?", "options": [[]]}],
    ],
)
def test_a_broken_question_of_the_cli_is_refused(questions):
    with pytest.raises(RequestError):
        from_ask_user_question({"questions": questions})


def test_the_model_is_told_what_it_may_ask():
    fields = schema_of(OfferedRequest)["properties"]
    question = fields["questions"]["items"]["properties"]
    assert fields["type"]["enum"] == ["clarification", "outline_edit"]
    assert {"id", "question", "options", "recommended", "allow_freeform"} <= question.keys()
    assert {"label", "value"} <= question["options"]["items"]["properties"].keys()
