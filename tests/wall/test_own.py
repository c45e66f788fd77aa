"""Programs of our own behind the wall: they see what they are given, reach nothing, and work as
they do without it.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from dogent_tui.agent import doctor
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.workers import Limits, Workers
from dogent_tui.wall import own
from dogent_tui.wall.own import OwnWall, own_wall, walled
from tests.documents import hostile
from tests.documents.pandoc.made_docx import make_docx, p, r

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="there is no such wall on this system"
    ),
]

ROOT = Path(__file__).parents[2]
ASKED = """
import json, os, socket, sys
def answer(question):
    try:
        return str(eval(question))
    except OSError as error:
        return type(error).__name__
print(json.dumps([answer(question) for question in sys.argv[1:]]))
"""
REFUSED = ("FileNotFoundError", "PermissionError", "OSError")


@pytest.fixture(params=["full", "bare"])
def level(request, monkeypatch):
    """Each wall available here."""
    monkeypatch.setattr(own, "own_wall", lambda: OwnWall(request.param))
    return request.param


def ask(*questions, env=None, **places):
    """Have Python answer questions behind the wall."""
    command = walled([sys.executable, "-I", "-c", ASKED, *questions], **places)
    assert command[0] == sys.executable
    assert command[4] != ASKED
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, **(env or {})},
    )
    return json.loads(done.stdout)


def test_the_whole_wall_stands_here():
    assert own_wall() == OwnWall("full")


def test_it_sees_the_places_that_are_named_and_writes_where_it_may(level, tmp_path):
    for name in ("given", "writable", "secret"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    answers = ask(
        f"open('{tmp_path}/given/file').read()",
        f"open('{tmp_path}/given/file', 'w')",
        f"open('{tmp_path}/writable/new', 'w').write('made')",
        f"open('{tmp_path}/secret/file').read()",
        f"open('{tmp_path}/secret/new', 'w')",
        f"os.unlink('{tmp_path}/given/file')",
        f"os.listdir('{tmp_path}')",
        f"os.rename('{tmp_path}/writable/file', '{tmp_path}/secret/moved')",
        "open('/usr/new', 'w')",
        "os.listdir(os.path.expanduser('~'))",
        readable=[tmp_path / "given"],
        writable=[tmp_path / "writable"],
    )
    assert answers[0] == "given"
    assert answers[1] in REFUSED
    assert answers[2] == "4"
    assert (tmp_path / "writable/new").read_text() == "made"
    assert all(answer in REFUSED for answer in answers[3:6])
    assert "secret" not in answers[6]
    assert answers[7] in REFUSED
    assert answers[8] in REFUSED
    assert answers[9] not in REFUSED
    assert not any(name in answers[9] for name in (".dogent", ".claude", ".ssh"))
    assert sorted(place.name for place in tmp_path.rglob("*")) == ["file"] * 3 + [
        "given",
        "new",
        "secret",
        "writable",
    ]


def test_what_is_hidden_in_a_place_is_not_there(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/key").write_text("key")
    assert ask(f"os.listdir('{tmp_path}/own')", readable=[tmp_path], hidden=[tmp_path / "own"]) == [
        "[]"
    ]


def test_what_it_leaves_is_gone_with_it(level):
    left = ask(
        "open(os.path.join(os.environ.get('TMPDIR', '/tmp'), 'left'), 'w').name",
        "open(os.path.expanduser('~/left'), 'w')",
    )
    assert not Path(left[0]).exists()
    assert not (Path.home() / "left").exists()


def test_it_reaches_no_network_and_no_socket_outside(level, tmp_path):
    at = tmp_path / "socket"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(at))
        local.listen()
        port = server.getsockname()[1]
        answers = ask(
            f"socket.create_connection(('127.0.0.1', {port}), 2)",
            f"socket.socket(socket.AF_UNIX).connect('{at}')",
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53))",
            readable=[tmp_path],
        )
    assert answers == ["PermissionError"] * 3


def test_with_a_loopback_it_reaches_itself_alone():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind("")  # the kernel chooses an abstract name that is free
        local.listen()
        answers = ask(
            f"socket.create_connection({server.getsockname()}, 2)",
            f"socket.socket(socket.AF_UNIX).connect({local.getsockname()!r})",
            "socket.create_connection(('192.0.2.1', 80), 2)",
            "(lambda own: socket.create_connection(own.getsockname(), 2) and"
            " 'itself')(socket.create_server(('127.0.0.1', 0)))",
            loopback=True,
        )
    assert answers == ["ConnectionRefusedError", "ConnectionRefusedError", "OSError", "itself"]


def test_no_key_of_ours_is_known_inside(level):
    keys = {"ANTHROPIC_API_KEY": "k-1", "SOME_TOKEN": "k-2", "CLAUDE_CODE_MESSAGING_SOCKET": "k-3"}
    everything = (
        "[open(f'/proc/{n}/environ').read() for n in os.listdir('/proc') if n.isdecimal() and"
        " os.access(f'/proc/{n}/environ', 4)]"
    )
    answers = ask("dict(os.environ)", everything, env=keys)
    assert "PATH" in answers[0]
    assert not any(key in answer for key in keys.values() for answer in answers)


def test_bytes_go_through_and_it_ends_as_the_program_does(level, tmp_path):
    data = os.urandom(300_000)
    done = subprocess.run(walled(["cat"]), input=data, capture_output=True, timeout=60, check=True)
    assert done.stdout == data
    assert subprocess.run(walled(["sh", "-c", "exit 3"]), timeout=60, check=False).returncode == 3
    assert (
        subprocess.run(walled(["sh", "-c", "kill -SEGV $$"]), timeout=60, check=False).returncode
        == -signal.SIGSEGV
    )
    with pytest.raises(FileNotFoundError):
        subprocess.run(walled([str(tmp_path / "none")]), timeout=60, check=False)


def test_who_ends_it_ends_everything_inside(level):
    started = "echo text >~/left; echo ~; sleep 601 & echo ready; wait"
    with subprocess.Popen(
        walled(
            [
                "sh",
                "-c",
                f"setsid sh -c '{started}' & sh -c '{started}'",
            ]
        ),
        stdout=subprocess.PIPE,
        process_group=0,
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(4)]  # `ready` is said once it sleeps
        assert said.count(b"ready\n") == 2
        inside = psutil.Process(process.pid).children(recursive=True)
        assert len(inside) > 3
        if level == "full":
            process.kill()
        else:  # what left the group and the session is found by who knows its parents
            from dogent_tui.processes import kill_tree

            kill_tree(process.pid)
    _, alive = psutil.wait_procs(inside, timeout=60)
    assert alive == []
    ask("'another'")
    home, *_ = {line.decode().strip() for line in said} - {"ready"}
    assert not (Path(home) / "left").exists()


def test_what_is_started_inside_is_in_the_same_room():
    code = "from dogent_tui.wall.own import walled; print(walled(['ls']))"
    script = f"import sys; sys.path[:] = {sys.path!r}; {code}"
    done = subprocess.run(
        walled([sys.executable, "-c", script]),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "['ls']\n"


def test_a_variable_of_the_users_environment_takes_no_wall_down(monkeypatch):
    monkeypatch.setenv("DOGENT_WALL", "1")
    own_wall.cache_clear()
    assert own_wall() == OwnWall("full")


def test_where_namespaces_are_refused_landlock_stands():
    code = (
        "from dogent_tui.wall.own import own_wall; found = own_wall(); print(found.level,"
        " found.reason)"
    )
    script = f'echo 0 >/proc/sys/user/max_user_namespaces; exec {sys.executable} -c "{code}"'
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=ROOT)
    assert done.stdout.startswith("bare "), done
    assert "No space left" in done.stdout


@pytest.mark.parametrize("level", ["full", "bare", "none"])
def test_doctor_says_which_wall_stands(level, monkeypatch):
    monkeypatch.setattr(doctor, "own_wall", lambda: OwnWall(level, "why"))
    found = doctor._wall_of_readers()
    assert found.state == ("ok" if level == "full" else "warning")
    assert ("with your full permissions" in found.detail) == (level == "none")
    assert found.problems == ("why",)


@pytest.fixture
async def library(tmp_path):
    async with DocumentLibrary(tmp_path / "kept", Workers(Limits(), hostile.command())) as library:
        yield library


async def test_a_reader_that_a_document_took_over_gets_nowhere(level, library, tmp_path):
    secret, path = tmp_path / "secret.txt", tmp_path / "folder/hostile.txt"
    secret.write_text("secret")
    path.parent.mkdir()
    attacks = (
        f"open('{secret}').read()", f"open('{path}', 'w')", f"open('{path}.new', 'w')",
        f"os.listdir('{path.parent}')",
        f"open('/proc/self/fd/' + '../../..{secret}').read()", "__import__('socket').socket()",
        "os.open('/proc/1/root', os.O_RDONLY)",
        "subprocess.run(['cat', 'x'], check=True, cwd='/root/.ssh')",
    )  # fmt: skip
    path.write_text("say the document\n" + "\n".join(f"attack {attack}" for attack in attacks))
    text = (await library.read(path)).text.split("\n\n")
    assert text[0] == "the document"
    assert all(answer in (*REFUSED, "NotADirectoryError") for answer in text[1:]), text
    assert secret.read_text() == "secret"
    assert list(path.parent.iterdir()) == [path]


async def test_the_document_itself_is_not_changed_through_what_is_open(level, library, tmp_path):
    path = tmp_path / "hostile.txt"
    path.write_text(
        "attack [open(f'/proc/self/fd/{n}', 'w') for n in map(int, os.listdir('/proc/self/fd')) if"
        " n > 2]"
    )
    before = path.read_bytes()
    assert (await library.read(path)).text in REFUSED
    assert path.read_bytes() == before


async def test_documents_read_as_they_do_without_a_wall(tmp_path, monkeypatch):
    make_docx(tmp_path / "a.docx", p(r("Words – 文字")))
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    (tmp_path / "c ü\n.html").write_text("<h1>Title</h1><p>Text")
    (tmp_path / "d.md").symlink_to(tmp_path / "e.txt")
    (tmp_path / "e.txt").write_text("# Linked")
    names = ["a.docx", "b.csv", "c ü\n.html", "d.md"]
    found = []
    for at, stands in enumerate((OwnWall("full"), OwnWall("bare"), OwnWall("none"))):
        monkeypatch.setattr(own, "own_wall", lambda stands=stands: stands)
        async with DocumentLibrary(tmp_path / f"kept-{at}", full_page_s=60) as library:
            found.append([await library.read(tmp_path / name, ReadOptions()) for name in names])
    assert found[0] == found[1] == found[2]
    assert "Words – 文字" in found[0][0].text
