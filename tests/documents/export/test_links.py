"""Links that a document may have, and the places in it that they lead to."""

from pathlib import Path

import pytest

from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.documents.export.links import Targets, refusal
from dogent_tui.documents.export.source import MarkdownSource


@pytest.mark.parametrize(
    "address",
    [
        "#a",
        "https://example.com",
        "HTTP://example.com",
        "mailto:a@b.c",
        "tel:+49",
        "report.pdf#page=3",
        "../my%20sources/Report.PDF#page=12",
    ],
)
def test_links_to_the_web_into_the_document_and_to_pages_beside_it_are_kept(address):
    assert refusal(address) == ""


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "FILE:///x",
        " file:x",
        "javascript:alert(1)",
        "data:text/html,x",
        "other.md",
        "report.pdf",
        "report.docx#page=3",
        "report.pdf#page=0",
        "//host/report.pdf#page=3",
        "%2F%2Fhost/report.pdf#page=3",
        "\\\\host\\report.pdf#page=3",
        "%5C%5Chost%5Creport.pdf#page=3",
        "file:report.pdf#page=3",
        "C:/report.pdf#page=3",
        "/etc/passwd",
        "",
    ],
)
def test_all_others_are_not(address):
    assert refusal(address)


def test_each_target_has_a_name_of_its_own():
    targets = Targets()
    names = [targets.add("Same", name) for name in ("same", "same", "same", "")]
    assert names == ["same", "same-1", "same-2", "section"]
    assert targets.add("Same 1", "same-1") == "same-1-1"


def test_a_link_finds_its_heading_though_it_is_spelt_a_little_differently():
    targets = Targets()
    targets.add("The End: of 中文", "the-end-of-中文")
    for address in (
        "#the-end-of-中文",
        "#The-End-of-中文",
        "#the_end_of_中文",
        "#the-end-of-%E4%B8%AD%E6%96%87",
    ):
        assert targets.find(address) == "the-end-of-中文"
    assert targets.find("#other") is None


def test_what_is_left_out_is_told_once_and_not_for_ever():
    left_out = LeftOut()
    for number in range(100):
        left_out.add("Link", f"a{number}\n\x1b.md", "it is not here")
        left_out.add("Link", "b.md", "it is not here")
    told = left_out.sentences()
    assert told[0] == "Link a0 ␛.md: it is not here."
    assert told[1] == "Link b.md (100 times): it is not here."
    assert told[-1] == "And 61 more like this."


def test_what_is_left_out_is_told_with_its_line():
    text = "one\n\n[two](b.md) <IFRAME src=x>\n\n[again](b.md)\n"
    left_out = LeftOut(MarkdownSource(Path("a.md"), text, first_line=10))
    for _ in range(2):
        left_out.add("Link", "b.md", "it is not here")
    left_out.add("HTML", "<iframe>", "it loads something")
    assert left_out.sentences() == [
        "Link b.md (2 times, first in line 12): it is not here.",
        "HTML <iframe> (line 12): it loads something.",
    ]
