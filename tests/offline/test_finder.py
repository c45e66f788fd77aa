"""What the built-in engine finds, does, drafts and declines, with the tools of the CLI over a
real folder.
"""

import re
from pathlib import Path

import pymupdf
import pytest

from dogent_tui.offline.conversation import PROPOSE
from tests.offline.measure import is_honest, measure_questions, measure_requests
from tests.offline.simulated_cli import TOOLS, Conversation

SETS = Path(__file__).with_name("sets")
NOTES = {
    "notes.md": (
        "# Tea house\n\n## What we agreed\n\n- The tea house opens on 4 May.\n- A cup costs 3"
        " euros.\n\n## Open\n\nWho cleans?\n"
    ),
    "talk.txt": (
        "Talk with Ada\n\nQ: What does a cup of tea cost in the tea house?\n\nA cup costs 4 euros,"
        " she says.\n"
    ),
    "sales.csv": "month,cups,cakes\n2025-01,120,30\n2025-02,90,45\n2025-03,200,10\n",
    "笔记.md": "# 笔记\n\n## 决定\n\n茶馆五月开门，预算是 4,180 欧元。\n",
}


@pytest.fixture
def folder(tmp_path):
    """A folder with a few notes."""
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def conversation(folder):
    return Conversation(folder)


# ── The sets ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name", ["requests.jsonl", "own-requests.jsonl"])
def test_requests_are_answered_usefully_or_declined_and_nothing_is_written_unasked(name):
    found = measure_requests(SETS / name)
    assert found.unasked == 0
    assert found.share >= 0.95, "\n".join(found.failed)


@pytest.mark.slow
def test_the_right_passage_is_among_the_first_two():
    found = measure_questions(SETS / "questions.jsonl")
    assert found.share >= 0.85, "\n".join(found.failed)
    assert all(found.kinds_held[kind] >= 0.85 * rows for kind, rows in found.kinds.items())


# ── Finding ───────────────────────────────────────────────────────────────────────────────────────


def test_a_quote_names_its_file_and_heading_and_the_engine_introduces_itself_once(conversation):
    turn = conversation.ask("What was decided?")
    assert "> - The tea house opens on 4 May." in turn.said
    assert "— `notes.md`, “What we agreed”" in turn.said
    assert turn.said.count("Offline engine, no AI model") == 1
    assert "Offline engine" not in conversation.ask("Who cleans?").said


def test_a_number_is_found_in_the_other_language(conversation):
    assert "4,180" in conversation.ask("What are the 4180 euros for?").said
    assert "笔记.md" in conversation.ask("What happens in May with 4,180?").said


def test_small_words_of_other_languages_are_no_answer(conversation, folder):
    (folder / "haus.md").write_text("Die Werkstatt ist der Raum, wie er am Hof von je her war.")
    (folder / "verein.md").write_text("Der Mitgliedsbeitrag steigt auf 72 Euro.")
    assert "haus.md" not in conversation.ask("Wie hoch ist der Mitgliedsbeitrag?").said


def test_a_person_is_no_answer_for_a_thing(conversation, folder):
    (folder / "club.md").write_text("The book of the month is read aloud on Fridays.")
    assert "aloud" not in conversation.ask("Who is the treasurer?").said


def test_the_word_for_when_is_not_looked_for(tmp_path):
    text = "# 图书馆改造会议纪要\n\n时间：2026年3月5日。\n\n## 决定\n\n- 儿童区的地板改用软木。\n"
    text += "\n## 待办\n\n李强在四月前取得报价。\n\n## 风险\n\n停车场只能使用一半。\n"
    (tmp_path / "会议纪要.md").write_text(text, encoding="utf-8")
    assert "3月5日" in Conversation(tmp_path).ask("会议是什么时候？").said


