"""The wall where there are no namespaces: real Landlock, a real filter, real commands."""

import errno
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dogent_tui.errors import AgentError
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.commit import Committed, Committing
from dogent_tui.undo.undo_log import UndoLog
from dogent_tui.wall.jobs import Ended
from dogent_tui.wall.probe import WallStatus
from dogent_tui.wall.snapshot import Snapshot
from dogent_tui.wall.wall import Answer, Wall
from dogent_tui.web.command_proxy import Proxy
from tests.wall.users import as_ordinary_user

pytestmark = pytest.mark.slow


_BARE = WallStatus("partial", "no namespaces")
_BOUND = WallStatus("partial", "a mount inside", namespaces=True)


class Stage:
    """A workspace behind a partial wall; what commands change is kept unless `drops` says that
    it is taken back.
    """

    def __init__(self, folder: Path, standing: WallStatus = _BARE) -> None:
        self.folder = folder
        self.workspace, self.outside, self.home = (
            folder / "workspace",
            folder / "outside",
            folder / "home",
        )
        for place in (self.workspace, self.outside, self.home):
            place.mkdir(exist_ok=True)
        self.snapshot = Snapshot(self.workspace, folder / "copies")
        self.standing = standing
        self.copies = UndoLog.of(Workspace(self.workspace), "session")
        self.changed: dict[str, str] = {}
        self.drops = False
        self.wall = Wall(
            self.workspace,
            folder / "session",
            self._settle,
            Proxy,
            self.home,
            wall_status=standing,
            snapshot=self.snapshot,
        )
        self.wall.start()

    def _settle(self, ended: Ended) -> Answer:
        difference = ended.difference(self.workspace)
        self.changed = {change.path: change.what for change in difference.changes}
        done = Committed()
        if not self.drops and not ended.why:
            done = Committing(self.folder / "journals", self.copies).commit(
                difference, "a command", sync=False
            )
            assert (done.conflicts, done.failed) == ((), ())
        return Answer(ended.status, str(ended.stands_in() or ""), kept=done.committed)

    def run(self, command: str, **options: object) -> tuple[int, str]:
        """Run a command as the CLI would; return its status and its output."""
        job = self.wall.prepare(command, self.workspace, **options)  # type: ignore[arg-type]
        done = subprocess.run(
            ["bash", "-c", job.text],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.workspace,
        )
        return done.returncode, done.stdout + done.stderr

    def close(self) -> None:
        self.wall.close()
        self.snapshot.close()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


