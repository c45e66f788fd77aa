"""The resident process that starts commands, as far as it can be seen without a wall."""

import subprocess
import sys

import dogent_tui.wall

_RUN_IN_A_ROOM_THAT_HAS_ENDED = """
import os, socket, sys
sys.path.insert(0, sys.argv[1])
import starter
for number in (8, 9):
    os.dup2(1, number)
room = object.__new__(starter._Room)
room.link, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
other.close()
client = os.pidfd_open(os.getpid())
before = set(os.listdir("/proc/self/fd"))
room.run("job", os.getpid(), client, "plan", {"folder": "", "limit_s": 0, "same_disk": False})
print(room.name, len(set(os.listdir("/proc/self/fd")) - before))
"""


def test_a_room_that_failed_early_leaves_no_copy_of_the_output_open() -> None:
    """Whoever reads a command's output waits until the last copy of it is closed."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", _RUN_IN_A_ROOM_THAT_HAS_ENDED, dogent_tui.wall.__path__[0]],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("job 0\n", "")
