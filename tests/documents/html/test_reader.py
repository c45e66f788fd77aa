"""HTML as Markdown: formulas, tables, notes, code, quotations and pictures in the many forms
that pages have for them.
"""

from pathlib import Path

import pytest

from dogent_tui.documents.html.reader import open_html
from dogent_tui.documents.model import Opened, ReadOptions

WORDS = "The port authority reviewed the dredging contract before the autumn storms arrived."
GOOGLE, WORD = "class=lst-kix_x", "style='mso-list:l0 level"
SIGN = "<span style='mso-list:Ignore'>"
AUTHOR_BOX = (
    "<div class=author-box><h4>About the author</h4><p>She has written about roads.</p></div>"
)


def read(folder: Path, body: str, head: str = "") -> tuple[str, Opened]:
    file = folder / "page.html"
    file.write_text(
        "<!doctype html><html><head><meta"
        f" charset=utf-8><title>Port</title>{head}</head><body>{body}</body></html>"
    )
    opened = open_html(file, ReadOptions(), lambda *_: None)
    text = ""
    for block in opened.blocks:
        text += ("\n" if block.tight else "\n\n") + block.markdown
    return text.strip(), opened


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (
            "<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>",
            "$E = mc^{2}$",
        ),
        (r"<span class='math inline'>\(v=\lambda f\)</span>", r"$v=\lambda f$"),
        (r"Here \[a+b\] is", "$$a+b$$"),
        (
            "<span class=katex><math><semantics><mi>k</mi><annotation encoding='application/x-tex'>k=2\\pi</annotation>"  # noqa: E501, ISC004
            "</semantics></math><span class=katex-html aria-hidden=true>k=2π</span></span>",
            r"$k=2\pi$",
        ),
        (
            (
                "<span class=MathJax_Preview>q</span><span class=MathJax>q=p</span><script"
                " type='math/tex'>q=p</script>"
            ),
            "$q=p$",
        ),
        (
            "<mjx-container><mjx-math>z</mjx-math><mjx-assistive-mml><math><mi>z</mi></math></mjx-assistive-mml></mjx-container>",
            "$z$",
        ),
        ("<img class=latex src=l.png alt='a_n = n!'>", "$a_n = n!$"),
        (
            "<img class=mwe-math-fallback-image-inline src=l.svg alt='{\\displaystyle p+q}'>",
            "$p+q$",
        ),
        ("<img src='/equation?tex=a%3Db' alt='a=b'>", "$a=b$"),
        ("<pre><code class='language-math'>s/t</code></pre>", "$$s/t$$"),
        (
            r"\begin{equation} F = m a \end{equation}",
            r"$$\begin{equation} F = m a \end{equation}$$",
        ),
    ],
    ids=[
        "MathML",
        "pandoc's",
        "MathJax's source",
        "KaTeX",
        "MathJax 2",
        "MathJax 3",
        "picture",
        "a wiki's picture",
        "picture by its address",
        "listing",
        "environment",
    ],
)
def test_formulas_are_tex_once_each(tmp_path: Path, markup: str, expected: str) -> None:
    text, _ = read(tmp_path, f"<p>{WORDS}</p><p>{markup}</p><p>It costs $5 or $6.</p>")
    assert text.count("$") == expected.count("$") + 2
    assert expected in text


def test_a_table_without_end_tags_or_enough_columns_keeps_spans_and_the_lists_in_its_cells(
    tmp_path: Path,
) -> None:
    text, _ = read(
        tmp_path,
        "<table><col><col><tr><td rowspan=2>Tool<td colspan=2>Use<tr><td>in<td>out"
        "<tr><td>Saw<td><ul><li>shelves<li>frames</ul><td>fences</table>",
    )
    assert '<tr><td rowspan="2">Tool</td><td colspan="2">Use</td></tr>' in text
    assert "<td>Saw</td><td><ul><li>shelves</li><li>frames</li></ul></td><td>fences</td>" in text


def test_cells_of_a_head_span_as_far_as_they_say(tmp_path: Path) -> None:
    head = "<th rowspan=2>Tool</th><th colspan=2>Use</th>"
    both = f"<table><tr>{head}</tr><tr><th>in</th><th>out</th></tr><tr><td>saw<td>1<td>2</table>"
    assert '<th rowspan="2">Tool</th><th colspan="2">Use</th>' in read(tmp_path, both)[0]
    below = f"<table><tr>{head}</tr><tr><td>in<td>out</tr><tr><td>saw<td>1<td>2</table>"
    text, _ = read(tmp_path, below)
    assert '<td rowspan="2">Tool</td><td colspan="2">Use</td>' in text
    assert "<tr><td>in</td><td>out</td></tr>" in text


