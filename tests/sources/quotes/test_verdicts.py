"""What is said of a quotation, number or citation of a draft."""

import os
import subprocess
import sys

import pytest

from dogent_tui.documents.model import Source
from dogent_tui.sources.quotes.claims import Draft
from dogent_tui.sources.quotes.index import Block, SourceIndex, make
from dogent_tui.sources.quotes.sources import CitationTarget, Names
from dogent_tui.sources.quotes.verdicts import CheckedSource, check

LOG = """# Harbour log

The ferry leaves the small harbour at seven, and it does not wait for late passengers. In winter the crossing takes 45
minutes, in summer only 30 minutes.

| year | passengers | crossings |
| --- | --- | --- |
| 2019 | 12,480 | 730 |
| 2020 | 4,310 | 365 |

The keeper wrote[^1] that nobody had ever asked him about the weather[12] before they set out¹ in a boat of 25 m² or less.

[^1]: In a letter to his sister.
"""  # noqa: E501
PAGES = (
    "<!-- page 1 -->\n\nThe beech was felled in the year of the great flood, and its wood was made"
    " into the\n\n^1^ A note at the foot.\n\n<!-- page 2 -->\n\ndoors of the chapel, which still"
    " hang there. Nobody has counted the rings, which are very nar-\n\n<!-- page 3 -->\n\nrow"
    " towards the bark."
)


def source(path, text):
    blocks, at, page = [], 0, 0
    for part in text.split("\n\n"):
        start = text.index(part, at)
        at = start + len(part)
        page += part.startswith("<!-- page")
        where = Source(page=page) if page else Source(line=text.count("\n", 0, start) + 1)
        blocks.append(Block(start, where))
    return CheckedSource(path, make(text, blocks, page))


SOURCES = (
    source("log.md", LOG),
    source("beech.pdf", PAGES),
    CheckedSource("scan.pdf", SourceIndex("scanned")),
)


def findings(draft, kind="quote", keys=None):
    return [
        found
        for found in check("draft.md", draft, SOURCES, keys or {}).findings
        if found.kind == kind
    ]


def verdict(draft, kind="quote"):
    (found,) = findings(draft, kind)
    return found.verdict


@pytest.mark.parametrize(
    "quote",
    [
        "does not wait for late passengers",
        "does **not** wait\nfor late passengers.",
        "does not wait for late pas-\nsengers",
        "it does [sic] not wait for late passengers",
        "[T]he ferry leaves the small harbour at seven",
        "the ferry leaves … and it does not wait for late passengers",
        "The ferry leaves the small harbour […] in summer only 30 minutes.",
        "The ferry leaves [its] harbour at seven",
        "nobody had ever asked him about the weather before they set out",
        "about the weather [12] before they set out in a boat of 25 m² or less",
        "The\u00a0ferry leaves the small har\u00adbour at seven",
    ],
)
def test_only_typography_omissions_and_insertions_may_differ(quote):
    assert verdict(f"The log says “{quote}” (log.md).") == "verbatim"


@pytest.mark.parametrize(
    ("quote", "flag"),
    [
        ("it does wait for late passengers", "negation"),
        ("it does … wait for late passengers", "negation"),
        ("the ferry leaves the small harbour [not] at seven", "negation"),
        ("In winter the crossing takes 54 minutes", "number"),
        ("In winter the crossing takes 45 hours", "unit"),
        ("it does wait not for late passengers", "order"),
        ("The Ferry leaves the small Harwich at seven", "name"),
        ("before they set out in a boat of 25 m³ or less", "number"),
        ("before they set out in a boat of 25 m or less", "number"),
        ("asked him about the weather[13] before they set out", ""),
        ("it does wait … the ferry leaves the small harbour", ""),
        ("The ferry leaves the small harbours at seven", ""),
    ],
)
def test_any_other_difference_is_one(quote, flag):
    (found,) = findings(f"The log says “{quote}” (log.md).")
    assert found.verdict == "altered"
    assert found.source == "log.md"
    assert not flag or flag in found.flags
    assert "".join(text for kind, text in found.diff if kind != "delete") == found.text


