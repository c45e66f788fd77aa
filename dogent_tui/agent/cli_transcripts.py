"""What the CLI itself keeps of our sessions: ``CONFIG/projects/FOLDER/ID.jsonl``, and beside it a folder ``ID`` for subtasks."""

import re
import shutil

from dogent_tui.agent.launch import claude_config_dir

_ID = re.compile(r"[0-9a-fA-F-]{36}")


def delete_transcript(session_id: str) -> None:
    """Delete what the CLI remembers of a session. What is no id of its kind names nothing. Raises OSError."""
    if not _ID.fullmatch(session_id):
        return
    for transcript in (claude_config_dir() / "projects").glob(f"*/{session_id}.jsonl"):
        transcript.unlink(missing_ok=True)
        shutil.rmtree(transcript.with_suffix(""), ignore_errors=True)