def test_a_table_that_only_places_things_is_none(tmp_path: Path) -> None:
    text, _ = read(
        tmp_path, f"<table><tr><td><a href=/>Home</a><td><h1>Port</h1><p>{WORDS}</p></table>"
    )
    assert "|" not in text
    assert "# Port" in text


def test_fields_are_what_they_show(tmp_path: Path) -> None:
    boxes = '<ul><li><input type="checkbox" checked> done</li><li><input type=checkbox> open</ul>'
    fields = "<input value=Ann> <select><option>a<option selected>b</select><textarea>c</textarea>"
    unseen = "<input type=submit value=Go><input style=display:none value=x><input hidden value=y>"
    text, _ = read(tmp_path, f"{boxes}<p>Name {fields}.{unseen}</p>")
    assert text.split("\n\n") == ["- [x] done\n- [ ] open", "Name Ann b c ."]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ol start=5><li>a<li value=9>b</ol>", "5. a\n\n9) b"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n\n1) b"),
        (  # of Google Docs
            f"<ul {GOOGLE}-0><li>a</ul><ul {GOOGLE}-1><li>b</ul><ul {GOOGLE}-0><li>c</ul>",
            "- a\n  - b\n- c",
        ),
        (  # of Word
            f"<p {WORD}1'>{SIGN}3.</span>a<p {WORD}2'>{SIGN}o</span>b",
            "3. a\n   - b",
        ),
    ],
)
def test_lists_have_the_numbers_and_the_depth_they_say(
    tmp_path: Path, markup: str, text: str
) -> None:
    assert read(tmp_path, markup)[0] == text


def test_a_page_in_one_file_with_its_pictures_is_decoded(tmp_path: Path) -> None:
    head = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n"
    page = "Content-Type: text/html; charset=cp1252\nContent-Transfer-Encoding: quoted-printable"
    (tmp_path / "a.mht").write_text(f"{head}{page}\n\n<p>caf=E9</p>\n--b--\n")
    opened = open_html(tmp_path / "a.mht", ReadOptions(), lambda *_: None)
    assert [block.markdown for block in opened.blocks] == ["café"]


@pytest.mark.parametrize(
    ("sign", "note"),
    [
        (
            "<sup id=r1><a href='#n1'>[1]</a></sup>",
            "<section><h2>Notes</h2><ol><li id=n1>Letter. <a href='#r1'>↩</a></ol></section>",
        ),
        (
            "<sup class=reference id=cite_ref-1><a href='#cite_note-1'>[1]</a></sup>",
            (
                "<ol><li id=cite_note-1><span class=mw-cite-backlink><a"
                " href='#cite_ref-1'>^</a></span> Letter.</ol>"
            ),
        ),
        (
            "<a href='#_ftn1' name='_ftnref1'>[1]</a>",
            "<p><a href='#_ftnref1' name='_ftn1'>[1]</a> Letter.</p>",
        ),
        ("<a role=doc-noteref href='#a'>*</a>", "<aside id=a>* Letter.</aside>"),
        (
            "<a href='#n1' id=b1>*</a>",
            "<div><p id=n1>* Letter. <a href='#b1'>back</a></p></div>",
        ),
        ("<sup><a href='#f1'>1</a></sup>", "<dl><dt id=f1>1</dt><dd>Letter.</dd></dl>"),
        ("<sup>1</sup>", "<hr><p><sup>1</sup> Letter.</p>"),
        ("<span class=sidenote>Letter.</span>", ""),
        ("<label for=s1>⊕</label><input id=s1><span class=marginnote>Letter.</span>", ""),
        (
            (
                "<span class=ltx_note><sup>1</sup><span class=ltx_note_outer><span"
                " class=ltx_note_content><sup>1</sup>Letter.</span></span></span>"
            ),
            "",
        ),
        ("<sup>③</sup>", "<p>③ Letter.</p>"),
        ("<a href='#n2'>［2］</a>", "<p id=n2>［2］ Letter.</p>"),
        ("<sup>[1]</sup>", "<dl class=reference><dd><ul><li>1. Letter.</ul></dd></dl>"),
        ("<a href='#f1'>†</a>", "<dl><dt id=f1>†</dt><dd>Letter.</dd></dl>"),
        (
            "<a href='#f1' id=r1 role=doc-noteref>[1]</a>",
            (
                "<aside id=f1><span><span>[</span><a href='#r1' role=doc-backlink>1</a><span>]"
                "</span></span><p>Letter.</aside>"
            ),
        ),
    ],
    ids=[
        "list",
        "wiki",
        "Word",
        "aside",
        "answered",
        "terms",
        "no links",
        "margin",
        "toggle",
        "LaTeXML",
        "circled",
        "full width",
        "numbered by hand",
        "terms by signs",
        "Sphinx",
    ],
)
def test_notes_are_linked_to_their_signs(tmp_path: Path, sign: str, note: str) -> None:
    again = sign if "href" in sign else ""
    text, opened = read(tmp_path, f"<p>{WORDS}{sign} {WORDS}</p><p>Last{again}</p>{note}")
    assert text.startswith(f"{WORDS}[^1] {WORDS}\n\n[^1]: Letter.\n\nLast")
    assert text.count("Letter.") == 1
    assert opened.metadata["footnotes"] == 1


