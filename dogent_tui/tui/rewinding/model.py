"""The prompts one can return to, and the effect on the conversation and the files. Independent of
Textual.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from dogent_tui.agent.events import Attachment
from dogent_tui.agent.tool_names import relative
from dogent_tui.errors import DogentError
from dogent_tui.language import and_more, ngettext, tr
from dogent_tui.permissions.edits import unified_diff
from dogent_tui.plain import one_line, revealed_line
from dogent_tui.records import Record
from dogent_tui.tui.sessions.model import spoken
from dogent_tui.tui.transcript import model
from dogent_tui.undo.restoring import PlannedPlace, Why, carry_out
from dogent_tui.undo.undo_log import UndoLog, Undone

Scope = Literal["both", "conversation", "files"]

_MOST_NAMED = 3
"""The number of files listed for a prompt."""
_LARGEST_COMPARED = 2_000_000
"""The maximum size in bytes of a file that is compared."""

_WHY: Mapping[Why, str] = {
    "touched": tr("changed since by someone else"),
    "no_copy": tr("no copy exists"),
    "folder_there": tr("it is now a folder"),
    "leads_elsewhere": tr("its folder now points elsewhere"),
}
_BOTH_MARKS = {True: "✓", False: "·"}


class RewindPoint(Record):
    """A prompt one can return to. `time` is in seconds since the epoch, 0 if unknown.

    `runs` are the ids of its run and all later ones, `changed` the places that they changed.
    `forgotten` is the number of later prompts that would be forgotten too. `attached` are its files
    that the text does not name.
    """

    run_id: str
    text: str
    time: float
    runs: tuple[str, ...]
    changed: tuple[str, ...]
    forgotten: int
    attached: tuple[Attachment, ...] = ()

    @property
    def title(self) -> str:
        """The prompt in one line."""
        return revealed_line(self.text)

    def facts(self, now: datetime, root: str) -> str:
        """Return when it was sent, and the files changed since."""
        when = (
            spoken(datetime.fromtimestamp(self.time, UTC).isoformat(), now)
            if self.time
            else tr("at an unknown time")
        )
        return f"{when} · {self._changes(root)}"

    def _changes(self, root: str) -> str:
        if not self.changed:
            return tr("no files changed since")
        named = and_more([one_line(relative(path, root)) for path in self.changed], _MOST_NAMED)
        return ngettext(
            "{count} file changed since: {named}",
            "{count} files changed since: {named}",
            len(self.changed),
            count=len(self.changed),
            named=named,
        )


def rewind_points(
    entries: Sequence[model.Entry], changed: Mapping[str, Iterable[str]]
) -> list[RewindPoint]:
    """Return the prompts of a transcript one can return to, latest first. `changed` are the files
    changed by each run.
    """
    points: list[RewindPoint] = []
    runs: list[str] = []
    places: set[str] = set()
    for entry in reversed(entries):
        if isinstance(entry, model.ToolCall):
            places.update(entry.kept)  # the copies themselves may be gone
        elif isinstance(entry, model.UserTurn):
            runs.insert(0, entry.run_id)  # including rewound runs: their files may have been kept
            places.update(changed.get(entry.run_id, ()))
            if not entry.gone and not entry.prompt.answers:
                listed = tuple(sorted(places))
                attached = tuple(
                    file for file in entry.prompt.attachments if file.path not in entry.prompt.text
                )
                points.append(
                    RewindPoint(
                        entry.run_id,
                        entry.prompt.text,
                        entry.time,
                        tuple(runs),
                        listed,
                        len(points),
                        attached,
                    )
                )
    return points


class Row(Record):
    """A file in the preview: a mark for what happens to it, its name, and a remark."""

    mark: str
    what: str
    name: str
    note: str


class Preview:
    """The effect of returning to `point`, and the files that the user wants to restore."""

    def __init__(
        self, point: RewindPoint, scope: Scope, places: Sequence[PlannedPlace], root: str
    ) -> None:
        self.point = point
        self.scope = scope
        self.places = list(places)
        self._root = root
        self._chosen = {place.path for place in places if not place.why}

    @property
    def chosen(self) -> list[PlannedPlace]:
        """The places to restore."""
        return [place for place in self.places if place.path in self._chosen]

    @property
    def does_nothing(self) -> bool:
        """Whether nothing would happen."""
        return self.scope == "files" and not self._chosen

    def toggle(self, number: int) -> bool:
        """Toggle whether a place is restored. Returns whether that is possible."""
        place = self.places[number]
        if place.possible:
            self._chosen ^= {place.path}
        return place.possible

    def rows(self) -> list[Row]:
        """Return the rows of the file list."""
        return [self._row(place) for place in self.places]

    def _row(self, place: PlannedPlace) -> Row:
        is_folder = place.item.kind == "folder" or (place.removes and place.now.kind == "folder")
        name = revealed_line(relative(place.path, self._root)) + ("/" if is_folder else "")
        if not place.possible:
            return Row("✗", tr("can't be restored"), name, _WHY[place.why])
        is_chosen = place.path in self._chosen
        what = (
            (tr("will be deleted") if place.removes else tr("will be restored"))
            if is_chosen
            else tr("unchanged")
        )
        note = _WHY.get(place.why, "")
        if note and is_chosen:
            note = tr("{note}; a copy is kept, /undo restores it", note=note)
        return Row(_BOTH_MARKS[is_chosen], what, name, note)

    def summary(self) -> list[str]:
        """Return sentences that describe the effect."""
        said = []
        if self.scope == "files":
            said.append(tr("The conversation is unchanged."))
        elif self.point.forgotten:
            words = ngettext(
                "This prompt and the one after it are removed from the conversation, and the agent"
                " forgets them.",
                "This prompt and the {count} after it are removed from the conversation, and the"
                " agent forgets them.",
                self.point.forgotten,
                count=self.point.forgotten,
            )
            said.append(words)
        else:
            said.append(
                tr("This prompt is removed from the conversation, and the agent forgets it.")
            )
        if self.scope != "files":
            said.append(tr("Its text returns to the prompt editor."))
        if self.scope == "conversation":
            said.append(tr("The files are unchanged."))
        elif not self.places:
            said.append(tr("The files are as they were then."))
        return said

    def carry_out(self, copies: UndoLog) -> Undone:
        """Restore the selected files. Blocks."""
        return carry_out(
            copies, self.chosen, tr("Rewind to “{title}”", title=self.point.title[:60])
        )


def difference(place: PlannedPlace, copies: UndoLog) -> str:
    """Return the unified diff from the current to the restored content. Reads the disk.

    Raises DogentError, with the reason, if there is none to show.
    """
    if place.why == "no_copy":
        raise DogentError(_WHY["no_copy"])
    now = _text(Path(place.path), place.now.kind)
    then = _text(copies.folder / place.item.copy, place.item.kind)
    if now == then:
        raise DogentError(tr("Only its permissions or attributes differ."))
    return unified_diff(now, then, Path(place.path).name)


def _text(path: Path, kind: str) -> str:
    if kind == "absent":
        return ""
    if kind != "file":
        raise DogentError(tr("This is a folder or a link: there is no text to compare."))
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_COMPARED + 1)
    except OSError as error:
        raise DogentError(tr("It cannot be read: {reason}.", reason=error.strerror)) from None
    if len(data) > _LARGEST_COMPARED:
        raise DogentError(tr("It is too large to compare here."))
    if b"\0" in data:
        raise DogentError(tr("It is not text: there is nothing to compare."))
    return data.decode("utf-8", errors="replace")
