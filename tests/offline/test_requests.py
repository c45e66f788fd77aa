"""What a prompt asks for: the file that is written, and those that are sources."""

import pytest

from dogent_tui.offline.requests import parse_request

PATHS = ("notes.md", "memo.txt", "巡演.md")


@pytest.mark.parametrize(
    ("typed", "verb", "files", "target"),
    [
        ("summarize notes.md into short.md", "draft", ["notes.md"], "short.md"),
        ("summarize notes.md", "summarize", ["notes.md"], ""),
        ("Create a summary of notes.md in literature.md", "draft", ["notes.md"], "literature.md"),
        ("Write a leaflet from notes.md, file: leaflet.md", "draft", ["notes.md"], "leaflet.md"),
        ("用 notes.md 写一份报告，保存为 周日.md", "draft", ["notes.md"], "周日.md"),
        ("write a report from gone.md", "draft", [], ""),
        ("count the words in gone.md", "count", [], ""),
    ],
)
def test_a_file_that_is_not_there_is_the_one_to_write_unless_it_is_a_source(
    typed, verb, files, target
):
    request = parse_request(typed, (), PATHS)
    assert (request.verb, request.files, request.target) == (verb, files, target)
    assert ("gone.md" in request.missing) is ("gone.md" in typed)


@pytest.mark.parametrize(
    "typed",
    [
        "how are you today?",
        "hi there, how are you?",
        "which model are you?",
        "what's the weather in Ghent?",
    ],
)
def test_chatter_is_no_question_about_the_files(typed):
    assert parse_request(typed, (), PATHS).verb == "none"
