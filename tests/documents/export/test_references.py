"""Numbers, what refers to them, and citations: the same in each format, as they are made in the
one tree of the document.
"""

import json
from pathlib import Path

import pytest
from PIL import Image

from dogent_tui.documents.export.document import Document, read_document
from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.export.tree import plain_text, walk

BIBLIOGRAPHY = """
@book{lovelace, author = {Ada Lovelace}, title = {Notes}, year = {1843}, publisher = {Taylor}}
@book{hopper, author = {Grace Hopper}, title = {Compilers}, year = {1952}, publisher = {Remington}, url = {file:///etc/passwd}}
"""  # noqa: E501


def read(folder: Path, text: str, name: str = "text.md") -> Document:
    Image.new("RGB", (4, 2)).save(folder / "a.png")
    (folder / name).write_text(text, "utf-8")
    return read_document(
        ExportRequest(
            kind="pdf",
            markdown=folder / name,
            target=folder / "text.pdf",
            root=folder.resolve(),
            home=folder / "home",
        )
    )


def shown(document: Document) -> str:
    return "\n".join(
        plain_text(block).replace("\N{NO-BREAK SPACE}", " ") for block in document.blocks
    )


def links(document: Document) -> list[str]:
    return [node["c"][2][0] for node in walk(document.blocks) if node["t"] == "Link"]


TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def test_figures_tables_formulas_and_sections_have_numbers_that_references_name(tmp_path):
    text = (
        "---\nnumber-sections: true\n---\n# One {#sec:one}\n\n"
        "See @fig:b, [@fig:a; @fig:b], @Tbl:t, [-@tbl:t], @eq:e and @sec:two.\n\n"
        "![First](a.png){#fig:a}\n\n![Second *one*](a.png){#fig:b width=30%}\n\n"
        f"{TABLE}\n: The values {{#tbl:t}}\n\n$$x^2$$ {{#eq:e}}\n\n## Two {{#sec:two}}\n"
    )
    document = read(tmp_path, text)
    assert "See Figure 2, Figure 1, 2, Table 1, 1, Equation 1 and Section 1.1." in shown(document)
    assert "Figure 1: First" in shown(document)
    assert "Figure 2: Second one" in shown(document)
    assert "Table 1: The values" in shown(document)
    assert [heading.text for heading in document.headings] == ["1 One", "1.1 Two"]
    assert links(document) == [
        "#fig:b",
        "#fig:a",
        "#fig:b",
        "#tbl:t",
        "#tbl:t",
        "#eq:e",
        "#sec:two",
    ]
    assert (document.warnings, document.left_out) == ((), ())


@pytest.mark.parametrize(
    "text", [f"Table: Above {{#tbl:t}}\n\n{TABLE}", f"Before.\n\n: Above {{#tbl:t}}\n\n{TABLE}"]
)
def test_a_caption_may_be_above_its_table(tmp_path, text):
    document = read(tmp_path, f"{text}\nSee @tbl:t.\n")
    assert "Table 1: Above" in shown(document)
    assert "See Table 1." in shown(document)
    assert ":t" not in shown(document)


def test_names_are_those_of_the_language(tmp_path):
    chinese = shown(
        read(tmp_path, "---\nlang: zh-CN\n---\n如@fig:a所示。\n\n![地图](a.png){#fig:a}\n")
    )
    assert "如图 1所示。" in chinese
    assert "图 1：地图" in chinese
    assert "Abbildung 1" in shown(
        read(tmp_path, "---\nlang: de\n---\n@fig:a\n\n![Karte](a.png){#fig:a}\n")
    )


def test_a_section_without_a_number_is_named_by_its_title(tmp_path):
    assert "see “Two”" in shown(read(tmp_path, "# One\n\nsee @sec:two\n\n## Two {#sec:two}\n"))


def test_a_link_without_words_says_what_it_leads_to(tmp_path):
    text = "See [](#fig:a), [](#two) and [](#sec:one).\n\n# One {#sec:one}\n\n# Two\n\n"
    image = "![A](a.png){#fig:a}\n"
    assert "See Figure 1, “Two” and “One”." in shown(read(tmp_path, text + image))
    numbered = read(tmp_path, f"---\nnumber-sections: true\n---\n{text}{image}")
    assert "See Figure 1, Section 2 and Section 1." in shown(numbered)


def test_images_of_a_group_have_numbers_also_on_lines_of_one_paragraph(tmp_path):
    group = "::: {#fig:g}\n![A](a.png){#fig:a}\n![B](a.png){#fig:b}\n\nBoth\n:::\n\nSee @fig:b.\n"
    document = read(tmp_path, group)
    assert "See Figure 3." in shown(document)
    assert document.warnings == ()


def test_a_heading_may_be_without_a_number_as_in_pandoc(tmp_path):
    text = "---\nnumber-sections: true\n---\n# One\n\n# Preface {-}\n\n```\n# a {-}\n```\n"
    document = read(tmp_path, text)
    assert [heading.text for heading in document.headings] == ["1 One", "Preface"]
    (code,) = [node["c"][1] for node in document.blocks if node["t"] == "CodeBlock"]
    assert code == "# a {-}"


def test_what_leads_nowhere_is_told_and_stays(tmp_path):
    document = read(tmp_path, "See @fig:none and write to ada@example.org or @ada.\n")
    assert "See @fig:none and write to ada@example.org or @ada." in shown(document)
    assert document.warnings == ("Reference @fig:none (line 1): it has no target.",)


