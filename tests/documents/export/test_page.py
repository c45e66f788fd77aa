"""The page that is printed: its language, its table of contents, its style sheet."""

import re
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from PIL import Image

from dogent_tui.documents.export.document import Document, language_of, read_document
from dogent_tui.documents.export.docx_reference import built_in
from dogent_tui.documents.export.lengths import length
from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.export.page import compose
from dogent_tui.documents.export.pdf import font_warnings
from dogent_tui.documents.export.styles import Style, find_style
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.terms import term


def document(tmp_path: Path, text: str, *, toc: bool | None = None) -> Document:
    (tmp_path / "text.md").write_text(text, "utf-8")
    return read_document(
        ExportRequest(
            kind="pdf",
            markdown=tmp_path / "text.md",
            target=tmp_path / "text.pdf",
            root=tmp_path,
            home=tmp_path,
            toc=toc,
        )
    )


def body(tmp_path: Path, text: str) -> str:
    return compose(document(tmp_path, text), Style()).body


def test_headings_have_the_names_that_github_gives_them(tmp_path):
    titles = ["A Title, with: Signs & 中文！", "Same", "same", "Same!", "!", "<b>Same</b> 1"]
    made = document(tmp_path, "\n\n".join(f"# {title}" for title in titles))
    assert [heading.name for heading in made.headings] == [
        "a-title-with-signs--中文",
        "same",
        "same-1",
        "same-2",
        "section",
        "same-1-1",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("中文\n换行，*强调*\n后面", "中文换行，<em>强调</em>后面"),
        ("한국\n어 문장", "한국 어 문장"),
        ("one\ntwo", "one two"),
    ],
)
def test_a_line_break_of_the_source_is_no_space_in_scripts_without_spaces(tmp_path, text, lines):
    assert lines in body(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("plain words", ""),
        ("这是中文", "zh-CN"),
        ("これは日本語です", "ja"),
        ("한국어 문장", "ko"),
        ("English with 中文 in it somewhere", ""),
        ("", ""),
    ],
)
def test_the_script_tells_the_language(text, lang):
    assert language_of(text) == lang


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("fa", "", True),
        ("az-Arab", "", True),
        ("en", "שלום עולם", False),
        ("", "שלום עולם, as we say", True),
        ("", "Hello, or שלום", False),
        ("", "", False),
    ],
)
def test_the_language_or_else_the_letters_tell_the_direction(tmp_path, lang, text, expected):
    found = document(tmp_path, f"---\nlang: '{lang}'\n---\n\n{text}\n")
    assert found.is_right_to_left == expected
    assert (' dir="rtl"><head>' in compose(found, Style()).html()) == expected


def test_notes_that_nothing_shows_are_told_with_their_line(tmp_path):
    text = (
        "A[^1] b.\n\n[^1]: shown\n\n[^2]: not referred to: a | b\n\n[^1]: again\n\n"
        "```\n[^3]: code\n```\n\n[^4]: but in code: `[^4]`\n"
    )
    found = document(tmp_path, text).left_out
    assert found == (
        "Footnote [^2] (line 5): no text refers to it.",
        "Footnote [^1] (line 7): another note has that name.",
        "Footnote [^4] (line 13): no text refers to it.",
    )


def test_notes_in_themselves_are_an_error_that_says_so(tmp_path):
    with pytest.raises(DocumentError, match="footnote refers to itself"):
        document(tmp_path, "Text[^a b].\n\n[^a b]: that\\\\[^2]\n\n[^2]: this[^a b]\n")


def test_a_note_may_show_how_it_is_referred_to_but_not_refer_to_another(tmp_path):
    text = (
        "Text[^1].\n\n[^1]: Write `[^1]`, or \\[^1], as in [^B].\n\n[^b]: a\n\n"
        "        [^1] and [^b] and | c |\n"
    )
    found = document(tmp_path, text)
    assert found.left_out == ("Footnote [^b] (line 5): no text refers to it.",)
    assert found.warnings == ()


