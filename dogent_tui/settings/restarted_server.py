"""Runs an MCP server that the agent process starts again in the middle of a call, and ends it where
it says nothing: ``python restarted_server.py COMMAND [ARGUMENT…]``.

The agent process itself waits 30 s for a server that is silent, and the run with it. Imports
nothing of ours: it runs without the package.
"""

import os
import select
import signal
import subprocess
import sys

_LIMIT_S = 1.5
"""How long a server may take for its first word."""
_CHUNK = 65_536


def main() -> int:
    """Pass on what the server writes, and return its status; 1 where it was silent for too long."""
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE) as server:
        signal.signal(signal.SIGTERM, lambda *_: server.kill())
        assert server.stdout is not None
        written = server.stdout.fileno()
        if not select.select([written], [], [], _LIMIT_S)[0]:
            sys.stderr.write(f"It said nothing within {_LIMIT_S} s.\n")
            server.kill()
            return 1
        while chunk := os.read(written, _CHUNK):
            os.write(1, chunk)
    return server.returncode


if __name__ == "__main__":
    sys.exit(main())
