"""A pasted or dropped path: what terminals and file managers write when a file is dragged into
them.
"""

import re
import shlex
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LONGEST = 8_192
_MOST = 50
_PATH = re.compile(r"(?:[~.]{0,2}/|~/|file://|[^\s/]+/)")


def dropped_paths(text: str) -> list[str]:
    """Return the paths that `text` consists of, or an empty list where it is anything else than
    paths.

    Understood: ``file://`` URIs, quoted paths, backslash-escaped spaces, several of these on one or
    more lines. Whether a path exists is for the caller to find out (in a thread: a network folder
    may be slow).
    """
    text = text.strip()
    if not text or len(text) > _LONGEST or "\0" in text:
        return []
    if "\n" not in text and _plain(text):
        return [text]
    try:
        words = [word for line in text.splitlines() for word in shlex.split(line)]
    except ValueError:  # an unbalanced quote: prose
        return []
    paths = [_from_uri(word) for word in words]
    return [path for path in paths if path] if words and len(words) <= _MOST and all(paths) else []


def _plain(text: str) -> bool:
    """Return whether all of `text` names one existing-looking path as it stands, unescaped
    spaces included.
    """
    return (
        text[0] in "/~"
        and not re.search(r"\\|['\"]", text)
        and " /" not in text
        and " ~" not in text
    )


def _from_uri(word: str) -> str:
    """Return the path that `word` is, or an empty text."""
    if word.startswith("file://"):
        parts = urlsplit(word)
        return unquote(parts.path) if parts.netloc in ("", "localhost") else ""
    return word if _PATH.match(word) and "://" not in word else ""


def existing(paths: list[str], folder: Path) -> list[Path] | None:
    """Return `paths` as absolute paths (seen from `folder`) when every one exists, else None.
    Touches the disk.
    """
    try:
        found = [folder / Path(path).expanduser() for path in paths]
        return found if found and all(path.exists() for path in found) else None
    except (
        OSError,
        RuntimeError,
    ):  # a name too long, a folder that may not be entered, a ~user that is nobody
        return None
