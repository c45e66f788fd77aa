"""What the prompt asks about references, and the workspace's answers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from dogent_tui.tui.prompt.completion import Command, Completions
from dogent_tui.tui.prompt.dropped import existing
from dogent_tui.tui.prompt.editor import Reference, ReferenceKey
from dogent_tui.workspace.file_index import FileIndex
from dogent_tui.workspace.paths import Workspace
from dogent_tui.workspace.references import find_references, format_reference, resolve, sheet_names


class PromptReferences(Protocol):
    """Where the prompt gets its references from. All but `find` may touch the disk and are called in a thread."""

    @property
    def completions(self) -> Completions:
        """What the picker searches."""

    def find(self, text: str) -> Sequence[Reference]:
        """Return the references in `text`, in order."""

    def problems(self, text: str) -> Mapping[ReferenceKey, str]:
        """Return for each reference in `text` why it does not resolve; an empty text where it does."""

    def written(self, paths: list[str]) -> str | None:
        """Return references to `paths` when every one of them exists."""


class WorkspaceReferences:
    """The references of a workspace."""

    def __init__(self, workspace: Workspace, index: FileIndex, commands: Iterable[Command] = ()) -> None:
        """Answer from `workspace` and its `index`; offer `commands` after ``/``."""
        self._workspace = workspace
        self.completions = Completions(
            index, format_reference=format_reference, sheet_names=self._sheets, commands=commands
        )

    def find(self, text: str) -> Sequence[Reference]:
        """Return the references in `text`, in order."""
        return find_references(text)

    def problems(self, text: str) -> Mapping[ReferenceKey, str]:
        """Return for each reference in `text` why it does not resolve; an empty text where it does."""
        found = find_references(text)
        return {(reference.path, reference.sheet): self._problem(reference.path, reference.sheet) for reference in found}

    def written(self, paths: list[str]) -> str | None:
        """Return references to `paths`, each followed by a space, when every one of them exists."""
        found = existing(paths, self._workspace.root)
        if found is None:
            return None
        return "".join(f"{format_reference(self._workspace.relative(path))} " for path in found)

    def _problem(self, path: str, sheet: str | None) -> str:
        found = next(iter(find_references(format_reference(path, sheet))), None)
        resolved = resolve(found, self._workspace) if found else None
        if resolved is None or not resolved.exists:
            return f"No file {path} here"
        if sheet is None:
            return ""
        names = sheet_names(resolved.absolute)
        return "" if sheet in names else f"No sheet {sheet} in {resolved.name}"

    def _sheets(self, path: str) -> list[str]:
        return sheet_names(self._workspace.root / Path(path).expanduser())
