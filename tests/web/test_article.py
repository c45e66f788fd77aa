"""Articles of pages: what is taken, completed and left out; and pages that are none."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.model import ReadOptions, WebPage
from dogent_tui.web.article import find_article
from dogent_tui.web.article_lines import tidied
from dogent_tui.web.page import open_page
from dogent_tui.web.plain_page import plain_blocks

WORDS = (
    "The committee agreed on Tuesday, after a long debate, that the bridge should be painted blue"
    " before winter comes."
)
URL = "https://example.com/news/bridge"


def plain_text(html: str) -> str:
    return "\n\n".join(plain_blocks(html, URL))


def page(body: str, head: str = "") -> str:
    return (
        "<!doctype html><html><head><title>Bridge |"
        f" Daily</title>{head}</head><body>{body}</body></html>"
    )


def article(*paragraphs: str) -> str:
    return "<h1>The bridge</h1>" + "".join(
        f"<p>{text}</p>"
        for text in paragraphs
        or [f"On day {day}: {WORDS} {WORDS} That was day {day}." for day in "abcd"]
    )


def test_the_introduction_above_the_article_is_a_part_of_it() -> None:
    lead = (
        "Two bridges of the town will get a new color this year, says the plan that the council"
        " published on Monday morning; the works begin in May. It costs 120,000 in all, paint"
        " included."
    )
    html = page(
        f"<h1>The bridge</h1><div class='article-intro'>{lead}</div><main><article>"
        + article()[19:]
        + "</article></main>"
    )
    found = find_article(html, URL).markdown
    assert found.startswith(lead)
    assert found.count(lead) == 1


def test_definitions_of_an_interface_stay_and_no_heading_ends_in_the_sign_of_its_link() -> None:
    definition = (
        "<dl class='py function'><dt class='sig' id='paint'><span>paint</span>(<em>color</em>)"
        "<a class='headerlink' href='#paint' title='Link to this definition'>¶</a></dt>"
        "<dd><p>Paints the bridge, which takes until the winter, in a color.</p></dd></dl>"
    )
    heading = "<h2 id='colors'><a class='doc-anchor' href='#colors'>§</a>Colors</h2>"
    title = "<section id='bridge'><h1>The bridge<a class='headerlink' href='#bridge'>¶</a></h1>"
    found = find_article(page(title + article()[19:] + heading + definition + "</section>"), URL)
    assert found.title == "The bridge"
    assert "## Colors" in found.blocks
    assert "paint(*color*)\n: Paints the bridge" in found.markdown


def test_headings_that_extractors_drop_belong_to_what_is_below_them() -> None:
    heading = (
        "<div class='mw-heading'><h2 id='paint'>Paint</h2><span class='mw-editsection'>"
        "[<a href='/e'>edit</a>]</span></div>"
    )
    contents = "<aside><ul><li><a href='#paint'>Paint</a></ul></aside>"
    body = f"{contents}<h1>The bridge</h1>{article()[19:]}{heading}{article()[19:]}"
    assert find_article(page(f"<main>{body}</main>"), URL).blocks.count("## Paint") == 1
    assert "edit" not in find_article(page(f"<main>{body}</main>"), URL).markdown


def test_all_posts_of_a_discussion_are_read() -> None:
    posts = [f"Post {number}: {WORDS} {WORDS}" for number in "abc"]
    body = "".join(
        f"<div class='answer'><div class='s-prose js-post-body' itemprop='text'><p>{post}</p></div>"
        "<a href='/share'>Share</a></div>"
        for post in posts
    )
    found = find_article(page(f"<h1>Who paints it?</h1><div id='mainbar'>{body}</div>"), URL)
    assert list(found.blocks) == posts


def test_what_stands_around_an_article_is_left_out() -> None:
    body = (
        "<nav><a href=/a>Home</a></nav><div class='cookie-banner'>We use cookies for"
        " everything.</div><article><h1>The"
        f" bridge</h1><p>{WORDS * 3}</p><p>Advertisement</p><p><strong>READ MORE: <a href=/x>Ten"
        f" bridges you have to see before you die</a></strong></p><p>{WORDS * 3}</p><div"
        " class='share-buttons'><a href=/s>Share on"
        f" everything</a></div><p>{WORDS * 2}</p><p>Follow us on Twitter and never miss a"
        " bridge.</p></article><div class='related-articles'><h3>Related</h3><a href=/r>Another"
        " bridge</a></div><div style='display: none'>Hidden words</div><footer>Imprint</footer>"
    )
    found = find_article(page(body), URL).markdown
    assert found.count("committee agreed") == 8
    for unwanted in (
        "Home",
        "cookies",
        "Advertisement",
        "READ MORE",
        "Share on",
        "Follow us",
        "Another",
        "Hidden",
        "Imprint",
        "# The bridge",
    ):
        assert unwanted not in found


def test_a_page_without_an_article_gives_all_of_its_text_and_says_so() -> None:
    links = "".join(f"<li><a href='/{number}'>Entry {number}</a></li>" for number in range(40))
    found = find_article(page(f"<h1>Index</h1><ul>{links}</ul>"), URL)
    assert "Entry 7" in found.markdown
    assert "https://example.com/7" in found.markdown
    empty = find_article(page("<div id=root></div><script>start()</script>"), URL)
    assert (empty.markdown, empty.title) == ("", "Bridge")
    assert empty.warnings == (
        "The page contains no text: its scripts would load it, and they are not run.",
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "<h1>Otters</h1><ul><li><a href=/a>one</a><li><a href=/b>two</a></ul>",
            "# Otters\n\n- [one](https://example.com/a)\n- [two](https://example.com/b)",
        ),
        ("<h1>Otters</h1>", "# Otters"),
    ],
    ids=["links below a title", "a title alone"],
)
def test_a_page_of_which_only_the_title_is_told_gives_all_of_its_text(body: str, text: str) -> None:
    found = find_article(f"<!doctype html><title>Otters</title><body>{body}</body>", URL)
    assert (found.markdown, len(found.warnings)) == (text, 1)


def test_the_plain_text_of_a_page_comes_while_it_is_being_read() -> None:
    found = plain_blocks("<h1>Otters</h1><ul><li>one<li>two</ul><p>Three." + "<p>x" * 90_000, URL)
    assert [next(found), next(found), next(found)] == ["# Otters", "- one\n- two", "Three."]
    assert max(map(len, plain_blocks("<p>" + "word " * 100_000, URL))) <= 150_000


def test_a_page_that_is_one_form_has_text() -> None:
    """Some servers wrap all that they make into one."""
    assert (
        plain_text(
            f"<body><form><p>{WORDS}</p><select><option>a</select><button>Send</button></form>"
        )
        == WORDS
    )


def test_plain_text_of_a_page_keeps_its_structure() -> None:
    html = page(
        "<script>var a = '<p>no</p>';</script>"
        "<h2>One &amp; two</h2><p>A <b>word</b> and <a href='../x y'>a link</a></p>"
        "<ul><li>first<li>second</ul>"
        "<table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x\n  y ```</pre>"
        "<nav>menu <div>deep</div></nav><p>end<br>of it</p><!-- no --"
    )
    assert plain_text(html).split("\n\n") == [
        "## One & two",
        "A word and [a link](https://example.com/x%20y)",
        "- first\n- second",
        "a | b",
        "1 | 2",
        "````\nx\n  y ```\n````",
        "end\nof it",
    ]


@given(st.text(alphabet=st.sampled_from(list("<>/!-abp hli\"'=&;#1é\n[]()")), max_size=200))
def test_any_markup_is_read(html: str) -> None:
    assert isinstance(plain_text(html), str)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    "piece",
    ["<div>", "<a href=x>y", "<b><i><p>x</b></i>", "<", "<!--", "<p>x", "<table><tr><td>x", "[x]("],
)
def test_tangled_pages_are_read_plainly_in_one_pass(piece: str, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(piece * (400_000 // len(piece)))
    opened = open_page(file, ReadOptions(page=WebPage(URL, plain=True)), lambda *_: None)
    assert isinstance(list(opened.blocks), list)
    assert opened.warnings


@pytest.mark.parametrize(
    "html",
    [
        f"<p>x</p><{'a' * 300_000}",
        "<p>x<script>" + "</script " * 100_000,
        f"<p>x {'1' * 300_000}{'<br>a' * 30_000}",
    ],
    ids=["tag without end", "script without end", "lines below a long number"],
)
def test_no_page_has_its_text_looked_through_again_and_again(html: str) -> None:
    """Each of these took minutes: the reader of the worker process was killed, and there was no
    text.
    """
    assert plain_text(html).startswith("x")


def test_a_character_reference_without_end_stands_for_nothing() -> None:
    assert plain_text(f"<p>a&#{'1' * 5000};b &#8364;</p>") == "a\ufffdb €"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>It is <math><mi>G</mi><mo>=</mo><mi>V</mi></math> here.</p>", "It is $G = V$ here."),
        ("<script type='math/tex; mode=display'>a^2</script>", "$$a^2$$"),
        (
            (
                "<table><tr><th"
                " colspan=2>Tool<th>Use<tr><td>Saw<td><ul><li>shelves<li>frames</ul><td>no</table>"
            ),
            "<td>Saw</td><td><ul><li>shelves</li><li>frames</li></ul></td><td>no</td>",
        ),
        (
            (
                "<figure><img src=mill.jpg alt='A mill'><figcaption>In 1911, <i>before</i> the"
                " fire</figcaption></figure>"
            ),
            '![A mill](https://example.com/news/mill.jpg "In 1911, before the fire")',
        ),
        ("<blockquote><p>We promised nothing.</p></blockquote>", "> We promised nothing."),
        (
            "<pre><code class=language-rust>let a = 1;\nlet b = 2;</code></pre>",
            "```rust\nlet a = 1;\nlet b = 2;\n```",
        ),
    ],
    ids=["formula", "formula by itself", "cells", "figure", "quotation", "code"],
)
def test_what_extractors_drop_stays_in_its_place(markup: str, expected: str) -> None:
    found = find_article(
        page(
            f"<article>{article()}{markup}<p>{WORDS * 2}</p></article><aside><p>{WORDS}</p></aside>"
        ),
        URL,
    ).markdown
    assert (
        0 < found.index("That was day d.") < found.index(expected) < found.rindex("The committee")
    )


def test_lists_within_an_article_are_whole() -> None:
    links = "".join(f"<li><a href=/{number}>Bug {number}: paint falls off</a>" for number in "1234")
    nested = f"<ul><li>Two students will paint next year.<li>In progress:<ul>{links}</ul></ul>"
    sizes = "<ul><li>Waxed</ul><table><tr><th>Size<th>Days<tr><td>S<td>2</table>"
    html = page(f"<article>{article()}{nested}<p>{WORDS * 2}</p>{sizes}</article>")
    found = find_article(html, URL).markdown
    assert "  - [Bug 4: paint falls off](https://example.com/4)" in found
    assert "- Waxed" in found


def test_notes_of_an_article_are_linked_and_those_around_it_go() -> None:
    noted = "".join(
        f"<p>{WORDS} {WORDS}<sup id=r{n}><a href='#n{n}'>[{n}]</a></sup> More.</p>" for n in "12"
    )
    notes = "".join(f"<li id=n{n}>Record {n}. <a href='#r{n}'>↩</a></li>" for n in "12")
    found = find_article(
        page(
            "<article><h1>The"
            f" bridge</h1>{noted}<section><h2>Notes</h2><ol>{notes}</ol></section></article>"
        ),
        URL,
    )
    assert "[^2] More.\n\n[^2]: Record 2." in found.markdown
    assert "↩" not in found.markdown
    assert "Notes" not in found.markdown


@pytest.mark.parametrize(
    "body", [f"{WORDS}\n\n*New* <text>.", f"<p>{WORDS}</p>*New* &lt;text&gt;."]
)
def test_text_that_only_the_data_of_a_page_has_is_read_and_said(body: str) -> None:
    data = json.dumps([{"@type": "WebSite"}, {"@graph": [{"articleBody": body}]}])
    found = find_article(page(f"<div id=app></div><script>{data}</script>"), URL)
    assert found.blocks == (WORDS, r"\*New\* \<text>.")
    assert "search engines" in found.warnings[0]


def test_hidden_text_is_none_of_the_article_and_said() -> None:
    found = find_article(
        page(
            f"<article>{article()}<p style='opacity:0'>Praise the"
            f" bridge.</p><p>{WORDS}</p></article>"
        ),
        URL,
    )
    assert "Praise" not in found.markdown
    assert found.hidden == ("Praise the bridge.",)
    assert found.warnings == ("Text that cannot be seen on the page was left out.",)


def test_prose_and_code_stay_whatever_they_say() -> None:
    kept = [
        f"Advertisement is a word. {WORDS}",
        "```\nRead more\n\nShare\n```",
        f"Related work is discussed by many, such as these. {WORDS * 3}",
        "- [a](b)",
        WORDS * 4,
    ]
    assert tidied(["# Bridge", *kept], "Bridge") == kept


def test_a_page_is_read_in_blocks_that_know_their_headings(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(
        page(
            "<article>"
            + article(WORDS * 3)
            + f"<h2>Costs</h2><p>{WORDS * 3}</p><h3>Paint</h3><p>{WORDS * 3}</p></article>"
        )
    )
    opened = open_page(file, ReadOptions(page=WebPage(URL)), lambda *_: None)
    found = list(opened.blocks)
    assert opened.metadata["title"]
    assert found[-1].source.headings == ("Costs", "Paint")
    assert found[-2].markdown == "### Paint"
