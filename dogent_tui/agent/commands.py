"""The agent's commands: each runs behind the wall, and what it did is judged, asked about if
necessary, and kept or dropped.

A command is settled when it has ended, before its shell continues: only then are failures, timeouts
and background commands covered too. This happens in a thread of the wall; questions are asked on
the event loop.
"""

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Collection, Coroutine, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.cli_process import LONGEST_MS
from dogent_tui.agent.conversation import Ask, Verdict
from dogent_tui.agent.events import CopiesKept, Event, Level, Notice, PermissionRequested
from dogent_tui.agent.tool_names import call_words
from dogent_tui.agent.wall_status import wall_notices
from dogent_tui.agent.write_reviews import Reviewing
from dogent_tui.language import and_more, ngettext, tr
from dogent_tui.permissions.disk import Disk
from dogent_tui.permissions.git_config import harmless_settings
from dogent_tui.permissions.model import Decision, Effect, EffectKind, ToolCall
from dogent_tui.storage.files import private_folder
from dogent_tui.undo.changes import Change, Difference
from dogent_tui.undo.commit import Committing
from dogent_tui.undo.undo_log import UndoLog
from dogent_tui.wall.jobs import Ended, Job
from dogent_tui.wall.leftovers import drop_leftover, take_leftovers
from dogent_tui.wall.refusals import advice, written
from dogent_tui.wall.repository import lost_history
from dogent_tui.wall.snapshot import open_snapshot
from dogent_tui.wall.wall import Answer, Wall
from dogent_tui.web.command_proxy import Proxy, proxy_variables, ssh_places

T = TypeVar("T")

_DEFAULT_LIMIT_S = 120.0
"""The CLI's own time limit if the model specifies none."""
_MOST_NAMED = 5
_LARGEST_TEXT = 2_000_000
"""The largest text to review, in bytes; `edits.py` uses the same for a diff."""
_CACHES = (
    *(".cache/", ".npm/", ".local/", ".config/", ".cargo/", ".rustup/", ".gitconfig/"),
    *(".node-gyp/", ".java/", ".texlive", "hsperfdata_", "pytest-of-", "tmux-"),
)
"""How the names of files begin, each with a slash behind it, that programs keep for themselves in a
home or among temporary files, which no one misses.
"""


class _Running(msgspec.Struct):
    """A running command: the call, what the early question allowed, and whether it runs in the
    background.
    """

    job: Job
    call: ToolCall
    tool_use_id: str
    allowed: tuple[Effect, ...]
    background: bool


