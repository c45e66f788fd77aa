"""An MCP server on stdin and stdout, as small as one can be: ``python mcp_server.py [slow | once
FILE]``. `slow` never answers; `once` ends with its first call, and never answers when it is started
again, which `FILE` tells it.
"""

import json
import os
import sys
from pathlib import Path

TOOLS = [
    {
        "name": "environment",
        "description": "Its environment.",
        "inputSchema": {"type": "object", "properties": {}},
    },
    {
        "name": "find_note",
        "description": "Finds a note.",
        "inputSchema": {"type": "object", "properties": {}},
    },
]


def answer(method: str, params: dict) -> dict | None:
    if method == "initialize":
        info = {"name": "notes", "version": "1"}
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": info,
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]}
    return {} if method == "ping" else None


def is_silent() -> bool:
    if "once" not in sys.argv:
        return "slow" in sys.argv
    started = Path(sys.argv[-1])
    was_there = started.exists()
    started.touch()
    return was_there


def main() -> None:
    silent = is_silent()
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and not silent:
            result = answer(request["method"], request.get("params", {}))
            said = (
                {"result": result}
                if result is not None
                else {"error": {"code": -32601, "message": "unknown"}}
            )
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}) + "\n")
            sys.stdout.flush()
            if "once" in sys.argv and request["method"] == "tools/call":
                os._exit(0)


if __name__ == "__main__":
    main()
