"""What the prompt needs to know about references, answered from the workspace."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from dogent_tui.agent.events import Attachment
from dogent_tui.agent.session import as_attachment
from dogent_tui.language import ngettext, tr
from dogent_tui.references.file_index import FileIndex
from dogent_tui.references.lookup import (
    Reference,
    ReferenceKey,
    ResolvedReference,
    find_references,
    format_reference,
    resolve,
)
from dogent_tui.references.sheets import sheet_names, split_cells
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.prompt.completion import Completions
from dogent_tui.tui.prompt.dropped import existing
from dogent_tui.tui.prompt.editor import ReferenceState

if TYPE_CHECKING:
    from dogent_tui.tui.prompt.citations import Citations

_MOST_COUNTED = 8 << 20
"""The maximum size in bytes of a text whose lines are counted."""


class WorkspaceReferences:
    """The references of a workspace. All methods may access the disk: call them in a thread."""

    def __init__(
        self,
        workspace: Workspace,
        index: FileIndex,
        commands: Iterable[Command] = (),
        trusted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Answer from `workspace` and its `index`; offer `commands` after ``/``, and the
        workspace's templates if it is `trusted`.
        """
        self._workspace = workspace
        self._trusted = trusted
        self.completions = Completions(
            index,
            sheet_names=self._sheets,
            templates=self._templates,
            citations=lambda: self._citations,
            commands=commands,
        )

    def look_up(self, text: str) -> Mapping[ReferenceKey, ReferenceState]:
        """Return for each reference in `text` whether it leads to a file, and to a sheet in it.
        Citations are excluded.
        """
        states = {
            found.key: self._state(resolve(found, self._workspace))
            for found in find_references(text)
        }
        return {
            key: state
            for key, state in states.items()
            if not state.problem or state.attachment or not self._citations.has(key[0])
        }

    def written(self, paths: list[str]) -> str | None:
        """Return references to `paths`, each followed by a space, if all of them exist."""
        found = existing(paths, self._workspace.root)
        if found is None:
            return None
        return "".join(f"{format_reference(self._workspace.relative(path))} " for path in found)

    def attachments(self, references: Iterable[Reference]) -> tuple[Attachment, ...]:
        """Return the attachments for `references`, in order; those that lead nowhere are left
        out.
        """
        resolved = (resolve(reference, self._workspace) for reference in references)
        return tuple(as_attachment(found) for found in resolved if found.exists)

    def attachments_at(self, paths: list[str]) -> tuple[Attachment, ...]:
        """Return the attachments for `paths` (``/attach``, a drop on the sidebar), or none unless
        all of them exist.
        """
        found = existing(paths, self._workspace.root) or []
        return self.attachments(
            Reference(0, 0, self._workspace.relative(path), quoted=True) for path in found
        )

    def attachments_named(self, written: str) -> tuple[Attachment, ...]:
        """Return what `written` (after ``/attach``) names: references with their sheets, or one
        literal path.
        """
        references = find_references(written)
        if not written.startswith("@") or not references:
            return self.attachments_at([written.strip('"')])
        found = self.attachments(references)
        return found if len(found) == len(references) else ()

    def _state(self, found: ResolvedReference) -> ReferenceState:
        length = found.reference.end - found.reference.start
        if not found.exists:
            return ReferenceState(length, tr("No file {path} here", path=found.reference.path))
        attachment = as_attachment(found)
        if found.sheet is not None:
            names = sheet_names(found.absolute)
            sheet, _cells = split_cells(found.sheet, names)
            if sheet not in names:
                return ReferenceState(
                    length,
                    tr("No sheet {sheet} in {name}", sheet=sheet, name=found.name),
                    attachment,
                )
        lines = found.reference.lines
        if lines is not None and (last := _line_count(found)) and lines[0] > last:
            return ReferenceState(
                length,
                ngettext(
                    "{name} has {count:,} line",
                    "{name} has {count:,} lines",
                    last,
                    name=found.name,
                    count=last,
                ),
                attachment,
            )
        return ReferenceState(length, "", attachment)

    @cached_property
    def _citations(self) -> "Citations":
        from dogent_tui.tui.prompt.citations import Citations  # on use

        return Citations(self._workspace.root)

    def _templates(self) -> Sequence[tuple[str, str]]:
        from dogent_tui.settings.templates import templates
        from dogent_tui.storage.paths import dogent_home

        return [
            (found.spelled, found.title)
            for found in templates(self._workspace, dogent_home(), trusted=self._trusted())
        ]

    def _sheets(self, path: str) -> list[str]:
        return sheet_names(self._workspace.absolute(path))


def _line_count(found: ResolvedReference) -> int:
    """Return the number of lines of a text; 0 if it is none or cannot be read."""
    if not found.size or found.size > _MOST_COUNTED:
        return 0
    try:
        data = found.absolute.read_bytes()
    except OSError:
        return 0
    return 0 if b"\0" in data else data.count(b"\n") + (not data.endswith(b"\n"))
