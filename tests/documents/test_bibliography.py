"""Bibliographies of every format are read as the same entries, and once for each content."""

import json

import pytest

from dogent_tui.documents import bibliography
from dogent_tui.documents.bibliography import (
    Entry,
    key_of,
    locator_pages,
    named_bibliographies,
    read_bibliography,
)

BIBTEX = """\
@comment{not an entry,}
@string{press = "Island Press"}
@article{hale2019,
  author  = {Hale, Mira and {\\O}re, Anna},
  title   = {The {Ferry} Question},
  journal = {Journal of Islands}, year = 2019, pages = {101--20},
  file    = {Full Text:files/hale.pdf:application/pdf}
}
"""
BIBLATEX = """\
@article{hale2019,
  title = {The {{Ferry}} Question}, author = {Hale, Mira and Øre, Anna}, date = {2019-03-02},
  journaltitle = {Journal of Islands}, pages = {101--120}, file = {files/hale.pdf}, keywords = {a,b}
}
"""
CSL = [
    {
        "id": "hale2019",
        "type": "article-journal",
        "author": [{"family": "Hale", "given": "Mira"}, {"family": "Øre", "given": "Anna"}],
        "issued": {"date-parts": [[2019, 3]]},
        "title": "The Ferry question",
        "page": "101-120",
        "file": "files/hale.pdf",
    }
]
YAML = """\
---
references:
- id: hale2019
  type: article-journal
  author:
  - family: Hale
    given: Mira
  - family: Øre
    given: Anna
  issued: 2019-03-02
  title: The *Ferry* question
  page: 101-120
  file: files/hale.pdf
...
"""
ENTRY = Entry("hale2019", "Hale, Øre", "2019", "The Ferry question", (101, 120), "files/hale.pdf")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(bibliography, "cache_dir", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bibtex.bib", BIBTEX),
        ("biblatex.bib", BIBLATEX),
        ("csl.json", json.dumps(CSL)),
        ("items.json", json.dumps({"items": CSL})),
        ("csl.yaml", YAML),
    ],
)
def test_the_same_entry_in_every_format(tmp_path, name, content):
    (tmp_path / name).write_text(content, "utf-8")
    assert read_bibliography(tmp_path / name).entries == [ENTRY]


def test_a_changed_file_is_read_again_and_an_unchanged_one_by_no_program(
    tmp_path, monkeypatch, cache
):
    path = tmp_path / "refs.bib"
    path.write_text(BIBLATEX, "utf-8")
    read_bibliography(path)
    bibliography._read.clear()
    with monkeypatch.context() as without:
        without.setattr(bibliography, "run_pandoc", None)
        assert read_bibliography(path).entries == [ENTRY]
    path.write_text(BIBLATEX.replace("Ferry", "Boat"), "utf-8")
    assert read_bibliography(path).entries[0].title == "The Boat question"
    assert len(list((cache / "bibliographies").iterdir())) == 1


@pytest.mark.parametrize(
    ("name", "content", "keys"),
    [
        ("broken.bib", BIBLATEX + "@book{cut, title = {x", ["hale2019", "cut"]),
        ("broken.json", "{", []),
        ("other.json", '{"a": 1}', []),
        ("broken.yaml", "a: [", []),
        ("missing.bib", None, []),
    ],
)
def test_what_cannot_be_read_has_no_entries_but_the_keys_that_are_seen(
    tmp_path, name, content, keys
):
    if content is not None:
        (tmp_path / name).write_text(content, "utf-8")
    assert [entry.key for entry in read_bibliography(tmp_path / name).entries] == keys


@pytest.mark.parametrize(
    ("type_", "page", "of", "pages"),
    [
        ("article-journal", "7", "", (7, 7)),
        ("article-journal", "e12", "", (0, 0)),
        ("book", "300", "", (1, 300)),
        ("book", "", "240", (1, 240)),
        ("chapter", "198–9", "", (198, 199)),
    ],
)
def test_the_pages_of_a_work(tmp_path, type_, page, of, pages):
    entry = {"id": "a", "type": type_, "page": page, "number-of-pages": of}
    (tmp_path / "a.json").write_text(json.dumps([entry]))
    assert read_bibliography(tmp_path / "a.json").entries[0].pages == pages


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        (", p. 12", (12, 12)),
        (", pp. 3-5]", (3, 5)),
        (", 33", (33, 33)),
        (", 第3页", (3, 3)),
        (", ch. 4", (0, 0)),
        (" and 7 others", (0, 0)),
    ],
)
def test_what_follows_a_key_names_pages(text, pages):
    assert locator_pages(text) == pages


def test_which_bibliographies_a_draft_has(tmp_path):
    root = tmp_path / "folder"
    (root / "part").mkdir(parents=True)
    (root / ".dogent").mkdir()
    for name in ("a.bib", "part/own.json", "house.yaml", "../outside.bib"):
        (root / name).write_text("")
    part = root / "part"
    assert named_bibliographies(root) == [root / "a.bib"]
    (root / ".dogent/dogent.json").write_text('{"bibliography": "house.yaml"}')
    assert named_bibliographies(root, (), part) == [root / "house.yaml"]
    assert named_bibliographies(root, ("own.json", "../../outside.bib"), part) == [
        part / "own.json"
    ]


def test_a_document_has_the_key_of_the_entry_that_names_it(tmp_path):
    (tmp_path / "refs.bib").write_text(BIBLATEX, "utf-8")
    (tmp_path / "files").mkdir()
    moved = tmp_path / "hale.pdf"
    moved.touch()
    assert key_of(moved, tmp_path) == "hale2019"
    named = tmp_path / "files/hale.pdf"
    named.touch()
    assert (key_of(named, tmp_path), key_of(moved, tmp_path)) == ("hale2019", "")
