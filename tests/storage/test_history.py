import json
import multiprocessing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.errors import DogentError
from dogent_tui.storage.history import History, HistoryEntry, utc_now

FIRST = HistoryEntry(
    timestamp="2026-01-01T10:00:00.000+00:00",
    status="completed",
    prompt="Write @报告.md\nsecond line [/b] \x1b[31m",
    summary='a "summary" \udc80',
    session_id="s1",
    duration_ms=1200,
    cost_usd=0.25,
    todos=({"content": "read", "status": "completed"},),
)


def entry(number, status="completed", prompt=None, session="s"):
    return HistoryEntry(
        f"2026-01-02T00:00:{number:07.3f}+00:00",
        status,
        f"prompt {number}" if prompt is None else prompt,
        session_id=session,
    )


@pytest.fixture
def history(tmp_path):
    return History(tmp_path / ".dogent" / "history.json")


def test_what_is_appended_is_read_again(history):
    assert history.entries() == history.recall() == []
    assert history.append(FIRST) is None
    assert history.append(entry(1)) is None
    assert history.entries() == [FIRST, entry(1)]
    first, second = json.loads(history.file.read_text(encoding="utf-8"))
    assert first["prompt"] == FIRST.prompt
    assert "reason" not in first
    assert second["todos"] == []


def test_an_aborted_run_carries_its_reason(history):
    history.append(HistoryEntry(utc_now(), "aborted", "p", reason="denied: rm"))
    assert (
        json.loads(history.file.read_text())[0]["reason"]
        == history.entries()[0].reason
        == "denied: rm"
    )


