"""The public half of the corpus: headings, cells, no word lost, and every file that cannot be
read ends as a sentence.
"""

import json
import re
from pathlib import Path
from unicodedata import normalize

import pymupdf
import pytest

from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.pdf.reader import open_pdf
from tests.documents.corpus.pdf_score import heading_precision, mean, read, scores

CODES = {"scanned": "scanned", "encrypted": "encrypted", "not-a-pdf": "damaged"}


@pytest.mark.slow
def test_headings_cells_and_words_are_found(shared_documents):
    found = scores(shared_documents)
    assert mean([one.headings for one in found]) >= 0.70
    assert heading_precision(found) >= 0.75
    assert sum(one.false_headings for one in found) <= 20
    assert mean([one.cells for one in found]) >= 0.55
    assert mean([one.words for one in found]) >= 0.90


@pytest.mark.slow
def test_every_file_opens_or_says_why_not(shared_documents):
    entries = json.loads((shared_documents / "manifest.json").read_text(encoding="utf-8"))[
        "entries"
    ]
    for entry in (e for e in entries if e["kind"] == "pdf"):
        path, expected = shared_documents / entry["path"], entry["expected"]
        if expected["type"] == "error":
            with pytest.raises(DocumentError) as error:
                read(path)
            assert error.value.code == CODES[expected["error"]]
        else:
            assert read(path).startswith("<!-- page 1 -->")


@pytest.mark.slow
def test_each_word_of_a_file_is_in_the_text_or_in_what_is_told_of_it(shared_documents):
    for path in sorted(shared_documents.rglob("*.pdf")):
        try:
            opened = open_pdf(path, ReadOptions(), lambda *_: None)
            said = "\n".join(block.markdown for block in opened.blocks) + json.dumps(
                opened.metadata, ensure_ascii=False
            )
        except DocumentError:
            continue
        there, words = (
            letters(said),
            {letters("".join(sorted(word))) for word in re.findall(r"[^\W_]+", said)},
        )
        assert [
            word
            for word in raw_words(path)
            if letters(word) not in there and letters("".join(sorted(word))) not in words
        ] == [], path.name


def raw_words(path: Path) -> list[str]:
    """Return the words of all lines as the engine has them: letters of a ligature may be the
    wrong way round.
    """
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE
    with pymupdf.open(path) as document:
        blocks = (
            block for page in document for block in page.get_text("dict", flags=flags)["blocks"]
        )
        lines = [
            "".join(span["text"] for span in line["spans"])
            for block in blocks
            for line in block["lines"]
        ]
    return re.findall(r"[^\W_]+", " ".join(lines).replace("\xad", ""))


def letters(text: str) -> str:
    """Return the letters and figures of `text` alone."""
    return "".join(re.findall(r"[^\W_]+", normalize("NFKC", text))).casefold()