@pytest.fixture(params=[_BARE, _BOUND], ids=["bare", "bound"])
def either(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    made = Stage(tmp_path, request.param)
    yield made
    made.close()


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the user's that has nothing to do with commands."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


_EVERYDAY = """
git init -q . && git config user.name n && git config user.email n@example.org
printf 'one\\ntwo\\n' > a.txt && git add a.txt && git commit -qm first && git branch side && git checkout -q side
sed -i s/one/ONE/ a.txt && git commit -qam second && git checkout -q - && git merge -q side && git log --oneline | wc -l
echo 'echo run' > run.sh && chmod +x run.sh && ./run.sh
mkdir d && mv a.txt d/ && cp -a d e && mv e f && git mv d/a.txt b.txt 2>&1 | head -1
zip -qr all.zip f && tar czf all.tgz f && rm -r f && tar xzf all.tgz && cat f/a.txt
touch -d 2001-01-01 b && stat -c %y b | cut -c1-4
python3 -c 'import tempfile; print(len(tempfile.mkdtemp()) > 3)'; mktemp >/dev/null && echo x > "$HOME/kept"
perl -pi -e s/two/TWO/ f/a.txt && cat f/a.txt && (sleep 60 & kill $!; wait $! ; echo $?) && timeout 0.1 sleep 5; echo $?
cat <<< here; ls /etc/passwd; cat /dev/null; echo err >&2; printf 'x%.0s' {1..3} | tee copy; ln -s copy link; ln copy hard
echo; cat hard; umask; install -m 600 copy inst && stat -c %a inst; make --version | head -c 3; rm -f copy
"""  # noqa: E501


def test_everyday_commands_do_what_they_do_without_a_wall(either: Stage) -> None:
    bare = either.folder / "bare"
    bare.mkdir()
    environment = {**os.environ, "HOME": str(either.home)}
    expected = subprocess.run(
        ["bash", "-c", _EVERYDAY],
        cwd=bare,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )

    status, said = either.run(_EVERYDAY)

    assert (status, said.splitlines()) == (
        expected.returncode,
        (expected.stdout + expected.stderr).splitlines(),
    )
    assert _names(either.workspace) == _names(bare)


def test_as_an_ordinary_user_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> str:
        stage = Stage(Path(folder))
        said = stage.run(
            "echo x > x; chmod 600 x; git init -q .; stat -c %a x; echo > ../outside/y; mv x z;"
            " chmod 777 ../outside"
        )
        stage.close()
        return (
            f"{said[0]} {said[1].splitlines()[0]} {_names_in(stage.workspace)}"
            f" {_names_in(stage.outside)}"
        )

    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("DOGENT_HOME", f"{folder}/state")
        assert as_ordinary_user(Path(folder), work) == "1 600 ['.git', 'z'] []"


def _names_in(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.iterdir())


def _names(folder: Path) -> set[tuple[str, int]]:
    places = (place for place in folder.rglob("*") if ".git" not in place.parts)
    return {(str(place.relative_to(folder)), place.lstat().st_mode) for place in places}


@pytest.mark.thorough_after(8)
@pytest.mark.parametrize(
    "attack",
    [
        "echo x > {outside}/secret", "rm {outside}/secret", "mv {outside}/secret .",
        "ln {outside}/secret here",
        "cat {outside}/secret",
        "truncate -s 0 {outside}/secret", "chmod 777 {outside}/secret",
        "touch -d 2001-01-01 {outside}/secret", "ls {outside}",
        "ln -s {outside} d && echo x > d/secret", "ln -s {outside}/secret l && chmod 777 l",
        "cd {outside} && chmod 777 secret",
        "chmod 700 {outside}", "mkdir {outside}/new",
        "setfattr -n user.x -v 1 {outside}/secret && false", "cat {home}/key",
        "chmod 777 /proc/self/cwd/../outside/secret",
        "python3 -c \"import os; os.chmod('secret', 511, dir_fd=os.open('{outside}', os.O_PATH))\"",
        "python3 -c \"import os; os.utime('{outside}/secret', (1, 1))\"",
        "chown 1:1 {outside}/secret",
        "kill -9 {pid}", "python3 -c \"import os; os.kill(-1, 9)\"", "kill -9 -{pid}",
        "cat /proc/{pid}/environ",
        "python3 -c \"import resource; resource.prlimit({pid}, resource.RLIMIT_CPU, (1, 1))\"",
        "python3 -c \"import signal, os; signal.pidfd_send_signal(os.pidfd_open({pid}), 9)\"",
        "cat {outside}/../session/jobs/*/plan", "echo x > /dev/shm/x-{pid}",
        "echo x > /tmp/x-{pid}",
    ],
)  # fmt: skip
def test_nothing_outside_is_reached(
    attack: str, stage: Stage, bystander: subprocess.Popen[bytes]
) -> None:
    secret = stage.outside / "secret"
    secret.write_text("kept")
    secret.chmod(0o640)
    (stage.home / "key").write_text("kept")
    before = secret.stat()

    status, said = stage.run(
        attack.format(outside=stage.outside, home=stage.home, pid=bystander.pid)
    )

    assert status != 0
    assert "kept" not in said
    assert bystander.poll() is None
    after = secret.stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_nlink) == (
        before.st_mode,
        before.st_mtime_ns,
        1,
    )
    assert secret.read_text() == "kept"
    assert [each.name for each in stage.outside.iterdir()] == ["secret"]


_SOCKETS = {
    "tcp": "socket.socket().connect(('127.0.0.1', 1))",
    "udp": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 1))",
    "unix": "socket.socket(socket.AF_UNIX).connect('{path}')",
    "abstract": "socket.socket(socket.AF_UNIX).connect(chr(0) + 'x')",
    "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "mptcp": "socket.socket(proto=262)",
}


@pytest.mark.parametrize("kind", _SOCKETS)
def test_no_socket_of_any_kind_can_be_made(kind: str, stage: Stage) -> None:
    status, said = stage.run(
        f'python3 -c "import socket; {_SOCKETS[kind].format(path=stage.workspace / "s")}"'
    )

    assert status == 1
    assert "Operation not permitted" in said


def test_what_listens_in_the_workspace_is_not_reached(either: Stage) -> None:
    (either.workspace / "sub").mkdir()
    with socket.socket(socket.AF_UNIX) as outside:
        outside.bind(str(either.workspace / "sub/s"))
        outside.listen()
        status, said = either.run(
            "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('sub/s')\""
        )
    assert status == 1
    assert "Error" in said
    assert either.changed == {}


def test_with_the_network_allowed_sockets_of_the_file_system_stay_out(stage: Stage) -> None:
    status, said = stage.run(
        'python3 -c "import socket; socket.socket(); socket.socket(socket.AF_UNIX)"', hosts=()
    )

    assert status == 1
    assert "not supported" in said
    assert stage.run('python3 -c "import socket; socket.socket()"', hosts=()) == (0, "")


def test_single_hosts_cannot_be_allowed_so_the_command_does_not_run(stage: Stage) -> None:
    status, said = stage.run("echo x > x", hosts=["example.org"])

    assert status == 125
    assert "single hosts" in said
    assert not (stage.workspace / "x").exists()


def test_no_place_outside_can_be_changed_alone_so_the_command_does_not_run(stage: Stage) -> None:
    """Landlock could only allow the whole folder that it is in."""
    with pytest.raises(AgentError, match="namespaces"):
        stage.run(f"echo x > {stage.outside}/new", changeable=[stage.outside / "new"])
    assert not (stage.outside / "new").exists()


