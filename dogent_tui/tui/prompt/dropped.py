"""Pasted or dropped paths: what terminals and file managers insert when a file is dragged into
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
    """Return the paths that make up `text`, or an empty list if it contains anything else.

    Understood are ``file://`` URIs, quoted paths, backslash-escaped spaces, and several of these on
    one or more lines. The caller checks whether a path exists (in a thread, because a network
    folder may be slow).
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
    """Return whether all of `text` looks like a single path, possibly with unescaped spaces."""
    return (
        text[0] in "/~"
        and not re.search(r"\\|['\"]", text)
        and " /" not in text
        and " ~" not in text
    )


def _from_uri(word: str) -> str:
    """Return the path given by `word`, or an empty string."""
    if word.startswith("file://"):
        parts = urlsplit(word)
        return unquote(parts.path) if parts.netloc in ("", "localhost") else ""
    return word if _PATH.match(word) and "://" not in word else ""


def existing(paths: list[str], folder: Path) -> list[Path] | None:
    """Return `paths` as absolute paths (relative to `folder`) if all of them exist, otherwise None.
    Accesses the disk.
    """
    try:
        found = [folder / Path(path).expanduser() for path in paths]
        return found if found and all(path.exists() for path in found) else None
    except (OSError, RuntimeError):
        # a name too long, an inaccessible folder, an unknown ~user
        return None
