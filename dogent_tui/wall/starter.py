"""The resident process that forks each command behind the wall. Single-threaded; imports nothing of
the application.

A command is run by the CLI's shell with the text from `wall.py`: it writes its process id and the
job's id to a FIFO and waits for the answer on another. The application has already sent the plan
for that id over a socket, and is told when the command has ended. It answers the shell itself, once
the difference has been judged. No one else can name a job: the folder of the FIFOs belongs to the
user alone and is not visible behind the wall, and every id is valid once.

Messages are JSON, one per packet. From the application: first the room that is the template for all
others, then ``{"id", "plan"}`` (a path), and ``{"go"}`` (an id) unless the level is ``full``. To
the application: the ``name`` of a job and an ``event``: ``ready`` in that case, ``ended`` with
``status`` and ``began``, ``failed`` with ``reason``, ``listening`` with a descriptor.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import enter  # type: ignore[import-not-found]  # beside this file: it runs without the package
import kernel  # type: ignore[import-not-found]
import partial  # type: ignore[import-not-found]

_LARGEST = 65_536
_OUTPUTS = (8, 9)
"""Where the client's shell keeps its standard output and error; see `wall.py`."""
_IDLE_S = 0.02
"""How long to be idle before preparing a room, so that this does not delay the end of a command."""
_KILLED = 137
_TIMED_OUT = 143
"""The status of a command that took too long, as the CLI reports one that it ends with SIGTERM."""


class _Room:
    """A room that waits for a plan, or in which a command runs.

    `client` is a pidfd of the shell waiting for the command, initially -1; `why` is the reason if
    it was ended.
    """

    def __init__(self, room: dict[str, Any]) -> None:
        self.link, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.waiter = os.fork()
        if self.waiter == 0:
            os.setsid()
            link = socket.socket(fileno=os.dup2(other.detach(), 3))
            kernel.close_from(4)
            (partial if room["level"] == "bare" else enter).open_room(room, link)
        other.close()
        self.inside = 0
        self.name = ""
        self.folder = ""
        self.client = -1
        self.deadline = 0.0
        self.began_ns = 0
        self.output = "", 0
        self.why = ""

    def run(self, name: str, pid: int, client: int, path: str, plan: dict[str, Any]) -> None:
        """Run the command of `plan` for the shell `pid`, whose pidfd is `client`. Raises OSError if
        that shell is gone.
        """
        self.client = client
        descriptors = [os.open("/dev/null", os.O_RDONLY)]
        try:
            descriptors += (_same_output(pid, client, number) for number in _OUTPUTS)
            self.name, self.folder = name, plan["folder"]
            size = os.fstat(descriptors[1]).st_size
            self.output = os.readlink(f"/proc/{pid}/fd/{_OUTPUTS[0]}"), size
            self.deadline = time.monotonic() + plan["limit_s"] if plan["limit_s"] else 0.0
            self.began_ns = time.time_ns()
            if plan["same_disk"]:  # by the file system's clock: no later change has an earlier time
                os.utime(path)
                self.began_ns = os.stat(path).st_ctime_ns
            socket.send_fds(self.link, [path.encode()], descriptors)
        except (BrokenPipeError, ConnectionResetError):
            return  # the room could not be set up; its report comes next
        finally:
            for descriptor in descriptors:  # the reader of the output waits for the last one
                os.close(descriptor)

    def ended(self, status: int) -> dict[str, Any]:
        """Return the message that the command has ended, and store it for a later start."""
        status = _TIMED_OUT if self.why == "timeout" else status
        message = {
            "event": "ended", "name": self.name, "status": status, "why": self.why,
            "began": self.began_ns, "output": self.output,
        }  # fmt: skip
        try:
            with open(f"{self.folder}/ended", "w", encoding="utf-8") as file:
                json.dump(message, file)
        except OSError:
            pass  # the disk is full: only a later start would need it
        return message

    def end(self) -> None:
        """Kill everything inside; the link is closed as a result."""
        # the waiter reaps what is inside only at its own end, so the id is still valid
        os.kill(self.inside or self.waiter, 9)


