"""What the user has answered or edited but not yet sent or saved: stored with every change, so that
a crash loses nothing.
"""

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dogent_tui.storage.files import atomic_write, json_text, private_folder, read_json
from dogent_tui.storage.paths import Workspace, file_name, state_dir


class AnswerDrafts:
    """The drafts of answers to the requests of a workspace, one file per request, readable by the
    user only.

    The outline being edited of a document is stored in the same way, under a name of its own.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._folder = state_dir() / "answers" / workspace.key

    def save(self, request_id: str, draft: Mapping[str, Any]) -> None:
        """Store `draft`. Raises OSError."""
        private_folder(self._folder)
        # Not synced: with every key, this protects against a crash of the application, not of the
        # machine.
        atomic_write(self._file(request_id), json_text(draft), mode=0o600, durable=False)

    def load(self, request_id: str) -> dict[str, Any] | None:
        """Return the draft, None if there is none. Never raises for the content of the file."""
        draft, _ = read_json(self._file(request_id))
        return draft or None

    def set_aside(self, request_id: str, text: str) -> Path:
        """Save the `text` of a draft that no longer fits to a file of its own, and return its path.
        Raises OSError.
        """
        kept = self._file(request_id).with_name(f"{uuid.uuid4().hex[:8]}.md")
        private_folder(self._folder)
        atomic_write(kept, text.encode("utf-8", errors="surrogatepass"), mode=0o600)
        self.drop(request_id)
        return kept

    def drop(self, request_id: str) -> None:
        """Delete the draft, because it was sent or the request was abandoned. Raises OSError."""
        self._file(request_id).unlink(missing_ok=True)

    def _file(self, request_id: str) -> Path:
        return self._folder / f"{file_name(request_id)}.json"
