"""Text that nobody sees on a web page is told as such; text that only looks like it is not."""

import pytest

from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pandoc.reader import open_document

SEEN = "This is seen."


def read(tmp_path, body, head=""):
    path = tmp_path / "a.html"
    path.write_text(f"<html><head>{head}</head><body><p>{SEEN}</p>{body}</body></html>", encoding="utf-8")
    opened = open_document(path, ReadOptions(), lambda *_: None)
    return "\n".join(block.markdown for block in opened.blocks)


@pytest.mark.parametrize(
    "body",
    [
        "<p style='display:none'>slipped in</p>",
        "<p hidden>slipped in</p>",
        "<p style='visibility: hidden !important'>slipped in</p>",
        "<p>Seen. <span style='font-size:0'>slipped in</span> Seen.</p>",
        "<p style='font-size:1px'>slipped in</p>",
        "<p style='opacity:0'>slipped in</p>",
        "<p style='color:#fff'>slipped in</p>",
        "<p><font color='white'>slipped in</font></p>",
        "<div style='background:#123456'><p style='color:rgb(18, 52, 86)'>slipped in</p></div>",
        "<p style='position:absolute;left:-9999px'>slipped in</p>",
        "<p style='text-indent:-9999px'>slipped in</p>",
        "<div class='b'><p>slipped in</p></div>",
        "<ul><li>Seen.</li><li class='a'>slipped in</li></ul>",
        "<table><tr><th>Seen.</th></tr><tr class='a'><td>slipped in</td></tr></table>",
        "<table><tr><td rowspan=2>Seen.</td><td class='a'>slipped in</td></tr><tr><td>x</td></tr></table>",
        "<p class='a'><a href='https://example.org/'>slipped in</a></p>",
        "<pre class='a'><code>slipped in</code></pre>",
        "<h2 class='a'>slipped in</h2>",
        "<blockquote class='a'><p>slipped in</p></blockquote>",
        "<dialog>slipped in</dialog>",
        "<section><p>Seen.</p><p>slipped in</p></section>",
    ],
)
def test_hidden_text_is_marked(tmp_path, body):
    styles = "/* x */ @media print { p { display: none } } .a, .c > i { display: none } div.b p { visibility: hidden } "
    styles += "section p:nth-child(2) { display: none } p:hover { display: none }"
    text = read(tmp_path, body, f"<style>{styles}</style>")
    assert text.count("slipped in") == 1
    assert "<!-- hidden text, not visible in the document: slipped in -->" in text
    assert text.startswith(SEEN)


@pytest.mark.parametrize(
    "body",
    [
        "<p>no style</p>",
        "<div style='background:#111;color:#fff'><p>white on black</p></div>",
        "<div class='dark'><p style='color:white'>white on black</p></div>",
        "<div style='background:url(x.png)'><p style='color:white'>white on a picture</p></div>",
        "<div style='visibility:hidden'><p style='visibility:visible'>seen again</p></div>",
        "<p style='color:#ddd'>pale</p>",
        "<p style='font-size:0.8em'>small</p>",
        "<details><summary>More</summary>folded</details>",
    ],
)
def test_text_that_is_seen_is_plain(tmp_path, body):
    assert "hidden" not in read(tmp_path, body, "<style>.dark { background: navy }</style>")


def test_a_page_that_a_script_or_an_animation_shows_is_plain(tmp_path):
    head = "<style amp-boilerplate>body { visibility: hidden; animation: x 8s }</style>"
    assert read(tmp_path, "<p>Words.</p>", head) == f"{SEEN}\nWords."
