"""An MCP server on stdin and stdout, as small as one can be: ``python mcp_server.py [slow]``.
`slow` never answers.
"""

import json
import os
import sys

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


def main() -> None:
    silent = "slow" in sys.argv
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


if __name__ == "__main__":
    main()
