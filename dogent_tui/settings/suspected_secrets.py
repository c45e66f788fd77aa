"""Everything in the files and the environment that may be a secret, to be kept out of a report that
is given to others.

More than `known_secrets`, which a log needs: redacting too much does no harm in a report.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dogent_tui.settings.known_secrets import texts_in
from dogent_tui.settings.secrets import is_missing, reference

_SECRET_NAME = re.compile(
    r"key|token|secret|passw|credential|auth|cookie|cse_id|headers", re.IGNORECASE
)
_SECRET_VARIABLE = re.compile(
    r"(^|_)(\w*KEYS?|\w*TOKEN|SECRET|PASS|PASSW(OR)?D|CREDENTIALS?|AUTH|COOKIE|HEADERS)(_|$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]{1,7}|[A-Z]{1,7}|[0-9]{1,5}|.{1,3}", re.DOTALL)
"""Used where a key is required but not needed: redacting it as a secret would affect every path."""
_PAIR = re.compile(r'"([^"\\]*)"\s*:\s*"((?:[^"\\]|\\.)*)"')
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")


def suspected_secrets(files: Iterable[Path]) -> tuple[str, ...]:
    """Return everything in the JSON `files` and in the environment that may be a secret: to be kept
    out of a report.

    That is every value of a name such as key or token, at any depth, and what precedes the @ of an
    address.
    """
    found: set[str] = set()
    for file in files:
        found.update(_secrets_in(_content(file)))
    for name, value in os.environ.items():
        found.update(_secrets_in(value, secret=bool(_SECRET_VARIABLE.search(name))))
    return tuple(secret for secret in found if not _WORD.fullmatch(secret))


def _content(file: Path) -> Any:
    """Return the content of the JSON `file`; if it is not JSON, the texts in it by name."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return dict(_PAIR.findall(text))


def _secrets_in(value: Any, *, secret: bool = False) -> Iterator[str]:
    for text, is_secret in texts_in(value, _SECRET_NAME, secret=secret):
        if is_secret and not is_missing(text) and reference(text) is None:
            yield text.strip()
        for address in _ADDRESS.findall(text):
            yield from _userinfo(address)


def _userinfo(address: str) -> Iterator[str]:
    try:
        parts = urlsplit(address)
    except ValueError:
        return
    before, at, _ = parts.netloc.rpartition("@")
    if at:
        user, _, password = before.partition(":")
        for secret in (before, password, unquote(password), *(() if password else (user,))):
            if secret:
                yield secret
