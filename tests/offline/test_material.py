"""A text that is pasted into the prompt, or piped in: it is what the request is about, not its title."""

import pytest

from dogent_tui.offline.conversation import UI_REQUEST
from dogent_tui.offline.material import request_and_material
from tests.offline.simulated_cli import TOOLS, Conversation

MINUTES = "\n".join(
    f"Item {number}: the committee heard that gutter {number} of the roof leaks, and wants it mended by winter {2000 + number}."
    for number in range(40)
)
UNRELATED = {"garden.md": "# Garden\n\nTomatoes want six hours of sun every day. Water them in the morning.\n"}


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        (f"Summarize this: {MINUTES}", "Summarize this"),
        (f"please summarize these minutes\n\n{MINUTES}", "please summarize these minutes"),
        (f"{MINUTES} summarize this", "summarize this"),
        (f"{MINUTES}\n\nCan you draft a short report on the gutters?", "Can you draft a short report on the gutters?"),
        (f"请总结一下：\n{MINUTES}", "请总结一下"),
        (f"{MINUTES}\n根据以上内容写一份报告", "根据以上内容写一份报告"),
        (f"What did they decide?\n{MINUTES}", "What did they decide?"),
        (MINUTES, ""),
    ],
    ids=["colon", "first line", "behind", "last line", "colon zh", "last line zh", "question", "nothing said"],
)
def test_the_request_is_told_from_the_text_that_was_pasted(typed: str, asked: str):
    wanted, material = request_and_material(typed)
    assert wanted == asked
    assert material == MINUTES


@pytest.mark.parametrize(
    "typed",
    ["Summarize this: the roof leaks.", "Write a letter to the mayor.\n\nSay that the roof leaks.\nAsk for money.", ""],
    ids=["short", "with wishes", "nothing"],
)
def test_a_short_prompt_is_a_request_from_end_to_end(typed: str):
    assert request_and_material(typed) == (typed, "")


def test_a_long_request_in_one_paragraph_stays_one():
    typed = "I am a teacher and the parents of my class would like to know how the roof will be repaired. " * 15
    assert request_and_material(typed) == (typed.strip(), "")


def test_a_pasted_text_is_what_is_summarized_and_not_the_files_of_earlier_prompts():
    talk = Conversation(dict(UNRELATED))
    talk.ask("Summarize this", "garden.md")
    said = talk.ask(f"{MINUTES} summarize this")
    written = talk.called("Write")[-1]
    assert "garden" not in written["file_path"]
    assert written["content"].startswith("# Summary\n")
    assert "gutter" in written["content"] and "(your prompt)" in written["content"]
    assert "Tomatoes" not in written["content"]
    assert "from your prompt" in said
    assert not talk.called("Read")


def test_a_pasted_text_and_a_file_are_both_heard():
    talk = Conversation(dict(UNRELATED))
    said = talk.ask(f"Write a report from this and the file: {MINUTES}", "garden.md")
    content = talk.called("Write")[-1]["content"]
    assert "(your prompt)" in content and "(garden.md)" in content
    assert "your prompt and 1 file" in said


def test_a_pasted_text_is_drafted_from_whatever_it_says():
    talk = Conversation(dict(UNRELATED))
    talk.ask(f"Write a report about cats: {MINUTES}")
    assert "gutter" in talk.called("Write")[0]["content"]


def test_a_question_about_a_pasted_text_is_answered_from_it():
    talk = Conversation(dict(UNRELATED))
    said = talk.ask(f"When will gutter 7 be repaired?\n{MINUTES}")
    assert "winter 2007" in said and "(your prompt)" in said
    assert not talk.calls


def test_a_chinese_request_names_the_prompt_in_chinese():
    talk = Conversation(dict(UNRELATED))
    talk.ask(f"请根据以下内容写一份报告：\n{'图书馆的屋顶漏水，委员会要求在冬天之前修好它。管道也已经生锈了。' * 40}")
    assert "(你的输入)" in talk.called("Write")[-1]["content"]


def test_words_of_a_pasted_text_do_not_answer_what_is_asked_before_a_draft():
    talk = Conversation(dict(UNRELATED), tools=(*TOOLS, UI_REQUEST))
    talk.ask(f"Summarize this: {MINUTES}\nA short note for the board.")
    questions = talk.called(UI_REQUEST)[0]["questions"]
    assert [question["id"] for question in questions] == ["audience", "length"]


def test_later_prompts_can_go_on_from_a_pasted_text():
    talk = Conversation(dict(UNRELATED))
    talk.ask(f"Summarize this: {MINUTES}")
    said = talk.ask("What was said about gutter 9?")
    assert "(your prompt)" in said