def test_the_difference_is_told_word_by_word():
    (found,) = findings("It “does wait for late passengers” (log.md).")
    assert found.diff == [
        ("equal", "does "),
        ("delete", "not "),
        ("equal", "wait for late passengers"),
    ]
    assert (found.line, found.column, found.end_column) == (1, 5, 34)
    assert found.place == {"line": 3}


def test_a_quotation_over_the_end_of_a_page_is_on_both():
    draft = "“its wood was made into the doors of the chapel” (beech.pdf, p. {})."
    assert [verdict(draft.format(page)) for page in (1, 2, 3)] == [
        "verbatim",
        "verbatim",
        "found_elsewhere",
    ]
    for spelled in ("(beech.pdf, p.3)", "(beech.pdf, S.3)", "(*beech.pdf*, p. 3)"):
        assert verdict(f"“its wood was made into the doors” {spelled}.") == "found_elsewhere"
        assert verdict(f"“its wood was made” {spelled}.", "citation") == "verbatim"
    (found,) = findings("“which are very narrow towards the bark” (beech.pdf).")
    assert (found.verdict, found.place) == ("verbatim", {"page": 2})


def test_what_is_named_is_part_of_the_claim():
    quote = "“does not wait for late passengers”"
    assert verdict(f"{quote} (beech.pdf).") == "found_elsewhere"
    assert verdict(f"{quote} (gone.md).") == "found_elsewhere"
    assert verdict(f"{quote} (scan.pdf).") == "unreadable_source"
    assert verdict(f"{quote}.") == "verbatim"
    assert verdict("“a whale was seen from the deck” (gone.md).") == "not_found"
    assert verdict("“a whale was seen from the deck” (scan.pdf).") == "unreadable_source"
    assert verdict("“it does wait for late passengers” (gone.md).") == "not_found"


@pytest.mark.parametrize(
    "draft",
    [
        "> The ferry leaves the small harbour\n> at seven\n>\n> — log.md",
        "> The ferry leaves the small harbour at seven\n\n(log.md)",
        "„The ferry leaves the small harbour“[^a].\n\n[^a]: See log.md.",
        "« The ferry leaves the small harbour » [@key, p. 3]",
        "»The ferry leaves the small harbour« (@log.md)",
        '„The ferry leaves the small harbour" (log.md) and „a "little" boat“.',
        '[The log](./log.md): "The ferry leaves the small harbour"',
        "「The ferry leaves the small harbour」（log.md）",
    ],
)
def test_marks_and_names_of_every_kind(draft):
    (found,) = findings(draft, keys={"key": CitationTarget("log.md")})
    assert (found.verdict, found.named) == ("verbatim", "log.md")
    assert found.text.startswith("The ferry leaves")


def test_a_link_to_the_web_is_no_citation_of_a_source():
    links = "[its page](https://ferry.example/a?b=1) [![x](http://a/b.png)](http://c/d 'e')"
    assert findings(f"See {links}.", "citation") == []


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Капитан никогда не ходил зимой без лоцмана.", "Капитан … ходил зимой без лоцмана."),
        ("Only licensed boats may sail at night.", "Licensed boats may sail at night."),
        ("لا يجوز للركاب اصطحاب الكلاب دون كمامة", "يجوز للركاب اصطحاب الكلاب دون كمامة"),
        ("وصل الركاب ولا يجوز لهم اصطحاب الكلاب دون كمامة", "يجوز لهم اصطحاب الكلاب دون كمامة"),
    ],
)
def test_what_cuts_off_a_word_like_not_is_altered(text, quote):
    (found,) = check("draft.md", f"“{quote}”\n", [source("a.md", text)], {}).findings
    assert found.verdict == "altered"


