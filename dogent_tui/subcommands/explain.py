"""`dogent-tui explain`: what a tool call would do, the decision about it, and why. Nothing is
run.
"""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import msgspec

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.wall_status import wall_status_words
from dogent_tui.arguments import CommandLine
from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.permissions.explain import as_text, describe
from dogent_tui.permissions.model import ToolCall
from dogent_tui.plain import visible
from dogent_tui.records import JsonDict
from dogent_tui.storage.paths import Workspace
from dogent_tui.subcommands.terminal import Terminal, add_workspace, existing_folder

DESCRIPTION = tr(
    "Show what a tool call of the agent would do, and what is decided about it before it"
    " runs. What a command really does is judged once it has ended. Nothing is run."
)
EPILOG = tr(
    'Without --tool, calls are read from standard input, one per line: {"tool": "Bash",'
    ' "input": {"command": "ls"}}.'
)


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument("--tool", metavar="NAME", help=tr("the tool, for example Bash"))
    parser.add_text("--input", "JSON", tr("its input; for Bash, just the command"), "{}")
    add_workspace(parser)
    parser.add_texts("--allow", "RULE", tr("treat this as already allowed; repeatable"))
    parser.add_flag("--json", tr("print one JSON object per line"))


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Explain the given call, or each JSON line of standard input, and return the exit status.

    Raises UsageError for an invalid call.
    """
    folder = existing_folder(chosen.workspace)
    authority = Authority(Workspace(folder), chosen.allow)
    commands = False
    for call in [_call(chosen.tool, chosen.input)] if chosen.tool else _calls(terminal.stdin):
        found = explained(call, authority)
        commands = commands or "wall" in found
        if chosen.json:
            terminal.write_json(found)
        else:
            terminal.stdout.write(f"{visible(as_text(found))}\n\n")
            terminal.stdout.flush()
    if commands and not chosen.json:
        terminal.stdout.write(f"{visible(wall_status_words(authority.wall_status))}\n")
    return 0


def explained(call: ToolCall, authority: Authority) -> JsonDict:
    """Return the decision about `call`, with the grants that were considered, as plain data."""
    decision = authority.judge(call)
    found = describe(call, decision)
    if decision.verdict == "ask":
        used = authority.allowing(decision)
        found["question"] = authority.question(call, decision).sentence
        found["grants"] = [
            {
                "allows": authority.describe(held.grant),
                "by": held.origin,
                "used": held.grant in used,
            }
            for held in authority.grants()
        ]
        found["verdict"] = "allow" if used else "ask"
    if call.tool == "Bash":
        found["wall"] = authority.wall_status.level
        found["judged_again"] = found["wall"] != "none" and found["verdict"] != "deny"
    return found


def _call(tool: str, text: str) -> ToolCall:
    try:
        return ToolCall(tool, msgspec.json.decode(text, type=JsonDict))
    except msgspec.DecodeError:
        if tool == "Bash":
            return ToolCall(tool, {"command": text})
        raise UsageError(
            tr("--input is not a JSON object."),
            tr('Write one, for example {"file_path": "notes.md"}.'),
        ) from None


def _calls(stdin: TextIO) -> Iterator[ToolCall]:
    for number, line in enumerate(stdin, 1):
        try:
            if line.strip():
                yield msgspec.json.decode(line, type=ToolCall, dec_hook=_path)
        except (msgspec.DecodeError, TypeError):
            raise UsageError(
                tr("Line {number} is not a tool call.", number=number),
                tr('Write {"tool": NAME, "input": {…}}, with "cwd" if it matters.'),
            ) from None


def _path(_: type, written: object) -> Path:
    return Path(str(written))
