"""The page that is printed: its language, its table of contents, its style sheet."""

from pathlib import Path

import pytest
from PIL import Image

from dogent_tui.documents.export.body import Document
from dogent_tui.documents.export.images import Images
from dogent_tui.documents.export.page import Page, contents_of, contents_title, language_of
from dogent_tui.documents.export.pdf import font_warnings
from dogent_tui.documents.export.source import FrontMatter
from dogent_tui.documents.export.styles import find_style


def body(tmp_path: Path, text: str):
    return Document(text, Images(tmp_path, tmp_path)).write({})


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


def test_contents_are_called_by_their_name():
    assert [contents_title(lang) for lang in ("", "en-GB", "de-AT", "zh-CN", "zh-TW", "zh-Hant-TW")] == [
        "Contents", "Contents", "Inhalt", "目录", "目錄", "目錄",
    ]  # fmt: skip


def test_the_title_is_no_part_of_the_contents(tmp_path):
    one = body(tmp_path, "# Title\n\n## A\n\n### B\n\n#### C\n\n##### D")
    assert [heading.text for heading in contents_of(one, FrontMatter())] == ["A", "B", "C"]
    assert [heading.text for heading in contents_of(one, FrontMatter(title="Other", toc_depth=2))] == ["Title", "A"]
    several = body(tmp_path, "# A\n\n# B")
    assert [heading.text for heading in contents_of(several, FrontMatter())] == ["A", "B"]


def test_contents_stand_where_the_text_says(tmp_path):
    written = body(tmp_path, "before\n\n[TOC]\n\n## A <b>x</b> & `c`")
    page = Page("T", "", FrontMatter(), written, ("", ""), contents_of(written, FrontMatter()))
    html = page.html({"a-x--c": 7})
    assert html.index("before") < html.index('<nav class="toc">') < html.index("<h2")
    assert '<span class="text">A x &amp; c</span><span class="number">7</span>' in html


def test_titles_are_text(tmp_path):
    front = FrontMatter(title="<script>1</script>", authors=("<b>",), lang="en")
    html = Page("</title><script>", "en", front, body(tmp_path, ""), ("", "")).html()
    assert "<script>" not in html
    assert "<b>" not in html


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
    (root / ".dogent" / "pdf.css").write_text("@import 'x'; h1 { background: url(gone.png) } </style>")
    found = find_style(root, home)
    assert "import" not in found.css
    assert "</style" not in found.css
    assert [sentence.split(":")[0] for sentence in found.left_out] == ["Image gone.png", "pdf.css @import 'x';"]


def test_a_heading_may_have_a_name_of_its_own(tmp_path):
    written = body(
        tmp_path,
        "# What *is* {#news .unnumbered}\n\n[a](#news) [b](#news-1)\n\n## Other {#news}\n\n## Of {braces}\n\n## `{#code}`\n\n"
        '## X {#a"><script>}\n',
    )
    assert [(heading.text, heading.name) for heading in written.headings[:4]] == [
        ("What is", "news"), ("Other", "news-1"), ("Of {braces}", "of-braces"), ("{#code}", "code"),
    ]  # fmt: skip
    assert '<h1 id="news">What <em>is</em></h1>' in written.html
    assert '<a href="#news">a</a>' in written.html
    assert "<script>" not in written.html


def test_missing_fonts_are_named_with_what_to_install():
    assert font_warnings("") == []
    assert "fonts-noto-cjk" in font_warnings("漢字")[0]
    assert "漢 字" in font_warnings("漢字")[0]
    assert "cjk" not in font_warnings("ꔀ")[0]


@pytest.mark.parametrize("size", ["", "{width=50%}", "{#chart width=2cm}"])
def test_a_picture_with_a_title_is_a_figure_whatever_its_size(tmp_path, size):
    Image.new("RGB", (4, 2)).save(tmp_path / "a.png")
    assert '<span class="caption">What it shows</span>' in body(tmp_path, f'![Words](a.png "What it shows"){size}\n').html
    assert "caption" not in body(tmp_path, f'Text and ![Words](a.png "What it shows"){size}\n').html


def test_words_too_wide_for_a_page_side_by_side_may_break(tmp_path):
    wide = "".join(f"| Incomprehensible{number} " for number in range(9))
    assert "whole" not in body(tmp_path, f"{wide}|\n{'|---' * 9}|\n{wide}|\n").html
    assert body(tmp_path, "| a | b |\n|---|---|\n| November | 6,985 |\n").html.count('class="whole"') == 4