def test_a_reference_from_a_note_to_another_is_told(tmp_path):
    text = "One[^a] two[^b].\n\n[^a]: first\n\n[^b]: see [^a]\n"
    (told,) = document(tmp_path, text).left_out
    assert told == "Footnote [^a] (line 5): a footnote can't refer to another one."


def test_what_is_not_known_is_told_with_its_line_and_stays(tmp_path):
    known = "`[[a]]` $\\frac{1}{2}$ \\[[b]] ![a](b.png)\n\n::: note\n[[toc]]\n:::\n\n    {{code}}\n"
    markup = [
        "[[Note|words]]",
        "![[a.png]]",
        "^[inline]",
        "{{< include a >}}",
        "\\cite{a}",
        "H~2~O",
        "10^-3^",
    ]
    lines = ["+---+---+", "| a verse", "!!! note", ":::tip My tip"]
    text = "\n\n".join([f"> Text[^1]\n> and {' '.join(markup)}", *lines])
    found = document(tmp_path, f"{known}\n{text}\n").warnings
    unknown = "an export does not know it, and it stays as it is."
    assert found == (
        "Footnote [^1] (line 9): no note has that name, and it stays as it is.",
        *(f"Markup {one} (line 10): {unknown}" for one in markup),
        *(
            f"Markup {one} (line {at}): {unknown}"
            for one, at in zip(lines, (12, 14, 16, 18), strict=True)
        ),
    )


def test_cells_that_a_row_has_too_many_are_told_with_their_line(tmp_path):
    rows = "A line:\n| a | b |\n|---|:-:|\n| 1 | `x` | |\n| 3 | 4 \\| 5 | lost | 3 \\| 5 |\n| 6 |\n"
    found = document(tmp_path, f"{rows}\n```\n{rows.replace('lost', 'code')}```\n").left_out
    why = "its row has more cells than the heading of the table"
    assert found == (f"Cell lost | 3 \\| 5 (line 5): {why}.",)


def test_call_outs_are_named_in_the_language_of_the_document(tmp_path):
    text = "> [!WARNING]\n> Text.\n"
    named = [body(tmp_path, f"---\nlang: {lang}\n---\n\n{text}") for lang in ("de", "en", "xx")]
    found = [re.search(r"<p><span[^>]*>(\w+)</span>", html)[1] for html in named]
    assert found == ["Warnung", "Warning", "Warning"]


def test_a_call_out_may_have_a_title_of_its_own(tmp_path):
    assert ">Beware</span>" in body(tmp_path, '::: {.callout-note title="Beware"}\nText.\n:::\n')
    html = body(tmp_path, "> [!TIP] 小心\n> 内容\n> 两行\n> 한국\n> 어\n")
    assert ">小心</span>" in html
    assert "内容两行 한국 어" in html


@pytest.mark.parametrize(
    ("titles", "numbered"),
    [(["1. Aims", "2.1 Costs", "End"], False), (["第一章 概述"], False), (["2026", "Aims"], True)],
)
def test_headings_that_are_numbered_already_get_no_second_number(tmp_path, titles, numbered):
    text = "".join(f"## {title}\n\n" for title in titles)
    found = document(tmp_path, f"---\ntheme: report\n---\n\n{text}").headings
    assert (found[0].text != titles[0]) == numbered


@pytest.mark.parametrize("before", ["Costs:\n", "> Costs:\n> ", "1. Costs:\n   "])
def test_a_table_may_follow_a_line_of_text(tmp_path, before):
    indent = before.partition("\n")[2]
    rows = f"\n{indent}".join(["| a | b |", "|---|---|", "| 1 | 2 |"])
    html = body(tmp_path, f"{before}{rows}\n\n```\nCode:\n| a | b |\n|---|---|\n```\n")
    assert html.count("<table") == 1
    assert "Code:\n| a" in re.sub("<[^>]*>", "", html)


def test_a_list_of_words_from_right_to_left_has_its_marks_there(tmp_path):
    english = "These words are English, most of all.\n\n"
    text = f"{english}- עברית\n- العربية\n\n> עברית\n\n- both\n- עברית\n"
    assert body(tmp_path, text).count('dir="rtl"') == 3  # list, quotation, and one item of another


