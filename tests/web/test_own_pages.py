"""What an article is, on pages as sites build them."""

import pytest

from dogent_tui.web.article import find_article
from tests.web.corpus.scoring import plain_text
from tests.web.own_pages import own_pages


@pytest.mark.parametrize("page", own_pages(), ids=lambda page: page.name)
def test_the_article_and_nothing_around_it(page):
    found = " ".join(plain_text(find_article(page.html.decode(), page.url).markdown).split())
    assert [piece for piece in page.wanted if " ".join(piece.split()) not in found] == []
    assert [piece for piece in page.unwanted if piece in found] == []