def test_a_block_quote_is_of_what_announces_it_or_follows_in_a_sentence():
    quote = "> Nobody has counted the rings, which are very narrow\n"
    later = "It was read aloud. The council agreed later (log.md).\n"
    (announced,) = findings(f"As the forester says (beech.pdf):\n\n{quote}\n{later}")
    (followed,) = findings(f"{quote}\nas the forester says (beech.pdf). {later}")
    (alone,) = findings(f"He went on.\n\n{quote}\n{later}")
    assert [each.named for each in (announced, followed, alone)] == ["beech.pdf"] * 2 + [None]
    assert {each.verdict for each in (announced, followed, alone)} == {"verbatim"}


def test_a_page_may_be_counted_as_its_volume_does_and_must_be_in_the_work():
    keys = {
        "beech": CitationTarget("beech.pdf", work=(101, 103)),
        "book": CitationTarget("", work=(1, 20)),
    }
    quote = "“doors of the chapel, which still hang there”"
    for page, expected in (
        ("p. 2", "verbatim"),
        ("p. 102", "verbatim"),
        ("p. 103", "found_elsewhere"),
    ):
        (found,) = findings(f"{quote} [@beech, {page}].", keys=keys)
        assert (found.verdict, found.place["page"]) == (expected, 2)
    for text, expected in (
        ("@beech, p. 3", "verbatim"),
        ("@beech, pp. 101-103", "verbatim"),
        ("@beech, p. 4", "not_found"),
        ("@book, 20", "verbatim"),
        ("@book, p. 412", "not_found"),
    ):
        (found,) = findings(f"So it is [{text}].", "citation", keys)
        assert (found.verdict, found.flags) == (expected, ["page"] * (expected == "not_found"))


def test_what_is_no_quotation():
    draft = (
        "---\ntitle: “the front matter of a draft”\n---\n\n`“code of four words”` and “three words"
        " only”\n\n```\n“a fence with some words”\n```\n\nText[^1].\n\n[^1]: “a note of four"
        " words”\n"
    )
    assert findings(draft) == []


_JOINED = (
    "The keeper wrote that nobody had ever asked him about the weather before they set out in a"
    " boat; the ferry leaves the small harbour at seven; in winter the crossing takes {} minutes"
    " (log.md)."
)


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("In 2019 there were 12,480 passengers (log.md).", ["verbatim", "verbatim"]),
        ("In 2020 there were 4,130 passengers (log.md).", ["verbatim", "altered"]),
        ("In 2020 there were 4,310 passengers and 365 crossings.", ["verbatim"] * 3),
        ("In 2019 there were 4,310 passengers and 365 crossings.", ["verbatim", *["altered"] * 2]),
        (
            "The crossings were 730 in the year of 12,480 passengers (log.md).",
            ["verbatim", "verbatim"],
        ),
        ("In winter the crossing takes 30 minutes (log.md).", ["altered"]),
        ("In winter the crossing takes 45 minutes (log.md).", ["verbatim"]),
        ("In winter the crossing takes 45 hours (log.md).", ["altered"]),
        ("Es waren 12.480 passengers und das ist nicht wenig (log.md).", ["verbatim"]),
        (
            "# Loss {#sec:loss width=30%}\n\nWith $x^2$, $$\ny = 3\n$$ and ![](a.png){width=5cm}.",
            [],
        ),
        ("It was $5, then $9 or US$8.\n\nThe rest$.", ["not_found"] * 3),
        (_JOINED.format(45), ["verbatim"]),
        (_JOINED.format(54), ["altered"]),
    ],
)
def test_a_number_is_held_against_its_context(draft, expected):
    assert [found.verdict for found in findings(draft, "number")] == expected