def test_names_of_others_do_not_tell_the_direction_of_a_paragraph(tmp_path):
    text = "# הקדמה ודברים אחרים {#sec:one}\n\nראו ו-@sec:one `some_code`\n"
    html = body(tmp_path, text)
    assert 'dir="ltr"' not in html
    assert "ו-<a" in html


def test_formulas_between_brackets_as_in_latex_are_formulas(tmp_path):
    rows = "\\begin{aligned} a_1 \\\\[1cm] b \\end{aligned}"
    text = "So \\(f(x)^2\\), not \\(a\\), \\[a_1\\], or `\\(x^2\\)`:\n"
    text += f"\\[\n{rows}\n\\]\n\n~~~\n\\[x_1\\]\n~~~\n\n$${rows}$$ c\\]\n"
    html = re.sub("<annotation.*?</annotation>", "", body(tmp_path, text))
    assert html.count("<math") == 3
    assert "not (a), [a_1], or <code>\\(x^2\\)</code>" in html


def test_formulas_have_the_numbers_that_they_give_themselves(tmp_path):
    text = r"$$\begin{align} a \tag{A1} \label{eq:a} \\ b \tag*{B} \nonumber \end{align}$$"
    html = re.sub("<annotation.*?</annotation>", "", body(tmp_path, text))
    assert "(A1)" in html
    assert "B<" in html
    assert "<math" in body(tmp_path, "```math\nx\n```\n")


def test_the_front_matter_names_the_paper(tmp_path):
    found = document(tmp_path, "---\npapersize: us-letter\n---\n\nText.\n")
    assert "size: 215.9mm 279.4mm" in compose(found, Style()).html()
    assert b'w:w="12240"' in ZipFile(BytesIO(built_in(found.theme))).read("word/document.xml")


def test_a_note_that_ends_with_code_has_no_line_for_the_way_back_alone(tmp_path):
    html = body(tmp_path, "a[^1] b[^2]\n\n[^1]: Words.\n\n[^2]: Words.\n\n        code\n")
    assert html.count('class="footnote-back"') == 1


def test_a_table_without_words_in_its_head_has_none(tmp_path):
    assert "<thead" not in body(tmp_path, "| | |\n|---|---|\n| 1 | 2 |\n")


def test_a_heading_with_a_name_of_its_own_is_found_by_its_words_too(tmp_path):
    found = document(tmp_path, "# What is new {#news}\n\n[a](#what-is-new) [b](#news)\n")
    assert found.warnings == ()


def test_a_link_that_leads_nowhere_is_told_by_its_words(tmp_path):
    (told,) = document(tmp_path, "Text\n\n[these words]()\n").left_out
    assert told == "Link [these words] (line 3): it has no target."


def test_a_heading_that_repeats_the_title_goes_though_a_wide_table_follows(tmp_path):
    wide = "|" + " a long heading |" * 12 + "\n" + "|---" * 12 + "|\n"
    html = body(tmp_path, f"---\ntitle: A\n---\n\n# A\n\n{wide}\n\\newpage\n\nText\n")
    assert "<h1" not in html
    assert html.count("page-break") == 0


def test_the_abstract_is_markdown_between_title_and_contents(tmp_path):
    front = "---\ntitle: A\nabstract: |\n  We *prove* it.\n\n  At length.\ntoc: true\n---\n\n"
    found = document(tmp_path, f"{front}# A\n\n## One\n")
    html = compose(found, Style()).html()
    first, second, third = (
        html.index(part) for part in ("<em>prove</em>", "At length.", 'class="toc"')
    )
    assert first < second < third < html.index("One</h2>")
    told = (html.count("<h1"), found.title, found.front.description)
    assert told == (0, "A", "We prove it. At length.")


def test_images_of_a_group_are_beside_each_other(tmp_path):
    Image.new("RGB", (900, 600)).save(tmp_path / "a.png")
    images = "![One](a.png)\n\n![Two](a.png){width=30%}\n\nBoth\n"
    html = body(tmp_path, f"::: {{#fig:both layout-ncol=2}}\n{images}:::\n")
    assert re.findall('<figure style="width: (.+?)"', html) == ["48%", "30%"]


