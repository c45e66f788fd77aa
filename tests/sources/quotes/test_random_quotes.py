"""Quotations of random sentences: what differs in typography is verbatim, what differs in a word
is not.
"""

import random

import pytest

from dogent_tui.sources.quotes.verdicts import check
from tests.sources.quotes.test_gold import NOUNS, VERBS
from tests.sources.quotes.test_verdicts import source

SAME = (
    lambda words, at: words,
    lambda words, at: ["[" + words[0][0] + "]" + words[0][1:], *words[1:]],
    lambda words, at: [*words[:at], f"**{words[at]}**", *words[at + 1 :]],
    lambda words, at: [*words[:at], words[at][:2] + "\u00ad" + words[at][2:], *words[at + 1 :]],
    lambda words, at: [*words[:at], words[at][:2] + "-\n" + words[at][2:], *words[at + 1 :]],
    lambda words, at: [*words[:at], "[sic]", *words[at:]],
    lambda words, at: [*words[:at], "[…]", *words[at + 1 :]],
    lambda words, at: ["\u00a0".join(words)],
    lambda words, at: ["\n".join(words)],
)
OTHER = (
    lambda words, at: [*words[:at], "kingdom", *words[at + 1 :]],
    lambda words, at: [*words[:at], *words[at + 1 :]],
    lambda words, at: [*words[:at], "not", *words[at:]],
    lambda words, at: [*words[:at], "[not]", *words[at:]],
    lambda words, at: [*words[:at], words[at] + "s", *words[at + 1 :]],
    lambda words, at: [*words[:at], words[at + 1], words[at], *words[at + 2 :]],
)
DECORATED = ("{}", "*{}*", "**{}**", "{}[^1]", "{}<sup>2</sup>", "[{}](https://a.org/b_c)")


@pytest.mark.parametrize("seed", range(2))
def test_typography_is_no_difference_and_a_word_is(seed):
    rng = random.Random(seed)
    sentences = []
    for number in range(60):
        first, second, third, fourth = rng.sample(NOUNS.split(), 4)
        verb = rng.choice(VERBS.split())
        told = f"The {first} {verb} the {second} {number} times near the {third} and {fourth}"
        sentences.append(told.split())
    shown = [
        " ".join(rng.choice(DECORATED).format(word) if word.isalpha() else word for word in words)
        for words in sentences
    ]
    sources = [source("a.md", "\n\n".join(f"{each}." for each in shown) + "\n")]
    for words in sentences:
        for changes, expected in ((SAME, "verbatim"), (OTHER, "altered")):
            at = rng.choice([place for place in (1, 2, 4) if words[place] != "the"])
            quote = " ".join(rng.choice(changes)(words, at))
            found = check("draft.md", f"It says “{quote}” (a.md).\n", sources, {}).findings
            verdicts = [each.verdict for each in found if each.kind == "quote"]
            assert verdicts == [expected], quote
