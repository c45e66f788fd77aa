"""What a question shows, without a screen."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dogent_tui.agent.events import PermissionRequested, Target
from dogent_tui.plain import revealed
from dogent_tui.tui.questions.model import (
    Question,
    diff_lines,
    risky_parts,
    room_for,
    scroll_cue,
    share_rows,
)
from dogent_tui.tui.transcript.lines import Line, Span
from tests.tui.questions.examples import BARE, CJK, COMMAND, DIFF, LONG, ROOT

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_text = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["a\nb\tc", "x" * 300, "漢字" * 60, "[/b]\x1b[0m", "line\n" * 30, "a\u200bb\u202ec"]
    ),
)


def asked(**fields) -> PermissionRequested:
    return PermissionRequested(
        **{"request_id": "r", "tool_use_id": "t", "tool": "Bash", "input": {}} | fields
    )


def texts(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


def marked(lines: list[Line]) -> str:
    return "".join(span.text for line in lines for span in line.spans if "risk" in span.style)


def test_the_sentence_comes_from_the_gate_or_from_the_tool():
    assert Question(COMMAND).sentence == "Delete 3 files and move 1 in chapters/ and drafts/"
    assert Question(asked()).sentence == "May the agent run this command?"
    assert Question(BARE).sentence == "May the agent use “Store · notes”?"


def test_the_counter_stands_beside_the_sentence_or_below_it():
    assert texts(Question(CJK).heading(40, "question 1 of 3")).endswith(" question 1 of 3")
    assert len(Question(CJK).heading(20, "question 1 of 3")) > 1


def test_the_whole_command_is_shown_and_its_risky_parts_are_marked():
    lines = Question(COMMAND).call(200)
    assert COMMAND.input["command"] in texts(lines)
    assert marked(lines) == "mv chapters/intro.md archive/rm -r chapters/old drafts/*.bak"
    assert "rm chapters/draft.md" in texts(Question(LONG).call(80))


def test_the_models_reason_stands_once_and_as_its_words():
    question = Question(COMMAND)
    assert "Archive the introduction" not in texts(question.call(200))
    assert (
        "agent says    “Archive the introduction and remove old drafts”  the agent’s own words"
        in texts(question.facts(200))
    )


def test_every_place_says_what_happens_to_it():
    facts = texts(Question(COMMAND, ROOT).facts(120))
    assert "moves         chapters/intro.md  12 KB" in facts
    assert "deletes       chapters/old/outline [b]1[/b].md  2.1 KB" in facts
    assert (
        "deletes       /srv/shared/figures.bak  1.2 MB\n              drafts/figures.bak is a link"
        " that points here." in facts
    )
    narrow = texts(Question(COMMAND, ROOT).facts(36))
    assert "moves  chapters/intro.md  12 KB" in narrow
    assert "deletes\n  chapters/old/outline" in narrow
    assert "deletes       drafts/notes.bak  does not exist" in facts
    assert "why           It deletes files. It moves a file away." in facts
    assert "only once     It deletes by a pattern" in facts


def test_a_place_that_comes_to_be_is_new():
    assert "creates       new.md  new" in texts(
        Question(asked(targets=(Target(f"{ROOT}/new.md", "create", False),)), ROOT).facts(80)
    )


def test_a_place_can_not_pass_for_another():
    path = f"{ROOT}/a\u200b\u202eb\nc  d.md"
    assert "a⟦U+200B⟧⟦U+202E⟧b␊c  d.md" in texts(
        Question(asked(targets=(Target(path, "read"),)), ROOT).facts(80)
    )


def test_the_workspace_itself_is_named():
    assert ROOT in texts(Question(asked(targets=(Target(ROOT, "delete"),)), ROOT).facts(80))


def test_a_change_is_shown_as_a_diff_and_not_twice():
    call = texts(Question(DIFF, ROOT).call(120))
    assert "− The library opens on Sundays from ten to four.\n" in call
    assert "+ The library opens on Sundays from ten to six." in call
    assert "line 1\n" in call
    assert "old_string" not in call
    assert "+++" not in call
    assert "file_path" not in call  # it is among the places


def test_the_path_of_a_change_is_shown_where_the_place_is_another():
    assert "file_path" in texts(
        Question(replace(DIFF, targets=(Target("/elsewhere/plan.md", "write"),)), ROOT).call(120)
    )


def test_a_call_that_is_not_known_shows_all_its_fields():
    assert texts(Question(BARE).call(80)).split("\n") == [
        "path          notes/[b]x[/b].md",
        'tags          ["a", "b"]',
    ]


def test_a_path_that_stands_among_the_places_is_not_said_twice():
    given = {"file_path": "notes.md", "limit": 3}
    assert (
        texts(
            Question(
                asked(tool="Read", input=given, targets=(Target(f"{ROOT}/notes.md", "read"),)), ROOT
            ).call(80)
        )
        == "limit         3"
    )
    assert "file_path" in texts(
        Question(asked(tool="Read", input=given, targets=(Target("/etc/notes.md"),)), ROOT).call(80)
    )


def test_a_file_that_goes_altogether_begins_in_its_first_line():
    assert texts(diff_lines("@@ -1,2 +0,0 @@\n-one\n-two\n", 60)).split("\n") == [
        "line 1",
        "− one",
        "− two",
    ]


def test_nothing_is_lost_of_a_diff_whose_lines_look_like_headers():
    diff = (
        "--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- old rule\n+++ new rule\n\\ No newline at end of file\n"
    )
    assert texts(diff_lines(diff, 60)).split("\n") == [
        "line 1",
        "− -- old rule",
        "+ ++ new rule",
        "  \\ No newline at end of file",
    ]


def test_a_very_long_text_says_what_is_missing():
    lines = Question(asked(input={"command": "x" * 200_010})).call(80)
    assert "10 more characters" in texts(lines)


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(-5, 70), st.integers(-5, 70))))
def test_parts_are_the_command_and_the_risky_ones_are_what_the_spans_cover(command, spans):
    parts = risky_parts(command, spans)
    assert "".join(text for text, _ in parts) == command
    risky = "".join(("!" if is_risky else ".") * len(text) for text, is_risky in parts)
    assert risky == "".join(
        "!" if any(start <= at < end for start, end in spans) else "." for at in range(len(command))
    )


_places = st.builds(Target, _text, _text, st.booleans(), st.none() | st.integers(0, 10**12), _text)
_requests = st.builds(
    PermissionRequested,
    request_id=st.just("r"),
    tool_use_id=st.just("t"),
    tool=_text,
    sentence=_text,
    input=st.dictionaries(
        st.sampled_from(["command", "content", "odd key", "description"]),
        _text | st.integers() | st.none(),
    ),
    reasons=st.lists(_text, max_size=2).map(tuple),
    diff=st.just("") | _text,
    words=_text,
    once_because=_text,
    targets=st.lists(_places, max_size=2).map(tuple),
    spans=st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=3).map(tuple),
)


@given(_requests, st.integers(20, 100))
def test_whatever_comes_fits_and_is_safe_to_draw(request, width):
    question = Question(request, "/w")
    for line in [
        *question.heading(width, "question 1 of 2"),
        *question.call(width),
        *question.facts(width),
    ]:
        assert line.width <= width
        assert not _CONTROL.search(line.text)


@given(_text)
def test_a_command_is_shown_whole(command):
    shown = texts(Question(asked(input={"command": command}, spans=((1, 3),))).call(60))
    assert "".join(shown.replace("$", "").split()) == "".join(
        revealed(command).replace("$", "").split()
    )


def test_the_panel_leaves_room_for_the_transcript():
    assert room_for(24, enlarged=False) == 14
    assert room_for(24, enlarged=True) == 22
    assert room_for(15, enlarged=False) == 9
    assert room_for(6, enlarged=False) == 4


@pytest.mark.parametrize(("call", "facts"), [(0, 0), (1, 1), (4, 40), (40, 4), (60, 60)])
def test_the_parts_never_take_more_than_there_is(call, facts):
    for room in range(1, 60):
        rows = share_rows(room, 1, call, facts, 1)
        assert min(rows.call, rows.facts) >= 0, room
        assert rows.call + rows.facts + 2 * rows.gap <= max(0, room - 4), room
        assert rows.call <= call, room
        assert rows.facts <= facts, room
        if room >= 9:
            assert rows.call >= min(call, 2), room
            assert rows.facts >= min(facts, 2), room


def test_the_cue_names_what_is_marked_and_not_seen():
    lines = [Line((Span("a"),))] * 9 + [Line((Span("b", "code risk"),))]
    assert scroll_cue(0, 10, lines) == ""
    assert scroll_cue(0, 4, lines) == "rows 1–4 of 10 · more marked below ↓"
    assert scroll_cue(6, 4, lines) == "rows 7–10 of 10"
