"""The requests that an empty conversation offers: about what is there, and such that every
engine can do them.
"""

import io
import json

import pytest

from dogent_tui import language
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.offline.requests import parse_request
from dogent_tui.print_mode import PrintRequest, run_print
from dogent_tui.references.lookup import find_references, resolve
from dogent_tui.sample import copy_sample
from dogent_tui.sample.requests import requests_for
from dogent_tui.storage.paths import Workspace

_SAMPLE = (
    "README.md",
    "meeting-notes.md",
    "interview-okafor.txt",
    "visits-2025.csv",
    "budget-2026.xlsx",
)


def test_those_of_the_sample_name_files_that_are_there(tmp_path):
    workspace = Workspace(copy_sample(tmp_path / "sample"))
    requests = requests_for([path.name for path in workspace.root.iterdir()])
    assert requests == requests_for(_SAMPLE)
    assert len(requests) == 3
    references = find_references("\n".join(requests))
    assert len(references) == 4
    assert all(resolve(reference, workspace).exists for reference in references)


@pytest.mark.parametrize(
    ("paths", "requests"),
    [
        ([], ()),
        (["photo.jpg"], ("Which files are here?",)),
        (
            ["a b.md", "data/销售.csv", "c.docx"],
            (
                'Show the outline of @"a b.md"',
                "What is the largest value in @data/销售.csv?",
                'Draft a report from @"a b.md" and @c.docx',
            ),
        ),
        (
            ["letter.pdf"],
            (
                "Draft a report from @letter.pdf",
                "Which files are here?",
                "How many words does @letter.pdf have?",
            ),
        ),
        (
            ["sums.xlsx", ".hidden.md"],
            ("What is the largest value in @sums.xlsx?", "Which files are here?"),
        ),
    ],
)
def test_other_folders_are_asked_about_what_they_hold(paths, requests):
    assert requests_for(paths) == requests


def test_they_are_in_the_language_of_the_interface(monkeypatch, request):
    monkeypatch.setenv("DOGENT_LANGUAGE", "zh_CN")
    request.addfinalizer(lambda: (monkeypatch.undo(), language.choose("")))
    language.choose("")
    paths = ["销售.csv", "笔记.md", "c.docx"]
    said = requests_for(paths)
    assert said[2] == "根据 @笔记.md 和 @c.docx 起草一份报告"
    read = [parse_request(one, [], paths) for one in said]
    assert [one.verb for one in read] == ["outline", "ask", "draft"], "possible without a model"
    assert [one.files for one in read] == [["笔记.md"], ["销售.csv"], ["笔记.md", "c.docx"]]


@pytest.mark.thorough_after(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0, "two years, from September to June"),
        (1, "1,485"),
        (2, "drafts/"),
    ],
)
async def test_those_of_the_sample_succeed_without_a_model(home, number, told):
    workspace = Workspace(copy_sample(home / "dogent-sample"))
    request = requests_for(_SAMPLE)[number]
    out = io.StringIO()
    opened = open_session(workspace, SessionOptions(profile="offline", answered_by="nobody"))
    status = await run_print(opened, PrintRequest(request, "", "json", None), out, io.StringIO())
    assert status == 0, out.getvalue()
    assert told in json.loads(out.getvalue())["result"]
    written = [
        path.relative_to(workspace.root).as_posix() for path in workspace.root.glob("drafts/*.md")
    ]
    assert len(written) == (1 if number == 2 else 0)
