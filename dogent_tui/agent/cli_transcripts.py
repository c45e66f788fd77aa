"""What the CLI itself keeps of our sessions: ``CONFIG/projects/FOLDER/ID.jsonl``, and beside it a folder ``ID`` for subtasks.

Each line is an entry, a JSON object with a ``uuid`` and the ``parentUuid`` of the entry that it follows (CLI 2.1.330, measured).
A conversation that was resumed at an earlier entry goes on in a branch, and plainly resumed it is at the end of the latest one.
"""

import json
import re
import shutil
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dogent_tui.agent.launch import SessionChoice, claude_config_dir
from dogent_tui.processes import is_alive
from dogent_tui.workspace.files import atomic_write

_MOST_COMPARED = 200
"""How many of the latest prompts and replies are looked for where a conversation is resumed."""

_ID = re.compile(r"[0-9a-fA-F-]{36}")


def delete_transcript(session_id: str) -> None:
    """Delete what the CLI remembers of a session. What is no id of its kind names nothing. Raises OSError."""
    for transcript in _transcripts(session_id):
        transcript.unlink(missing_ok=True)
        shutil.rmtree(transcript.with_suffix(""), ignore_errors=True)


def clear_keys(session_id: str, keys: Iterable[str]) -> None:
    """Take keys out of what the CLI remembers of a session, and close it to other users. Blocks, never raises.

    The CLI keeps the output of tools as it was; it must not run, since it adds to the file.
    """
    spelled = {json.dumps(key, ensure_ascii=escaped)[1:-1].encode() for key in keys for escaped in (True, False)}
    found = re.compile(b"|".join(re.escape(key) for key in sorted(spelled, key=len, reverse=True)))
    for transcript in _transcripts(session_id):
        for file in (transcript, *transcript.with_suffix("").rglob("*.jsonl")):
            with suppress(OSError):
                text = file.read_bytes()
                cleared = found.sub("••••".encode(), text) if spelled else text
                if cleared != text:
                    atomic_write(file, cleared)
                file.chmod(0o600)


def clear_keys_of_dead(folder: Path, keys: Collection[str]) -> None:
    """Do as `clear_keys` for sessions whose application died, by what it left in `folder`: files ``SESSION.PROCESS.NAME.md``."""
    for file in folder.glob("*.*.*.md"):
        session_id, process, *_ = file.name.split(".")
        if process.isdigit() and not is_alive(int(process)):
            clear_keys(session_id, keys)
            file.unlink(missing_ok=True)


def is_remembered(session_id: str) -> bool:
    """Whether the CLI has a transcript of a session."""
    return bool(_transcripts(session_id))


def first_remembered(session_id: str, runs: Sequence[str]) -> str:
    """Return the first of `runs` whose prompt the CLI has, empty where it has none of them."""
    prompts = {_run_of(entry) for entry in _entries(session_id) if entry.get("type") == "user"}
    return next((run for run in runs if run in prompts), "")


def not_remembered(session_id: str, said: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return those of the latest things `said` that the CLI has not: it was killed, or the disk took nothing.

    What it was told of later, in a prompt of ours, it has. Empty where it has no transcript at all. Reads the transcript.
    """
    entries = {str(entry["uuid"]): entry for entry in _entries(session_id)}
    if not entries:
        return []
    known = "\n".join(_text_of(entry) for entry in _chain(entries))
    return [(who, text) for who, text in said[-_MOST_COMPARED:] if text.strip() not in known]


def without_dropped(choice: SessionChoice) -> SessionChoice:
    """Return `choice` so that the agent remembers nothing from the prompt of `choice.dropped` on. Reads the transcript.

    Where nothing came before that prompt, that is a new session.
    """
    if not choice.dropped or not (choice.resume or choice.fork_of):
        return choice
    choice = replace(choice, at="")
    entries = {str(entry["uuid"]): entry for entry in _entries(choice.fork_of or choice.session_id)}
    for entry in _chain(entries):
        if entry.get("type") == "user" and _run_of(entry) == choice.dropped:
            before = entry.get("parentUuid") or entry.get("logicalParentUuid")
            if before:
                return replace(choice, at=str(before))
            return SessionChoice(choice.session_id if choice.fork_of else str(uuid.uuid4()))
    return choice  # the conversation went on from before it since


def _chain(entries: dict[str, dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of the latest branch, the last one first; also what lies before a summary that stands in for it."""
    at = next(reversed(entries), "")
    passed = set()
    while at in entries and at not in passed:
        passed.add(at)
        yield entries[at]
        at = str(entries[at].get("parentUuid") or entries[at].get("logicalParentUuid") or "")


def _run_of(entry: Mapping[str, Any]) -> str:
    """Return the run whose prompt an entry would be: the id of a run is how the id of its message begins."""
    return str(entry.get("uuid", "")).replace("-", "")[:12]


def _text_of(entry: Mapping[str, Any]) -> str:
    """Return what was said in an entry."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        content = "\n".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    return content if isinstance(content, str) else ""


def _entries(session_id: str) -> Iterator[dict[str, Any]]:
    for transcript in _transcripts(session_id):
        with suppress(OSError), transcript.open("rb") as file:
            for line in file:
                with suppress(ValueError):  # what a crash cut short
                    entry = json.loads(line)
                    if isinstance(entry, dict) and "uuid" in entry and not entry.get("isSidechain"):
                        yield entry


def _transcripts(session_id: str) -> list[Path]:
    return list((claude_config_dir() / "projects").glob(f"*/{session_id}.jsonl")) if _ID.fullmatch(session_id) else []