def test_an_answer_stays_with_its_question(conversation):
    said = conversation.ask("@talk.txt what does tea cost?").said
    assert said.index("What does a cup of tea cost") < said.index("A cup costs 4 euros")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which month had the most cups?", "largest **cups** is 200: 2025-03"),
        ("fewest cakes", "smallest **cakes** is 10: 2025-03"),
        ("sum of cups", "sum of **cups** over 3 rows is 410"),
        ("average cakes", "average of **cakes** over 3 rows is 28.33"),
        ("cups per month", "| 2025-02 | 90 |"),
        ("difference in cups between January and March", "difference is 80"),
        ("which months had more than 100 cups", "more than 100 in: 2025-01, 2025-03"),
        ("months with less than 100 cups", "less than 100 in: 2025-02."),
        ("cups 总和", "总和是 410"),
    ],
)
def test_a_table_is_asked_as_a_table(conversation, question, answer):
    assert answer in conversation.ask(question).said


def test_the_oldest_is_that_of_the_smallest_year_and_a_date_is_no_number(conversation, folder):
    (folder / "members.csv").write_text("name,since,fee\nAda,1999,3\nBo,1987,5\n")
    assert "smallest **since** is 1,987: Bo" in conversation.ask("the oldest member?").said
    (folder / "members.csv").write_text("name,since,fee\nAda,1999-05-01,3\nBo,1987-05-01,5\n")
    assert is_honest(conversation.ask("@members.csv which member is the oldest?").said)


def test_a_question_continues_with_the_one_before(conversation):
    conversation.ask("which month had the fewest cups?")
    assert "largest **cups** is 200" in conversation.ask("and the most?").said


def test_a_passage_that_may_not_say_it_all_is_quoted_with_what_is_around_it(conversation, folder):
    (folder / "handbook.md").write_text(
        "# Handbook\n\n## Keys\n\nAda has them.\n\n## Alarm\n\nThe code is 1234.\n"
    )
    said = conversation.ask("which code has the alarm system of the burglar insurance?").said
    assert (
        said.index("**Keys**")
        < said.index("Ada has them")
        < said.index("**Alarm**")
        < said.index("code is 1234")
    )
    assert "**Keys**" not in conversation.ask("what is the alarm code?").said


def test_a_word_is_found_within_another_one_and_beside_its_translation(conversation, folder):
    (folder / "公交.md").write_text(
        "# 公交\n\n## 回家\n\n最后一班公交车是九点四十分。\n", encoding="utf-8"
    )
    (folder / "待办.md").write_text("刘洋联系大巴公司。\n\n## 会议\n\n每月一次。", encoding="utf-8")
    (folder / "club.md").write_text("# Club\n\n## Meetings\n\nWe come on the first Tuesday.\n")
    assert "九点四十分" in conversation.ask("末班公交车几点开？").said
    assert "大巴公司" in conversation.ask("刘洋要做什么").said
    assert "Tuesday" in conversation.ask("What time are meetings held?").said


@pytest.mark.parametrize("typed", ["tea house opening?", "3,200", "茶馆 预算"])
def test_words_without_a_verb_are_looked_for(conversation, folder, typed):
    (folder / "plan.md").write_text(
        "# Plan\n\nThe tea house opening costs 3,200 euros.\n", encoding="utf-8"
    )
    assert not is_honest(conversation.ask(typed).said)


# ── Acting ────────────────────────────────────────────────────────────────────────────────────────


def test_a_replacement_is_a_proposal_that_can_be_rejected(folder):
    conversation = Conversation(folder, accepts=False)
    turn = conversation.ask("replace euros by dollars in notes.md")
    assert [name for name, _ in turn.calls] == ["Read", PROPOSE]
    assert not turn.written
    assert "was not changed" in turn.said


def test_a_name_with_an_initial_is_replaced_everywhere(conversation, folder):
    (folder / "more.txt").write_text("Ada Lovelace writes. Ada Lovelace reads.\n", encoding="utf-8")
    turn = conversation.ask("replace Ada Lovelace with A. Lovelace everywhere")
    assert turn.written == {"more.txt": "A. Lovelace writes. A. Lovelace reads.\n"}


def test_where_nobody_can_review_a_replacement_is_written(folder):
    conversation = Conversation(folder, tools=tuple(name for name in TOOLS if name != PROPOSE))
    assert (
        "3 dollars" in conversation.ask("replace euros by dollars in notes.md").written["notes.md"]
    )


