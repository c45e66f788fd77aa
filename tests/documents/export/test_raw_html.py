"""HTML in Markdown, written anew: whatever comes in, only harmless elements come out."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.export.raw_html import PAGE_BREAK, rewrite


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ('<b onclick="x()" style="x">a</b>', "<b>a</b>"),
        ('<a href="https://a.b" target=x>l</a>', '<a href="https://a.b">l</a>'),
        (
            '<td colspan="2" rowspan="0" align="RIGHT" bgcolor=red>c</td>',
            '<td colspan="2" style="text-align: right">c</td>',
        ),
        ("<details><summary>s</summary>t</details>", "<details><summary>s</summary>t</details>"),
        ('<p style="page-break-before: always">x</p>', f"{PAGE_BREAK}<p>x</p>"),
        ("<!-- PageBreak --><!-- other -->", f"{PAGE_BREAK}<div></div>"),
        ("<a name='x y'></a>", '<a id="x y"></a>'),
        ("<o:p>words</o:p> &lt;script&gt; & <", "words &lt;script&gt; &amp; &lt;"),
        ("<script>a<b></b></script>after", "after"),
        ("<svg><svg><text>a</text></svg>b</svg>after", "after"),
        ("<IFRAME src=x>inside</IFRAME>after", "after"),
        ('<img src="a.png" width=3 onerror="x()" srcset="b.png">', '<img src="a.png" width="3">'),
        (
            (
                "<table><tr><th rowspan=2>a</th><th"
                " colspan=2>b</th></tr><tr><th>c</th><th>d</th></tr><tr><td>1</td></tr></table>"
            ),
            (
                '<table><thead><tr><th rowspan="2">a</th><th'
                ' colspan="2">b</th></tr><tr><th>c</th><th>d</th></tr></thead>'
                "<tbody><tr><td>1</td></tr></tbody></table>"
            ),
        ),
        (
            "<table><tr><th>a</th><td>1</td></tr></table>",
            "<table><tr><th>a</th><td>1</td></tr></table>",
        ),
    ],
)
def test_it_keeps_what_shapes_the_words(html, written):
    assert rewrite(html, str) == written


def test_what_is_dropped_is_named():
    dropped: list[str] = []
    rewrite(
        "<script></script><embed src=x><object></object><marquee>x</marquee><p>", dropped.append
    )
    assert dropped == ["script", "embed", "object", "marquee"]


class Found(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


PIECES = st.sampled_from(
    ["<", ">", "</", "/>", "script", "iframe", "b", "img", "a", " href=", " src=", " onload=", '"',
        "'", "`", "=", "x", " ", "\n",
     "<!--", "-->", "<![CDATA[", "]]>", "<?", "&lt;", "&#60;", "style", "svg", "td",
     " align=center", "title", "textarea", "\0"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25))
def test_nothing_else_comes_out_whatever_goes_in(pieces):
    written = rewrite("".join(pieces), str)
    found = Found(written)
    assert found.tags <= {"b", "a", "td", "div", "img"}
    assert found.attributes <= {"href", "id", "style", "class", "src"}
    assert "<script" not in written.lower()
