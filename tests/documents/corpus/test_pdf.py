"""The public half of the corpus, as the issue has it: headings, cells, and every file that cannot be read ends as a sentence."""

import json

import pytest

from dogent_tui.documents.model import DocumentError
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
    entries = json.loads((shared_documents / "manifest.json").read_text(encoding="utf-8"))["entries"]
    for entry in (e for e in entries if e["kind"] == "pdf"):
        path, expected = shared_documents / entry["path"], entry["expected"]
        if expected["type"] == "error":
            with pytest.raises(DocumentError) as error:
                read(path)
            assert error.value.code == CODES[expected["error"]]
        else:
            assert read(path).startswith("<!-- page 1 -->")
