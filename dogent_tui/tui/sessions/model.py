"""The searchable list of conversations, of this workspace or of all. Independent of Textual."""

from contextlib import suppress
from datetime import datetime

from dogent_tui.language import phrases, tr
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.storage.paths import Workspace, display_path
from dogent_tui.storage.session_log import is_held
from dogent_tui.storage.sessions import SessionRecord, all_sessions, list_sessions

MOST_SHOWN = 200
NO_TITLE = tr("(no title)")


class SessionRequest(Record):
    """What the user wants: to continue a conversation, or to `fork` it."""

    record: SessionRecord
    fork: bool = False


class SessionList:
    """The conversations as shown: of `workspace` or `everywhere`, filtered by `words`.

    `on_screen` is the id of the one in this window, which owns it if `is_owned`. `elsewhere` are
    those that other windows owned when the list was read.
    """

    def __init__(self, workspace: Workspace, on_screen: str, *, is_owned: bool) -> None:
        self.on_screen = on_screen
        self.everywhere = False
        self.words = ""
        self.records: list[SessionRecord] = []
        self.elsewhere: frozenset[SessionRecord] = frozenset()
        self._workspace = workspace
        self._is_owned = is_owned

    def read(self) -> None:
        """Read the conversations, and which of them are owned by other windows."""
        self.records = all_sessions() if self.everywhere else list_sessions(self._workspace)
        self.elsewhere = frozenset(filter(self.is_taken, self.records))

    def is_taken(self, record: SessionRecord) -> bool:
        """Return whether another window owns a conversation now: it can be read, renamed and
        forked, but not continued or deleted. One that cannot be read counts as free.
        """
        if record.session_id == self.on_screen and self._is_owned:
            return False
        with suppress(OSError):
            return is_held(record.path)
        return False

    @property
    def shown(self) -> list[SessionRecord]:
        """The conversations to show, most recent first; the folder is searched only if all folders
        are listed.
        """
        wanted = self.words.casefold().split()
        return [
            record for record in self.records if all(word in self._text(record) for word in wanted)
        ][:MOST_SHOWN]

    def place_of(self, session_id: str) -> int:
        """Return the index of a renamed conversation; the filter is cleared if the new title does
        not match it.
        """
        for _ in range(2):
            for place, record in enumerate(self.shown):
                if record.session_id == session_id:
                    return place
            self.words = ""
        return 0

    def _text(self, record: SessionRecord) -> str:
        where = f" {record.workspace}" if self.everywhere else ""
        return f"{record.title} {record.session_id}{where}".casefold()

    def nothing(self) -> str:
        """Return why nothing is shown."""
        if self.records:
            return tr("No conversation title contains these words.")
        return (
            tr("There are no earlier conversations.")
            if self.everywhere
            else tr("There are no earlier conversations in this folder.")
        )

    def title(self, record: SessionRecord) -> str:
        """Return the title of a conversation."""
        return one_line(record.title) or NO_TITLE

    def facts(self, record: SessionRecord, now: datetime) -> str:
        """Return the time of the last message, the folder, and whether it is shown here or in
        another window.
        """
        facts = [spoken(record.updated, now)]
        if record in self.elsewhere:  # before the folder, which may be long
            facts.append(tr("open in another window, read-only"))
        if self.everywhere:
            facts.append(
                one_line(display_path(record.workspace))
                if record.workspace
                else tr("unknown folder")
            )
        if record.session_id == self.on_screen:
            facts.append(tr("open here"))
        return phrases(*facts)


def local_now() -> datetime:
    """Return the time, with its time zone."""
    return datetime.now().astimezone()


def spoken(updated: str, now: datetime) -> str:
    """Return a time (UTC, ISO 8601) relative to `now`, in the time zone of `now`."""
    try:
        then = datetime.fromisoformat(updated).astimezone(now.tzinfo)
    except ValueError:
        return tr("at an unknown time")
    minutes, days = int((now - then).total_seconds() // 60), (now.date() - then.date()).days
    if 0 <= minutes < 60:
        return tr("just now") if minutes < 1 else tr("{minutes} min ago", minutes=minutes)
    if days in (0, 1):
        return (tr("yesterday {time}") if days else tr("today {time}")).format(time=f"{then:%H:%M}")
    return f"{then:%Y-%m-%d %H:%M}"
