"""What the person has answered so far and not sent: kept with every change, so that neither a crash nor a restart loses it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dogent_tui.workspace.files import atomic_write, json_text, private_folder, read_json
from dogent_tui.workspace.paths import Workspace, state_dir


class AnswerDrafts:
    """The drafts of the answers to the requests of a workspace, a file for each request, readable by the user only."""

    def __init__(self, workspace: Workspace) -> None:
        self._folder = state_dir() / "answers" / workspace.key

    def save(self, request_id: str, draft: Mapping[str, Any]) -> None:
        """Keep `draft`. Raises OSError."""
        private_folder(self._folder)
        # Not synced: this is for a crash of the application, with every key, not of the machine.
        atomic_write(self._file(request_id), json_text(draft), mode=0o600, durable=False)

    def load(self, request_id: str) -> dict[str, Any] | None:
        """Return the draft, None where there is none. Never raises on what the file holds."""
        empty: dict[str, Any] = {}
        draft, _ = read_json(self._file(request_id), empty)
        return draft or None

    def drop(self, request_id: str) -> None:
        """Forget the draft: it was sent, or the request was abandoned. Raises OSError."""
        self._file(request_id).unlink(missing_ok=True)

    def _file(self, request_id: str) -> Path:
        return self._folder / f"{re.sub(r'[^A-Za-z0-9-]', '-', request_id)[:64]}.json"
