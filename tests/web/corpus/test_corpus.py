"""The articles of real pages, scored as two public benchmarks score them; the pages are not a part of the project."""

from pathlib import Path

import pytest

from dogent_tui.web.article import find_article
from dogent_tui.web.charset import decode
from tests.documents.conftest import shared_documents  # noqa: F401 — a fixture
from tests.web.corpus.scoring import Score, plain_text, shingle_score

ALONE = {"saeb": 0.953, "traf": 0.936}
"""The best that one temper of trafilatura reaches on each of the two, without comments."""


@pytest.mark.slow
def test_articles_are_found_better_than_by_the_extractor_alone(shared_documents: Path) -> None:  # noqa: F811
    from tests.web.corpus.scoring import scored

    found = scored(shared_documents, lambda html, url: find_article(decode(html, "", markup=True)[0], url).markdown)
    assert found["saeb"].f1 >= 0.968
    assert found["traf"].f1 >= 0.944
    assert all(found[name].f1 > alone for name, alone in ALONE.items())


def test_the_scorer_counts_as_the_benchmarks_do() -> None:
    assert shingle_score("a b c d e", "a b c d e") == Score(1, 1)
    assert shingle_score("a b c d e", "a b c d") == Score(1, 0.5)
    assert shingle_score("a b c d", "") == Score(0, 0)
    assert plain_text("# A [b](http://x.y) *c*\n\n| d | e |\n|---|---|\n| f | g |").split() == list("Abcdefg")
