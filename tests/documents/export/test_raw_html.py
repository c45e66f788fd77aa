"""HTML in Markdown: whatever comes in, only what shows words comes out."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.export.raw_html import PAGE_BREAK, read_html, rewrite
from dogent_tui.documents.export.tree import node, plain_text, walk


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ('<td colspan="2" rowspan="0">c</td>', '<td colspan="2">c</td>'),
        ("<details><summary>s</summary>t</details>", "<details><summary>s</summary>t</details>"),
        (
            '<p style="page-break-before: always">x</p>',
            f'{PAGE_BREAK}<p style="page-break-before: always">x</p>',
        ),
        ("<!-- PageBreak --><!-- other -->", PAGE_BREAK),
        ("<o:p>words</o:p> &lt;script&gt; & <", "words &lt;script&gt; &amp; &lt;"),
        ("<script>a<b></b></script>after", "after"),
        ("<svg><svg><text>a</text></svg>b</svg>after", "after"),
        ("<IFRAME src=x>inside</IFRAME>after", "after"),
        ("<embed src=x>after<main>all", "afterall"),
        ('<img onerror="x()">', ""),
        (
            (
                "<table><tr><th rowspan=2>a</th><th"
                " colspan=2>b</th></tr><tr><th>c</th><th>d</th></tr><tr><td>1</td></tr></table>"
            ),
            (
                '<table><thead><tr><th rowspan="2">a</th><th'
                ' colspan="2">b</th></tr><tr><th>c</th><th>d</th></tr></thead>'
                "<tr><td>1</td></tr></table>"
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a <main>b</main> <button>c</button> <o:p>d</o:p> e", "a b c d e"),
        ("a <h2>b</h2> <pre>c</pre> <ul><li>d</li></ul>e", "a b c d e"),
        ("a <img> <title>b</title><center>c</center>", "a bc"),
    ],
)
def test_the_words_of_all_elements_stay_in_their_line(html, text):
    (line,) = read_html([node("Para", [node("RawInline", ["html", html])])], str, None)
    assert plain_text([line]) == text


@pytest.mark.slow
def test_the_language_of_code_and_the_sides_of_cells_are_kept():
    code = '<pre><code class="language-python">x</code></pre>'
    cell = '<table><tr><td align="right">1</td><td style="text-align: center">2</td></tr></table>'
    blocks = read_html([node("RawBlock", ["html", code + cell])], str, None)
    assert blocks[0] == node("CodeBlock", [["", ["python"], []], "x"])
    (row,) = blocks[1]["c"][4][0][3]
    assert [cell[1]["t"] for cell in row[1]] == ["AlignRight", "AlignCenter"]


@pytest.mark.slow
def test_html_in_a_line_stands_around_what_the_line_has():
    raw, words = (lambda text: node("RawInline", ["html", text])), node("Str", "a&b")
    line = [raw("<q>"), words, raw("<kbd>"), node("Emph", [words, raw("<br>")]), raw("<img>")]
    more = [raw("</kbd></q><main>x"), raw("<code>"), node("Emph", [words]), raw("</code>")]
    (paragraph,) = read_html([node("Para", [*line, *more])], str, None)
    quoted, after, code = paragraph["c"]
    (key,) = (part for part in walk(quoted) if part["t"] == "Span")
    assert key["c"] == [["", ["kbd"], []], [node("Emph", [words, {"t": "LineBreak"}])]]
    assert (plain_text([quoted]), after) == ("a&ba&b", node("Str", "x"))
    assert code == node("Code", [["", [], []], "a&b"])


@pytest.mark.slow
def test_a_note_in_a_line_with_html_stays_out_of_the_line():
    note = node("Note", [node("Para", [node("Str", "told")])])
    line = [node("RawInline", ["html", "<b>"]), node("Str", "words"), note]
    (paragraph,) = read_html([node("Para", line)], str, None)
    assert [part for part in walk([paragraph]) if part["t"] == "Note"] == [note]
    assert plain_text([paragraph]).count("told") == plain_text([node("Para", [note])]).count("told")


@pytest.mark.slow
def test_html_that_is_no_document_takes_nothing_along():
    texts = ["<td>one", "<li>two<dt>", "<b>three", "<ul><td>", "<!-- none -->"]
    blocks = []
    for number, text in enumerate(texts):
        blocks += [node("RawBlock", ["html", text]), node("Para", [node("Str", f"{number}")])]
    assert plain_text(read_html(blocks, str, None)) == "one 0 two 1 three 2 3 4"


def test_what_is_dropped_is_named():
    dropped: list[str] = []
    rewrite(
        "<script></script><embed src=x><object></object><marquee>x</marquee><p>", dropped.append
    )
    assert dropped == ["embed", "script", "object"]


class Found(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)


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
    assert "<script" not in written.lower()