_LAB = source(
    "lab.md",
    """# Laboratory

As Table 7 shows, the flow of H~2~O was 4**.5** m<sup>3</sup> per hour in a tank of 3.2 × 10^5^ kg.

A failure of the tank has a probability of 10<sup>−16</sup> per year.

| Segment | 2023 | 2024 | Change |
| --- | --- | --- | --- |
| Marine | 1,180.2 | 1,011.7 | -14.3 % |
| Rail | 455.0 | 470.5 | +3.4 % |

The tank cost € 4.5 million^1^ and 2,480^3^ hours. The plant in St. Gallen has
room for 1,250 people.
""",
)


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("The tank weighs 3.2 × 10⁵ kg (lab.md).", ["verbatim"]),
        ("The tank weighs 3.2 × 10^6^ kg (lab.md).", ["altered"]),
        ("The probability of a failure is 10^-16^ per year (lab.md).", ["verbatim"]),
        ("The probability of a failure is 10^-15^ per year (lab.md).", ["altered"]),
        ("The flow of H~2~O was 4.5 m³ per hour (lab.md).", ["verbatim"]),
        ("The flow of H<sub>2</sub>O was 4.5 m² per hour (lab.md).", ["altered"]),
        ("As Table 7 shows, the flow was 4.5 m³ per hour (lab.md).", ["verbatim"] * 2),
        ("As Table 4 and Section 2.1 show, the flow was 4.5 m³ per hour (lab.md).", ["verbatim"]),
        ("The tank cost € 4.5 million and 2,480 hours (lab.md).", ["verbatim"] * 2),
        ("Rail grew by 3.4 % in 2024 (lab.md).", ["verbatim"] * 2),
        ("In St. Gallen the plant has 1 250 people (lab.md).", ["verbatim"]),
        ("Rail grew by 14.3 % in 2024 (lab.md).", ["altered", "verbatim"]),
        (
            "| Unit | 2023 | 2024 |\n| --- | --- | --- |\n| Rail | 455.0 | 470.5 |",
            ["verbatim"] * 4,
        ),
        ("| Segment | 2022 | 2024 |\n| --- | --- | --- |\n", ["not_found", "verbatim"]),
    ],
)
def test_a_number_is_read_with_its_power_and_no_name_of_a_part_or_substance(draft, expected):
    found = check("draft.md", f"{draft}\n", [_LAB], {}).findings
    assert [each.verdict for each in found if each.kind == "number"] == expected


@pytest.mark.parametrize(
    ("above", "corner", "head"),
    [
        ("Key figures (in EUR million)\n\n", "", ""),
        ("", "€m", ""),
        ("", "", " (EUR m)"),
        ("", "Mio. EUR", ""),
    ],
)
def test_a_table_tells_the_scale_of_its_numbers_in_one_place(above, corner, head):
    rows = (
        "| St. Gallen | 1,180.2 | 1,234.5 | 4.6% |\n| Bern | 95.6 | 97.5 | -2.0% |\n"
        "| Margin in % | 8.1 | 7.9 | |\n| Crates (thousand) | 12.1 | 12.9 | |\n"
        "| Result | 12.4 | (8.4) | |\n"
    )
    table = f"| {corner} | 2023{head} | 2024{head} | Change |\n| --- | --- | --- | --- |\n{rows}"
    annual = source("annual.md", f"# Report\n\nAll is well.\n\n{above}{table}")
    for draft, is_right in (
        ("Bern had EUR 97.5 million in 2024.", True),
        ("Bern rose from EUR 95.6m in 2023 to EUR 97.5m in 2024.", True),
        ("Bern rose from EUR 97.5m in 2023 to EUR 95.6m in 2024.", False),
        ("There were 12.9 thousand crates in 2024.", True),
        ("There were 12.9 million crates in 2024.", False),
        ("St. Gallen rose by 4.6 % to EUR 1,234.5 million in 2024.", True),
        ("Bern had 97.5 in 2024.", True),
        ("The margin was 7.9 % in 2024.", True),
        ("Bern fell by 2.0 % in 2024.", True),
        ("The result was a loss of EUR 8.4 million in 2024.", True),
        ("Bern rose by 2.0 % in 2024.", False),
        ("The result was a gain of EUR 8.4 million in 2024.", False),
        ("Bern had EUR 97.5 in 2024.", False),
        ("Bern had EUR 97.5 billion in 2024.", False),
        ("Bern had EUR 95.6 million in 2024.", False),
        ("Bern had EUR 1,234.5 million in 2024.", False),
    ):
        found = check("draft.md", f"{draft}\n", [annual], {}).findings
        assert all(each.verdict == "verbatim" for each in found) is is_right