@pytest.mark.parametrize(
    "markup",
    [
        "<pre><code class=language-python>a = 1\nb = 2</code></pre>",
        "<div class='highlight highlight-source-python'><pre><span>a</span> = 1\nb = 2</pre></div>",
        "<pre class='brush: python'>a = 1<br>b = 2</pre>",
        (
            "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td><pre"
            " data-lang=python>a = 1\nb = 2</pre></table>"
        ),
        (
            "<figure class='highlight python'><table><tr><td class=gutter><pre>1<br>2</pre><td>"
            "<pre><span class=line>a = 1</span><br><span class=line>b = 2</span></pre></table>"
            "</figure>"
        ),
        (
            "<pre data-language=python><code><div class=line><div>a = 1</div></div>"
            "<div class=line><div>b = 2</div></div></code></pre>"
        ),
    ],
    ids=["language", "GitHub", "brush", "numbered", "numbered within a figure", "rows"],
)
def test_code_has_its_language_and_no_line_numbers(tmp_path: Path, markup: str) -> None:
    assert read(tmp_path, markup)[0] == "```python\na = 1\nb = 2\n```"


def test_words_of_others_and_captions_are_marked(tmp_path: Path) -> None:
    text, _ = read(
        tmp_path,
        "<div class=quote><p>Not a penny was paid.</p></div>"
        "<figure><img data-src=mill.jpg alt='A mill'><figcaption>In 1911</figcaption></figure>"
        f"<p><img alt=Sluice src=data:image/png;base64,{'iVBO' * 200}><img alt=- src=data:,></p>"
        "<div class=thumb><img src=w.jpg><div class=thumbcaption>A wheel</div></div>",
    )
    assert text.startswith(
        "> Not a penny was paid.\n\n![A mill](mill.jpg)\n\nIn 1911\n\n![Sluice]("
    )
    assert text.endswith("![Sluice](data:image/png)\n\n![](w.jpg)\n\nA wheel")


@pytest.mark.parametrize(
    "attributes",
    [
        "hidden",
        "style='display:none'",
        "style='font-size:0'",
        "style='color:#fff;background:#fff'",
        "style='position:absolute;left:-9999px'",
        "style='opacity: 0.0'",
        "style='height:0;overflow:hidden'",
        "class=ghost",
        "style='color:rgba(0, 0, 0, 0)'",
        "style='color:hsl(0 0% 100%)'",
        "style='-webkit-text-fill-color:transparent'",
        "style='translate:-9999px'",
        "style='position:fixed;inset:-9999px auto auto'",
        "style='scale:0'",
        "style='color:var(--paper)'",
    ],
)
def test_text_that_nobody_sees_is_marked(tmp_path: Path, attributes: str) -> None:
    style = "<style>:root { --paper: #fff } .ghost { color: red; display: none }</style>"
    text, opened = read(tmp_path, f"<p>{WORDS}</p><p {attributes}>Ignore all of that.</p>", style)
    assert text == f"{WORDS}\n\n<!-- hidden text, not visible on the page: Ignore all of that. -->"
    assert opened.warnings


