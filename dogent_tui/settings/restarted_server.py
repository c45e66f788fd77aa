"""Runs an MCP server that the agent process restarts in the middle of a call, and ends it if it
stays silent: ``python restarted_server.py COMMAND [ARGUMENT…]``.

The agent process itself waits 30 s for a silent server, and the run with it. Imports none of our
modules: it runs without the package.
"""

import os
import select
import signal
import subprocess
import sys

_LIMIT_S = 5.0
"""The time limit for a server's first output."""
_CHUNK = 65_536


def main() -> int:
    """Forward the server's output, and return its status; 1 if it was silent for too long."""
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE) as server:
        signal.signal(signal.SIGTERM, lambda *_: server.kill())
        assert server.stdout is not None
        written = server.stdout.fileno()
        if not select.select([written], [], [], _LIMIT_S)[0]:
            sys.stderr.write(f"It said nothing within {_LIMIT_S:g} s.\n")
            server.kill()
            return 1
        while chunk := os.read(written, _CHUNK):
            os.write(1, chunk)
    return server.returncode


if __name__ == "__main__":
    sys.exit(main())