_TOWNS = """
import random
from tests.sources.quotes.test_verdicts import check, source
any_number = random.Random(1).randint
rows = [[f"Town{at}", *(any_number(100, 9999) for _ in range(2))] for at in range(300)]
table = "".join(f"| {a} | {b} | {c} |\\n" for a, b, c in rows)
towns = source("a.md", "| Place | Visitors 2023 | Visitors 2024 |\\n| - | - | - |\\n" + table)
draft = [f"{a} had {c} visitors in 2024 and {b} in 2023 on 3 sites." for a, b, c in rows[:60]]
print([each.verdict for each in check("draft.md", "\\n\\n".join(draft), [towns], {}).findings])
"""


def test_each_check_says_the_same():
    said = {
        subprocess.run(
            [sys.executable, "-c", _TOWNS],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
        ).stdout
        for seed in "1234"
    }
    assert len(said) == 1


def test_citations_resolve():
    draft = (
        "A (log.md) [@fig:map] [@key] [@gone] [^1] [^2] (gone.pdf) [x](log.md) [y](gone.md)"
        " (scan.pdf) (beech.pdf, p. 9).\n\n[^1]: log.md\n"
    )
    found = {
        each.text: each.verdict
        for each in findings(draft, "citation", {"key": CitationTarget("log.md")})
    }
    assert found == {
        "(log.md)": "verbatim",
        "[@key]": "verbatim",
        "[@gone]": "not_found",
        "[^1]": "verbatim",
        "[^2]": "not_found",
        "(gone.pdf)": "not_found",
        "[x](log.md)": "verbatim",
        "[y](gone.md)": "not_found",
        "(scan.pdf)": "unreadable_source",
        "(beech.pdf, p. 9)": "not_found",
    }


def test_places_are_those_of_the_draft_on_disk():
    draft = (
        "One\rline.\r\n\r\n> The ferry leaves the small harbour\r\n>\r\n> — log.md\r\n\r\n"
        '1. Of "one of the users <a@b.c>".\r\n'
    )
    first, second = findings(draft)
    assert (first.verdict, first.line, first.column, first.end_line) == ("verbatim", 3, 3, 3)
    assert (second.text, second.line, second.column) == ("one of the users <a@b.c>", 7, 8)


MINUTES = (
    "Notes, 3 March, library, 14:00 to 15:30\npresent: Ines Roth (chair), Paul Weber, Mia Stone\n\n"
    "- opening hours: Mia wants Saturday 10 to 14. Ali against. vote 3:1 for Saturday, from 5"
    " April\n\n- Ali will write to the town about the heating until 20 March\n\n"
    "- the hall was let on 31.12.2024 to 40 guests\n\n- the roof was mended on 2025-07-14\n\n"
    "- the fair is 3–5 March with tents\n\n- die Messe war vom 7. bis 9. Juni in Halle zwei\n"
)


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("Minutes of 3 March", ["verbatim"]),
        ("Minutes of 4 March", ["altered"]),
        ("The hall was let on 31 December 2024 to 40 guests.", ["verbatim"] * 3),
        ("The hall was let on 30 December 2024 to 40 guests.", ["altered", *["verbatim"] * 2]),
        ("The hall was let on 31 November 2024 to 40 guests.", ["altered", *["verbatim"] * 2]),
        ("The hall was let on October 31, 2024 to 40 guests.", ["altered", *["verbatim"] * 2]),
        ("Es war am 31. Dezember 2024 die hall mit 40 guests.", ["verbatim"] * 3),
        ("Es war am 31. Oktober 2024 die hall mit 40 guests.", ["altered", *["verbatim"] * 2]),
        ("The roof was mended on 14 July 2025.", ["verbatim"] * 2),
        ("The fair began on 3 March in tents.", ["verbatim"]),
        ("The fair began on 3 May in tents.", ["altered"]),
        ("Die Messe in Halle zwei begann am 7. Juni.", ["verbatim"]),
        ("Die Messe in Halle zwei begann am 8. Juni.", ["altered"]),
        ("The roof was mended on 14 June 2025.", ["altered", "verbatim"]),
        (
            "The library opens on Saturday 10 to 14, from 5 April; the vote was 3:1.",
            ["verbatim"] * 4,
        ),
        ("Ali writes to the town until 3 March.", ["altered"]),
    ],
)
def test_the_words_right_beside_a_number_tell_it(draft, expected):
    notes = source("notes.txt", MINUTES)
    found = check("draft.md", f"{draft}\n", [notes], {}).findings
    assert [each.verdict for each in found] == expected


