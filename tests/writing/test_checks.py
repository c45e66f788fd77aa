"""The checks of the tasks of writing, on recorded traces: scripted models that went through the
real CLI, good ones and bad ones.

`python -m tests.writing --record` records them again.
"""

from collections.abc import Mapping

import pytest

from tests.writing import checks
from tests.writing.__main__ import GOOD, evaluate, read_outcomes, show, traces
from tests.writing.outcome import Call, Outcome, words_of
from tests.writing.playing import own_home, scripted
from tests.writing.tasks import TASKS, named, spoiled

NAMES = [task.name for task in TASKS]


@pytest.fixture(scope="module")
def recorded() -> Mapping[tuple[str, str], Outcome]:
    return {(outcome.task, outcome.model): outcome for outcome in traces()}


def test_there_are_tasks_enough_and_each_is_recorded_whole(recorded):
    assert len(TASKS) >= 40
    wanted = {(task.name, model) for task in TASKS for model in (GOOD, *spoiled(task))}
    assert set(recorded) == wanted
    assert all(len({check.name for check in task.checks}) == len(task.checks) for task in TASKS)


@pytest.mark.thorough_after(8)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_good_model_passes_every_check(recorded, name):
    [task] = [task for task in TASKS if task.name == name]
    assert {check.name: check.judge(recorded[name, GOOD]) for check in task.checks} == {
        check.name: "" for check in task.checks
    }


@pytest.mark.thorough_after(8)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_check_fails_the_model_that_is_bad_at_it(recorded, name):
    [task] = [task for task in TASKS if task.name == name]
    assert [
        check.name for check in task.checks if not check.judge(recorded[name, check.name])
    ] == []


def test_every_kind_of_check_is_used():
    made = {check.name.split()[0] for task in TASKS for check in task.checks}
    assert made >= {
        "files",
        "length",
        "sections",
        "quotes",
        "numbers",
        "citations",
        "language",
        "read",
        "checked",
        "asked",
        "not",
    }


def test_words_are_counted_without_marks_and_chinese_by_character():
    assert len(words_of("# A title\n\n- **two** words[^1]\n\n[^1]: not counted\n")) == 4
    assert len(words_of("作坊在河边。")) == 5


def test_a_gap_of_ten_percent_is_as_long_as_wanted():
    outcome = Outcome("t", "m", "completed", "", 0, (), {}, {"a.md": "word " * 109})
    assert checks.length("a.md", 100).judge(outcome) == ""
    assert checks.length("a.md", 98).judge(outcome) == "109 words instead of 98"


def test_a_source_that_could_not_be_read_was_not_read():
    outcome = Outcome(
        "t",
        "m",
        "completed",
        "",
        0,
        (Call("Read", "a.md", is_error=True), Call("Write", "b.md")),
        {},
        {},
    )
    assert checks.read_first("a.md").judge(outcome) == "did not read a.md first"


def test_the_table_names_what_failed_and_what_is_missing(recorded, capsys):
    tasks = named(("minutes-actions", "letter-complaint"))
    assert show(tasks, [recorded["minutes-actions", "table"]]) == 1
    said = capsys.readouterr().out
    assert "table: 1 rows with [3] columns" in said
    assert "letter-complaint               not done" in said


@pytest.mark.thorough
@pytest.mark.slow
async def test_what_is_recorded_is_what_happens(recorded):
    """One task through the real CLI, as it is recorded."""
    [task] = named(("rejected-is-not-repeated",))
    with own_home() as home:
        async with scripted(home) as models:
            outcome = await models.play(task, GOOD, task.good)
    known = recorded[task.name, GOOD]
    assert (outcome.after, outcome.calls, outcome.status) == (
        known.after,
        known.calls,
        known.status,
    )
    assert read_outcomes([]) == []


@pytest.mark.thorough
@pytest.mark.slow
async def test_an_evaluation_does_what_is_left(home, tmp_path, monkeypatch):
    [task] = named(("told-in-words",))
    file = tmp_path / "scripted.jsonl"
    monkeypatch.setenv("DOGENT_HOME", str(home / ".dogent"))
    (home / ".dogent").mkdir(exist_ok=True)
    async with scripted(home / ".dogent") as models:
        models.follow(task.good)
        await evaluate([task], "scripted", file)
        models.follow(())
        await evaluate([task], "scripted", file)
    [outcome] = read_outcomes(file.read_bytes().splitlines())
    assert (outcome.model, outcome.status, outcome.cost_usd) == ("scripted", "completed", None)
    assert [check.judge(outcome) for check in task.checks] == ["" for _ in task.checks]