def test_what_github_centers_is_centered_and_a_title_stays_the_title(tmp_path):
    (tmp_path / "text.md").write_text("", "utf-8")
    found = body(tmp_path, '<p align="center">Words</p>\n\n<center>more</center>\n\nText\n')
    assert found.count('<div class="center">') == 2
    title = '<div align="center"><h1>Name</h1></div>\n\n## Part\n'
    assert document(tmp_path, title).title == "Name"
    assert "center" not in body(tmp_path, title + '<div align="center">\n\nText\n\n</div>\n')


def test_formulas_may_be_the_environments_of_latex(tmp_path):
    lines = "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}"
    assert body(tmp_path, f"Text\n\n{lines}\n").count("<mtr>") == 2
    assert body(tmp_path, f"$$\n{lines}\n$$\n").count("<mtr>") == 2
    assert "<math" not in body(tmp_path, f"```\n{lines}\n```\n")


def test_contents_are_called_by_their_name():
    assert [term(lang, "contents") for lang in ("", "en-GB", "de-AT", "zh-CN", "zh-TW",
        "zh-Hant-TW")] == [
        "Contents", "Contents", "Inhalt", "目录", "目錄", "目錄",
    ]  # fmt: skip


def test_the_title_is_no_part_of_the_contents(tmp_path):
    def contents(text: str) -> list[str]:
        return [heading.text for heading in document(tmp_path, text, toc=True).contents]

    one = "# Title\n\n## A\n\n### B\n\n#### C\n\n##### D"
    assert contents(one) == ["A", "B", "C"]
    assert contents(f"---\ntitle: Other\ntoc-depth: 2\n---\n{one}") == ["Title", "A"]
    assert contents("# A\n\n# B") == ["A", "B"]


@pytest.mark.parametrize("place", ["[TOC]", "[[_TOC_]]"])
def test_contents_stand_where_the_text_says(tmp_path, place):
    page = compose(document(tmp_path, f"before\n\n{place}\n\n## A <b>x</b> & `c`"), Style())
    html = page.html({"a-x--c": 7})
    assert html.index("before") < html.index('<nav class="toc">') < html.index("<h2")
    assert '<span class="text">A x &amp; c</span><span class="number">7</span>' in html


def test_code_with_numbered_lines_has_its_language(tmp_path):
    page = compose(document(tmp_path, "```python {.numberLines}\nreturn 1\n```\n"), Style())
    assert 'class="sourceCode python' in page.html()


def test_titles_are_text(tmp_path):
    assert document(tmp_path, "---\ntitle: The *new* `x_1`, $5\n---\n").title == "The new x_1, $5"
    title = '</title><script>1</script> "</style><b>'
    page = compose(document(tmp_path, f"---\ntitle: '{title}'\nauthor: <b>\n---\ntext"), Style())
    html = page.html()
    assert "<script>" not in html
    assert "<b>" not in html
    assert html.count("</style>") == 3


def test_a_style_sheet_of_the_workspace_comes_from_there(tmp_path):
    root, home = tmp_path / "work", tmp_path / "home"
    for folder in (root / ".dogent", home):
        folder.mkdir(parents=True)
    assert find_style(root, home).path is None
    (home / "pdf.css").write_text("h1 { color: red }")
    assert "red" in find_style(root, home).css
    (root / ".dogent" / "pdf.css").symlink_to(home / "pdf.css")
    assert (found := find_style(root, home)).css == ""
    assert "outside the workspace" in found.warnings[0]
    (root / ".dogent" / "pdf.css").unlink()
    (root / ".dogent" / "pdf.css").write_text(
        "@import 'x'; h1 { background: url(gone.png) } </style>"
    )
    found = find_style(root, home)
    assert "import" not in found.css
    assert "</style" not in found.css
    assert [sentence.split(":")[0] for sentence in found.left_out] == [
        "pdf.css @import 'x';",
        "Image gone.png",
    ]


