"""Tries a room once: makes it, runs the program of a plan in it, and prints what became of it. Run by `probe.py`, without the
package, in a process of its own. The argument is the path of a plan, which holds its room.
"""

import json
import os
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import enter  # type: ignore[import-not-found]  # beside this file: it runs without the package
import partial  # type: ignore[import-not-found]


def main() -> None:
    """Print the last thing that is heard of the room."""
    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as file:
        room = json.load(file)["room"]
    link, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        link.close()
        partial.open_room(room, other) if room["level"] == "bare" else enter.open_room(room, other)
    other.close()
    said = b""
    try:
        nothing = os.open("/dev/null", os.O_RDWR)
        socket.send_fds(link, [sys.argv[1].encode(errors="surrogateescape")], [nothing] * 3)
    except BrokenPipeError:
        pass  # it has failed already
    while True:
        try:
            packet = link.recv(4096)
        except ConnectionResetError:
            continue  # it ended before it took the plan; what it said comes next
        if not packet:
            break
        said = packet
    os.write(1, said)


if __name__ == "__main__":
    main()
