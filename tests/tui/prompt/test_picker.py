"""The list of candidates, and searches that overtake each other."""

import threading

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from dogent_tui.tui.prompt.completion import Candidate, Candidates, Completion
from dogent_tui.tui.prompt.picker import MOST_ROWS, ReferencePicker


def rows(count: int) -> tuple[Candidate, ...]:
    return tuple(Candidate(str(number), str(number)) for number in range(count))


def listing(rows: tuple[Candidate, ...]) -> ReferencePicker:
    picker = ReferencePicker(SlowCompletions())  # type: ignore[arg-type]
    picker.offer(rows)
    return picker


def test_single_steps_go_round_and_pages_stop_at_the_ends() -> None:
    listed = listing(rows(20))
    listed.move(-1)
    assert listed.current == Candidate("19", "19")
    listed.move(1)
    assert listed.current == Candidate("0", "0")
    listed.move(MOST_ROWS * 9)
    assert listed.current == Candidate("19", "19")


def test_no_rows() -> None:
    listed = listing(())
    listed.move(1)
    assert listed.current is None
    assert not listed.seen


@given(st.integers(1, 60), st.lists(st.sampled_from([-MOST_ROWS, -1, 1, MOST_ROWS])))
def test_the_highlighted_row_is_always_seen(count: int, steps: list[int]) -> None:
    listed = listing(rows(count))
    for step in steps:
        listed.move(step)
        assert listed.highlighted in listed.seen
        assert len(listed.seen) == min(count, MOST_ROWS)


class SlowCompletions:
    """Finds the query itself; waits for `release` before it does."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.release = threading.Event()

    def search(self, completion: Completion, limit: int = 50) -> Candidates:
        self.asked.append(completion.query)
        self.release.wait(10)
        return Candidates((Candidate(completion.query, completion.query),))


class PickerApp(App[None]):
    def __init__(self, completions: SlowCompletions) -> None:
        super().__init__()
        self.picker = ReferencePicker(completions)  # type: ignore[arg-type]

    def compose(self) -> ComposeResult:
        yield self.picker


async def test_an_older_result_never_replaces_a_newer_one() -> None:
    completions = SlowCompletions()
    app = PickerApp(completions)
    async with app.run_test() as pilot:
        for query in ("a", "ab", "abc"):
            app.picker.request(Completion("file", query, 0, 1), 0)
            while not completions.asked:
                await pilot.pause(0.01)
        assert app.picker.rows == ()
        completions.release.set()
        await app.workers.wait_for_complete()
        assert [row.label for row in app.picker.rows] == ["abc"]
        # one search at a time, and none for what is typed over
        assert completions.asked == ["a", "abc"]


async def test_a_result_for_a_closed_popup_opens_nothing() -> None:
    completions = SlowCompletions()
    app = PickerApp(completions)
    async with app.run_test():
        app.picker.request(Completion("file", "a", 0, 1), 0)
        app.picker.dismiss()
        completions.release.set()
        await app.workers.wait_for_complete()
        assert not app.picker.display
        assert app.picker.current is None
