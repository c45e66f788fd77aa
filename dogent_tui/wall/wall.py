"""The wall of one session as seen by the application: jobs are prepared, run by the starter, and
answered once judged.
"""

import contextlib
import json
import os
import shlex
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from dogent_tui.errors import AgentError
from dogent_tui.language import tr
from dogent_tui.storage.files import json_line, private_folder
from dogent_tui.storage.paths import dogent_home, state_dir
from dogent_tui.temporary import remove_tree
from dogent_tui.undo.changes import Difference, entry_at
from dogent_tui.wall.jobs import Ended, Job
from dogent_tui.wall.leftovers import begin
from dogent_tui.wall.outside import copied_places
from dogent_tui.wall.probe import WallStatus
from dogent_tui.wall.snapshot import Snapshot, end_left_over
from dogent_tui.wall.view import RUN, TEMPORARY, Level, View, tools

_SNAPSHOTS = "/run/snapshots"
"""Where the CLI's snapshots of the user's shell are mounted; their names begin with a timestamp."""
_LIKE_THE_CLI = {"CLAUDECODE": "1", "GIT_EDITOR": "true", "SHELL": "/bin/bash"}
"""What the CLI itself sets for commands (2.1.330)."""
_LIKE_OUTSIDE = {"GIT_DISCOVERY_ACROSS_FILESYSTEM": "1"}
"""Makes Git report a missing repository as it does outside: the workspace is a mount in here."""
_LARGEST_PACKET = 65_536


class _Waiting(msgspec.Struct):
    """A job that has not been answered, the FIFO for its answer, and its proxy, if any."""

    job: Job
    answers: int
    proxy: AbstractContextManager[object] | None = None


class Answer(msgspec.Struct, frozen=True):
    """The answer to the waiting shell: a status, the working directory, and lines for the output.

    `kept` are the paths of the workspace that were kept as the command left them.
    """

    status: int
    folder: str = ""
    notes: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


Serve: TypeAlias = Callable[[socket.socket, Collection[str]], AbstractContextManager[object]]
"""Serves a listening socket as a proxy to the given hosts (all public ones if none are given) until
it is exited.
"""


