"""The articles of real pages, scored as two public benchmarks score them; the pages are not a
part of the project.
"""

from itertools import islice
from pathlib import Path

import pytest

from dogent_tui.documents.html.charset import decode
from dogent_tui.web.article import find_article
from tests.documents.conftest import shared_documents  # noqa: F401 — a fixture
from tests.web.corpus.scoring import Score, pages, plain_text, score, shingle_score

ALONE = {"saeb": 0.945, "traf": 0.966}
"""The best that one temper of trafilatura reaches on every third page, without comments. `make
bench` goes through all of them, where it reaches 0.953 and 0.936.
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_articles_are_found_better_than_by_the_extractor_alone(shared_documents: Path) -> None:  # noqa: F811
    chosen = islice(pages(shared_documents), 0, None, 3)
    articles = (
        (page, find_article(decode(page.html, "", markup=True)[0], page.url).markdown)
        for page in chosen
    )
    found = score((page, plain_text(markdown)) for page, markdown in articles)
    assert all(found[name].f1 >= alone + 0.015 for name, alone in ALONE.items())


def test_the_scorer_counts_as_the_benchmarks_do() -> None:
    assert shingle_score("a b c d e", "a b c d e") == Score(1, 1)
    assert shingle_score("a b c d e", "a b c d") == Score(1, 0.5)
    assert shingle_score("a b c d", "") == Score(0, 0)
    assert plain_text("# A [b](http://x.y) *c*\n\n| d | e |\n|---|---|\n| f | g |").split() == list(
        "Abcdefg"
    )
