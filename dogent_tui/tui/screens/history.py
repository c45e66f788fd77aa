"""Ctrl+R and /show history: the prompts and commands of this workspace, and what came of each."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from dogent_tui.language import phrases, tr
from dogent_tui.plain import one_line
from dogent_tui.storage.history import HistoryEntry
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.screens.offers import Offer, show_offers
from dogent_tui.tui.sessions.model import local_now, spoken
from dogent_tui.tui.widgets import duration

_AT_ONCE = 1_000
"""How many earlier prompts can be searched as soon as the search opens; reading them takes no
noticeable time.
"""
_MOST_SEARCHED = 100_000
_MOST_SHOWN = 200

_WORDS = {
    "completed": tr("done"),
    "started": tr("started"),
    "command": tr("command"),
    "clarification": tr("answers"),
    "needs_clarification": tr("asked you"),
    "needs_outline_edit": tr("asked you"),
    "aborted": tr("denied"),
    "interrupted": tr("stopped"),
    "failed": tr("failed"),
}

_MARKS = re.compile(r"\*\*|`")
"""Markdown markup in a reply, which is noise in a list."""


def search_prompts(app: AppPort) -> None:
    """Let the user search the prompts, without duplicates, newest first; the chosen one goes into
    the prompt.
    """

    def read(limit: int) -> list[Offer]:
        prompts = dict.fromkeys(reversed(app.recall(limit)))
        return [Offer(one_line(one), partial(_take, app, one)) for one in prompts]

    title, placeholder = tr("Earlier prompts"), tr("Find an earlier prompt")
    loads = (partial(read, _AT_ONCE), partial(read, _MOST_SEARCHED))
    about = tr("this folder")
    show_offers(app, title, placeholder, loads=loads, about=about, most=_MOST_SHOWN)


async def show_history(app: AppPort) -> str:
    """Do the same with all that was asked here, each time with what came of it. Returns a message
    if there is nothing. Raises OSError.
    """
    offers = await asyncio.to_thread(
        lambda: history_offers(app.history.entries(), partial(_take, app))
    )
    if not offers:
        return tr("No history yet.")
    title, placeholder = tr("History"), tr("Find an earlier prompt")
    show_offers(app, title, placeholder, offers, about=tr("this folder"), most=_MOST_SHOWN)
    return ""


def _take(app: AppPort, prompt: str) -> None:
    app.conversation.prompt.editor.replace_all(prompt)
    app.conversation.prompt.focus_editor()


def history_offers(entries: Iterable[HistoryEntry], take: Callable[[str], object]) -> list[Offer]:
    """Return an offer for each of `entries`, latest first. A run whose start and end were recorded
    is one. `take` receives the prompt of the chosen one.
    """
    begun: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    kept: list[HistoryEntry | None] = []
    for entry in sorted(entries, key=lambda entry: entry.timestamp):
        run = (entry.session_id, entry.prompt)
        if entry.status in ("started", "clarification"):
            begun[run].append(len(kept))
        elif entry.status != "command" and begun[run]:
            kept[begun[run].pop()] = None
        kept.append(entry)
    now = local_now()
    return [
        Offer(one_line(entry.prompt), partial(take, entry.prompt), f"\n  {_facts(entry, now)}")
        for entry in reversed(kept)
        if entry is not None
    ]


def _facts(entry: HistoryEntry, now: datetime) -> str:
    """Return when it was, its outcome, how long that took, and the agent's reply or the reason for
    the end.
    """
    took = duration(entry.duration_ms / 1000) if entry.duration_ms > 0 else ""
    outcome = _WORDS.get(entry.status) or one_line(entry.status)
    came = one_line(entry.reason or _MARKS.sub("", entry.summary))
    return phrases(spoken(entry.timestamp, now), outcome, took, came)
