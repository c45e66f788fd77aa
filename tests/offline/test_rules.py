"""The rules of the offline engine over simulated tools: what it drafts, changes, answers, and says when it cannot."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.offline.draft import quotation, shorten
from dogent_tui.offline.messages_api import ReplyText, parse_request
from dogent_tui.offline.rules import reply
from tests.offline.simulated_cli import CWD, TOOLS, Conversation

BATTERIES = (
    "# Batteries\n\nLithium batteries can catch fire when they are punctured. Store a battery at half charge, e.g. in a cool"
    " room. Dr. Smith tested 40 cells.\n\n## Costs\n\nA cell costs 3.50 euros. The fireproof housing costs twice as much.\n"
)
TRANSPORT = (
    "# Transport\n\n- Battery transport by air needs a safety label.\n- Road transport is free of labels.\n\n"
    "The courier asks 20 euros for each battery box.\n"
)
CHINESE = "# 电池\n\n电池安全非常重要。运输电池时需要贴标签！成本大约是二十欧元。\n"
GARDEN = "# Garden\n\nTomatoes want six hours of sun every day. Water them in the morning.\n"
NO_MODEL = re.compile("no AI model|不是 AI 模型")


def notes() -> dict[str, str]:
    return {"notes/a.md": BATTERIES, "notes/b.md": TRANSPORT, "garden.txt": GARDEN}


def assert_sourced(draft: str, files: dict[str, str]) -> list[str]:
    """Assert that every line which is no heading and not the note of the engine is a quotation that its file holds."""
    body = [line for line in draft.splitlines() if line.strip() and not line.startswith(("#", ">"))]
    quoted = [quotation(line) for line in body]
    assert quoted
    for line, found in zip(body, quoted, strict=True):
        assert found is not None, line
        assert " ".join(found[0].split()) in " ".join(files[found[1]].split())
    return [found[0] for found in quoted if found is not None]


def sources_of(draft: str) -> list[str]:
    return [found[1] for line in draft.splitlines() if (found := quotation(line)) is not None]


def test_a_request_without_references_finds_reads_and_drafts():
    talk = Conversation(notes())
    said = talk.ask("Write a report on battery transport")
    draft = talk.files["drafts/battery-transport.md"]
    assert draft.startswith("# Battery transport\n")
    assert "Battery transport by air needs a safety label." in assert_sourced(draft, talk.files)
    assert "Tomatoes" not in draft
    assert "drafts/battery-transport.md" in said
    assert "notes/b.md" in said
    assert NO_MODEL.search(said)
    assert len(talk.called("Read")) == 3
    assert all(call["file_path"].startswith(f"{CWD}/") for call in talk.called("Read", "Write"))


def test_only_referenced_files_are_read():
    talk = Conversation(notes())
    talk.ask("Summarize these", "garden.txt", "notes/b.md")
    assert [call["file_path"] for call in talk.called("Read")] == [f"{CWD}/garden.txt", f"{CWD}/notes/b.md"]
    draft = talk.files["drafts/summary.md"]
    assert_sourced(draft, talk.files)
    assert "Tomatoes" in draft
    assert "(notes/b.md)" in draft


def test_a_referenced_folder_is_searched():
    talk = Conversation(notes())
    talk.ask("Summarize this folder", "notes", kind="folder")
    assert sorted(call["file_path"] for call in talk.called("Read")) == [f"{CWD}/notes/a.md", f"{CWD}/notes/b.md"]


def test_what_is_ignored_is_read_only_where_it_is_asked_for():
    files = {**notes(), "build/b.md": TRANSPORT, "notes/private.md": GARDEN}
    talk = Conversation(files, ignored=("build/b.md", "build", "notes/private.md"))
    said = talk.ask("Write a report on battery transport")
    assert not {"build/b.md", "notes/private.md"} & {call["file_path"].removeprefix(f"{CWD}/") for call in talk.called("Read")}
    assert "(build/b.md)" not in talk.files["drafts/battery-transport.md"]
    assert "private" not in said
    talk.ask("Summarize this folder", "build", kind="folder")
    assert [call["file_path"] for call in talk.called("Read")] == [f"{CWD}/build/b.md"]
    talk.ask("Summarize this folder", "notes", kind="folder")
    assert f"{CWD}/notes/private.md" not in [call["file_path"] for call in talk.called("Read")]
    talk.ask("Summarize it", "notes/private.md")
    assert [call["file_path"] for call in talk.called("Read")] == [f"{CWD}/notes/private.md"]


def test_a_reference_that_leads_nowhere_is_told_and_the_rest_is_done():
    talk = Conversation(notes())
    said = talk.ask("Write a report on battery transport from @notes/a.md and @notes/gone.md.", "notes/a.md")
    assert said.startswith("`@notes/gone.md` was not found.")
    assert "I wrote **" in said
    assert "gone.md" not in talk.files["drafts/battery-transport.md"]


@pytest.mark.parametrize("typed", ["Write a report on batteries from @gone.md", "What does @gone/a.md say about costs?"])
def test_where_no_reference_leads_anywhere_nothing_is_made_up_from_other_files(typed):
    talk = Conversation(notes())
    said = talk.ask(typed)
    assert "was not found" in said
    assert NO_MODEL.search(said)
    assert not talk.calls
    assert "没有找到 `@没有.md`" in talk.ask("根据 @没有.md 写一份报告")


def test_the_plan_ends_completed():
    talk = Conversation(notes())
    talk.ask("Write a report on batteries")
    plans = [[todo["status"] for todo in call["todos"]] for call in talk.called("TodoWrite")]
    assert plans[0] == ["in_progress", "pending", "pending"]
    assert plans[-1] == ["completed"] * 3
    assert talk.calls[-1][0] == "TodoWrite"


def test_a_chinese_prompt_gets_chinese_words_and_file():
    talk = Conversation({"notes/中文.md": CHINESE})
    said = talk.ask("关于电池安全写一份报告，保存到 out/电池.md", "notes/中文.md")
    assert "电池安全非常重要。" in assert_sourced(talk.files["out/电池.md"], talk.files)
    assert "我把" in said
    assert NO_MODEL.search(said)


def test_the_file_asked_for_is_written_and_nothing_is_written_over():
    talk = Conversation({**notes(), "report.md": "My own words, which nobody should lose."})
    said = talk.ask("Write about batteries to report.md")
    assert talk.files["report.md"] == "My own words, which nobody should lose."
    assert_sourced(talk.files["report-2.md"], talk.files)
    assert "`report.md` exists already" in said


def test_a_name_that_turns_out_to_be_taken_is_numbered():
    talk = Conversation({**notes(), "drafts/batteries.md": "Hidden from the search."}, tools=("Read", "Write"))
    talk.ask("Write about batteries", "notes/a.md")
    assert talk.files["drafts/batteries.md"] == "Hidden from the search."
    assert_sourced(talk.files["drafts/batteries-2.md"], talk.files)


def test_shorter_keeps_half_of_the_quotations_and_every_word_of_the_user():
    talk = Conversation(notes())
    talk.ask("Summarize everything")
    path = "drafts/summary.md"
    before = assert_sourced(talk.files[path], talk.files)
    talk.files[path] += "\nMy own closing words.\n"
    said = talk.ask("shorter, please")
    after = [found[0] for line in talk.files[path].splitlines() if (found := quotation(line))]
    assert len(after) == -(-len(before) // 2)
    assert set(after) < set(before)
    assert "My own closing words." in talk.files[path]
    assert path in said


def test_a_draft_of_another_conversation_is_changed_where_it_is_referenced():
    talk = Conversation(notes())
    talk.ask("Summarize everything")
    before = assert_sourced(talk.files["drafts/summary.md"], talk.files)
    Conversation(talk.files).ask("shorten @drafts/summary.md", "drafts/summary.md")
    assert len(assert_sourced(talk.files["drafts/summary.md"], talk.files)) < len(before)


def test_a_section_is_added_to_the_same_file():
    talk = Conversation(notes())
    talk.ask("Write 2 sentences about batteries", "notes/a.md")
    before = talk.files["drafts/batteries.md"]
    talk.ask("add a section on costs")
    after = talk.files["drafts/batteries.md"]
    assert after.startswith(before.rstrip())
    assert "## Costs\n\n- A cell costs 3.50 euros. (notes/a.md)" in after.removeprefix(before.rstrip())
    assert [name for name, _ in talk.calls] == ["Read", "Edit"]
    assert_sourced(after, talk.files)


def test_continue_adds_what_is_not_there_yet_until_nothing_is_left():
    talk = Conversation(notes())
    talk.ask("Write 2 sentences about batteries", "notes/a.md")
    talk.ask("continue")
    quoted = assert_sourced(talk.files["drafts/batteries.md"], talk.files)
    assert len(quoted) == len(set(quoted)) > 2
    before = talk.files["drafts/batteries.md"]
    for _ in range(3):
        said = talk.ask("continue")
    assert "nothing in the files" in said
    assert len(assert_sourced(before, talk.files)) == 5


def test_a_file_referenced_later_joins_the_draft():
    talk = Conversation(notes())
    talk.ask("Write about batteries", "notes/a.md")
    talk.ask("add a section about tomatoes from @garden.txt", "garden.txt")
    assert "Tomatoes want six hours of sun every day. (garden.txt)" in talk.files["drafts/batteries.md"]


def test_a_section_on_what_no_file_says_is_not_made_up():
    talk = Conversation(notes())
    talk.ask("Write about batteries", "notes/a.md")
    before = talk.files["drafts/batteries.md"]
    said = talk.ask("add a section on quantum gravity")
    assert "quantum gravity" in said
    assert talk.files["drafts/batteries.md"] == before


def test_a_question_is_answered_with_quotations_and_no_file_is_written():
    talk = Conversation(notes())
    said = talk.ask("How much does the courier ask?")
    assert "The courier asks 20 euros for each battery box. (notes/b.md)" in said
    assert not talk.called("Write", "Edit")
    said = talk.ask("What do tomatoes want?")
    assert "six hours of sun" in said
    assert not talk.calls, "the files are known from the first question"


def test_a_question_that_no_file_answers_is_said_to_be_open():
    said = Conversation(notes()).ask("What is the capital of France?")
    assert "found nothing" in said
    assert NO_MODEL.search(said)


@pytest.mark.parametrize(
    "typed", ["hello", "What can you do?", "are you an AI?", "你好", "translate @notes/a.md to German", "thanks"]
)
def test_talk_needs_no_tools_and_no_pretense(typed):
    talk = Conversation(notes())
    said = talk.ask(typed)
    assert not talk.calls
    assert NO_MODEL.search(said) or "language model, and I am none" in said


def test_no_files_at_all():
    talk = Conversation({})
    said = talk.ask("Write a report on batteries")
    assert "nothing to read" in said
    assert not talk.called("Write")


def test_documents_that_cannot_be_opened_are_named():
    talk = Conversation({**notes(), "plan.docx": "PK", "scan.pdf": "%PDF"})
    said = talk.ask("Summarize everything")
    assert "`scan.pdf`: the offline engine cannot open pdf files" in said
    assert "`plan.docx`: the offline engine cannot open docx files" in said
    said = talk.ask("Summarize it", "scan.pdf")
    assert "cannot open pdf files" in said
    assert not talk.called("Write")


@pytest.mark.parametrize(
    ("prompt", "words"), [("What does it show?", "cannot see pictures or videos"), ("它显示了什么？", "看不见图片和视频")]
)
def test_it_says_that_it_cannot_see(prompt, words):
    talk = Conversation({**notes(), "photo.png": "\x89PNG", "film.mp4": "ftyp"})
    for name in ("photo.png", "film.mp4"):
        said = talk.ask(prompt, name)
        assert f"`{name}`" in said
        assert words in said
    assert not talk.called("Write")
    assert not talk.called("Read")


def test_a_file_that_cannot_be_read_is_named_with_the_reason():
    talk = Conversation(notes(), errors={("Read", "garden.txt"): "EACCES: permission denied, open 'garden.txt'"})
    said = talk.ask("Summarize these", "garden.txt", "missing.md", "notes/a.md")
    assert_sourced(talk.files["drafts/batteries.md"], talk.files)
    assert "`missing.md`: File does not exist." in said
    assert "`garden.txt`: EACCES" in said


def test_a_huge_file_is_read_in_part():
    talk = Conversation({"huge.md": "Each line of this file says that batteries are heavy.\n\n" * 20_000})
    said = talk.ask("Write about batteries", "huge.md")
    assert "`huge.md`: too large, read in part" in said
    assert_sourced(talk.files["drafts/batteries.md"], talk.files)


@pytest.mark.parametrize("tool", ["Write", "Read", "Glob"])
def test_a_denial_ends_it(tool):
    talk = Conversation(notes(), errors={(tool, "*"): "The user denied this. Reason: not this file."})
    said = talk.ask("Write a report on batteries")
    assert "not allowed" in said
    assert "not this file" in said
    assert len(talk.called(tool)) <= 3
    assert talk.files == notes()


def test_a_write_that_fails_is_not_called_done():
    talk = Conversation(notes(), errors={("Write", "*"): "ENOSPC: no space left on device"})
    said = talk.ask("Write a report on batteries")
    assert "could not write" in said
    assert "ENOSPC" in said


@pytest.mark.parametrize(
    "tools", [("Read",), ("Glob", "Write"), ("Grep", "Read", "Write"), ("TodoWrite",), ("Read", "Edit", "Bash")]
)
def test_only_offered_tools_are_called(tools):
    talk = Conversation(notes(), tools=tools)
    said = talk.ask("Write about batteries", "notes/a.md") + talk.ask("shorter") + talk.ask("Write about the garden")
    assert NO_MODEL.search(said)
    if "Read" in tools and "Write" not in tools:
        assert "here is the draft" in said


def test_its_own_drafts_are_not_quoted_again():
    talk = Conversation(notes())
    talk.ask("Write about batteries")
    talk = Conversation(talk.files)
    talk.ask("Write a report about a battery transport")
    assert "(drafts/batteries.md)" not in talk.files["drafts/battery-transport.md"]


def test_many_files_are_chosen_by_the_words_of_the_request():
    files = {f"notes/{number:03}.md": f"Note number {number} is about nothing in particular." for number in range(150)}
    talk = Conversation({**files, "z/last.md": "The lighthouse keeper counts the ships every evening."})
    said = talk.ask("Write about the lighthouse")
    assert "lighthouse keeper" in talk.files["drafts/lighthouse.md"]
    assert len(talk.called("Read")) == 20
    assert "131 files" in said


def test_an_earlier_draft_that_the_search_does_not_list_is_not_written_over():
    talk = Conversation({f"notes/{number:03}.md": f"The lighthouse number {number} is tall." for number in range(150)})
    talk.ask("Write about the lighthouse")
    before = talk.files["drafts/lighthouse.md"]
    talk.ask("Write about the lighthouse")
    assert talk.files["drafts/lighthouse.md"] == before
    assert_sourced(talk.files["drafts/lighthouse-2.md"], talk.files)


def test_an_interrupted_prompt_and_the_next_one_in_one_message():
    prompt = '{}\n\n<attachments>\n[{{"path": "notes/a.md", "name": "a.md", "type": "md"}}]\n</attachments>'
    texts = [prompt.format("hello"), "[Request interrupted by user]", prompt.format("Write about batteries")]
    message = {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}
    made = reply(parse_request(json.dumps({"messages": [message], "tools": [{"name": name} for name in TOOLS]})))
    assert [getattr(block, "name", "") for block in made] == ["", "TodoWrite", "Glob", "Read"]


def test_requests_of_the_cli_itself_get_a_short_text():
    def side(text: str) -> str:
        (block,) = reply(parse_request(json.dumps({"messages": [{"role": "user", "content": text}]})))
        assert isinstance(block, ReplyText)
        return block.text

    assert side("Write a report about batteries and their transport") == "Write a report about batteries and"
    assert json.loads(side("Return JSON with a title field"))["title"]


def test_a_draft_line_survives_parentheses():
    assert quotation("- It is (mostly) so. (notes (old)/a.md)") == ("It is (mostly) so.", "notes (old)/a.md")
    assert quotation("- It is (mostly) so.") is None


def test_shortening_leaves_a_foreign_document_alone():
    text = "# Mine\n\n## Empty\n\nProse (with parentheses).\n\n- an item (mine)\n"
    assert shorten(text).text == text


blocks = st.recursive(
    st.none()
    | st.booleans()
    | st.text()
    | st.sampled_from(["user", "assistant", "text", "tool_use", "tool_result", "Read", "Write"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "text", "role", "content", "id", "tool_use_id", "name", "input", "is_error", "file_path"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(st.lists(blocks, max_size=5), st.lists(st.sampled_from(TOOLS), unique=True))
def test_no_messages_make_it_raise(messages, tools):
    shaped: list[Any] = [{"role": "user", "content": "Write about it"}]
    for message in messages:
        content = message if isinstance(message, str | list) else [message]
        shaped.append({"role": "assistant" if len(shaped) % 2 else "user", "content": content})
    body = json.dumps({"messages": shaped, "tools": [{"name": name} for name in tools]})
    assert reply(parse_request(body))


words = st.sampled_from(
    ["battery", "Safety.", "costs", "第一句。", "(a.md)", "**bold**", "- ", "# ", "\n", "\n\n", "Dr.", "e.g.", "3.5", "?!", "`x`"]
)


@given(st.dictionaries(st.sampled_from(["a.md", "b (1).txt", "c.rst"]), st.lists(words, max_size=40).map(" ".join), min_size=1))
def test_every_drafted_sentence_stands_in_its_file(files):
    talk = Conversation(dict(files))
    talk.ask("Write about battery costs to out.md", *files)
    for prompt in ("", "longer", "shorter"):
        if prompt:
            talk.ask(prompt)
        for line in talk.files.get("out.md", "").splitlines():
            found = quotation(line)
            assert line.startswith(("#", ">")) or not line or found
            if found:
                assert "".join(found[0].split()).replace("*", "") in "".join(files[found[1]].split()).replace("*", "")


def test_a_summary_of_a_few_lines_is_said_and_not_filed():
    talk = Conversation(notes())
    said = talk.ask("Summarize @notes/a.md in three lines", "notes/a.md")
    assert len([line for line in said.splitlines() if line.startswith("- ")]) == 3
    assert talk.called("Write", "TodoWrite") == []
    assert NO_MODEL.search(said)


def test_an_outline_that_is_asked_for_is_headings_and_nothing_else():
    talk = Conversation(notes())
    said = talk.ask("Write an outline for a report on battery transport")
    (path,) = [call["file_path"] for call in talk.called("Write")]
    assert path.endswith("drafts/battery-transport-outline.md")
    lines = [line for line in talk.files["drafts/battery-transport-outline.md"].splitlines() if line]
    assert lines[0] == "# Battery transport"
    assert {"## Batteries", "## Transport"} <= set(lines)
    assert all(line.startswith("#") for line in lines)
    assert "/outline drafts/battery-transport-outline.md" in said


def test_a_comparison_is_named_after_what_is_compared():
    talk = Conversation(notes())
    talk.ask("Compare @notes/a.md with @garden.txt", "notes/a.md", "garden.txt")
    assert talk.files["drafts/comparison-a-garden.md"].startswith("# Comparison: a, garden\n")


def test_the_name_of_a_file_loses_an_apostrophe_and_no_letter():
    talk = Conversation(notes())
    talk.ask("Write a report on the battery's transport")
    assert "drafts/batterys-transport.md" in talk.files


def test_a_question_about_a_file_that_uses_other_words_is_shown_what_the_file_says():
    talk = Conversation(notes())
    said = talk.ask("What does @garden.txt say about vegetables?", "garden.txt")
    assert "No sentence holds the words of your question" in said
    assert "six hours of sun" in said


def test_a_request_to_an_agent_is_no_statement_to_quote():
    talk = Conversation(
        {"README.md": "# Try this\n\n> Write about the roof from @offer.pdf.\n", "roof.md": "The roof of the hall leaks.\n"}
    )
    said = talk.ask("What about the roof?")
    assert "The roof of the hall leaks." in said
    assert "@offer.pdf" not in said


@pytest.mark.parametrize("typed", ["continue", "Please go on.", "继续"])
def test_a_run_that_was_interrupted_goes_on_where_it_was(typed):
    talk = Conversation(notes(), errors={("Write", "*"): "The tool use was rejected"})
    talk.ask("Write a report on battery transport")
    talk.messages.append({"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]})
    talk.errors = {}
    said = talk.ask(typed)
    assert "drafts/battery-transport.md" in said
    assert talk.called("Read") == []
    assert talk.files["drafts/battery-transport.md"].startswith("# Battery transport\n")


def test_a_name_that_was_denied_is_free_afterwards():
    talk = Conversation(notes(), errors={("Write", "*"): "The user doesn't want to take this action right now."})
    talk.ask("Write about batteries to out.md", "notes/a.md")
    talk.errors = {}
    said = talk.ask("Write about batteries to out.md", "notes/a.md")
    assert "out.md" in talk.files
    assert "exists already" not in said


def test_a_question_that_the_files_read_before_do_not_answer_is_put_to_the_others():
    talk = Conversation(notes())
    talk.ask("Summarize @garden.txt in two lines", "garden.txt")
    said = talk.ask("How much does the courier ask?")
    assert "20 euros" in said
    assert "notes/b.md" in said


def test_what_the_engine_does_not_do_is_said_and_nothing_is_drafted():
    talk = Conversation(notes())
    talk.ask("Write a report on battery transport")
    before = dict(talk.files)
    said = talk.ask("delete drafts/battery-transport.md")
    assert "do not delete" in said and "Nothing was changed" in said
    assert talk.files == before and not talk.calls


@pytest.mark.parametrize("asked", ["Write an essay about cats", "写一篇关于猫的文章"])
def test_nothing_is_written_about_what_no_file_here_mentions(asked: str):
    talk = Conversation({**notes(), "c.md": CHINESE})
    said = talk.ask(asked)
    assert not talk.called("Write")
    assert "@" in said and "/setup" in said
    assert "cats" in said or "猫" in said


def test_a_file_that_is_named_is_drafted_from_whatever_it_says():
    talk = Conversation(notes())
    talk.ask("Write an essay about cats", "garden.txt")
    assert "Tomatoes" in talk.called("Write")[0]["content"]


def test_files_in_another_language_cannot_tell_whether_they_are_on_the_topic():
    talk = Conversation(notes())
    talk.ask("写一篇关于电池安全的报告")
    assert talk.called("Write")


def test_what_is_piped_in_is_what_the_prompt_is_about():
    talk = Conversation(notes())
    said = talk.ask("Summarize in two lines\n\n<stdin>\nThe roof leaks in autumn. It costs 300 euros.\n</stdin>")
    assert [line for line in said.splitlines() if line.startswith("- ")] == [
        "- The roof leaks in autumn. (stdin.txt)",
        "- It costs 300 euros. (stdin.txt)",
    ]
    assert talk.calls == []

    talk.ask("Write about the roof\n\n<stdin>\nThe roof leaks in autumn.\n</stdin>", "garden.txt")
    assert {quoted[1] for line in talk.files["drafts/roof.md"].splitlines() if (quoted := quotation(line))} >= {"stdin.txt"}


def test_a_section_on_what_the_draft_quotes_already_is_said_to_be_there():
    talk = Conversation({"电池.md": CHINESE})
    said = talk.ask("写一份关于电池的报告", "电池.md")
    assert "。 " not in said
    assert "都已引用" in talk.ask("加一节关于贴标签的内容")
    assert "没有关于" in talk.ask("加一节关于图书馆的内容")


def test_the_rows_of_a_table_do_not_crowd_out_what_is_said():
    rows = "".join(f"2025-{month:02},{6000 + month},{600 + month}\n" for month in range(1, 13))
    talk = Conversation(
        {"talk.txt": "We met in June. The hall was full. Nobody left early.\n", "visits.csv": f"month,visits,cards\n{rows}"}
    )
    talk.ask("Write a report for the committee. Begin with a recommendation.", "talk.txt", "visits.csv")
    assert set(sources_of(talk.files["drafts/report-for-the-committee.md"])) >= {"talk.txt", "visits.csv"}
    assert sources_of(talk.files["drafts/report-for-the-committee.md"]).count("talk.txt") == 3
