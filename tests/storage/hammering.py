"""Two windows that write all that windows share, as fast as they can: for the tests, and for a
minute in `make bench`.
"""

import json
import multiprocessing
import time
from collections.abc import Mapping

from dogent_tui.settings.grants import GrantStore, RememberedGrant
from dogent_tui.settings.own_files import make_change
from dogent_tui.settings.values import plan_settings
from dogent_tui.storage.drafts import Drafts
from dogent_tui.storage.history import History, HistoryEntry, utc_now
from dogent_tui.storage.paths import Workspace, dogent_home, state_dir
from dogent_tui.storage.session_log import read_lines
from dogent_tui.storage.sessions import list_sessions, open_log, rename_session

WINDOWS = ("a", "b")


def grants_of(workspace: Workspace) -> GrantStore:
    return GrantStore(dogent_home() / "permissions.json", workspace.root)


def hammer(workspace: Workspace, rounds: int, seconds: float = 0.0) -> int:
    """Have two processes write for so many rounds, and on until so many seconds are over.
    Returns the rounds of both.
    """
    open_log(workspace, "shared").append("{}")
    context = multiprocessing.get_context("fork")
    counts = context.Queue()
    all_done = context.Barrier(len(WINDOWS))
    windows = [
        context.Process(target=_window, args=(workspace, who, rounds, seconds, counts, all_done))
        for who in WINDOWS
    ]
    for window in windows:
        window.start()
    done = dict(counts.get(timeout=seconds + 100) for _ in windows)
    for window in windows:
        window.join(30)
        assert window.exitcode == 0
    _check(workspace, done)
    return sum(done.values())


def _window(workspace: Workspace, who: str, rounds: int, seconds: float, counts, all_done) -> None:
    end = time.monotonic() + seconds
    history, grants, drafts = (
        History(workspace.history_file),
        grants_of(workspace),
        Drafts(workspace),
    )
    log = open_log(workspace, who)
    number = 0
    while number < rounds or time.monotonic() < end:
        history.append(
            HistoryEntry(
                utc_now(), "completed", f"{who} {number}", summary="x" * (number * 97 % 3000)
            )
        )
        if number % 10 == 0:
            grants.add((RememberedGrant("read", f"/{who}/{number}"),))
        if number % 20 == 0:
            while not make_change(workspace, plan_settings(workspace, {f"{who}_{number}": number})):
                pass  # the other window was faster: planned again
            shared = next(
                record for record in list_sessions(workspace) if record.session_id == "shared"
            )
            rename_session(shared, f"renamed by {who}")
        log.append(json.dumps([who, number]))
        drafts.save(f"{who} thinks {number}")
        number += 1
    log.close()
    counts.put((who, number))
    # the draft of a window that has closed belongs to the next one that opens
    all_done.wait(seconds + 100)
    drafts.close()


def _check(workspace: Workspace, done: Mapping[str, int]) -> None:
    """Nothing that either window wrote may be missing."""
    prompts = [entry["prompt"] for entry in json.loads(workspace.history_file.read_text())]
    assert len(prompts) == sum(done.values())
    allowed = {grant.place for grant in grants_of(workspace).load()}
    settings = json.loads(workspace.settings_file.read_text())
    logs = {record.session_id: record for record in list_sessions(workspace)}
    for who, count in done.items():
        assert [prompt for prompt in prompts if prompt.startswith(who)] == [
            f"{who} {number}" for number in range(count)
        ]
        assert allowed >= {f"/{who}/{number}" for number in range(0, count, 10)}
        assert all(settings[f"{who}_{number}"] == number for number in range(0, count, 20))
        assert [json.loads(line) for line in read_lines(logs[who].path)] == [
            [who, number] for number in range(count)
        ]
    assert logs["shared"].title.startswith("renamed by ")
    folder = state_dir() / "drafts" / workspace.key
    drafts = {file.read_text() for file in folder.glob("*.txt")}
    assert drafts == {f"{who} thinks {count - 1}" for who, count in done.items()}
