"""The resident process that forks each command behind the wall. Single-threaded, and imports nothing of the application.

A command is run by the shell of the CLI, whose text is `client.py`'s: it writes its process id and the job's id to a FIFO, and
waits for the answer on another. The application has said before, over a socket, which plan belongs to the id, and is told
when the command has ended. It answers the shell itself, once the difference is judged. Nobody else can name a job: the folder
of the FIFOs is the user's alone and is not there behind the wall, and every id counts once.

Messages are JSON, one a packet. From the application: ``{"id", "plan"}`` (a path) or ``{"end"}`` (an id),
``{"base", "common"}`` first.
To it: ``ended`` with ``status`` and ``began``, ``failed`` with ``reason``, ``listening`` with a descriptor.
"""

import json
import os
import select
import socket
import sys
import time
from typing import Any, NoReturn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import enter  # type: ignore[import-not-found]  # beside this file: it runs without the package
import kernel  # type: ignore[import-not-found]

_LARGEST = 65_536
_TIMED_OUT = 143
"""The status of a command that took too long: what the CLI reports of one that it ends with SIGTERM."""


class _Job:
    """A command under way. `client` is a pidfd of the shell that waits for it."""

    def __init__(self, name: str, client: int, plan: dict[str, Any]) -> None:
        self.name = name
        self.client = client
        self.folder = plan["folder"]
        self.deadline = time.monotonic() + plan["limit_s"] if plan["limit_s"] else 0.0
        self.began_ns = self._stamp() if plan["same_disk"] else time.time_ns()
        self.report, self.other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.waiter = 0
        self.inside = 0
        self.status = 0
        self.why = ""

    def _stamp(self) -> int:
        """Return the time as the disk tells it: whatever is changed from now on has no smaller one."""
        descriptor = os.open(f"{self.folder}/began", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        try:
            return os.fstat(descriptor).st_ctime_ns
        finally:
            os.close(descriptor)

    def ended(self, status: int) -> dict[str, Any]:
        """Return the message that it has ended, and note it where a later start finds it."""
        message = {"ended": self.name, "status": status, "why": self.why, "began": self.began_ns}
        with open(f"{self.folder}/ended", "w", encoding="utf-8") as file:
            json.dump(message, file)
        return message

    def end(self) -> None:
        """Kill everything inside; the report follows."""
        if self.inside:
            os.kill(self.inside, 9)  # not reaped before it has reported: the number is still its own
        elif self.waiter:
            os.kill(self.waiter, 9)


class Starter:
    """Waits for commands, and for their ends."""

    def __init__(self, application: socket.socket, requests: str) -> None:
        self._application = application
        self._requests = os.open(requests, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # never at its end
        self._plans: dict[str, str] = {}
        self._holder = -1
        self._jobs: dict[int, _Job] = {}
        self._rest = b""
        self._poll = select.epoll()
        for descriptor in (application.fileno(), self._requests):
            self._poll.register(descriptor, select.EPOLLIN)

    def run(self) -> None:
        """Serve until the application is gone, and take every command along."""
        while True:
            for descriptor, _ in self._poll.poll(self._patience()):
                if descriptor == self._application.fileno():
                    if not self._hear():
                        return self._end_all()
                elif descriptor == self._requests:
                    self._take_requests()
                elif descriptor in self._jobs:
                    self._take_report(self._jobs[descriptor])
                else:
                    self._abandon(descriptor)
            for job in [job for job in self._jobs.values() if 0 < job.deadline < time.monotonic()]:
                job.deadline, job.why = 0.0, "timeout"
                job.end()

    def _patience(self) -> float:
        deadlines = [job.deadline for job in self._jobs.values() if job.deadline]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else -1

    def _hear(self) -> bool:
        packet = self._application.recv(_LARGEST)
        if packet:
            message = json.loads(packet)
            if "base" in message:
                self._holder = self._hold(message)
            elif "end" in message:
                self._plans.pop(message["end"], None)
                for job in [job for job in self._jobs.values() if job.name == message["end"]]:
                    job.why = "ended"
                    job.end()
            else:
                self._plans[message["id"]] = message["plan"]
        return bool(packet)

    def _tell(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        socket.send_fds(self._application, [json.dumps(message).encode()], descriptors)

    def _hold(self, message: dict[str, Any]) -> int:
        """Return a pidfd of the process that holds what all commands have in common, -1 where it cannot be made."""
        ready, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        holder = os.fork()
        if holder == 0:
            kernel.close_from(other.fileno() + 1)
            enter.hold(message["base"], message["common"], other)
        other.close()
        said = ready.recv(_LARGEST)
        ready.close()
        return os.pidfd_open(holder) if said == b"ready" else -1

    # ── Starting ──────────────────────────────────────────────────────────────────────────────

    def _take_requests(self) -> None:
        """Read ``PID ID`` lines. A write of a line that short is never torn (pipe(7): PIPE_BUF)."""
        try:
            self._rest += os.read(self._requests, _LARGEST)
        except BlockingIOError:
            return
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            pid, _, name = line.decode("ascii", "replace").partition(" ")
            path = self._plans.pop(name, "")
            if path and pid.isdecimal():
                try:
                    self._start(name, int(pid), path)
                except OSError as error:
                    self._tell({"failed": name, "reason": str(error)})

    def _start(self, name: str, pid: int, path: str) -> None:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            plan = json.load(file)
        client = os.pidfd_open(pid)
        job = _Job(name, client, plan)
        job.waiter = os.fork()
        if job.waiter == 0:
            self._become(job, pid, plan)
        job.other.close()
        self._jobs[job.report.fileno()] = job
        self._poll.register(job.report.fileno(), select.EPOLLIN)
        self._poll.register(client, select.EPOLLIN)

    def _become(self, job: _Job, pid: int, plan: dict[str, Any]) -> NoReturn:
        """In the child: take over where the shell writes, and go behind the wall."""
        try:
            os.setsid()
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            for number in (1, 2):
                os.dup2(_same_output(pid, job.client, number), number)
            keep, holder = os.dup2(job.other.detach(), 3), self._holder
            if holder >= 0:
                holder = os.dup2(holder, 4)
            kernel.close_from(4 if holder < 0 else 5)
            os.umask(plan["umask"])
        except BaseException as error:
            os.write(2, f"The wall could not be set up: {error}\n".encode())
            os._exit(enter.SETUP_FAILED)
        enter.enter(plan, socket.socket(fileno=keep), holder)
        raise AssertionError

    # ── Ending ────────────────────────────────────────────────────────────────────────────────

    def _take_report(self, job: _Job) -> None:
        packet, descriptors, _, _ = socket.recv_fds(job.report, _LARGEST, 1)
        word, _, rest = packet.decode(errors="replace").partition(" ")
        if word == "inside":
            job.inside = int(rest)
        elif word == "listening":
            self._tell({"listening": job.name}, tuple(descriptors))
            os.close(descriptors[0])
        elif word == "failed":
            job.why = "failed " + rest
        elif word == "status":
            job.status = int(rest)
        else:
            self._finish(job)

    def _finish(self, job: _Job) -> None:
        """Nobody holds the other end any more: everything inside is dead."""
        os.waitpid(job.waiter, 0)
        del self._jobs[job.report.fileno()]
        for descriptor in (job.report.fileno(), job.client):
            try:
                self._poll.unregister(descriptor)
            except (FileNotFoundError, ValueError):
                pass  # a client that had gone before
        job.report.close()
        os.close(job.client)
        if job.why.startswith("failed "):
            self._tell({"failed": job.name, "reason": job.why.removeprefix("failed ")})
        else:
            status = _TIMED_OUT if job.why == "timeout" else job.status
            self._tell(job.ended(status))

    def _abandon(self, client: int) -> None:
        """The shell that waited has gone: nobody wants the end."""
        self._poll.unregister(client)
        for job in self._jobs.values():
            if job.client == client:
                job.why = "gone"
                job.end()

    def _end_all(self) -> None:
        for job in self._jobs.values():
            job.end()
        for job in self._jobs.values():
            os.waitpid(job.waiter, 0)


def _same_output(pid: int, client: int, number: int) -> int:
    """Return a descriptor for what `number` is in the shell: by its name, so that a file gets a position of its own."""
    try:
        return os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY | os.O_APPEND)
    except OSError:
        return int(kernel.descriptor_of(client, number))  # a socket has no name


def main() -> None:
    """Serve the application at descriptor 0; the path of the FIFO is the argument."""
    Starter(socket.socket(fileno=os.dup(0)), sys.argv[1]).run()


if __name__ == "__main__":
    main()
