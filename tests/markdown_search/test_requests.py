"""The record of requests: each allows one call, and only after it was approved."""

import pytest

from dogent_tui.markdown_search.model import MarkdownSearchError
from dogent_tui.markdown_search.requests import RequestBook

CALL = {"path": "a.md", "reason": "To see"}


@pytest.fixture
def book():
    made = RequestBook()
    made.open("one", "read_markdown_file", "read", CALL)
    return made


def use(book, **values):
    return book.use("read_markdown_file", {**CALL, **values})


def test_a_request_says_what_was_asked_and_allows_one_call(book):
    (request,) = book.all()
    assert (request.id, request.tool, request.action, request.reason) == (
        "one",
        "read_markdown_file",
        "read",
        "To see",
    )
    assert (request.parameters, request.status) == ({"path": "a.md"}, "pending")
    assert request.timestamp.endswith("+00:00")
    with pytest.raises(MarkdownSearchError):
        use(book)
    book.settle("one", "approved")
    with pytest.raises(MarkdownSearchError):
        use(book, path="b.md")
    with pytest.raises(MarkdownSearchError):
        book.use("search_markdown_files", CALL)
    assert use(book).used
    with pytest.raises(MarkdownSearchError, match="was already made"):
        use(book)
    book.settle("one", "approved")  # late words change nothing
    with pytest.raises(MarkdownSearchError):
        use(book)


def test_what_was_denied_stays_denied_and_an_id_counts_once(book):
    book.settle("one", "denied")
    book.settle("one", "approved")
    with pytest.raises(MarkdownSearchError):
        use(book)
    with pytest.raises(MarkdownSearchError, match="already made"):
        book.open("one", "read_markdown_file", "read", CALL)
    book.settle("unknown", "approved")
    assert [request.status for request in book.all()] == ["denied"]


def test_two_requests_for_the_same_allow_two_calls(book):
    book.open("two", "read_markdown_file", "read", CALL)
    book.settle("one", "approved")
    book.settle("two", "approved")
    assert [use(book).id, use(book).id] == ["one", "two"]
