"""The CLI's own transcripts of our sessions: ``CONFIG/projects/FOLDER/ID.jsonl``, and a folder
``ID`` next to it for subtasks.

Each line is an entry, a JSON object with a ``uuid`` and the ``parentUuid`` of the entry it follows
(CLI 2.1.330, measured). A conversation resumed at an earlier entry continues in a branch; resuming
it without one continues the latest branch.
"""

import json
import re
import shutil
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from dogent_tui.agent.conversation import SessionChoice
from dogent_tui.processes import is_alive
from dogent_tui.records import Json, JsonDict, at
from dogent_tui.settings.secrets import spellings
from dogent_tui.storage.files import atomic_write
from dogent_tui.storage.paths import state_dir

_ID = re.compile(r"[0-9a-fA-F-]{36}")


def delete_transcript(session_id: str) -> None:
    """Delete the CLI's transcript of a session. An invalid id is ignored. Raises OSError."""
    for transcript in _transcripts(session_id):
        transcript.unlink(missing_ok=True)
        shutil.rmtree(transcript.with_suffix(""), ignore_errors=True)


def clear_keys(session_id: str, keys: Iterable[str]) -> None:
    """Remove keys from the CLI's transcript of a session, and make it unreadable for other users.
    Blocks, never raises.

    The CLI keeps the output of tools unchanged; it must not be running, since it appends to the
    file.
    """
    spelled = {text.encode() for key in keys for text in spellings(key)}
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
    """Apply `clear_keys` to sessions whose application died, based on the files it left in
    `folder`: ``SESSION.PROCESS.NAME.md``.
    """
    for file in folder.glob("*.*.*.md"):
        session_id, process, *_ = file.name.split(".")
        if process.isdigit() and not is_alive(int(process)):
            clear_keys(session_id, keys)
            file.unlink(missing_ok=True)


def is_remembered(session_id: str) -> bool:
    """Return whether the CLI has a transcript of a session."""
    return bool(_transcripts(session_id))


def mentions(session_id: str, words: str) -> bool:
    """Return whether `words` (ASCII) occur in the CLI's transcript of a session. Blocks."""
    return any(words.encode() in file.read_bytes() for file in _transcripts(session_id))


def counted(session_id: str) -> JsonDict:
    """Return the CLI's totals for a session at the end of its last process, in its own format;
    empty if it wrote none.

    A process that resumes the session continues from there (measured). Blocks.
    """
    last = b""
    for transcript in _transcripts(session_id):
        with suppress(OSError), transcript.open("rb") as file:
            last = next(
                (line for line in reversed(list(file)) if b'"cost-state"' in line[:200]), last
            )
    with suppress(ValueError):
        return at(json.loads(last), dict)
    return {}


def first_remembered(session_id: str, runs: Sequence[str]) -> str:
    """Return the first of `runs` whose prompt the CLI has, empty if it has none."""
    prompts = {_run_of(entry) for entry in _entries(session_id) if entry.get("type") == "user"}
    return next((run for run in runs if run in prompts), "")


class Memory(NamedTuple):
    """What the CLI remembers of a session: `prompts` are the runs whose prompts it has, `replies`
    the agent's messages with text, and `sources` all runs and messages of which it has anything.
    """

    sources: frozenset[str]
    prompts: frozenset[str]
    replies: frozenset[str]

    def beyond(self, runs: Collection[str], messages: Collection[str]) -> int:
        """Return the number of prompts and replies that belong to none of `runs` and `messages`."""
        return len(self.prompts.difference(runs)) + len(self.replies.difference(messages))


def memory_of(session_id: str, dropped: str = "") -> Memory | None:
    """Return what the CLI remembers of a session up to the prompt of the run `dropped`, None if
    there is no transcript.

    Blocks. Contents are not kept, since a transcript may be large.
    """
    if not is_remembered(session_id):
        return None
    entries = {str(entry["uuid"]): _in_short(entry) for entry in _entries(session_id)}
    sources: set[str] = set()
    prompts: set[str] = set()
    replies: set[str] = set()
    for entry in _chain(entries):
        if entry["type"] != "user":
            sources.update((str(entry["uuid"]), entry["message_id"]))
            replies.update({entry["message_id"]} if entry["is_said"] else ())
            continue
        run = _run_of(entry)
        sources.add(run)
        prompts.update({run} if entry["is_said"] else ())
        if run == dropped:
            for found in (sources, prompts, replies):
                found.clear()
    return Memory(frozenset(sources), frozenset(prompts), frozenset(replies))


