"""The Markdown file that is exported: text and front matter."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.export.source import LARGEST, FrontMatter, read_source
from dogent_tui.documents.model import DocumentError


def source(tmp_path: Path, content: bytes | str):
    path = tmp_path / "a.md"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_source(path)


def test_front_matter_is_read_and_taken_off_the_text(tmp_path):
    read = source(
        tmp_path,
        "---\ntitle: 'Yes'\nauthor:\n  - Ada\n  - name: Grace\n    email: g@x.org\n"
        "    affiliation: [{name: Navy, city: Arlington}, Yale]\ndate: 2026-11-22\nlang:"
        " zh_CN\nkeywords: a, b，c\ntoc: yes\ntoc-depth: 9\nsubject: 3.10\n"
        "x_y: 1\nPapersize: a5\nto: |\n  Grace\n  1 High Street\nnumber-sections: {depth: 2}\n"
        "---\n# One\n",
    )
    assert read.text == "# One\n"
    assert read.first_line == 21
    assert [warning.partition(" of ")[2] for warning in read.warnings] == [
        "x-y (line 14), number-sections (line 19), email (line 6)."
    ]
    assert read.front == FrontMatter(
        title="Yes",
        authors=("Ada", "Grace (Navy, Arlington; Yale)"),
        date="2026-11-22",
        lang="zh-CN",
        keywords=("a", "b", "c"),
        toc=True,
        toc_depth=6,
        subject="3.10",
        to=("Grace", "1 High Street"),
        paper="a5",
    )


@pytest.mark.parametrize(
    "text", ["# One\n", "---\n\nwords\n\n---\n\nmore\n", "text\n---\ntitle: no\n---\n", "", "---\n"]
)
def test_what_is_no_front_matter_stays(tmp_path, text):
    read = source(tmp_path, text)
    assert (read.text, read.front, read.warnings) == (text, FrontMatter(), ())


def test_broken_front_matter_stays_in_the_text_with_a_warning(tmp_path):
    read = source(tmp_path, "---\ntitle: [\n---\nwords\n")
    assert read.text.startswith("---\ntitle")
    assert "front matter" in read.warnings[0]


def test_front_matter_makes_no_objects(tmp_path):
    read = source(
        tmp_path, "---\ntitle: !!python/name:os.system x\nauthor: {a: &x [1], b: *x}\n---\n"
    )
    assert read.front.authors == ()


def test_other_encodings_and_line_endings(tmp_path):
    assert source(tmp_path, "\ufeff一\r\n二\r".encode()).text == "一\n二\n"
    assert source(tmp_path, "一二".encode("utf-16")).text == "一二"
    chinese = source(
        tmp_path, ("这是一个用来测试编码的文档，里面有很多中文字符。" * 10).encode("gb18030")
    )
    assert chinese.text.startswith("这是一个")
    assert "not UTF-8" in chinese.warnings[0]


def test_what_is_no_markdown_file_is_a_sentence(tmp_path):
    with pytest.raises(DocumentError, match="does not exist"):
        read_source(tmp_path / "none.md")
    with pytest.raises(DocumentError, match="not a file"):
        read_source(tmp_path)
    with pytest.raises(DocumentError, match="is not text"):
        source(tmp_path, b"\x89PNG\0\0\0\0")
    with pytest.raises(DocumentError, match="larger than"):
        source(tmp_path, b"a" * (LARGEST + 1))


@given(st.text(alphabet=st.sampled_from("-.:[]{}&*!|>'\"#\n\t abtitle1é"), max_size=80))
def test_no_text_breaks_it(tmp_path_factory, text):
    read = source(tmp_path_factory.getbasetemp(), f"---\n{text}")
    assert read.text in f"---\n{text}"
