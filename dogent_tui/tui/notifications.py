"""Notifications of the terminal for a user who is looking at another window.

There are three escape sequences: OSC 9 (iTerm2), OSC 99 (kitty) and OSC 777 (rxvt, VTE and others).
A terminal that does not know a sequence may show it as text, so only known terminals are sent one.
Inside tmux and screen, environment variables identify the outer terminal, and the sequence is
wrapped to pass through (tmux needs ``allow-passthrough on``).
"""

import base64
from collections.abc import Mapping
from typing import Literal

from dogent_tui.agent.events import Event, PermissionRequested, RunFinished, UiRequested
from dogent_tui.language import listing, tr
from dogent_tui.plain import one_line

Spoken = Literal["osc9", "osc99", "osc777", ""]

_TITLE = "dogent-tui"
_LONGEST = 160
_TERMINALS: Mapping[str, Spoken] = {
    "foot": "osc777",
    "ghostty": "osc777",
    "iterm": "osc9",
    "kitty": "osc99",
    "rxvt": "osc777",
    "vte": "osc777",
    "warp": "osc9",
    "wezterm": "osc777",
}
"""A part of the name that a terminal gives itself, and what it understands."""
_LEFT_BEHIND = (
    "KITTY_WINDOW_ID",
    "GHOSTTY_RESOURCES_DIR",
    "WEZTERM_PANE",
    "ITERM_SESSION_ID",
    "VTE_VERSION",
)
"""Environment variables set by terminals that remain inside tmux."""


def spoken_by(environ: Mapping[str, str]) -> Spoken:
    """Return the sequence that the terminal understands, empty if unknown."""
    names = [environ.get(name, "") for name in ("TERM_PROGRAM", "LC_TERMINAL", "TERM")]
    if names[0] in ("", "tmux", "screen"):
        names += filter(environ.get, _LEFT_BEHIND)
    for name in names:
        for part, spoken in _TERMINALS.items():
            if part in name.lower():
                return spoken
    return ""


def notification(words: str, environ: Mapping[str, str]) -> str:
    """Return what to send to the terminal to show `words`, empty if it cannot."""
    body = one_line(words)[:_LONGEST]
    match spoken_by(environ):
        case "osc9":
            sequence = f"\x1b]9;{_TITLE}: {body}\x07"
        case "osc99":
            said = base64.b64encode(body.encode("utf-8", "replace")).decode()
            sequence = f"\x1b]99;i=1:d=0;{_TITLE}\x1b\\\x1b]99;i=1:d=1:p=body:e=1;{said}\x1b\\"
        case "osc777":
            sequence = f"\x1b]777;notify;{_TITLE};{body.replace(';', ',')}\x07"
        case _:
            return ""
    if environ.get("TMUX"):
        return f"\x1bPtmux;{sequence.replace(chr(27), chr(27) * 2)}\x1b\\"
    if environ.get("STY"):
        return "".join(f"\x1bP{part}\x1b\\" for part in sequence.split("\x1b\\") if part)
    return sequence


def words_for(event: Event, made: tuple[str, ...] = ()) -> str:
    """Return the notification for `event`, empty if there is none. `made` lists the documents that
    the run produced.
    """
    match event:
        case PermissionRequested(sentence=sentence, happened=happened):
            asks = tr("keep this? {sentence}") if happened else tr("asks: {sentence}?")
            return asks.format(
                sentence=sentence[:1].lower() + sentence[1:] if not happened else sentence
            )
        case UiRequested(payload=payload):
            return tr(
                "asks: {title}",
                title=payload.get("title") or payload.get("summary") or payload.get("path") or "",
            )
        case RunFinished(status="completed"):
            named = tr("{names} is done") if len(made) == 1 else tr("{names} are done")
            return named.format(names=listing(made[:3])) if made else tr("done")
        case RunFinished(status="failed" | "aborted", reason=reason):
            return tr("stopped: {reason}", reason=reason)
    return ""