def test_a_heading_may_have_a_name_of_its_own(tmp_path):
    text = (
        "# What *is* {#news .unnumbered}\n\n[a](#news) [b](#news-1)\n\n## Other {#news}\n\n## Of"
        ' {braces}\n\n## `{#code}`\n\n## X {#a"><script>}\n'
    )
    names = [(heading.text, heading.name) for heading in document(tmp_path, text).headings[:3]]
    assert names == [("What is", "news"), ("Other", "news-1"), ("Of {braces}", "of-braces")]
    html = body(tmp_path, text)
    assert '<h1 id="news">What <em>is</em></h1>' in html
    assert '<a href="#news">a</a>' in html
    assert "<script>" not in html


def test_missing_fonts_are_named_with_what_to_install():
    assert font_warnings("") == []
    assert "fonts-noto-cjk" in font_warnings("漢字")[0]
    assert "漢 字" in font_warnings("漢字")[0]
    assert "cjk" not in font_warnings("ꔀ")[0]


@pytest.mark.parametrize("size", ["", "{width=50%}", "{#chart width=2cm}"])
def test_a_picture_with_a_title_is_a_figure_whatever_its_size(tmp_path, size):
    Image.new("RGB", (4, 2)).save(tmp_path / "a.png")
    assert ">What it shows</figcaption>" in body(
        tmp_path, f'![Words](a.png "What it shows"){size}\n'
    )
    assert "caption" not in body(tmp_path, f'Text and ![Words](a.png "What it shows"){size}\n')


def test_words_too_wide_for_a_page_side_by_side_may_break(tmp_path):
    wide = "".join(f"| Incomprehensible{number} " for number in range(9))
    found = body(tmp_path, f"{wide}|\n{'|---' * 9}|\n{wide}|\n")
    assert not {"whole", "word"} & {*re.findall(r'class="(\w+)"', found)}
    found = body(tmp_path, "| a b | 2026-11-29 |\n|---|---|\n| in November | 6,985 |\n")
    assert re.findall(r'class="(\w+)"', found) == ["whole", "word", "whole", "word"]


@pytest.mark.parametrize(
    ("given", "css"),
    [
        ("50%", "50%"),
        ("3", "2.25pt"),
        (" 2.5 cm ", "70.87pt"),
        ("1px;x", ""),
        ("-3px", ""),
        ("", ""),
    ],
)
def test_lengths_are_lengths(given, css):
    assert length(given) == css


def test_formulas_keep_their_tex_for_who_cannot_see_them(tmp_path):
    html = body(tmp_path, "$a<b$ and\n\n$$\\frac{a}{b}$$\n")
    assert '<span role="img" aria-label="$a&lt;b$"><math' in html
    assert '<span role="img" aria-label="$$\\frac{a}{b}$$"><math' in html


def test_no_attribute_of_an_author_reaches_the_page(tmp_path):
    html = body(
        tmp_path,
        '# a {.x style="color: red"}\n\n[b]{.y onclick=z}\n\n::: {.w data-x=1}\nc\n:::\n\n<p'
        ' class="v">d</p>\n',
    )
    assert "style" not in html
    assert "class" not in html
    assert "onclick" not in html
    assert "data-x" not in html


@pytest.mark.parametrize(
    ("size", "turned"),
    [("letter", "letter landscape"), ("148mm 210mm", "210mm 148mm"), ("", "")],
)
def test_a_page_on_its_side_has_the_paper_of_the_own_style_sheet(tmp_path, size, turned):
    css = f"@page {{ margin: 1in; size: {size}; }}" if size else "p { color: red }"
    html = compose(document(tmp_path, "# A\n"), Style(css=css)).html()
    own = html.partition("</style>")[2]
    assert ("@page landscape" in own, f"size: {turned} " in own) == (bool(turned), bool(turned))


def test_what_is_between_two_prices_is_no_formula(tmp_path):
    html = re.sub(r"<[^>]*>", "", body(tmp_path, "From $5–$10 to ~$1,234/$2,345, and $x$-axis.\n"))
    assert "From $5–$10 to ~$1,234/$2,345, and" in html