class Commands:
    """Runs the commands of one conversation."""

    def __init__(
        self,
        authority: Authority,
        ask: Ask,
        root: Path,
        copies: UndoLog,
        tell: Callable[[Event], None],
        interrupt: Callable[[], Coroutine[Any, Any, None]],
        snapshots: Path | None = None,
        reviewing: Reviewing | None = None,
    ) -> None:
        """Run commands in the workspace `root`.

        `ask` asks the user, `tell` receives events, `interrupt` ends the turn. `snapshots` is where
        the CLI keeps its snapshots of the user's shell. `reviewing` receives edits if the user
        reviews every one.
        """
        self._reviewing = reviewing
        self._authority = authority
        self._ask = ask
        self._root = root
        self._copies = copies
        self._tell = tell
        self._interrupt = interrupt
        self._snapshots = snapshots
        self._loop = asyncio.get_running_loop()
        self._running: dict[str, _Running] = {}
        self._asking: set[Future[Any]] = set()
        self._settling = ThreadPoolExecutor(1, "settled")
        self._committing = Committing(copies.journals, copies)
        self._wall: Wall | None = None

    async def start(self) -> None:
        """Set up the wall before the first command; if there is none, report it."""
        status = await asyncio.to_thread(lambda: self._authority.wall_status)
        # not again when the agent restarts, such as after a rewind
        if not self._authority.wall_status_told:
            self._authority.wall_status_told = True
            for notice in wall_notices(status):
                self._tell(notice)
        if self._snapshots is not None:
            # before the CLI's first command, so that it exists from then on
            private_folder(self._snapshots)
        await asyncio.to_thread(self._start)

    def _start(self) -> None:
        status = self._authority.wall_status
        if status.level == "none":  # there are no layers, and no folder for them
            return
        sessions = private_folder(status.folder / "wall")
        snapshot = None
        if status.level == "partial":
            snapshot = open_snapshot(self._root, private_folder(status.folder / "snapshots"))
            if (back := snapshot.resume()) is not None and back.restored:
                words = tr(
                    "A command was cut off when dogent-tui was killed. Its changes were reverted:"
                    " {places}"
                )
                self._notify(
                    "taken_back",
                    words.format(places=and_more(back.restored, _MOST_NAMED)),
                    "warning",
                )
        folder = sessions / uuid.uuid4().hex
        self._wall = Wall(
            self._root,
            folder,
            self._settle,
            Proxy,
            wall_status=status,
            snapshot=snapshot,
            harmless=partial(harmless_settings, untrusted=str(self._root)),
        )
        self._wall.start()

    def _skills(self) -> tuple[Path, ...]:
        """Return the folders of skills outside the workspace; those inside are visible through the
        layer anyway.
        """
        return tuple(
            folder for folder in self._authority.readable if not folder.is_relative_to(self._root)
        )

    async def close(self) -> None:
        """End all commands. Those waiting for an answer are dropped."""
        for asking in self._asking:
            asking.cancel()
        if self._wall is not None:
            await asyncio.to_thread(self._wall.close)
        await asyncio.to_thread(self._settling.shutdown)

    def offer_leftovers(self) -> None:
        """Finish the commits of a dead session, and ask about what it had not judged yet. Blocks
        for the answers.
        """
        resumed = self._committing.resume()
        for change in (change for done in resumed for change in done.conflicts):
            self._notify("commit_resumed", _left(change), "warning")
        finished = [path for done in resumed for path in done.committed]
        if finished:
            words = ngettext(
                "A change that was being saved when dogent-tui was killed has now been saved:"
                " {places}",
                "{count} changes that were being saved when dogent-tui was killed have now been"
                " saved: {places}",
                len(finished),
            )
            message = words.format(count=len(finished), places=and_more(finished, _MOST_NAMED))
            self._notify("commit_resumed", message)
        if self._wall is None:
            return
        for left in take_leftovers(self._wall.folder.parent, self._root):
            call = ToolCall("Bash", {"command": left.job.command}, left.job.cwd)
            with contextlib.suppress(OSError, CancelledError):
                self._judged(left, _Running(left.job, call, "", (), background=True), [])
            drop_leftover(left)

    def wrapped(self, call: ToolCall, decision: Decision, tool_use_id: str) -> dict[str, Any]:
        """Return the input with which the CLI runs the approved `call` behind the wall; empty if
        there is no wall.

        Blocks for the disk. Without a wall a command runs unchanged, because the user approved it
        or it only reads.
        """
        if self._wall is None:
            return {}
        values = dict(call.input)
        command = str(values.get("command", ""))
        background = bool(values.get("run_in_background"))
        limit = values.get("timeout")
        limit_s = limit / 1000 if isinstance(limit, int | float) and limit > 0 else _DEFAULT_LIMIT_S
        asked = [effect for effect in decision.effects if effect in decision.asked]
        hosts = _hosts(asked)
        reaching = ssh_places(Path.home()) if hosts is not None else ()
        job = self._wall.prepare(
            command,
            call.cwd or self._root,
            limit_s=0.0 if background else limit_s,
            hosts=hosts,
            readable=(
                *self._outside(asked, changed=False),
                *self._skills(),
                *reaching,
            ),
            environment=proxy_variables() if hosts is not None else {},
            changeable=tuple(self._outside(asked, changed=True)),
            snapshots=self._snapshots,
        )
        self._running[job.name] = _Running(job, call, tool_use_id, tuple(asked), background)
        first = command.strip().splitlines()[0] if command.strip() else ""
        description = values.get("description") or tr("Run {command}", command=first[:80])
        return {**values, "command": job.text, "description": description, "timeout": LONGEST_MS}

    def _outside(self, effects: Collection[Effect], *, changed: bool) -> Iterator[Path]:
        """Yield the places outside the workspace that a command may read, or change."""
        for effect in effects:
            if (
                effect.kind.changes is changed
                and effect.path is not None
                and not effect.path.is_relative_to(self._root)
            ):
                yield effect.path

    # ── Settling: in a thread of the wall ─────────────────────────────────────────────────────

    def _settle(self, ended: Ended) -> Answer:
        running = self._running.pop(ended.job.name, None)
        if running is None or ended.why == "gone":
            return Answer(ended.status)  # no one is waiting: it was stopped, and nothing is kept
        text = written(*ended.output)
        notes = [
            *advice(text, self._root, network=ended.job.hosts is not None),
            *self._not_kept(ended),
        ]
        if ended.why == "timeout":
            notes.append(tr("dogent-tui: the command exceeded its time limit and was ended."))
        kept = self._judged(ended, running, notes)
        for place in () if kept is None else ended.job.outside:  # each was asked about in advance
            self._commit(ended, running, place.difference(ended.began_ns), notes)
        if notes and text and not text.endswith("\n"):  # the output ends within a line
            notes.insert(0, "\n")
        if kept is None:
            return Answer(ended.status or 1, notes=tuple(notes))
        return Answer(ended.status, self._working_folder(ended), tuple(notes), kept)

    def _judged(self, ended: Ended, running: _Running, notes: list[str]) -> tuple[str, ...] | None:
        """Keep or drop what a command did. Return the paths that were kept, None if it was
        dropped.
        """
        difference = ended.difference(self._root)
        if not difference.changes:
            return self._commit(ended, running, difference, notes)
        losses = lost_history(difference)
        decision = self._authority.judge_outcome(difference, losses, running.allowed)
        if decision.verdict != "allow":
            verdict = self._put(running, decision, difference)
            if not verdict.allow:
                words = tr(
                    "dogent-tui: the command's changes were discarded; the folder is as if it had"
                    " never run."
                )
                notes.append(f"{words} {verdict.message}".rstrip())
                return None
        rest = self._reviewed(difference, notes)
        reviewed = {each.path for each in difference.changes} - {each.path for each in rest.changes}
        return (*self._commit(ended, running, rest, notes), *reviewed)

    def _reviewed(self, difference: Difference, notes: list[str]) -> Difference:
        """Have the user review text edits if they review every one, and return the other
        changes.
        """
        if self._reviewing is None or not self._reviewing.on:
            return difference
        texts = {
            change: text
            for change in difference.changes
            if (text := _edited_text(difference, change)) is not None
        }
        for change, text in texts.items():
            notes.append(self._on_loop(self._reviewing.outcome_of(self._root / change.path, text)))
        rest = tuple(change for change in difference.changes if change not in texts)
        return msgspec.structs.replace(difference, changes=rest)

    def _put(self, running: _Running, decision: Decision, difference: Difference) -> Verdict:
        question = self._authority.question(
            running.call,
            decision,
            tool_use_id=running.tool_use_id,
            difference=difference,
        )
        verdict = self._answered(running, question)
        if verdict.allow and verdict.scope != "once":
            self._authority.remember(decision, verdict.scope)
        if verdict.stop:
            asyncio.run_coroutine_threadsafe(self._interrupt(), self._loop)
        return verdict

    def _answered(self, running: _Running, question: PermissionRequested) -> Verdict:
        return self._on_loop(
            self._ask(msgspec.structs.replace(question, in_run=not running.background))
        )

    def _on_loop(self, waiting: Coroutine[Any, Any, T]) -> T:
        """Wait for the user's answer. Raises CancelledError if no one will answer any more."""
        asking = asyncio.run_coroutine_threadsafe(waiting, self._loop)
        self._asking.add(asking)
        try:
            return asking.result()
        finally:
            self._asking.discard(asking)

    # ── Committing ────────────────────────────────────────────────────────────────────────────

    def _commit(
        self, ended: Ended, running: _Running, difference: Difference, notes: list[str]
    ) -> tuple[str, ...]:
        if not (difference.changes or difference.times):
            return ()
        label = call_words("Bash", running.call.input, str(self._root))
        done = self._committing.commit(difference, label, begun=ended.judged)
        committed = [*done.committed]
        for change in done.conflicts:
            if self._answered(running, self._conflict(running, change, difference)).allow:
                alone = msgspec.structs.replace(change, moved_to="", moved_from="")
                again = self._committing.commit(
                    msgspec.structs.replace(difference, changes=(alone,)), label, overwrite=True
                )
                committed += again.committed
            else:
                notes.append(_left(change))
        notes += [f"dogent-tui: {path}: {why}" for path, why in done.failed]
        if done.number:
            # it reads what was written; the shell does not wait for that
            self._settling.submit(self._copies.settle, done.number)
        if committed:
            paths = tuple(str(Path(difference.root, path)) for path in committed)
            self._say(CopiesKept(tool_use_id=running.tool_use_id, paths=paths))
        if running.background and committed:
            count = len(committed)
            words = ngettext(
                "{count} change from a background command was saved: {what}",
                "{count} changes from a background command were saved: {what}",
                count,
            )
            self._notify("background_kept", words.format(count=count, what=label))
        return tuple(committed)

    def _conflict(
        self, running: _Running, change: Change, difference: Difference
    ) -> PermissionRequested:
        effect = Effect(
            EffectKind.WRITE if change.after else EffectKind.DELETE,
            self._root / change.path,
            change.path,
            program="Bash",
        )
        reason = tr("{path} was changed by someone else while the command ran.", path=change.path)
        decision = Decision("ask", (reason,), (str(effect.path),), (effect,), (effect,))
        only = msgspec.structs.replace(difference, changes=(change,))
        return self._authority.question(
            running.call, decision, tool_use_id=running.tool_use_id, difference=only
        )

    def _notify(self, code: str, message: str, level: Level = "info") -> None:
        self._say(Notice(level=level, code=code, message=message))

    def _say(self, event: Event) -> None:
        self._loop.call_soon_threadsafe(self._tell, event)

    # ── What the answer says ──────────────────────────────────────────────────────────────────

    def _working_folder(self, ended: Ended) -> str:
        """Return the shell's new working directory, "" if it is unchanged or outside the
        workspace.
        """
        place = ended.stands_in()
        if (
            place is None
            or place == ended.job.cwd
            or not place.is_relative_to(self._root)
            or not place.is_dir()
        ):
            return ""
        return str(place)

    def _not_kept(self, ended: Ended) -> list[str]:
        """Report what the command left in the home or the temporary folders, which are private
        here.
        """
        assert self._wall is not None
        kept = [each.place / name for each in ended.job.outside for name in each.names]
        found = self._wall.left_since(ended.began_ns, _CACHES)
        left = [each for each in found if not any(place.is_relative_to(each) for place in kept)]
        if not left:
            return []
        return [
            tr(
                "dogent-tui: not saved outside the workspace: {places} (later commands can see it"
                " until the session ends)",
                places=and_more(left, _MOST_NAMED),
            )
        ]


def _left(change: Change) -> str:
    words = tr(
        "dogent-tui: {path} was changed by someone else in the meantime, so it was left unchanged."
    )
    return words.format(path=change.path)


def _hosts(asked: Collection[Effect]) -> tuple[str, ...] | None:
    """Return the allowed hosts: None for none, () for all public ones if one could not be named."""
    reached = [effect for effect in asked if effect.kind is EffectKind.NETWORK]
    if not reached:
        return None
    hosts = [
        urlsplit(effect.written).hostname if "://" in effect.written else None for effect in reached
    ]
    return () if None in hosts else tuple(host for host in hosts if host)


def _edited_text(difference: Difference, change: Change) -> str | None:
    """Return the edited text if a command edited a text file, otherwise None."""
    after = change.after
    if change.what != "edit" or after is None or after.kind != "file":
        return None
    return Disk().text(f"{difference.upper}/{change.path}", _LARGEST_TEXT)
