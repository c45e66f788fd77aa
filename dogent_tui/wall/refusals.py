"""What the wall refused, inferred from a command's output, since nothing else reports it. For
advice only, never for decisions.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.wall.view import VISIBLE

_LARGEST = 65_536
_NETWORK = re.compile(
    r"Network is unreachable|ENETUNREACH|Could not resolve host|[Nn]ame resolution|Name or service"
    r" not known|ENOTFOUND"
    r"|EAI_AGAIN|[Nn]o route to host|Could not resolve proxy"
)
_RENAMED = tr(
    "dogent-tui: behind the wall an existing folder cannot be renamed by rename(2). Use mv, which"
    " copies it."
)
_ON_A_LAYER = {
    "ross-device link": _RENAMED,
    "EXDEV": _RENAMED,
    "hardlink different from source": tr(
        "dogent-tui: behind the wall git cannot clone an existing repository by hard links. Use"
        " git clone --no-hardlinks."
    ),
}
"""What a copy-on-write layer cannot do, by the words of the programs that try."""
_REFUSED = (
    r"No such file or directory|Permission denied|Read-only file"
    r" system|ENOENT|EACCES|EROFS|Operation not permitted|not a git repository"
)
_PLACE = re.compile(
    rf"(?P<place>/[^\s:'\"`‘’“”()\[\],;]+)[^\n]*?(?:{_REFUSED})|(?:{_REFUSED})[^\n]*?(?P<after>/[^\s:'\"`‘’“”()\[\],;]+)"
)


def written(output: str, since: int) -> str:
    """Return the end of what a command wrote to the file `output` from byte `since` on, or "" if it
    is not a file.
    """
    try:
        with Path(output).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(since, size - _LARGEST))
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def hidden_places(text: str, workspace: Path) -> Iterator[str]:
    """Yield existing places outside the workspace that a command could not find."""
    for found in _PLACE.finditer(text):
        place = (found["place"] or found["after"]).rstrip("./")
        is_seen = place.startswith(VISIBLE) or f"{place}/".startswith(f"{workspace}/")
        is_there = os.path.lexists(place) or "Read-only" in found[0] or "EROFS" in found[0]
        if place and is_there and not is_seen:
            yield place
    if "not a git repository" in text:  # it may be that of a folder above
        yield from (str(each) for each in workspace.parents if (each / ".git").exists())


def advice(text: str, workspace: Path, *, network: bool) -> list[str]:
    """Return a line for each kind of refusal, saying what can be done about it."""
    lines = []
    if not network and _NETWORK.search(text):
        words = tr(
            "dogent-tui: the wall lets no command reach other machines without asking. Name the"
            " host in the command itself, as in"
        )
        lines.append(words + " curl https://HOST/…" + tr(": then the user is asked."))
    lines += dict.fromkeys(words for sign, words in _ON_A_LAYER.items() if sign in text)
    if places := [*dict.fromkeys(hidden_places(text, workspace))]:
        words = tr(
            "dogent-tui: the wall hides {places} from commands. Name the place in the command"
            " itself: then the user is asked."
        )
        lines.append(words.format(places=", ".join(places[:3])))
    return lines
