"""The targets of reading docx, on the corpus where it is: text macro-F1 and each kind of
structural fact.
"""

import json
from collections import Counter

import pytest

from tests.documents.corpus.docx_score import (
    all_scores,
    f1,
    golden_blocks,
    golden_files,
    totals,
    tree_facts,
    words_of,
)


@pytest.fixture(scope="module")
def scores(shared_documents):
    return all_scores(shared_documents)


@pytest.mark.thorough
@pytest.mark.slow
def test_text(scores):
    assert sum(score.f1 for score in scores) / len(scores) >= 0.99


@pytest.mark.thorough
@pytest.mark.slow
def test_facts_of_each_kind(scores):
    assert {
        kind: numbers for kind, numbers in totals(scores).items() if numbers[0] < 0.98 * numbers[1]
    } == {}


def test_the_scorer_takes_the_facts_that_are_given_with_the_goldens(shared_documents):
    """Up to a few cells that hold a sign and no word, and a name that begins with the X of a
    checked box.
    """
    differing = 0
    for _, golden, options in golden_files(shared_documents):
        if options.changes == "accept":
            given = json.loads(
                golden.with_name(golden.name.replace(".ast.", ".facts.")).read_text(
                    encoding="utf-8"
                )
            )
            words, facts = tree_facts(golden_blocks(golden))
            assert f1(words, Counter(given["words"])) == 1
            wanted = Counter(
                {
                    (fact["type"], json.dumps(fact["value"], ensure_ascii=False)): fact["count"]
                    for fact in given["facts"]
                }
            )
            differing += (wanted - facts).total()
    assert differing <= 1


def test_f1():
    assert f1(Counter("aab"), Counter("aab")) == 1
    assert f1(Counter("aab"), Counter("ab")) == pytest.approx(0.8)
    assert f1(Counter(), Counter()) == 1
    assert words_of("It's 1.5 汉字 a_b") == ["It", "s", "1", "5", "汉字", "a", "b"]
