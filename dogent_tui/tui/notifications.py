"""Words for a user who looks at another window, by the terminal's own notifications.

There are three sequences: OSC 9 (iTerm2), OSC 99 (kitty) and OSC 777 (rxvt, VTE, and others). A
terminal that does not know one may show it as text, so only those are sent to that are known.
Inside tmux and screen the variables of the terminal around it tell which it is, and the sequence
goes through in their envelope (tmux needs ``allow-passthrough on``).
"""

import base64
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from dogent_tui.agent.events import Event, PermissionRequested, RunFinished, UiRequested
from dogent_tui.language import listing, tr
from dogent_tui.plain import one_line

Spoken: TypeAlias = Literal["osc9", "osc99", "osc777", ""]

_TITLE = "dogent-tui"
_LONGEST = 160
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_PROGRAMS: Mapping[str, Spoken] = {
    "iterm.app": "osc9",
    "warpterminal": "osc9",
    "wezterm": "osc777",
    "ghostty": "osc777",
    "kitty": "osc99",
}
_TERMS: Mapping[str, Spoken] = {
    "xterm-kitty": "osc99",
    "xterm-ghostty": "osc777",
    "foot": "osc777",
    "rxvt": "osc777",
    "wezterm": "osc777",
}
_LEFT_BEHIND: Mapping[str, Spoken] = {
    "KITTY_WINDOW_ID": "osc99",
    "GHOSTTY_RESOURCES_DIR": "osc777",
    "WEZTERM_PANE": "osc777",
    "ITERM_SESSION_ID": "osc9",
    "VTE_VERSION": "osc777",
}
"""What terminals put into the environment, and what stays of them inside of tmux."""


def spoken_by(environ: Mapping[str, str]) -> Spoken:
    """Return which sequence the terminal understands, empty where that is not known."""
    program = environ.get("TERM_PROGRAM", "").lower()
    if program in _PROGRAMS:
        return _PROGRAMS[program]
    if environ.get("LC_TERMINAL") == "iTerm2":
        return "osc9"
    term = environ.get("TERM", "")
    named = next((spoken for begin, spoken in _TERMS.items() if term.startswith(begin)), "")
    if named or program not in ("", "tmux", "screen"):
        return named  # type: ignore[return-value]
    return next((spoken for name, spoken in _LEFT_BEHIND.items() if environ.get(name)), "")


def notification(words: str, environ: Mapping[str, str]) -> str:
    """Return what to send to the terminal so that it shows `words`, empty where it would not."""
    body = _CONTROLS.sub(" ", one_line(words))[:_LONGEST]
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
    """Return what to say of `event`, empty for nothing. `made` are the names of the documents
    that the run made.
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