def test_whatever_is_left_behind_is_dead_when_the_command_has_ended(either: Stage) -> None:
    mark = f"60{os.getpid()}"
    deaf = f"nohup setsid bash -c 'trap \"\" TERM HUP; sleep {mark}' >/dev/null 2>&1 & disown"
    left = f"setsid sleep {mark} & (sleep {mark} &) ; {deaf}"

    assert either.run(f"{left}; sleep 0.1; echo done")[1] == "done\n"

    assert not _running(mark)


def _running(mark: str) -> list[str]:
    done = subprocess.run(
        ["pgrep", "-fx", f"sleep {mark}"], capture_output=True, text=True, check=False
    )
    return done.stdout.split()


@pytest.mark.parametrize("victim", ["starter", "shell"])
def test_when_the_starter_or_the_shell_is_killed_everything_ends(
    victim: str, either: Stage
) -> None:
    mark = f"61{os.getpid()}"
    job = either.wall.prepare(f"setsid sleep {mark} & sleep {mark}", either.workspace)
    with subprocess.Popen(["bash", "-c", job.text], cwd=either.workspace) as shell:
        _wait_for(lambda: len(_running(mark)) == 2)
        starter = either.wall._starter
        assert starter is not None
        os.kill(starter.pid if victim == "starter" else shell.pid, signal.SIGKILL)
        _wait_for(lambda: not _running(mark))


def _wait_for(happens: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < limit
        threading.Event().wait(0.02)


def test_what_a_command_did_is_taken_back(either: Stage) -> None:
    (either.workspace / "notes.md").write_text("notes")
    either.drops = True

    either.run("rm notes.md; echo x > new; chmod 700 .")

    assert either.changed == {"notes.md": "delete", "new": "create"}
    assert [(each.name, each.read_text()) for each in either.workspace.iterdir()] == [
        ("notes.md", "notes")
    ]


def test_what_cannot_be_taken_back_is_not_called_discarded(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(stage.snapshot, "collect", full)

    status, text = stage.run("echo x > new")

    assert status == 1
    assert "may still be in the folder" in text
    assert "No space left on device" in text
    assert "discarded" not in text


def test_the_copy_is_brought_up_to_date_when_the_command_begins(either: Stage) -> None:
    """Not when it is prepared: between a question and its answer may lie hours."""
    job = either.wall.prepare("echo by the command > b", either.workspace)
    (either.workspace / "a").write_text("by the user, while asked")

    subprocess.run(["bash", "-c", job.text], check=True, cwd=either.workspace)

    assert either.changed == {"b": "create"}


def test_a_folder_stays_for_the_next_call_and_a_limit_is_kept(either: Stage) -> None:
    job = either.wall.prepare("mkdir -p sub && cd sub", either.workspace)
    done = subprocess.run(
        ["bash", "-c", f"{job.text}; pwd"],
        capture_output=True,
        text=True,
        check=True,
        cwd=either.workspace,
    )

    assert done.stdout == f"{either.workspace}/sub\n"
    assert either.run("sleep 600", limit_s=0.2)[0] == 143


def test_after_a_kill_of_the_application_the_next_start_takes_back(tmp_path: Path) -> None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        stage = Stage(tmp_path)
        (stage.workspace / "notes.md").write_text("notes")
        os.write(write, b".")
        stage.run("rm notes.md; echo x > new; echo > gone; exec sleep 600")
        os._exit(0)
    os.read(read, 1)
    _wait_for((tmp_path / "workspace/gone").exists)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    _wait_for(lambda: any((tmp_path / "session/jobs").glob("*/over")))
    over = max(end.stat().st_ctime_ns for end in (tmp_path / "session/jobs").glob("*/over"))
    later = tmp_path / "workspace/later"
    later.write_text("by the user, after the kill")
    while later.stat().st_ctime_ns <= over:  # in the same tick, it could be the command's
        later.write_text("by the user, after the kill")

    snapshot = Snapshot(tmp_path / "workspace", tmp_path / "copies")
    taken = snapshot.resume()

    assert taken is not None
    assert taken.left == ()
    assert _names_in(tmp_path / "workspace") == ["later", "notes.md"]
    snapshot.close()


@pytest.mark.parametrize("drops", [True, False])
def test_what_another_command_does_while_the_user_is_asked_is_not_agreed_to(
    stage: Stage, drops: bool
) -> None:
    notes, asked = stage.workspace / "notes.md", stage.wall._settle
    notes.write_text("notes")
    stage.snapshot.begin("another", stage.folder)
    stage.drops = drops

    def while_asked(ended: Ended) -> Answer:
        answer = asked(ended)
        notes.unlink(missing_ok=True)
        return answer

    stage.wall._settle = while_asked  # type: ignore[method-assign]
    stage.run("rm notes.md" if drops else "echo more >> notes.md")
    taken = stage.snapshot.collect(stage.folder / "layer/upper")
    assert [(each.path, each.what) for each in taken.changes] == [("notes.md", "delete")]
    assert notes.read_text() == "notes"