class Wall:
    """Runs commands behind the wall for one workspace. Thread-safe."""

    def __init__(
        self,
        workspace: Path,
        folder: Path,
        settle: Callable[[Ended], Answer],
        serve: Serve,
        home: Path | None = None,
        *,
        wall_status: WallStatus | None = None,
        snapshot: Snapshot | None = None,
        harmless: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Keep layers and the private home in `folder`, which must be outside the workspace.

        Args:
            workspace: The real workspace.
            folder: The session's own folder.
            settle: Judges what a command did and commits or drops it, in a thread; the shell waits
                for the result.
            serve: Serves the proxy of a command that may reach hosts.
            home: The user's home folder, the real one by default.
            wall_status: The wall that works here.
            snapshot: For a partial wall, the copy of the workspace, updated before each command.
            harmless: Filters the user's Git settings down to what may be visible inside.
        """
        level: Level = "full"
        if snapshot is not None and wall_status is not None:
            level = "bound" if wall_status.namespaces else "bare"
        self._view = View(folder, workspace, (home or Path.home()).resolve(), level)
        self._copy = snapshot
        self._harmless = harmless
        self._serve = serve
        self.workspace = workspace
        self.folder = folder
        self._settle = settle
        self._waiting: dict[str, _Waiting] = {}
        self._starter: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._settling = ThreadPoolExecutor(1, "settling")  # one at a time, in the order they end
        self._is_closing = False
        self._held = -1
        self._mounted: tuple[Path, ...] = ()

    # ── Life ──────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Start the resident process. Raises OSError, and AgentError if it cannot run."""
        if self._held < 0:  # later, what is in the home comes from commands
            self._held = begin(self.folder, self.workspace)
            for name in ("home", "tmp", "var-tmp", "shm", "run", "jobs", "root"):
                private_folder(self.folder / name)
            self._seed_home()
        own = (Path(str(mount[2])) for mount in tools(self._view.home))
        self._mounted = (self.workspace, *own)
        requests = self.folder / "requests"
        if not requests.exists():
            os.mkfifo(requests, 0o600)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = str(Path(__file__).with_name("starter.py"))
        command = [sys.executable, "-I", "-S", program, str(requests)]
        with theirs:
            self._starter = subprocess.Popen(
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        self._socket = ours
        self._tell(self._view.room())
        threading.Thread(target=self._listen, args=(ours,), name="wall", daemon=True).start()

    def close(self) -> None:
        """End all commands and the resident process, and remove what no longer needs to be
        judged.
        """
        self._is_closing = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        if self._starter is not None:
            self._starter.wait()
        self._settling.shutdown(wait=True, cancel_futures=True)
        if self._copy is not None:
            self._copy.take_back_cut_off()
        for name in [*self._waiting]:
            self._answer(name, Answer(1))
        remove_tree(self.folder)
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def _seed_home(self) -> None:
        """Give the private home the harmless part of the user's Git settings."""
        text = ""
        for place in (self._view.home / ".config/git/config", self._view.home / ".gitconfig"):
            with contextlib.suppress(OSError):
                text += self._harmless(place.read_text("utf-8", "replace"))
        (self.folder / "home/.gitconfig").write_text(text, "utf-8")
        # Tools that look in the home see only this one; with namespaces they are mounted in it.
        for _, source, target, _ in tools(self._view.home) if self._view.level == "bare" else ():
            place = self.folder / "home" / Path(str(target)).relative_to(self._view.home)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(str(source))

    # ── Jobs ──────────────────────────────────────────────────────────────────────────────────

    def prepare(
        self,
        command: str,
        cwd: Path,
        *,
        limit_s: float = 0.0,
        hosts: Collection[str] | None = None,
        readable: tuple[Path, ...] = (),
        changeable: Collection[Path] = (),
        environment: Mapping[str, str] = {},
        snapshots: Path | None = None,
    ) -> Job:
        """Return the job for `command`, which runs once the job's text is run in a shell.

        Args:
            command: The command as the model wrote it.
            cwd: The initial working directory.
            limit_s: The time limit in seconds, 0 for none.
            hosts: The hosts it may reach: None for none, an empty collection for all public ones.
            readable: Places outside the workspace that it sees.
            changeable: Places outside the workspace of which it gets a copy.
            environment: Additional environment variables.
            snapshots: The folder with the CLI's snapshots of the user's shell.

        Raises:
            OSError: A disk error.
            AgentError: A place is too large or cannot be allowed with this wall, or the wall is
                down.
        """
        if self._view.level == "bare" and changeable:  # its neighbours would be open too
            words = tr(
                "Without user namespaces a command cannot be allowed to change single places"
                " outside."
            )
            raise AgentError(words, tr("Run the command yourself: !command."))
        if self._socket is None:
            self.start()
        name = uuid.uuid4().hex
        folder = self.folder / "jobs" / name
        for part in ("upper", "work"):
            private_folder(folder / part)
        (folder / "upper").chmod(self.workspace.stat().st_mode & 0o7777)
        outside = copied_places(folder / "outside", changeable, self._view.home, readable)
        own, network = (dogent_home(), state_dir()), "none" if hosts is None else "proxy"
        if self._view.level == "bare" and network == "proxy" and not hosts:
            network = "host"
        plan = self._view.plan(
            folder,
            cwd if cwd.is_dir() else self.workspace,
            ("/bin/bash", "-c", self._script(command, name, snapshots)),
            hidden=tuple(each for each in own if each.is_relative_to(self.workspace)),
            readable=readable,
            outside=tuple(mount for each in outside for mount in each.mounts(self._view.home)),
            environment={**_LIKE_THE_CLI, **_LIKE_OUTSIDE, **environment},
        )
        same_disk = self.folder.stat().st_dev == self.workspace.stat().st_dev
        plan |= {"name": name, "folder": str(folder), "same_disk": same_disk}
        plan |= {"network": network, "limit_s": limit_s, "command": command}
        if snapshots is not None and snapshots.is_dir():
            plan["own"].append(("bind", str(snapshots), _SNAPSHOTS, True))
            plan["readable"].append(str(snapshots))
        path = folder / "plan"
        path.write_text(json.dumps(plan), "utf-8")
        job = Job(name, client_text(self.folder, name), command, cwd, folder, hosts, outside)
        answers = self.folder / name
        os.mkfifo(answers, 0o600)
        flags = os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC
        self._waiting[name] = _Waiting(job, os.open(answers, flags))
        self._tell({"id": name, "plan": str(path)})
        return job

    def _script(self, command: str, name: str, snapshots: Path | None) -> str:
        """Return the script that runs inside: the command as the CLI would run it, then a report of
        the working directory.
        """
        run, inside = RUN, _SNAPSHOTS
        if self._view.level == "bare":
            run, inside = shlex.quote(str(self.folder / "run")), shlex.quote(str(snapshots))
        newest = f'for s in {inside}/*; do :; done; [ -f "$s" ] && source "$s"; unset s; '
        return (
            f"{newest if snapshots is not None else ''}eval {shlex.quote(command)} && pwd -P >|"
            f" {run}/{name}"
        )

    def _tell(self, message: dict[str, Any]) -> None:
        if self._socket is None:
            words = tr("Commands cannot run now: the wall is down.")
            raise AgentError(words, tr("Restart dogent-tui."))
        self._socket.send(json.dumps(message).encode())

    def left_since(self, began_ns: int, known: tuple[str, ...]) -> Iterator[str]:
        """Yield new entries of the private home and temporary folders whose names, with a slash
        behind them, do not begin as one of those `known`.
        """
        shown = {"home": str(self._view.home), "shm": "/dev/shm", **TEMPORARY}
        for part in shown:
            (self.folder / part).chmod(0o700)  # a command may have closed it
            for name in os.listdir(self.folder / part):
                is_known = f"{name}/".startswith(known)
                entry = None if is_known else entry_at(f"{self.folder}/{part}/{name}")
                if entry is None or entry.ctime_ns < began_ns:
                    continue
                place = Path(shown[part], name)
                if not any(each.is_relative_to(place) for each in self._mounted):
                    yield str(place)

    # ── Hearing ───────────────────────────────────────────────────────────────────────────────

    def _listen(self, ours: socket.socket) -> None:
        while True:
            try:
                packet, descriptors, _, _ = socket.recv_fds(ours, _LARGEST_PACKET, 1)
            except OSError:
                packet, descriptors = b"", []
            if not packet:
                break
            self._hear(json.loads(packet), descriptors)
        ours.close()
        self._socket = None
        for name, waiting in [*self._waiting.items()]:
            if self._copy is not None and not self._is_closing:
                end_left_over(str(self.folder))
                self._settling.submit(self._finish, Ended(waiting.job, 137, 0, "gone"))
            else:
                words = tr(
                    "The wall went down and the command with it; none of its changes were saved."
                )
                self._refuse(name, words)

    def _hear(self, message: dict[str, Any], descriptors: list[int]) -> None:
        event, name = message["event"], message["name"]
        if (waiting := self._waiting.get(name)) is None:
            return
        if event == "listening":
            listening = socket.socket(fileno=descriptors[0])
            waiting.proxy = self._serve(listening, waiting.job.hosts or ())
        elif event == "failed":
            words = tr("The wall could not be set up, so the command did not run: {reason}")
            self._refuse(name, words.format(reason=message["reason"]), 125)
        elif event == "ended":
            status, began_ns, why = message["status"], message["began"], message["why"]
            ended = Ended(waiting.job, status, began_ns, why, tuple(message["output"]))
            ended.upper.chmod(0o700)  # the command may have closed the workspace itself
            if self._copy is not None or any(os.scandir(ended.upper)):
                self._settling.submit(self._finish, ended)
            else:
                self._finish(ended)  # it changed nothing, so there is nothing to wait for
        else:
            self._settling.submit(self._begin, name)

    def _begin(self, name: str) -> None:
        """Update the copy. Only now, because hours may pass between a command's question and its
        approval.
        """
        try:
            if self._copy is not None:
                self._copy.begin(name, self.folder)
                plan = self.folder / "jobs" / name / "plan"
                told = json.loads(plan.read_bytes())
                told["hidden"] += (("hide", str(place)) for place in self._copy.sockets())
                plan.write_text(json.dumps(told), "utf-8")
            self._tell({"go": name})
        except Exception as error:
            words = tr("The workspace could not be copied, so the command did not run: {reason}")
            self._refuse(name, words.format(reason=error), 125)

    def _finish(self, ended: Ended) -> None:
        try:
            answer = self._settled(ended)
        except Exception as error:
            words = tr("The command's changes could not be judged, so they were discarded: {error}")
            answer = Answer(1, notes=(words.format(error=error),))
        self._answer(ended.job.name, answer)

    def _settled(self, ended: Ended) -> Answer:
        """Judge what the command did; without a layer, move it into one first."""
        if self._copy is None and len(self._waiting) > 1:
            ended.job.seal()
        if self._copy is None or not self._copy.is_running(ended.job.name):
            return self._settle(ended)
        try:
            collected = self._copy.collect(ended.upper)
        except OSError as error:  # no room for what the command replaced, for one
            words = tr(
                "dogent-tui: the command's changes could not be taken back to ask about them, so"
                " they may still be in the folder: {error}"
            )
            return Answer(1, notes=(words.format(error=error),))
        made = Difference(str(self.workspace), str(ended.upper), time.time_ns(), collected.changes)
        ended.restored.write_bytes(json_line(made))
        answer = self._settle(ended)
        self._copy.accept(each for each in collected.changes if each.path in answer.kept)
        if not collected.left:
            return answer
        words = tr("dogent-tui: this could not be reverted and is as the command left it: {places}")
        notes = (*answer.notes, words.format(places=", ".join(collected.left)))
        return msgspec.structs.replace(answer, notes=notes)

    def _refuse(self, name: str, words: str, status: int = 1) -> None:
        self._answer(name, Answer(status, notes=(words,)))

    def _answer(self, name: str, answer: Answer) -> None:
        if (waiting := self._waiting.pop(name, None)) is None:
            return
        if waiting.proxy is not None:
            waiting.proxy.__exit__(None, None, None)
        if self._copy is not None and not self._is_closing:
            self._copy.end(name)
        with contextlib.suppress(OSError):  # the client is gone
            os.write(waiting.answers, answer_text(answer.status, answer.folder, answer.notes))
        os.close(waiting.answers)
        for place in (self.folder / name, self.folder / "run" / name):
            with contextlib.suppress(OSError):  # a command may have put a folder there
                place.unlink()
        remove_tree(waiting.job.folder)


def client_text(folder: Path, name: str) -> str:
    """Return the shell line for the job `name`, whose FIFOs are in `folder`.

    The group opens the answer before it asks. It also keeps its outputs as 8 and 9: while it asks,
    1 is the FIFO.
    """
    requests, answers = shlex.quote(str(folder / "requests")), shlex.quote(str(folder / name))
    return (
        f"{{ echo \"$$ {name}\" >{requests}; IFS=' ' read -r s n; IFS= read -r d; "
        'while [ "${n:-0}" -gt 0 ]; do IFS= read -r l; printf \'%s\\n\' "$l" >&2; n=$((n-1));'
        " done; } "
        f'<{answers} 8>&1 9>&2; [ -z "$d" ] || cd -- "$d"; dogent_status() {{ return "$1"; }};'
        ' dogent_status "${s:-1}"'
    )


def answer_text(status: int, folder: str = "", notes: tuple[str, ...] = ()) -> bytes:
    """Return the answer for a client. A folder whose name contains a line break is not entered."""
    place = "" if "\n" in folder else folder
    lines = [line for note in notes for line in note.splitlines()]
    return "\n".join([f"{status} {len(lines)}", place, *lines, ""]).encode(errors="surrogateescape")
