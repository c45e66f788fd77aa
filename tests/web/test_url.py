"""Addresses of pages: what is taken, what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from dogent_tui.web.model import WebError
from dogent_tui.web.url import joined, parse_url


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("example.com/x#part", "https://example.com/x"),
        ("//example.com/x", "https://example.com/x"),
        (" http://Example.COM:80/a b?q=ä ", "http://example.com/a%20b?q=%C3%A4"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://例え.テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://example.com./", "https://example.com/"),
        ("https://example.com/%2F?a=%26", "https://example.com/%2F?a=%26"),
        ("localhost:8080/x", "https://localhost:8080/x"),
    ],
)
def test_addresses_are_read_as_they_are_meant(text: str, expected: str) -> None:
    assert str(parse_url(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x",
        "http://", "http:///x", "https://a..b/",
     "https://-a.example/", "http://x:0/", "http://x:99999/", "http://exa mple.com/",
     "http://a:b@example.com/", "x" * 9000],
)  # fmt: skip
def test_what_is_no_address_of_a_page_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(WebError) as caught:
        parse_url(text)
    assert caught.value.code == "bad_url"
    assert caught.value.message.endswith(".")
    assert len(caught.value.message) < 300


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for candidate in (
        text,
        f"http://{text}",
        f"https://example.com/{text}",
        f"http://{text}@example.com",
    ):
        try:
            url = parse_url(candidate)
        except WebError:
            continue
        assert url.scheme in {"http", "https"}
        assert url.user is None
        assert parse_url(str(url)) == url


@given(st.text(max_size=80))
def test_any_location_leads_somewhere_or_is_refused(location: str) -> None:
    try:
        assert joined(URL("https://example.com/a/b"), location).scheme in {"http", "https"}
    except WebError as error:
        assert error.code == "bad_url"