def test_citations_are_written_out_with_a_list_of_what_is_cited(tmp_path):
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, "utf-8")
    text = (
        "---\nbibliography: refs.bib\n---\nAs [@lovelace, p. 3; see @hopper] says, @lovelace"
        " too [see @hopper].\n\n# References\n"
    )
    document = read(tmp_path, text)
    assert "As (Lovelace 1843, 3; see Hopper 1952) says, Lovelace (1843) too" in shown(document)
    assert "too (see Hopper 1952)." in shown(document)
    assert "Hopper, Grace. 1952." in shown(document)
    assert not [link for link in links(document) if link.startswith("file:")]


def test_what_stands_beside_a_reference_stays_as_it_is(tmp_path):
    private = "\U00100000a"
    document = read(
        tmp_path, f"{private} *see [@fig:a]*, {private} (`@x` @fig:a)\n\n![A](a.png){{#fig:a}}\n"
    )
    assert f"{private} see Figure 1, {private} (@x Figure 1)" in shown(document)
    assert "[see Figure 1]" in shown(read(tmp_path, "[see @fig:a]\n\n![A](a.png){#fig:a}\n"))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a [@fig:a, left; see @tbl:t] b", "a Figure 1, left, see Table 1 b"),
        ("[Figs. @fig:a and @fig:b]", "Figs. 1 and 2"),
        ("[@fig:a; @fig:none]", "Figure 1, @fig:none"),
        ("so it is $$x$$ {#eq:x} by @eq:x", "by Equation 1"),
        ("- it is $$x$$ {#eq:x}\n- by @eq:x", "by Equation 1"),
        ('```{.c #lst:l caption="Code"}\nx\n```\n\n@lst:l', "Listing 1: Code\n\nListing 1"),
        ("::: {#fig:c}\n![a](a.png) ![b](a.png)\n\nBoth\n:::\n\n@fig:c", "Figure 3: Both"),
        ("[A](#fig:a)\n\n![Again](a.png){#fig:a}", "Figure 3: Again"),
    ],
)
def test_references_keep_what_is_beside_them(tmp_path, text, written):
    figures = "![A](a.png){#fig:a}\n\n![B](a.png){#fig:b}\n\n"
    document = read(tmp_path, f"{figures}{TABLE}\n: T {{#tbl:t}}\n\n{text}\n")
    assert written in shown(document)
    twice = "Name #fig:a (line 1): another place has that name; references lead to the first."
    assert (twice in document.warnings) == ("Again" in text)


def test_what_follows_a_key_in_brackets_is_its_place(tmp_path):
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, "utf-8")
    text = "---\nbibliography: refs.bib\n---\nSo says @lovelace [p. 3], and @hopper.\n"
    assert "So says Lovelace (1843, 3), and Hopper (1952)." in shown(read(tmp_path, text))


def test_a_citation_that_nobody_knows_is_told(tmp_path):
    assert "no bibliography" in read(tmp_path, "As [@lovelace] says.\n").warnings[0]
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, "utf-8")
    assert "nobody" in " ".join(
        read(tmp_path, "---\nbibliography: refs.bib\n---\nAs [@nobody] says.\n").warnings
    )


def test_pages_that_a_work_has_not_and_entries_that_are_not_cited_are_told(tmp_path):
    entries = [{"id": key, "type": "article-journal", "page": "1-20"} for key in "abc"]
    (tmp_path / "refs.json").write_text(json.dumps(entries), "utf-8")
    front = "---\nbibliography: refs.json\n---\n"
    document = read(tmp_path, f"{front}So it is [@a, p. 412; @b, pp. 3-5; @dead].\n")
    assert sorted(document.warnings) == [
        "1 entry of the bibliography is not cited: c.",
        "@a is cited for page 412, but the work has pages 1–20.",
        "@dead is cited, but no bibliography has it.",
    ]


def test_the_folder_has_a_bibliography_and_a_style_for_documents_that_name_none(tmp_path):
    work = tmp_path / "work"
    (work / "part").mkdir(parents=True)
    (work / ".dogent").mkdir()
    (tmp_path / "work/refs.bib").write_text(BIBLIOGRAPHY, "utf-8")
    document = read(work, "As [@lovelace] says.\n", "part/a.md")
    assert "As (Lovelace 1843) says." in shown(document)
    assert document.warnings == ()
    (work / "marks.csl").write_text(STYLE, "utf-8")
    (work / ".dogent/dogent.json").write_text('{"bibliography": "refs.bib", "csl": "marks.csl"}')
    assert "As <lovelace> says." in shown(read(work, "As [@lovelace] says.\n", "part/a.md"))
    assert read(work, "No citation.\n").warnings == ()


STYLE = """\
<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" class="in-text"><info>
<title>Marks</title><id>marks</id><updated>2020-01-01T00:00:00Z</updated></info>
<citation><layout prefix="&lt;" suffix="&gt;"><text variable="citation-key"/></layout></citation>
</style>
"""


@pytest.mark.parametrize(
    "name", ["../outside.bib", "link.bib", "/etc/passwd", "http://127.0.0.1:9/refs.bib"]
)
def test_a_bibliography_comes_from_the_workspace_only(tmp_path, name):
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "outside.bib").write_text(BIBLIOGRAPHY, "utf-8")
    (work / "link.bib").symlink_to(tmp_path / "outside.bib")
    document = read(work, f"---\nbibliography: {name}\n---\nAs [@lovelace] says.\n")
    assert "was not used" in document.warnings[0]
    assert "1843" not in shown(document)