def test_files_that_other_programs_wrote_go_on(history):
    history.file.parent.mkdir()
    old = [
        {
            "timestamp": "2025",
            "status": "completed",
            "prompt": f"p{i}",
            "todos": [{"content": "x", "status": "y"}],
        }
        for i in range(3)
    ]
    for text in (json.dumps(old), json.dumps(old, indent=2), json.dumps(old, indent=2) + "\r\n\n"):
        history.file.write_text(text)
        assert history.append(FIRST) is None
        assert json.loads(history.file.read_text(encoding="utf-8"))[:3] == old
        assert [e.prompt for e in history.entries()] == ["p0", "p1", "p2", FIRST.prompt]
        assert history.recall() == ["p0", "p1", "p2", FIRST.prompt]
    history.file.write_text(json.dumps([{"note": "theirs"}, *old]))
    assert [e.prompt for e in history.entries()] == history.recall() == ["p0", "p1", "p2"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_cut_anywhere_loses_only_the_entry_being_written(history, indent):
    entries = [FIRST, entry(1), entry(2)]
    for item in entries:
        history.append(item)
    whole = history.file.read_bytes()
    if indent:
        whole = json.dumps(json.loads(whole.decode()), indent=indent).encode()
        history.file.write_bytes(whole)
    text = whole.decode(errors="replace")
    decoder = json.JSONDecoder()
    # Where each entry ends, by a parser of its own.
    ends, at = [], text.index("{")
    for _ in entries:
        end = decoder.raw_decode(text, at)[1]
        ends.append(len(text[:end].encode()))
        at = text.find("{", end)
    for cut in range(0, len(whole), 3):
        history.file.write_bytes(whole[:cut])
        expected = entries[: sum(end <= cut for end in ends)]
        assert history.entries() == expected
    for cut in (0, 1, ends[0] - 1, ends[1] - 5, ends[2] - 1, ends[2], len(whole) - 1):
        history.file.write_bytes(whole[:cut])
        expected = entries[: sum(end <= cut for end in ends)]
        broken = history.append(entry(9))
        assert history.entries() == [*expected, entry(9)]
        assert len(json.loads(history.file.read_bytes().decode())) == len(expected) + 1
        if broken:
            assert broken.kept_as.read_bytes() == whole[:cut]


def test_damage_in_the_middle_costs_one_entry(history):
    for number in range(5):
        history.append(entry(number))
    lines = history.file.read_bytes().split(b"\n")
    lines[2] = b"\0" * len(lines[2])
    lines[3] = lines[3][:30] + b"}]"
    history.file.write_bytes(b"\n".join(lines))
    history.append(entry(7))
    assert [e.prompt for e in history.entries()] == ["prompt 0", "prompt 3", "prompt 4", "prompt 7"]


@pytest.mark.parametrize("content", ["", "{}", "null", "[1, 2]", "no json", "\0\0", '[{"a": 1'])
def test_a_file_that_is_no_history_is_kept_aside(history, content):
    history.file.parent.mkdir()
    history.file.write_text(content)
    assert history.entries() == []
    broken = history.append(FIRST)
    assert broken.kept_as.read_text() == content
    assert history.entries() == [FIRST]


@given(st.text())
def test_any_text_is_read_without_a_fault(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("h") / "history.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert isinstance(History(file).entries(), list)
    assert isinstance(History(file).recall(), list)


def test_entries_with_odd_values_are_read_as_far_as_they_go(history):
    history.file.parent.mkdir()
    history.file.write_text(
        '[{"timestamp": 5, "status": "command", "prompt": null, "duration_ms": "x", "cost_usd": 1,'
        ' "new": 1}, 5]'
    )
    assert history.entries() == [HistoryEntry("", "command", "", cost_usd=1.0)]


def test_recall_gives_the_latest_prompts_and_commands_oldest_first(history):
    for number in range(40):
        history.append(entry(number, "command" if number % 2 else "completed"))
    history.append(entry(50, "clarification"))
    history.append(entry(51, prompt="  "))
    assert history.recall() == [f"prompt {number}" for number in range(10, 40)]
    assert history.recall(limit=2) == ["prompt 38", "prompt 39"]
    assert history.recall(limit=0) == []


def test_recall_sorts_by_time_and_gives_the_same_prompt_in_a_row_once(history):
    for number, prompt in [(3, "b"), (1, "a"), (2, "a"), (4, "b"), (5, "a")]:
        history.append(entry(number, prompt=prompt))
    assert history.recall() == ["a", "b", "a"]


def test_a_run_recorded_at_its_start_and_end_is_recalled_once(history):
    history.append(entry(1, "started", "run"))
    history.append(entry(2, "command", "/help"))
    history.append(entry(3, "aborted", "run"))
    history.append(entry(4, "started", "cut off by a crash"))
    assert history.recall() == ["run", "/help", "cut off by a crash"]


def test_answers_are_not_recalled_however_often_their_run_ends(history):
    history.append(entry(1, "started", "Write"))
    history.append(entry(2, "needs_clarification", "Write"))
    history.append(entry(3, "clarification", "My answers"))
    history.append(entry(4, "needs_outline_edit", "My answers"))
    history.append(entry(5, "command", "/help"))
    history.append(entry(6, "interrupted", "My answers"))  # the outline was given up
    history.append(entry(7, "started", "Write"))
    assert history.recall() == ["Write", "/help", "Write"]


def test_recall_reads_on_where_the_end_of_a_long_file_is_not_enough(history):
    history.file.parent.mkdir()
    rows = [
        {
            "timestamp": f"{i:05}",
            "status": "completed",
            "prompt": f"p{i}" if i < 40 else "same",
            "summary": "x" * 3000,
        }
        for i in range(600)
    ]
    history.file.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
    assert history.recall() == [f"p{i}" for i in range(11, 40)] + ["same"]


def test_a_link_is_not_written_through(history, tmp_path):
    target = tmp_path / "precious.json"
    target.write_text("[]")
    history.file.parent.mkdir()
    history.file.symlink_to(target)
    with pytest.raises(DogentError, match="is a link"):
        history.append(FIRST)
    assert target.read_text() == "[]"


def _append_many(file: Path, who: str, count: int) -> None:
    history = History(file)
    for number in range(count):
        history.append(entry(number, prompt=f"{who} {number} " + "x" * (number * 97 % 9000)))


def test_two_windows_at_the_same_time_lose_nothing(history):
    context = multiprocessing.get_context("fork")
    count = 60
    workers = [
        context.Process(target=_append_many, args=(history.file, who, count)) for who in ("a", "b")
    ]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        history.entries()  # a reader in between never fails
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    prompts = [data["prompt"] for data in json.loads(history.file.read_text())]
    assert len(prompts) == 2 * count
    for who in ("a", "b"):
        assert [p.split()[1] for p in prompts if p.startswith(who)] == [
            str(number) for number in range(count)
        ]