class Starter:
    """Waits for commands and for their ends. Keeps one room ready."""

    def __init__(self, application: socket.socket, requests: str) -> None:
        self._application = application
        # open for writing too, so that it never reaches the end of the file
        self._requests = os.open(requests, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._plans: dict[str, str] = {}
        self._waiting: dict[str, tuple[int, int, str]] = {}
        self._rooms: dict[int, _Room] = {}
        self._ready: _Room | None = None
        self._room: dict[str, Any] = {}
        self._rest = b""
        self._poll = select.epoll()
        for descriptor in (application.fileno(), self._requests):
            self._poll.register(descriptor, select.EPOLLIN)

    def run(self) -> None:
        """Serve until the application is gone, then end all commands."""
        while True:
            happened = self._poll.poll(self._patience())
            if not self._hear():  # first: a plan is sent before its command asks
                return self._end_all()
            for descriptor, _ in happened:
                if descriptor == self._application.fileno():
                    continue
                if descriptor == self._requests:
                    self._take_requests()
                elif descriptor in self._rooms:
                    self._take_report(self._rooms[descriptor])
                else:
                    self._abandon(descriptor)
            for room in self._rooms.values():
                if 0 < room.deadline < time.monotonic():
                    room.deadline, room.why = 0.0, "timeout"
                    room.end()
            if not happened and self._ready is None and self._room:
                self._ready = self._open(self._room)

    def _patience(self) -> float:
        """Return how long to wait, in seconds, -1 if for ever; only briefly if a room has yet to be
        prepared.
        """
        deadlines = [room.deadline for room in self._rooms.values() if room.deadline]
        until = [max(0.0, deadline - time.monotonic()) for deadline in deadlines]
        if self._ready is None and self._room:
            until.append(_IDLE_S)
        return min(until, default=-1)

    def _hear(self) -> bool:
        """Handle all pending messages. Return False if the application is gone."""
        while True:
            try:
                packet = self._application.recv(_LARGEST, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return True
            if not packet:
                return False
            message = json.loads(packet)
            if "base" in message:
                self._room = message
            elif "go" in message:
                self._go(message["go"])
            else:
                self._plans[message["id"]] = message["plan"]

    def _tell(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        socket.send_fds(self._application, [json.dumps(message).encode()], descriptors)

    # ── Starting ──────────────────────────────────────────────────────────────────────────────

    def _open(self, like: dict[str, Any]) -> _Room:
        room = _Room(like)
        self._rooms[room.link.fileno()] = room
        self._poll.register(room.link.fileno(), select.EPOLLIN)
        return room

    def _take_requests(self) -> None:
        """Read ``PID ID`` lines. Writes this short are atomic (pipe(7): PIPE_BUF)."""
        try:
            self._rest += os.read(self._requests, _LARGEST)
        except BlockingIOError:
            return
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            pid, _, name = line.decode("ascii", "replace").partition(" ")
            path = self._plans.pop(name, "")
            if path and pid.isdecimal():
                self._ask(name, int(pid), path)

    def _ask(self, name: str, pid: int, path: str) -> None:
        """Start a command, after the application's go-ahead if the level requires it."""
        try:
            self._waiting[name] = (pid, os.pidfd_open(pid), path)
        except OSError:
            return  # the shell is gone
        if self._room["level"] != "full":
            self._tell({"event": "ready", "name": name})
        else:
            self._go(name)

    def _go(self, name: str) -> None:
        pid, client, path = self._waiting.pop(name, (0, 0, ""))
        if path:
            try:
                self._start(name, pid, client, path)
            except OSError as error:
                self._tell({"event": "failed", "name": name, "reason": str(error)})

    def _start(self, name: str, pid: int, client: int, path: str) -> None:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            plan = json.load(file)
        room = self._ready if plan["network"] == "none" else None
        room = room or self._open({**self._room, "network": plan["network"]})
        if room is self._ready:
            self._ready = None
        room.run(name, pid, client, path, plan)
        self._poll.register(room.client, select.EPOLLIN)

    # ── Ending ────────────────────────────────────────────────────────────────────────────────

    def _take_report(self, room: _Room) -> None:
        try:
            packet, descriptors, _, _ = socket.recv_fds(room.link, _LARGEST, 1)
        except ConnectionResetError:
            return  # it ended before it took its plan; its message comes next
        word, _, rest = packet.decode(errors="replace").partition(" ")
        if word == "inside":
            room.inside = int(rest)
        elif word == "listening":
            self._tell({"event": "listening", "name": room.name}, tuple(descriptors))
            os.close(descriptors[0])
        elif word == "failed":
            self._over(room, {"event": "failed", "name": room.name, "reason": rest})
        elif word == "status":
            self._over(room, room.ended(int(rest)))
        else:
            self._bury(room)

    def _over(self, room: _Room, message: dict[str, Any]) -> None:
        """Report how it ended. Nothing but the first process is alive inside."""
        self._tell(message)
        room.name = ""
        room.deadline = 0.0

    def _bury(self, room: _Room) -> None:
        """Clean up after the link was closed: the waiter and everything inside are dead."""
        os.waitpid(room.waiter, 0)
        if room.name:
            self._over(room, room.ended(_KILLED))
        if room is self._ready:
            self._ready = None
        del self._rooms[room.link.fileno()]
        self._forget(room.link.fileno())
        room.link.close()
        if room.client >= 0:
            self._forget(room.client)
            os.close(room.client)

    def _forget(self, descriptor: int) -> None:
        try:
            self._poll.unregister(descriptor)
        except OSError:
            pass  # already removed

    def _abandon(self, client: int) -> None:
        """End the command of a shell that has gone away."""
        self._forget(client)
        for room in self._rooms.values():
            if room.client == client and room.name:
                room.why = "gone"
                room.end()

    def _end_all(self) -> None:
        for room in self._rooms.values():
            room.end()
        for room in self._rooms.values():
            os.waitpid(room.waiter, 0)


def _same_output(pid: int, client: int, number: int) -> int:
    """Return a copy of the shell's descriptor `number`."""
    try:
        return int(kernel.descriptor_of(client, number))
    # a kernel that only lets parents copy it: reopen it by name, which fails for sockets
    except OSError:
        return os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY | os.O_APPEND | os.O_NOCTTY)


def main() -> None:
    """Serve the application at descriptor 0; the path of the FIFO is the argument."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the first process of a room ignores it then
    Starter(socket.socket(fileno=os.dup(0)), sys.argv[1]).run()


if __name__ == "__main__":
    main()