@pytest.mark.parametrize(
    "written",
    [
        "Visits fell from 9,120 in 2023 to 8,007 in 2024.",
        "Visits (2024: 8,007; 2023: 9,120) fell.",
        "| Year | Visits |\n| --- | --- |\n| 2023 | 9,120 |\n| 2024 | 8,007 |",
    ],
)
def test_a_number_belongs_to_its_year(written):
    report = source("report.md", f"# Library\n\nIt was renovated.\n\n{written}\n")
    for draft, is_right in (
        ("The library had 8,007 visits in 2024, after 9,120 in 2023.", True),
        ("The library had 9,120 visits in 2024, after 8,007 in 2023.", False),
    ):
        found = check("draft.md", f"{draft}\n", [report], {}).findings
        assert all(each.verdict == "verbatim" for each in found) is is_right


def test_the_context_of_a_number_is_what_is_near_it():
    """A paragraph of a thousand lines without a full stop is one sentence."""
    draft = "\n".join(f"berth {number} was empty" for number in range(1_000))
    claims = Draft(draft, Names(())).claims()
    assert len(claims) == 1_000
    assert all(claim.context[claim.at :].startswith(claim.text) for claim in claims)
    assert max(len(claim.context) for claim in claims) < 1_100


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("The weather was fine<sup>12</sup> in the town", "weather was fine in the town", True),
        ("The weather was fine[[12]](#note) in the town", "weather was fine in the town", True),
        ("about [40](https://a.org/) per cent of it", "about 40 per cent of it", True),
        ("the te**<em>lephone was out</em> of order", "the telephone was out of order", True),
        ("a boat of 25 m<sup>2</sup> or less", "a boat of 25 m² or less", True),
        ("a boat of 25 m<sup>2</sup> or less", "a boat of 25 m or less", False),
        ("the 5<sup>th</sup> bridge was opened", "the 5th bridge was opened", True),
        ("L’œuvre de la ville est belle", "[l]’œuvre de la ville est belle", True),
        ("# What we do not\n\nThe plan was made by all", "The plan was made by all.", True),
        ("it is not\nall that was planned here", "All that was planned here.", False),
        ("rated A+ by the whole agency", "rated A- by the whole agency", False),
        ("the firm uses C# and Java", "the firm uses C and Java", False),
        ("if a &lt; b in every case", "if a < b in every case", True),
        ("if a < b in every case", "if a > b in every case", False),
        ("A → B is what they say", "A ← B is what they say", False),
        ("he drank it in Maßen every evening", "he drank it in Massen every evening", False),
        ("it was not able to float there", "it was notable to float there", False),
        ("the men left the town in a hurry", "the [12] men left the town in a hurry", False),
        ("it took 10–20 days in all", "it took 10-20 days in all", True),
        ("it took 10–20 days in all", "it took 10, 20 days in all", False),
        ("a rope of 5½ metres and more", "a rope of 5 1/2 metres and more", True),
        ("a rope of 5½ metres and more", "a rope of 51/2 metres and more", False),
        ("it fell by 91¢ in a year", "it fell by 91 in a year", False),
        ("it fell by −89 °C in the night", "it fell by [sic] 89 °C in the night", False),
        ("a share of <84 in the town", "a share of\n<84 in the town", True),
        ("气温在−57度以下持续了很久", "气温在-57度以下持续了很久", True),
        ("So:\n\n1. They are free.\n2. They may ask.", "They are free. They may ask.", True),
        (
            "It is so:\n\n1. They are free.\n2. They may ask.",
            "They are free. 2. They may ask",
            True,
        ),
        (
            "It is so:\n\n1. They are free.\n2. They may ask.",
            "They are free. 3. They may ask",
            False,
        ),
        ("it was on the\n3. Oktober that they came", "on the Oktober that they came", False),
        ("see Table [5](#tbl5) for the loss", "see Table 5 for the loss", True),
        ("in [Section](#s2) **2.**1 of the report", "in Section 2.1 of the report", True),
        ("a rate of 10<sup>−16</sup> per hour", "a rate of 10^-16^ per hour", True),
        ("a rate of 10^-16 per hour", "a rate of 10⁻¹⁶ per hour", True),
        ("a rate of 10^-16^ per hour", "a rate of 10^-15^ per hour", False),
        ("a rate of 10^-16^ per hour", "a rate of 10-16 per hour", False),
        ("it used H<sub>2</sub>O and 4**.5** kg", "it used H~2~O and 4.5 kg", True),
        ("it used H~2~O and more of it", "it used H~3~O and more of it", False),
        ("it rose to 1,<u>234.</u>5 m in all", "it rose to 1,234.5 m in all", True),
        ("the head of R&amp;D didn&#8217;t speak", "the head of R&D didn’t speak", True),
        ("the head of R&D did not speak", "the head of RD did not speak", False),
        ("it wasn**’t** *said* by `name=` in it", "it wasn’t said by name= in it", True),
        ("more than 7,000+ others left it", "more than 7,000 others left it", False),
    ],
)
def test_marks_of_notes_are_typography_and_signs_are_words(text, quote, expected):
    found = check("draft.md", f"It says “{quote}”.\n", [source("a.md", f"{text}\n")], {}).findings
    (verdict,) = (each.verdict for each in found if each.kind == "quote")
    assert (verdict == "verbatim") is expected