def test_a_table_of_contents_is_a_change_to_review_and_replaces_the_one_before(
    conversation, folder
):
    turn = conversation.ask("Add a table of contents to notes.md")
    assert [name for name, _ in turn.calls] == ["Read", PROPOSE]
    links = "- [What we agreed](#what-we-agreed)\n- [Open](#open)\n"
    assert turn.written["notes.md"].startswith(
        f"# Tea house\n\n## Contents\n\n{links}\n## What we agreed"
    )
    (folder / "notes.md").write_text(
        turn.written["notes.md"] + "\n## More {.unnumbered #sec:more}\n\nTea.\n", encoding="utf-8"
    )
    again = conversation.ask("insert a toc into @notes.md").written["notes.md"]
    assert again.count("## Contents") == 1
    assert f"{links}- [More](#sec:more)\n" in again
    assert "- More\n" in conversation.ask("show the outline of notes.md").said + "\n"
    assert "- [决定](#决定)" in conversation.ask("给 笔记.md 加上目录").written["笔记.md"]


def test_a_format_alone_exports_what_was_written_last(conversation):
    conversation.ask("Write a report from @notes.md. Save it as tea.md")
    assert "tea.docx" in conversation.ask("and as word").written


def test_what_is_not_there_is_said(conversation):
    assert "no file `nothing.md`" in conversation.ask("open nothing.md").said
    assert "“unicorn” is in none of the files" in conversation.ask("find unicorn").said


def test_the_outline_of_it_is_that_of_the_file_named_last(conversation):
    conversation.ask("count the words in notes.md")
    assert "- What we agreed" in conversation.ask("show the outline").said


# ── Drafting ──────────────────────────────────────────────────────────────────────────────────────


def test_a_draft_quotes_under_the_headings_named_flags_what_differs_and_marks_gaps(conversation):
    turn = conversation.ask(
        "Write a report from @notes.md and @talk.txt with the sections Cost of a cup, Elephants."
        " Save it as tea.md"
    )
    assert [name for name, _ in turn.calls] == ["Read", "Read", "Write"]
    draft = turn.written["tea.md"]
    assert re.search(r"## Cost of a cup\n\n.*A cup costs 3 euros\.\[\^1\]", draft, re.DOTALL)
    assert re.search(r"## Elephants\n\n\*\*\[Gap", draft)
    assert "[^2]: talk.txt" in draft
    assert "3 euros (notes.md), 4 euros (talk.txt)" in draft
    assert "3 euros (notes.md), 4 euros (talk.txt)" in turn.said
    assert "Elephants" in turn.said


def test_a_draft_cites_what_a_bibliography_has_by_its_key(conversation, folder):
    with pymupdf.open() as pdf:
        for text in ("A cup of coffee costs 5 euros.", "The tea house was painted green."):
            pdf.new_page().insert_text((72, 100), text)
        pdf.save(folder / "house.pdf")
    entry = "@book{ada2024, title = {The House}, file = {house.pdf}}\n"
    (folder / "house.bib").write_text(entry, encoding="utf-8")
    turn = conversation.ask(
        "Write a report about the tea house from @house.pdf and @notes.md. Save it as tea.md"
    )
    draft = turn.written["tea.md"]
    assert "painted green. [@ada2024, p. 2]" in draft
    assert "[^1]: notes.md" in draft
    assert "house.pdf, page" not in draft


def test_a_draft_without_matching_material_is_not_written(conversation):
    for request in (
        "Write a report about elephants",
        "Write a report on elephants from @notes.md",
        "Write a report",
        "Write a poem about tea",
        "What do you think about tea?",
        "写一份关于大象的报告",
    ):
        turn = conversation.ask(request)
        assert is_honest(turn.said), request
        assert not turn.written


def test_a_name_that_is_taken_is_left_alone(conversation):
    turn = conversation.ask("Write a report about the tea house and save it as notes.md")
    assert list(turn.written) == ["notes-2.md"]
    assert "`notes.md` was there already" in turn.said


def test_a_draft_is_no_source_of_the_next_one(conversation, folder):
    conversation.ask("Write a report about the tea house")
    turn = conversation.ask("What was decided about the tea house?")
    assert "drafts/" not in turn.said
    (folder / "会议.md").write_text("# 会议\n\n茶馆在五月重新开放，门刷成绿色。", encoding="utf-8")
    for _ in range(2):  # the draft is called like its topic
        assert "摘自 `会议.md`" in conversation.ask("写一份关于茶馆重新开放的报告").said