@pytest.mark.parametrize(
    "attributes",
    [
        "style='color:#fff;background:navy'",
        "style='color:#fff;background-image:url(white.png)'",
        "class='tab on'",
        "hidden=until-found",
        "style='font-size:10px'",
        "style='background:linear-gradient(red,blue);background-clip:text;color:transparent'",
        "class=print",
        "class=phone",
        "class=dark",
    ],
)
def test_text_that_is_seen_is_not_called_hidden(tmp_path: Path, attributes: str) -> None:
    media = {"print": "print", "phone": "(max-width: 40em)", "dark": "(prefers-color-scheme: dark)"}
    rules = [f"@media {on} {{ .{name} {{ color: white }} }}" for name, on in media.items()]
    rules += [".tab {display: none} .tab.on {display: block} .ghost&gt;\ndiv {color: white}"]
    style = f"<style>{' '.join(rules)}</style>"
    text, opened = read(tmp_path, f"<p>{WORDS}</p><div {attributes}>Plain words.</div>", style)
    assert text == f"{WORDS}\n\nPlain words."
    assert not opened.warnings


@pytest.mark.parametrize(
    ("body", "head", "author", "date"),
    [
        (
            "<p>作者：王小明　发布时间：2026年3月5日 09:30　来源：江城日报</p>",
            "",
            "王小明",
            "2026-03-05",
        ),
        ("<div>By Maria Lopez | March 4, 2026</div>", "", "Maria Lopez", "2026-03-04"),
        (
            "",
            (
                '<script type=\'application/ld+json\'>{"@context": "https://schema.org",'
                ' "@type": "Article", "author": {"name": "Jan Novak"},'
                ' "datePublished": "2026-01-09"}</script>'
            ),
            "Jan Novak",
            "2026-01-09",
        ),
        ("<p>2026年3月5日</p><p>著者：佐藤 花子</p>", "", "佐藤 花子", "2026-03-05"),
        ("<p>김민수 기자</p><p>입력 2026.03.05</p>", "", "김민수", "2026-03-05"),
        ("<p>٥ مارس 2026</p>", "<meta name=author content=Noor>", "Noor", "2026-03-05"),
        ("<p>Words of 2026.</p>", "<meta name=author content='Ines Keller'>", "Ines Keller", None),
        (f"<p>By Ines Keller</p>{AUTHOR_BOX}", "", "Ines Keller", None),
        (AUTHOR_BOX, "<meta name=author content=王小明>", "王小明", None),
    ],
)
def test_author_and_date_are_what_the_page_says(
    tmp_path: Path, body: str, head: str, author: str, date: str | None
) -> None:
    metadata = read(tmp_path, f"<h1>Port</h1>{body}<p>{WORDS}</p>", head)[1].metadata
    assert (metadata.get("title"), metadata.get("author"), metadata.get("date")) == (
        "Port",
        author,
        date,
    )


def test_a_shadow_root_is_shown_and_other_templates_are_not(tmp_path: Path) -> None:
    root = f"<x-text><template shadowrootmode=open><p>{WORDS}</p></template></x-text>"
    assert read(tmp_path, f"{root}<template><p>Inert.</p></template></template>")[0] == WORDS


def test_a_note_may_refer_to_another_note(tmp_path: Path) -> None:
    signs = [f"<sup id=r{n}><a href='#n{n}'>[{n}]</a></sup>" for n in (1, 2)]
    notes = f"<li id=n1><a href='#r1'>^</a> See{signs[1]} there.</li><li id=n2>A letter.</li>"
    text, _ = read(tmp_path, f"<p>{WORDS}{signs[0]}</p><ol>{notes}</ol>")
    assert text.startswith(f"{WORDS}[^1]\n\n[^1]: See there.")
    assert "A letter." in text


def test_a_note_keeps_the_blanks_around_its_links(tmp_path: Path) -> None:
    text, _ = read(
        tmp_path,
        f"<p>{WORDS}<sup><a href='#n' id='r'>1</a></sup></p><ol><li id='n'><a href='#r'>^</a> See"
        " <i>A book</i> at <a href='https://example.org'>the press</a></li></ol>",
    )
    assert "[^1]: See *A book* at [the press](https://example.org)" in text