_OUTPUT_OF_COMMAND = "<local-command-"
"""The beginning of the CLI's own answer to a command such as /compact, which its transcript stores
as a user message.
"""
_BY_THE_CLI = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
"""Marks entries that neither the user nor the model said."""


def _in_short(entry: Json) -> JsonDict:
    """Return an entry's position, whose message it is, and whether it says something: a prompt, or
    a text of the model.
    """
    message, is_user = at(entry, dict, "message"), entry.get("type") == "user"
    prompt = message.get("content")
    is_prompt = isinstance(prompt, str) and not prompt.startswith(_OUTPUT_OF_COMMAND)
    texts = (at(block, str, "text") for block in at(message, list, "content"))
    is_text = is_prompt if is_user else any(map(str.strip, texts))
    return {
        **{key: entry.get(key) for key in ("uuid", "type", "parentUuid", "logicalParentUuid")},
        "message_id": str(message.get("id", "")),
        "is_said": is_text
        and message.get("model") != "<synthetic>"
        and not any(entry.get(key) for key in _BY_THE_CLI),
    }


def without_dropped(choice: SessionChoice) -> SessionChoice:
    """Change `choice` so that the agent remembers nothing from the prompt of `choice.dropped` on.
    Reads the transcript.

    If nothing precedes that prompt, the result is a new session.
    """
    if not choice.dropped or not (choice.resume or choice.fork_of):
        return choice
    choice = replace(choice, at="")
    entries = {str(entry["uuid"]): entry for entry in _entries(choice.fork_of or choice.session_id)}
    for entry in _chain(entries):
        if entry.get("type") == "user" and _run_of(entry) == choice.dropped:
            before = _before(entry, entries)
            if before:
                return replace(choice, at=str(before))
            return SessionChoice(choice.session_id if choice.fork_of else str(uuid.uuid4()))
    return choice  # the conversation has since continued from before it


def _before(entry: Json, entries: Mapping[str, Json]) -> object:
    """Return the id of the entry before a prompt. A requested summary is written before the command
    that requested it.
    """
    before = entry.get("parentUuid") or entry.get("logicalParentUuid")
    above = entries.get(str(before), {})
    summary = entries.get(str(above.get("parentUuid")), {})
    if above.get("isMeta") and summary.get("isCompactSummary"):
        return entries.get(str(summary.get("parentUuid")), {}).get("logicalParentUuid")
    return before


def _chain(entries: dict[str, JsonDict]) -> Iterator[Json]:
    """Yield the entries of the latest branch, last one first, including those before a summary that
    replaces them.
    """
    at = next(reversed(entries), "")
    passed = set()
    while at in entries and at not in passed:
        passed.add(at)
        yield entries[at]
        at = str(entries[at].get("parentUuid") or entries[at].get("logicalParentUuid") or "")


def _run_of(entry: Json) -> str:
    """Return the run whose prompt an entry would be: a run's id is the beginning of its message's
    id.
    """
    return str(entry.get("uuid", "")).replace("-", "")[:12]


def _entries(session_id: str) -> Iterator[JsonDict]:
    for transcript in _transcripts(session_id):
        with suppress(OSError), transcript.open("rb") as file:
            for line in file:
                with suppress(ValueError):  # truncated by a crash
                    entry = json.loads(line)
                    if isinstance(entry, dict) and "uuid" in entry and not entry.get("isSidechain"):
                        yield entry


def _transcripts(session_id: str) -> list[Path]:
    return (
        list((claude_config_dir() / "projects").glob(f"*/{session_id}.jsonl"))
        if _ID.fullmatch(session_id)
        else []
    )


def claude_config_dir() -> Path:
    """Return the CLI's folder for our sessions: its transcripts are kept apart from the user's own
    Claude Code.
    """
    return state_dir() / "claude"
