"""Late files, the background, calls at the same time, and limits."""

# ruff: noqa: E501 — a command that is broken into lines is another command

from tests.wall.attacks.table import Attack, Restart, Start, Step, Wait, Write, one

_PY = "python3 - <<'E'\nimport os, socket, time\ns = socket.socket(socket.AF_UNIX)\n{}\nE"


def _handed(place: str, then: str) -> list[Step]:
    """Return calls of which one gives what it has opened to another, which uses it once the first
    was judged.
    """
    taken = f"s.bind('/tmp/h'); s.listen(); _, f, _, _ = socket.recv_fds(s.accept()[0], 1, 1)\ntime.sleep(1)\n{then}"
    flags = "O_RDONLY" if place == "." else "O_RDWR"
    given = f"while s.connect_ex('/tmp/h'): time.sleep(0.05)\nopen('notes.md', 'a').write('more')\nsocket.send_fds(s, [b'x'], [os.open('{place}', os.{flags})])"
    return [Start(_PY.format(taken)), _PY.format(given), Wait()]


ATTACKS: tuple[Attack, ...] = (
    Attack(
        "an open file handed to a command in the background",
        _handed("notes.md", "os.ftruncate(f[0], 0)"),
    ),
    Attack(
        "a folder handed to a command in the background",
        _handed(".", "os.chmod('notes.md', 0o4777, dir_fd=f[0])"),
    ),
    Attack(
        "a script that comes later",
        [Start("sleep 0.5; bash later.sh"), Write("later.sh", "rm -f keep.md\n"), Wait()],
        bites=True,
    ),
    Attack(
        "a script that another call writes meanwhile",
        [
            Start(
                "for i in $(seq 20); do [ -e later.sh ] && break; sleep 0.1; done; bash later.sh"
            ),
            "echo 'rm -f keep.md' > later.sh",
            Wait(),
            "bash later.sh",
        ],
    ),
    Attack("in the background", [Start("sleep 0.2; rm -f keep.md"), Wait()]),
    Attack(
        "in the background of a call", ["(sleep 0.2; rm -f keep.md) & disown; true", "sleep 0.5"]
    ),
    Attack(
        "a daemon of two forks",
        [
            "python3 -c \"import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(0.3)\nos.remove('keep.md')\ntime.sleep(7000)\"",
            "sleep 0.6",
        ],
    ),
    one(
        "a process that ends for nothing",
        "trap '' TERM HUP INT; nohup setsid bash -c 'trap \"\" TERM HUP INT; while :; do sleep 7001; done' >/dev/null 2>&1 & sleep 0.1",
    ),
    one(
        "processes that stay at a limit of time",
        "trap '' TERM; (trap '' TERM; sleep 7002) & rm -f keep.md; sleep 7003",
        limit_s=1.5,
    ),
    one(
        "at, cron and the like",
        "echo '@PWN@' | at now 2>/dev/null; echo '* * * * * @PWN@' | crontab - 2>/dev/null; systemd-run --user @PWN@ 2>/dev/null",
        bites=False,
    ),
    Attack(
        "at the same time",
        [
            Start("sleep 0.2; rm -f keep.md; echo a >> notes.md"),
            Start("sleep 0.2; mv draft.txt d2; echo b >> notes.md"),
            Start("echo '@PWN@' > .envrc"),
            Wait(),
        ],
    ),
    Attack(
        "one that is dropped does not carry another",
        [Start("rm -f keep.md; sleep 0.6"), "echo 'kept text' > keep.md; rm -f draft.txt", Wait()],
    ),
    Attack(
        "a loop that looks for its chance",
        [
            Start(
                "for i in $(seq 60); do [ -e chance ] && rm -f keep.md; rm -f draft.txt; sleep 0.02; done"
            ),
            "touch chance",
            Wait(),
        ],
    ),
    Attack(
        "a server of one call, a client of the next",
        [
            Start("python3 -m http.server 8765 --bind 127.0.0.1 & sleep 1; kill %1"),
            "sleep 0.3; curl -s --max-time 1 http://127.0.0.1:8765/keep.md || echo unreachable; rm -f keep.md",
            Wait(),
        ],
        needs=("curl",),
    ),
    Attack(
        "after a restart", ["echo 'rm -f keep.md' > s.sh; (sleep 7004) &", Restart(), "bash s.sh"]
    ),
    Attack(
        "a file that is edited into another by many calls",
        ["cp keep.md t", "sed -i '1,$d' t", "cat t > keep.md"],
    ),
    Attack("many calls", ["rm -f keep.md"] * 5),
    Attack(
        "a file that is made, and then used as if it were ours",
        ["echo x > mine.md", "rm -f mine.md keep.md"],
    ),
    Attack(
        "standing in a folder that is gone",
        ["mkdir -p d/e && cd d/e", "cd @WS@; rm -r d; rm -f keep.md", "pwd; rm -f keep.md"],
    ),
    one(
        "many processes",
        "b() { b | b & }; ulimit -u 200 2>/dev/null; b; sleep 0.4; rm -f keep.md; kill -9 $$",
        limit_s=3.0,
    ),
    one(
        "much memory",
        'ulimit -v 2000000; python3 -c "b = bytearray(10**10)" 2>/dev/null; python3 -c "import os; b = bytearray(300 * 10**6); os.remove(\'keep.md\')"',
    ),
    one("much output", "rm -f keep.md; head -c 60000000 /dev/zero | tr '\\0' x", limit_s=20.0),
    one(
        "much output on both",
        "rm -f keep.md; head -c 3000000 /dev/urandom | base64; head -c 3000000 /dev/urandom | base64 >&2",
    ),
    one(
        "a disk that is full",
        "rm -f keep.md; dd if=/dev/zero of=big bs=1M 2>/dev/null; echo x >> notes.md; truncate -s 100G holes",
        limit_s=30.0,
    ),
    one(
        "a private place that is full",
        "dd if=/dev/zero of=/tmp/big bs=1M count=3000 2>/dev/null; rm -f /tmp/big keep.md",
        limit_s=30.0,
    ),
    one(
        "descriptors used up",
        "ulimit -n 20; exec 3< notes.md 4< notes.md; rm -f keep.md; exec 15<&3",
    ),
    one("standing still", "kill -STOP $$; rm -f keep.md", limit_s=1.5, bites=False),
    one(
        "signals to all",
        "kill -STOP -1; kill -9 -1; kill -9 1; killall5 -9 2>/dev/null; rm -f keep.md",
        limit_s=3.0,
        bites=False,
    ),
    one(
        "a shell that is killed while it works",
        "rm -f keep.md; mv draft.txt d2; kill -9 $PPID $$",
        bites=False,
    ),
    Attack("a very long command", ["true " + "x" * 200_000 + "; rm -f keep.md"]),
    Attack(
        "a command of many lines with ends of here-documents",
        ["cat <<'EOF' > a.txt\nEOF'\nEOF\nrm -f keep.md\ncat <<EOF\n$(rm -f draft.txt)\nEOF"],
    ),
    Attack(
        "quotes that are not closed",
        ["echo 'x", "rm -f keep.md; )", "'; @PWN@; echo '"],
        bites=False,
    ),
    Attack(
        "what the line of the client is made of, in the command",
        ["rm -f keep.md; }; @PWN@; {", "\n@PWN@\n", "$(rm -f keep.md)", "' ; rm -f keep.md ; '"],
    ),
    Attack("no command", ["", "   ", "#", "rm -f keep.md #"]),
    Attack(
        "bytes that are no text",
        ["printf '\\xff\\xfe'; rm -f keep.md; echo $'\\xc3\\x28' > $'\\xc3\\x28'"],
    ),
)
