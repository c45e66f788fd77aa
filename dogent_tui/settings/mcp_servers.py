"""The user's own tools: the MCP servers of ``~/.dogent/mcp.json``, and those of a trusted
workspace's ``.dogent/mcp.json``.

The format is that of other programs: ``{"mcpServers": {NAME: {"command", "args", "env"} or {"type",
"url", "headers"}}}``. Values of ``env`` and ``headers`` may be ``env:NAME`` or ``keyring:NAME``. A
server is a program outside the wall, so one of a workspace is off until the user turns it on, and
off again once its entry in the file changes.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.records import Json, JsonDict, Record
from dogent_tui.settings.config_check import ConfigWarning, read_config, wrong_value
from dogent_tui.settings.known_secrets import names_key
from dogent_tui.settings.secrets import reference, revealed
from dogent_tui.storage.home_records import HomeRecords
from dogent_tui.storage.paths import Workspace, dogent_home

NAME = "mcp.json"
SWITCHES = "mcp_switches.json"
"""The file in the user's `.dogent` that says which servers are on where. The permission policy lets
no tool call write it.
"""

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,39}")
_RESERVED = "dogent"
_INHERITED = (
    *(
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "LC_ALL",
        "LC_CTYPE",
        "TERM",
        "TZ",
        "TMPDIR",
    ),
    *("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"),
)
"""What a server sees of our environment: nothing that may contain a key."""
_START = (
    "for name in $(env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'); do "
    'case "$0" in *" $name "*) ;; *) unset "$name" ;; esac; done; exec "$@"'
)
"""Removes everything from the environment except what the first argument names, and executes the
program that follows. The agent process, which starts servers, has the model's key in its
environment.
"""


class McpServer(Record):
    """A server as defined in its file. `on`: it should run here. `digest` covers its whole entry in
    the file.
    """

    name: str
    config: Json
    of_workspace: bool
    digest: str
    on: bool

    @property
    def shown(self) -> str:
        """Its command or address, without possible secrets."""
        if url := self.config.get("url"):
            return re.sub(r"(?<=://)[^/@\s]+@", "••••@", str(url)).partition("?")[0]
        return " ".join([str(self.config.get("command")), *map(str, self.config.get("args") or ())])


def mcp_servers(
    workspace: Workspace, *, trusted: bool
) -> tuple[list[McpServer], list[ConfigWarning]]:
    """Return the servers of the user and, if it is `trusted`, of the workspace; the user's own take
    precedence.

    Also return a warning for each unusable one. Reads three small files.
    """
    files = [(dogent_home() / NAME, False), *([(workspace.dot / NAME, True)] if trusted else [])]
    switches = {str(one.get("server")): one for one in _switches(workspace).entries()}
    servers: dict[str, McpServer] = {}
    warnings = []
    for file, of_workspace in files:
        found, wrong = _read(file)
        warnings += wrong
        for name, config in found.items():
            digest = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:16]
            server = McpServer(
                name,
                config,
                of_workspace,
                digest,
                _is_on(switches.get(name), digest, of_workspace, config),
            )
            servers.setdefault(name, server)
    return [*servers.values()], warnings


def switch(workspace: Workspace, server: McpServer, *, on: bool) -> None:
    """Turn `server` on or off in this workspace. Raises OSError, DogentError if that cannot be
    stored.
    """
    record = {"server": server.name, "digest": server.digest, "on": on}
    _switches(workspace).put([record], ("server",))


def started_with(servers: Iterable[McpServer]) -> tuple[JsonDict, list[str]]:
    """Return the agent process's configuration of the `servers` that are on, and a sentence for
    each that is left out.

    It contains keys, so it belongs in a private file. Resolves references; a keyring may take a
    while.
    """
    ready = {}
    left = []
    for server in servers:
        if server.on:
            try:
                ready[server.name] = _ready(server.config)
            except ConfigError as error:
                left.append(
                    tr(
                        "The MCP server {name} is not started: {error}",
                        name=server.name,
                        error=error.message,
                    )
                )
    return ready, left


def _ready(config: Json) -> JsonDict:
    if "url" in config:
        headers = _values(config.get("headers"))
        kind = "sse" if config.get("type") == "sse" else "http"
        return {"type": kind, "url": config["url"], **({"headers": headers} if headers else {})}
    own = _values(config.get("env"))
    command = config["command"], *(config.get("args") or ())
    kept = f" {' '.join((*_INHERITED, *own))} "
    return {
        "command": "/bin/sh",
        "args": ["-c", _START, kept, *command],
        "env": own,
    }


def _values(values: Mapping[str, str] | None) -> dict[str, str]:
    """Return `values` with references resolved. Keys among them are redacted from logs from now
    on.
    """
    return {
        name: revealed(value) if reference(value) is not None or names_key(name) else value
        for name, value in (values or {}).items()
    }


def _read(file: Path) -> tuple[dict[str, Json], list[ConfigWarning]]:
    data, warnings = read_config(file)
    servers = data.get("mcpServers", {})
    if not isinstance(servers, dict):
        return {}, [*warnings, wrong_value(file, ("mcpServers",), tr("one object {…} per server"))]
    wrong = {name: wanted for name, config in servers.items() if (wanted := _wanted(name, config))}
    warnings += [wrong_value(file, ("mcpServers", name), wanted) for name, wanted in wrong.items()]
    return {name: config for name, config in servers.items() if name not in wrong}, warnings


def _wanted(name: str, config: object) -> str:
    """Return what a server would have to be, as the end of a sentence; empty if it is usable."""
    if not _NAME.fullmatch(name) or name == _RESERVED:
        return tr("a name of letters, digits, - and single _ (and not “dogent”)")
    if not isinstance(config, dict) or not isinstance(
        config.get("command", config.get("url")), str
    ):
        return tr('an object with "command" or "url"')
    args = config.get("args") or []
    texts = [
        *_texts(config.get("env")),
        *_texts(config.get("headers")),
        *(args if isinstance(args, list) else [args]),
    ]
    if not all(isinstance(text, str) for text in texts):
        return tr('texts in "args", "env" and "headers"')
    return ""


def _texts(values: object) -> Iterator[object]:
    if isinstance(values, dict):
        yield from values.values()
    elif values is not None:
        yield None


def _is_on(record: Json | None, digest: str, of_workspace: bool, config: Json) -> bool:
    if record is not None and (record.get("digest") == digest or not of_workspace):
        return record.get("on") is True
    return not of_workspace and config.get("disabled") is not True


def _switches(workspace: Workspace) -> HomeRecords:
    return HomeRecords(dogent_home() / SWITCHES, workspace.root)
