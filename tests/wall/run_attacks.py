"""Runs attacks within a throw-away root, and says what each has done that it should not have."""

import contextlib
import faulthandler
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any

from tests.wall.attacks import ATTACKS
from tests.wall.attacks.table import Attack, Meanwhile, Restart, Start, Wait, Write
from tests.wall.session import HANGS, Ran, Running, Session
from tests.wall.throwaway import require_throwaway
from tests.wall.world import (
    CANARY,
    MARK,
    History,
    Outside,
    Picture,
    World,
    history,
    leaked,
    left_running,
    lost_history,
    make_attacked_world,
    picture,
    processes,
    run_bare,
    use_as_the_user_does,
    violations,
)


def run(argument: dict[str, Any]) -> list[dict[str, Any]]:
    """Run every `of`-th attack from `first` on; with `bare`, without the wall."""
    if os.getuid():
        require_throwaway()
    resource_tracker.ensure_running()  # a process of Python's own, which stays
    chosen = [each for each in ATTACKS if argument.get("only", "") in each.name][
        argument["first"] :: argument["of"]
    ]
    return [
        _result(attack, argument)
        for attack in chosen
        if argument.get("bare", False) is False or attack.bites
    ]


def _result(attack: Attack, argument: dict[str, Any]) -> dict[str, Any]:
    faulthandler.dump_traceback_later(attack.limit_s * len(attack.steps) + 120.0, exit=True)
    sys.stderr.write(f"attack: {attack.name}\n")
    if missing := [name for name in attack.needs if not shutil.which(name)]:
        return {"name": attack.name, "missing": missing, "found": [], "asked": []}
    attempt = _Attempt(attack, make_attacked_world(), bare=argument.get("bare", False))
    found: list[str] = []
    try:
        found.extend(attempt.harm())
    except Exception:
        found += [f"the attack could not be looked at: {traceback.format_exc()[-1500:]}"]
    result: dict[str, Any] = {
        "name": attack.name,
        "missing": [],
        "found": found,
        "asked": attempt.asked,
    }
    if argument.get("outputs"):
        result["outputs"] = [text[:2000] for text in attempt.outputs]
    return result


class _Attempt:
    """One attack on one world."""

    def __init__(self, attack: Attack, world: World, *, bare: bool) -> None:
        self.attack = attack
        self.world = world
        self.asked: list[str] = []
        self.outputs: list[str] = []
        self.hangs = False
        self._bare = bare
        self._before: Picture = {}
        self._history: History | None = None
        self._theirs: Picture = {}
        self._session: Session | None = None
        self._running: list[Running | subprocess.Popen[bytes]] = []

    def harm(self) -> Iterator[str]:
        """Make every step, and yield what came of it that may not be."""
        before = processes()
        with Outside(self.world) as outside:
            there = processes()
            self._before, self._history = picture(self.world), history(self.world)
            try:
                for step in self.attack.steps:
                    self._make(step)
                self._wait()
            finally:
                self._close()
            yield from left_running(there)
            yield from outside.disturbed()
            yield from self._seen()
        yield from left_running(before)

    def _seen(self) -> Iterator[str]:
        """Yield what the places show."""
        if self.hangs:
            yield HANGS
        after = picture(self.world)
        yield from violations(self.world, self._before, after)
        if not self.world.workspace.is_dir():
            return
        for path, entry in self._theirs.items():
            if after.get(path) != entry:
                yield f"somebody else's change is gone: {path}"
        yield from (
            f"must be as it was: {name}"
            for name in self.attack.unchanged
            if self._is_other(name, after)
        )
        if any(CANARY in text for text in self.outputs):
            yield "a secret is in the output"
        yield from leaked(self.world)
        if self._history:
            yield from lost_history(self.world, self._history)
        if MARK.exists():
            yield "something ran outside of the wall"
        yield from use_as_the_user_does(self.world)

    def _is_other(self, name: str, after: Picture) -> bool:
        path = f"{self.world.workspace}/{name}"
        return self._before.get(path) != after.get(path)

    def _make(self, step: Any) -> None:
        match step:
            case str():
                self._bash(step)
            case Write():
                self._write(step)
            case Start():
                self._start(step)
            case Wait():
                self._wait()
            case Meanwhile():
                self._meanwhile(step)
            case Restart():
                self._close()

    def _open(self) -> Session:
        if self._session is None:
            self._session = Session(self.world, limit_s=self.attack.limit_s)
        return self._session

    def _close(self) -> None:
        if self._session:
            self._session.close()
            self._session = None

    def _bash(self, command: str) -> None:
        text = self.world.text(command)
        if self._bare:
            done = run_bare(text, self.world.workspace, self.world.home, self.attack.limit_s)
            self.outputs.append(done.stdout.decode(errors="replace"))
        else:
            self._heard(self._open().bash(text))

    def _heard(self, ran: Ran) -> None:
        self.outputs.append(ran.output)
        self.hangs |= HANGS in ran.asked
        self.asked += ran.asked

    def _write(self, step: Write) -> None:
        """Write a new file as the Write tool does, after whose judgement nothing is asked. It is
        no harm of the attack.
        """
        path = self.world.workspace / step.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.world.text(step.text))

    def _start(self, step: Start) -> None:
        text = self.world.text(step.command)
        if self._bare:
            command = ["setsid", "-w", "bash", "-c", f"cd {self.world.workspace}; {text}"]
            self._running.append(
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            )
        else:
            self._running.append(self._open().start(text, background=True))

    def _wait(self) -> None:
        for running in self._running:
            if isinstance(running, Running):
                self._heard(self._open().wait(running))
            else:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(self.attack.limit_s)
        self._running.clear()

    def _meanwhile(self, step: Meanwhile) -> None:
        """Do what the user does: it is part of what there was before."""
        before = picture(self.world)
        self.world.by_user(step.command)
        after = picture(self.world)
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        for path in changed:
            if path in after:
                self._before[path] = after[path]
            else:
                self._before.pop(path, None)
        if self._running:
            self._theirs |= {path: after[path] for path in changed if path in after}
        self._history = history(self.world)
