"""Running the application in the terminal, from the first paint to the line that tells how to come
back.
"""

import logging
import shlex
from typing import TextIO

from dogent_tui.agent.session import OpenedSession, open_session
from dogent_tui.language import tr
from dogent_tui.storage.paths import display_path, log_dir
from dogent_tui.storage.sessions import latest_session
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.garbage import hold_back
from dogent_tui.tui.keyless_logs import KeylessFormatter
from dogent_tui.tui.terminal import own_terminal


def run_app(opened: OpenedSession, *, choose: bool = False) -> int:
    """Run the application until the user leaves, and print how to come back. Returns the exit
    status.

    `choose`: let the user choose an earlier conversation first. Raises DogentError if a requested
    one is gone.
    """
    log_file = log_dir() / "dogent-tui.log"
    with own_terminal(log_file):
        # To stderr, which now is the log file, if there is one.
        handler = logging.StreamHandler(_log_stream())
        handler.setFormatter(KeylessFormatter())
        logging.basicConfig(level=logging.WARNING, handlers=[handler])
        hold_back()
        app = DogentApp(opened, choose=choose, offers_setup=True)
        app.run()
        while app.elsewhere is not None:
            app = DogentApp(open_session(*app.elsewhere))
            app.run()
    if app.return_code and log_file.is_file():
        print(tr("dogent-tui crashed. Details are in {file}.", file=display_path(log_file)))
    if way := _way_back(app.opened):
        print(tr("Resume with:  {way}", way=way))
    return app.return_code or 0


def _way_back(opened: OpenedSession) -> str:
    """Return the command that continues a conversation, or the previous one if this one is
    empty.
    """
    latest = latest_session(opened.workspace)
    if latest is None:
        return ""
    if (
        opened.earlier_log is not None
        and latest.path != opened.earlier_log
        and opened.fork_of is None
    ):
        return f"dogent-tui --resume {shlex.quote(opened.service.session_id)}"
    return f"dogent-tui --continue {shlex.quote(str(opened.workspace.root))}"


def _log_stream() -> TextIO:
    return open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
