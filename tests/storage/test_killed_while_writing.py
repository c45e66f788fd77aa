"""Killed at any step of writing any file: what was written before is there, whole, and the next
window writes on at once.

A step is a call that changes the disk. The process is killed before it: between the writing of a
file and its renaming, too.
"""

import json
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dogent_tui.settings.config_writer import write_home_values
from dogent_tui.settings.grants import GrantStore, RememberedGrant
from dogent_tui.settings.own_files import make_change
from dogent_tui.settings.values import plan_settings
from dogent_tui.storage.answer_drafts import AnswerDrafts
from dogent_tui.storage.drafts import Drafts
from dogent_tui.storage.files import atomic_write, content_of, write_checked
from dogent_tui.storage.history import History, HistoryEntry
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.storage.session_log import SessionHold, read_lines
from dogent_tui.storage.sessions import list_sessions, open_log

_MOST_STEPS = 60
_CHANGES = {
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.chmod",
    "os.truncate",
    "os.fsync",
    "os.write",
    "os.ftruncate",
}


@dataclass
class Writer:
    """Something that is written. `write` adds a number, `read` returns those that are there;
    `one`: only the last one is.
    """

    write: Callable[[Workspace, int], object]
    read: Callable[[Workspace], Iterable[int]]
    one: bool = False


def draft(workspace: Workspace) -> Iterable[int]:
    drafts = Drafts(workspace)
    text = drafts.load()
    drafts.close()
    return [int(text)] if text else []


def save_draft(workspace: Workspace, number: int) -> None:
    drafts = Drafts(workspace)
    drafts.load()
    drafts.save(f"{number}")
    drafts.close()


def record(workspace: Workspace, number: int) -> None:
    hold = SessionHold()
    log = open_log(workspace, "s", hold)
    log.append(json.dumps(number))
    log.entitle("A title")
    log.close()
    hold.release()


def recorded(workspace: Workspace) -> Iterable[int]:
    return [
        json.loads(line) for found in list_sessions(workspace) for line in read_lines(found.path)
    ]


def remembered(workspace: Workspace) -> GrantStore:
    return GrantStore(dogent_home() / "permissions.json", workspace.root)


def stored(content: bytes | None) -> dict:
    return json.loads(content) if content is not None else {}


WRITERS = {
    "history": Writer(
        lambda workspace, number: History(workspace.history_file).append(
            HistoryEntry("2026", "completed", f"{number}")
        ),
        lambda workspace: [
            int(entry.prompt) for entry in History(workspace.history_file).entries()
        ],
    ),
    "log": Writer(record, recorded),
    "settings": Writer(
        lambda workspace, number: make_change(
            workspace, plan_settings(workspace, {f"{number}": 1})
        ),
        lambda workspace: map(int, stored(content_of(workspace.settings_file))),
    ),
    "profiles": Writer(
        lambda _, number: write_home_values(
            dogent_home() / "claude.json", {("profiles", f"{number}", "KEY"): "sk-1"}
        ),
        lambda _: map(int, stored(content_of(dogent_home() / "claude.json")).get("profiles", {})),
    ),
    "grants": Writer(
        lambda workspace, number: remembered(workspace).add(
            (RememberedGrant("read", f"{number}"),)
        ),
        lambda workspace: [int(grant.place) for grant in remembered(workspace).load()],
    ),
    "draft": Writer(save_draft, draft, one=True),
    "answers": Writer(
        lambda workspace, number: AnswerDrafts(workspace).save("q", {"at": number}),
        lambda workspace: (AnswerDrafts(workspace).load("q") or {}).values(),
        one=True,
    ),
    "document": Writer(
        lambda workspace, number: write_checked(
            workspace.root / "a.md", content_of(workspace.root / "a.md"), f"{number} " * 9000
        ),
        lambda workspace: {
            int(word) for word in (content_of(workspace.root / "a.md") or b"").split()
        },
        one=True,
    ),
}


def die_at(step: int, write: Callable[..., object], *arguments: object) -> None:
    """Write, and be killed before the call of this number that changes the disk."""
    done = 0

    def count(event: str, details: tuple) -> None:
        nonlocal done
        writes = (
            event == "open"
            and isinstance(details[2], int)
            and details[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if writes or event in _CHANGES:
            done += 1
            if done == step:
                os.kill(os.getpid(), signal.SIGKILL)

    def counted(name: str) -> Callable[..., object]:
        real = getattr(os, name)

        def call(*arguments: object) -> object:
            count(f"os.{name}", arguments)
            return real(*arguments)

        return call

    for name in ("fsync", "write", "ftruncate"):  # Python tells of these calls to nobody
        setattr(os, name, counted(name))
    sys.addaudithook(count)
    write(*arguments)
    os._exit(0)


@pytest.mark.thorough_after(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_kill_at_any_step_costs_no_more_than_what_was_being_written(workspace, home, name):
    writer = WRITERS[name]
    context = multiprocessing.get_context("fork")
    there: set[int] = set()
    for step in range(1, _MOST_STEPS):
        child = context.Process(target=die_at, args=(step, writer.write, workspace, step))
        child.start()
        child.join(60)
        assert child.exitcode in (0, -signal.SIGKILL)
        found = set(writer.read(workspace))
        assert found in ({*there}, {step} if writer.one else {*there, step}), step
        if child.exitcode == 0:
            assert step in found
            assert step > 2, "nothing was counted"
            return
        writer.write(workspace, 1000 + step)  # it waits for nobody
        there = {1000 + step} if writer.one else {*found, 1000 + step}
        assert set(writer.read(workspace)) == there
    pytest.fail("it never came to an end")


def write_with_room(room: int, write: Callable[..., object], *arguments: object) -> None:
    """Write where no file may grow beyond so many bytes, and end with 3 where the disk said no."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    try:
        write(*arguments)
    except OSError:
        os._exit(3)
    os._exit(0)


@pytest.mark.thorough_after(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_costs_no_more_than_what_did_not_fit(workspace, home, name):
    writer = WRITERS[name]
    context = multiprocessing.get_context("fork")
    writer.write(workspace, 1)
    there, refused = {1}, 0
    for number, room in enumerate((0, 1, 7, 40, 400, 10_000_000), start=2):
        child = context.Process(
            target=write_with_room, args=(room, writer.write, workspace, number)
        )
        child.start()
        child.join(60)
        assert child.exitcode in (0, 3)
        refused += child.exitcode == 3
        if child.exitcode == 0:
            there = {number} if writer.one else {*there, number}
        assert set(writer.read(workspace)) == there, room
    assert refused
    assert number in there  # with room again, all continues
    assert not list(workspace.root.rglob("*.tmp"))


def test_what_is_written_lasts_before_it_takes_the_place_of_what_was(tmp_path, monkeypatch):
    """A power cut after the renaming leaves an empty file where the data was not on the disk
    yet.
    """
    file = tmp_path / "a.md"
    file.write_text("old")
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        held = (
            str(Path(f"/proc/self/fd/{descriptor}").readlink()) if sys.platform == "linux" else ""
        )
        steps.append("folder" if held == str(tmp_path) else f"data {os.fstat(descriptor).st_size}")
        fsync(descriptor)

    def replaced(*places: object) -> None:
        steps.append("rename")
        replace(*places)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    atomic_write(file, "whole")
    assert steps[:2] == ["data 5", "rename"]
    assert steps[2:] == ["folder"] or sys.platform != "linux"