def test_an_addition_comes_before_the_footnotes_with_numbers_that_go_on(conversation):
    conversation.ask("Write a report from @notes.md. Save it as tea.md")
    turn = conversation.ask("Add what Ada said about a cup of tea in @talk.txt")
    added = turn.written["tea.md"]
    assert added.index("## What Ada said about a cup of tea") < added.index("[^1]:")
    last = max(int(number) for number in re.findall(r"^\[\^(\d+)\]:", added, re.MULTILINE))
    assert f"she says.[^{last}]" in added


def test_an_outline_that_is_named_gives_the_headings(conversation, folder):
    (folder / "outline.md").write_text("# Plan\n\n## Agreed\n\n## Ada\n", encoding="utf-8")
    draft = conversation.ask(
        "Write a report from @notes.md, @talk.txt along @outline.md. Save it as tea.md"
    ).written["tea.md"]
    assert re.findall(r"^## (.+)$", draft, re.MULTILINE) == ["Agreed", "Ada"]


def test_the_wishes_of_the_workspace_say_the_format(folder):
    turn = Conversation(folder, system="- Output Format: docx").ask(
        "Write a report from @notes.md. Save it as tea.md"
    )
    assert set(turn.written) == {"tea.md", "tea.docx"}


@pytest.mark.parametrize("typed", ["hello", "你好"])
def test_what_it_suggests_works(folder, typed):
    works = [
        line.removeprefix("- ")
        for line in Conversation(folder).ask(typed).said.splitlines()
        if line.startswith("- ")
    ]
    assert len(works) == 3
    for request in works:
        assert not is_honest(Conversation(folder).ask(request).said), request


# ── What can go wrong ─────────────────────────────────────────────────────────────────────────────


def test_a_file_that_cannot_be_read_is_named_and_the_others_answer(conversation, folder):
    (folder / "broken.pdf").write_bytes(b"no pdf")
    said = conversation.ask("What was decided?").said
    assert "4 May" in said
    assert "`broken.pdf`" in said


@pytest.mark.thorough
@pytest.mark.slow
def test_a_file_that_is_too_large_is_read_in_parts(conversation, folder):
    rows = "".join(f"{number},1\n" for number in range(60_000))
    (folder / "large.csv").write_text(f"number,ones\n{rows}", encoding="utf-8")
    turn = conversation.ask("@large.csv sum of ones")
    assert "only its beginning was read" in turn.said


def test_what_was_piped_or_pasted_is_the_source(conversation):
    prompt = (
        "What does the manager recommend?\n\n<stdin>\nThe manager recommends more chairs.\n</stdin>"
    )
    assert "more chairs" in conversation.ask(prompt).said


@pytest.mark.parametrize("sign", [".", "x", "写"])
def test_a_long_line_that_is_piped_is_material_and_not_a_request(conversation, sign):
    assert conversation.ask(sign * 100_000).said  # to read all of it as a request takes minutes


def test_a_draft_of_a_long_title_gets_a_name_that_a_disk_takes(conversation, folder):
    (folder / "长.md").write_text(f"# {'写' * 200}\n\n预算在五月增加了。\n", encoding="utf-8")
    assert conversation.ask("根据 @长.md 写一份报告").written


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(conversation, folder):
    conversation.ask("@notes.md what does a cup cost?")
    assert not conversation.ask("@notes.md what does a cup cost?").calls
    (folder / "notes.md").write_text("# Tea house\n\nA cup costs 9 euros.\n", encoding="utf-8")
    assert "9 euros" in conversation.ask("@notes.md what does a cup cost?").said


def test_what_was_changed_a_moment_ago_is_read_again(conversation):
    conversation.ask("replace euros by dollars in notes.md")
    assert "3 dollars" in conversation.ask("@notes.md what does a cup cost?").said


def test_an_empty_folder_and_print_mode_say_what_helps(tmp_path):
    said = Conversation(tmp_path, system="(print mode)").ask("What was decided?").said
    assert is_honest(said)
    assert "ANTHROPIC_API_KEY" in said
    assert "这里可以" in Conversation(tmp_path).ask("决定了什么？").said
