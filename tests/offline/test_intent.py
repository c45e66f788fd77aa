"""What prompts ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.offline.conversation import Run, Source
from dogent_tui.offline.intent import intent_of


@pytest.mark.parametrize(
    ("typed", "has_draft", "kind"),
    [
        ("hello", False, "chat"),
        ("What can you do?", True, "chat"),
        ("你好！", False, "chat"),
        ("", False, "chat"),
        ("Thanks a lot!", True, "thanks"),
        ("Translate it to German", True, "unable"),
        ("请把草稿翻译成英文", True, "unable"),
        ("delete drafts/compare-them.md", True, "by_hand"),
        ("Please remove the second paragraph", True, "by_hand"),
        ("could you rename it to plan.md?", True, "by_hand"),
        ("把 a.md 移动到 drafts", False, "by_hand"),
        ("删除这个文件", False, "by_hand"),
        ("Write a report on moving house", False, "draft"),
        ("Write a poem about cats", False, "unable"),
        ("tell me a funny story", False, "unable"),
        ("写一首关于猫的诗", False, "unable"),
        ("Write a report about user stories", False, "draft"),
        ("spellcheck this", False, "unable"),
        ("写一份关于删除数据的报告", False, "draft"),
        ("Write a report about batteries", False, "draft"),
        ("Can you write a summary of the meeting?", False, "draft"),
        ("The climate of the Baltic", False, "draft"),
        ("How much does the courier ask?", False, "question"),
        ("电池的主要风险是什么？", True, "question"),
        ("make it shorter", True, "shorter"),
        ("短一点", True, "shorter"),
        ("continue", True, "longer"),
        ("继续", True, "longer"),
        ("add a section on costs", True, "section"),
        ("加一节关于成本的内容", True, "section"),
        ("tell me more about costs", True, "section"),
        ("add a section on costs", False, "draft"),
        ("Write a shorter report on boats", True, "draft"),
        ("Summarize it in five lines", False, "lines"),
        ("Give me the three main points", False, "lines"),
        ("用五句话总结", False, "lines"),
        ("Summarize it in five lines to report.md", False, "draft"),
        ("Write a report in 40 lines", False, "draft"),
        ("Summarize it in one paragraph", False, "lines"),
        ("简单一点", True, "draft"),
        ("关于成本写一份简短的报告", True, "draft"),
        ("Write a detailed essay about the history of lighthouses, with more numbers than before", True, "draft"),
    ],
)
def test_the_kind_of_a_prompt(typed, has_draft, kind):
    assert intent_of(Run(typed), has_draft=has_draft).kind == kind


@pytest.mark.parametrize(
    ("typed", "topic"),
    [
        ("Write a short report on battery safety for @notes/a.md", "battery safety"),
        ("Summarize these notes", ""),
        ("Write a summary of @plan.md and @chapter.md to summary.md", ""),
        ("总结 @plan.md 和 @chapter.md", ""),
        ("Please write about the harbor, using @a.md and @b.md", "harbor"),
        ("关于电池安全写一份报告，保存到 drafts/电池.md", "电池安全"),
        ("Add a section on running costs.", "running costs"),
        ("根据文件夹中的资料写一份图书馆报告的大纲", "图书馆报告"),
        ("请基于这些文件，帮我写一篇关于茶的报告", "茶"),
        ("参考会议笔记里的内容整理一份预算概述", "预算概述"),
        ("Summarize @plan.md in five lines", ""),
        ("用三句话总结 @plan.md", ""),
        ("总结一下这个文件夹里的所有资料", ""),
        ("Compare @plan.md and @chapter.md", ""),
        ("Compare the repair offer with the budget", "repair offer and the budget"),
        ("Compare @plan.md with @chapter.md on the costs", "costs"),
        ("比较 @plan.md 和 @chapter.md", ""),
        ("Write an outline for a proposal to extend the opening hours from @plan.md", "extend the opening hours"),
        ("write an outline for a report on the library's opening hours", "library's opening hours"),
        ("为一份关于图书馆维修的报告写大纲", "图书馆维修"),
        ("List the open points from @plan.md", "open points"),
        ("Write a letter to the mayor from @plan.md", ""),
        ("Write an email to the staff about the extra hours", "extra hours"),
        ("给市长写一封信", ""),
        ("写一封关于机器维修的邮件给供应商", "机器维修"),
        ("Summarize the main points of @plan.md in 5 bullet points", ""),
        ("列出 @plan.md 中的待办事项", "待办事项"),
        ("为开放项目写一份提案大纲", "开放项目"),
    ],
)
def test_the_topic_is_in_the_persons_words(typed, topic):
    assert intent_of(Run(typed), has_draft=True).topic == topic


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Write a two-page report for the committee from @plan.md and @b.txt", "Report for the committee"),
        ("Please draft a short letter to the mayor", "Letter to the mayor"),
        ("Write minutes of @plan.md", "Minutes"),
        ("Write a short report for the board to out.md from @plan.md", "Report for the board"),
        ("Write a summary of @plan.md", ""),
        ("给市长写一封信", "给市长的信"),
        ("写一封给市长的信", "给市长的信"),
        ("写一封信给市长", "给市长的信"),
        ("根据 @plan.md 写会议纪要", "会议纪要"),
        ("写一篇新闻稿", "新闻稿"),
    ],
)
def test_what_the_user_calls_it(typed, name):
    assert intent_of(Run(typed), has_draft=False).name == name


def test_a_chinese_request_goes_on_right_after_the_name_of_a_file():
    run = Run("根据@notes/a.md写一份读者意见总结", (Source("notes/a.md", "md"),))
    assert intent_of(run, has_draft=False).topic == "读者意见总结"


@pytest.mark.parametrize(
    ("typed", "output"),
    [
        ("Summarize everything to report.md please", "report.md"),
        ("Write it to `my report.md`", "my report.md"),
        ("保存到 drafts/电池.md", "drafts/电池.md"),
        ("Summarize @notes/a.md", ""),
        ("Summarize what notes/a.md says", ""),
        ("Summarize notes/a.md into notes/a.md", "notes/a.md"),
    ],
)
def test_the_file_asked_for(typed, output):
    assert intent_of(Run(typed, (Source("notes/a.md", "md"),)), has_draft=False).output == output


def test_the_length_asked_for():
    def count(typed: str) -> int:
        return intent_of(Run(typed), has_draft=False).count

    assert count("Write 5 sentences about it") == count("Summarize it in five lines") == count("用五句话总结") == 5
    assert count("下午3点开会的通知") == count("写一个通知") == count("写两份通知") == count("Write a report")
    assert count("Write a brief report") < count("Write a report") < count("Write a detailed report")


def test_the_language_follows_the_prompt():
    assert intent_of(Run("写一份报告 about batteries"), has_draft=False).language == "zh"
    assert intent_of(Run("Write about 电池"), has_draft=False).language == "en"


@given(st.text(), st.booleans())
def test_every_prompt_asks_for_something(typed, has_draft):
    intent = intent_of(Run(typed), has_draft=has_draft)
    assert len(intent.topic) <= 80
    assert "\n" not in intent.topic
    assert 1 <= intent.count <= 100


@pytest.mark.parametrize(
    ("typed", "path", "kind"),
    [
        ("fix @notes/a.md", "notes/a.md", "revise"),
        ("Please proofread @notes/a.md", "notes/a.md", "revise"),
        ("shorten notes.md", "", "revise"),
        ("请校对 @notes/a.md", "notes/a.md", "revise"),
        ("修改 @notes/a.md 的错别字", "notes/a.md", "revise"),
        ("fix the tap", "", "draft"),
        ("translate and fix @notes/a.md", "notes/a.md", "unable"),
        ("Write a report on how to fix a tap with @notes/a.md", "notes/a.md", "draft"),
        ("fix @data.xlsx", "data.xlsx", "draft"),
    ],
)
def test_a_file_is_revised_where_it_is_named(typed, path, kind):
    sources = (Source(path, path.rpartition(".")[2]),) if path else ()
    intent = intent_of(Run(typed, sources), has_draft=False)
    assert (intent.kind, bool(intent.revise)) == (kind, kind == "revise")
