"""The example, and gold that is built here from texts of our own, as the acceptance test does
it.
"""

import json
import re
import subprocess
import sys

import pytest

from dogent_tui.cli import main

VERBS = (
    "carries keeps follows leaves crosses mends watches paints counts measures guards opens closes"
    " names "
)
NOUNS = (
    "harbour lighthouse captain ferry garden orchard bridge village miller weaver teacher stranger"
    " carpenter river mountain chapel market cellar window ladder barrel basket lantern letter"
    " ribbon saddle kettle hammer anchor compass "
)


@pytest.fixture(autouse=True)
def taken(shared_quotes):
    """Taken before a test's own environment is made."""
    return shared_quotes


def test_the_example_gives_the_findings_that_are_expected(shared_quotes, capsys):
    example = shared_quotes / "example"
    expected = json.loads((example / "expected.json").read_text(encoding="utf-8"))
    status = main(
        ["check", str(example / "draft.md"), "--sources", str(example / "sources"), "--json"]
    )
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert status == expected["exit_status"]
    for wanted in expected["findings"]:
        (found,) = [
            each
            for each in findings
            if all(each[key] == wanted[key] for key in ("kind", "line", "column"))
        ]
        place = wanted.pop("place", {})
        assert {key: found[key] for key in wanted} == wanted
        assert {key: found["place"].get(key) for key in place} == place
    others = [each for each in findings if each["verdict"] != "verbatim"]
    assert len(others) == sum(each["verdict"] != "verbatim" for each in expected["findings"])


@pytest.mark.thorough
@pytest.mark.slow
def test_gold_made_of_our_own_texts_is_scored_without_a_fault(shared_quotes, tmp_path):
    for number in range(6):
        (tmp_path / "texts").mkdir(exist_ok=True)
        (tmp_path / f"texts/text{number}.md").write_text(_text(number), encoding="utf-8")
    python = f"{sys.executable} -m dogent_tui"
    run = ["--reader", f"{python} read {{file}} --json --max-chars 1000000", "--per-kind", "12"]
    subprocess.run(
        [
            sys.executable,
            shared_quotes / "make_gold.py",
            tmp_path / "texts",
            tmp_path / "gold",
            *run,
        ],
        check=True,
    )
    command = f"{python} check {{draft}} --sources {{sources}} --json"
    score = [sys.executable, shared_quotes / "score.py", tmp_path / "gold", "--command", command]
    last = subprocess.run(score, check=True, capture_output=True, text=True).stdout.splitlines()[
        -2:
    ]
    assert "failed runs: 0" in last[0]
    found = re.match(
        r"altered called verbatim 0 of [1-9]\d+; precision (\S+); recall (\S+); right page (\S+)",
        last[1],
    )
    assert found is not None, last
    assert [float(each) for each in found.groups()] >= [0.995, 0.98, 0.98]
    assert "wrong" not in last[0]


def _text(seed):
    """Return paragraphs of sentences that all differ, some with a number."""
    verbs, nouns = VERBS.split(), NOUNS.split()
    lines = [f"# Text {seed}\n"]
    for index in range(60):
        first, second, third = (
            nouns[(seed * 7 + index * step + step) % len(nouns)] for step in (1, 7, 11)
        )
        verb, other = verbs[(seed + index) % len(verbs)], verbs[(seed * 3 + index * 5) % len(verbs)]
        amount = f" about {137 + 97 * index + 13 * seed} times" if index % 3 == 0 else ""
        lines.append(
            f"The {first} of the {nouns[(index + seed) % 30]} {verb} the {second}{amount}, but the"
            f" old {third} {other} what nobody else is able to {'find' if index % 2 else 'repair'}"
            f" near the {nouns[(3 * index + seed) % 30]}."
        )
    return "\n\n".join(lines) + "\n"
