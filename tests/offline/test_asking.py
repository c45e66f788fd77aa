"""What the engine asks before it drafts, and what it makes of the answers."""

from dogent_tui.agent.asking import ui_requested
from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.prompts import system_prompt
from dogent_tui.agent.ui_requests import answer_text, check_answers, parse_request
from dogent_tui.offline.conversation import UI_REQUEST
from dogent_tui.offline.outlining import Section, parse_outline
from tests.offline.simulated_cli import TOOLS, Conversation
from tests.offline.test_rules import BATTERIES, CHINESE, GARDEN, NO_MODEL, TRANSPORT, assert_sourced

ASKING = (*TOOLS, UI_REQUEST)


def talking(files: dict[str, str], **options) -> Conversation:
    return Conversation(files, tools=ASKING, **options)


def asked(talk: Conversation):
    """Return what the last call asks, as the user gets it."""
    (payload,) = talk.called(UI_REQUEST)
    return parse_request(ui_requested(parse_request(payload)).payload)


def answered(talk: Conversation, **answers) -> str:
    """Answer what is asked, as the application words it."""
    request = asked(talk)
    return talk.ask(answer_text(request, check_answers(request, answers)))


def test_it_asks_for_reader_and_length_then_for_the_outline_and_drafts_along_it():
    talk = talking({"notes/a.md": BATTERIES, "notes/b.md": TRANSPORT, "garden.txt": GARDEN})
    talk.ask("Write a report on battery transport")
    assert [question.id for question in asked(talk).questions] == ["audience", "length"]
    read = len(talk.called("Read"))

    answered(talk, audience="deciders", length="short")
    outline = asked(talk).outline_text
    assert outline.startswith("# Battery transport\n\n## Batteries\n")
    assert "### Costs" in outline
    assert "## Transport" in outline
    assert "Garden" not in outline
    assert talk.called("Read") == []
    assert read == 3

    said = answered(talk, outline="# Moving batteries\n\n## Costs\n\n## Labels\n\nthe label for air\n\n## Weather\n")
    draft = talk.files["drafts/moving-batteries.md"]
    assert [line for line in draft.splitlines() if line.startswith("#")] == [
        "# Moving batteries",
        "## Costs",
        "## Labels",
        "## Weather",
    ]
    assert "safety label" in draft.partition("## Labels")[2].partition("##")[0]
    assert "3.50 euros" in draft.partition("## Costs")[2].partition("##")[0]
    assert "> The files hold no sentence that fits here." in draft.partition("## Weather")[2]
    assert 3 <= len(assert_sourced(draft, talk.files)) <= 9
    assert "People who decide" in said
    assert NO_MODEL.search(said)


def test_what_the_request_says_is_not_asked():
    talk = talking({"a.md": BATTERIES})
    talk.ask("Write a short report on batteries for the board")
    assert asked(talk).outline_text.startswith("# Batteries")
    talk = talking({"a.md": BATTERIES})
    talk.ask("Write a short report on batteries")
    assert [question.id for question in asked(talk).questions] == ["audience"]


def test_what_is_skipped_is_chosen():
    talk = talking({"a.md": BATTERIES})
    talk.ask("Write a report on batteries")
    answered(talk, audience=None, length=None)
    said = answered(talk, outline=asked(talk).outline_text)
    assert "drafts/batteries.md" in talk.files
    assert "You said who reads it" not in said


def test_in_chinese():
    talk = talking({"电池.md": CHINESE})
    talk.ask("写一份关于电池的报告")
    assert asked(talk).questions[0].question == "给谁看？"
    answered(talk, audience="董事会", length="long")
    answered(talk, outline="# 电池报告\n\n## 安全\n")
    assert talk.files["drafts/电池报告.md"].startswith("# 电池报告")


def test_with_nothing_to_quote_there_is_nothing_to_ask():
    talk = talking({"a.md": "# Empty\n"})
    talk.ask("Write a report on batteries")
    assert talk.called(UI_REQUEST) == []


def test_where_nobody_answers_it_chooses_and_says_so():
    talk = talking({"a.md": BATTERIES}, system=system_prompt(workspace="/w", can_answer=False))
    said = talk.ask("Write a report on batteries")
    assert talk.called(UI_REQUEST) == []
    assert "Nobody was there to ask" in said
    talk = talking({"a.md": BATTERIES}, system=system_prompt(workspace="/w"))
    talk.ask("Write a report on batteries")
    assert talk.called(UI_REQUEST)


def test_another_prompt_in_place_of_the_answers_is_a_prompt():
    talk = talking({"a.md": BATTERIES, "b.md": GARDEN})
    talk.ask("Write a report on batteries")
    talk.ask("Write a short report on tomatoes for the board", "b.md")
    assert "Garden" in asked(talk).outline_text or "Tomatoes" in asked(talk).outline_text


def test_an_outline_as_a_list_is_one_too():
    assert parse_outline("1. Costs\n2. Labels\n").sections == (Section(2, "Costs"), Section(2, "Labels"))
    assert parse_outline("").sections == ()
    assert answer_text(parse_request({"type": "outline_edit", "title": "T", "outline_text": "# A"}), UiAnswer(outline="# A"))


def test_who_the_request_is_for_is_not_asked_again():
    talk = talking({"notes/a.md": BATTERIES})
    talk.ask("Write a letter to the mayor", "notes/a.md")
    assert [question.id for question in asked(talk).questions] == ["length"]


def test_every_file_that_the_user_names_has_a_heading_in_the_outline():
    talk = talking({"notes/a.md": BATTERIES, "talk.txt": "We met in June. The hall was full.\n"})
    talk.ask("Write a short report for the committee", "notes/a.md", "talk.txt")
    outline = asked(talk).outline_text
    assert outline.startswith("# Report for the committee\n")
    assert "## Batteries" in outline
    assert "## talk" in outline


def test_an_outline_is_shown_without_questions_and_written_as_it_comes_back():
    talk = talking({"notes/a.md": BATTERIES})
    talk.ask("Write an outline for a talk on batteries", "notes/a.md")
    assert "I write the outline to a file" in asked(talk).preface
    answered(talk, outline="# Talk\n\n## Why\n\n## How\n")
    assert talk.files["drafts/talk-outline.md"] == "# Talk\n\n## Why\n\n## How\n"


def test_a_heading_that_the_user_went_on_with_keeps_what_stands_under_it():
    talk = talking({"notes/a.md": BATTERIES, "visits.csv": "month,cells\n2025-01,6120\n"})
    talk.ask("Write a short report for the committee", "notes/a.md", "visits.csv")
    answered(talk, outline="# Cells\n\n## Costs (2025)\n")
    draft = talk.files["drafts/cells.md"]
    assert "3.50 euros" in draft
    assert "6120" not in draft