def test_a_paragraph_that_goes_on_over_the_end_of_a_page_is_on_both():
    text = "<!-- page 1 -->\n\nThe beech was felled in the year <!-- page 2 -->of the great flood."
    blocks = [Block(17, Source(page=1))]
    sources = [CheckedSource("a.pdf", make(text, blocks, 2))]
    draft = "“the year of the great flood” (a.pdf, p. {})"
    for page in (1, 2):
        found, _ = check("draft.md", draft.format(page), sources, {}).findings
        assert (found.verdict, found.place) == ("verbatim", {"page": 1})
    found, _ = check("draft.md", "“of the great flood” (a.pdf, p. 2)", sources, {}).findings
    assert (found.verdict, found.place) == ("verbatim", {"page": 2})


@pytest.mark.parametrize(
    ("text", "draft", "expected"),
    [
        ("| | 2023 | 2024 |\n|---|---|---|\n| Ox | 71 | 83 |\n", "Ox had 83 in {}", "2024"),
        (
            "Table 1\n| | 2023 | 2024 |\n|---|---|---|\n| Ox | 71 | 83 |\n",
            "In 2024 Ox had {}",
            "83",
        ),
        ("| Ort | Menschen |\n| --- | --- |\n| Voss | 15.875 |\n", "Voss: {} Menschen", "15.875"),
        ("| | 游客 |\n| --- | --- |\n| 北方港口 | 881,538 |\n", "北方港口的游客为{}", "881,538"),
        ("去年共有3450人参观了北方港口。", "北方港口去年共有{}人参观。", "3450"),
        (
            "| | Visiteurs |\n| --- | --- |\n| Verrerie | 506 438 |\n",
            "Verrerie : {} visiteurs",
            "506\u202f438",
        ),
        (
            "Es ist die Tabelle.\n\n| | visitors |\n| --- | --- |\n| Old mill | 222.896 |\n",
            "Old mill: visitors {}",
            "222.896",
        ),
    ],
)
def test_numbers_stand_beside_chinese_have_blanks_or_are_read_as_the_source_is(
    text, draft, expected
):
    sources = [source("a.md", text)]
    for number, verdict in ((expected, "verbatim"), (f"9{expected[1:]}", "altered")):
        found = check("draft.md", f"{draft.format(number)}\n", sources, {}).findings[-1]
        assert (found.text, found.verdict) == (number, verdict)
