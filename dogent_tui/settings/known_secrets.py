"""Every available key, from the files of the home folder and the environment, to be kept out of
logs and reports.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.settings.secrets import is_missing, reference, revealed_keys
from dogent_tui.storage.files import read_json
from dogent_tui.storage.paths import dogent_home

_FILES = ("claude.json", "web.json", "vision.json", "mcp.json")
_NAMED_AS_KEY = re.compile(
    r"(?:key|token|secret|password|passwd|credential|cse_id|authorization)s?$", re.IGNORECASE
)
_SHORTEST = 8
"""The minimum length in characters; shorter values occur in too many other words."""


def known_secrets() -> tuple[str, ...]:
    """Return the keys of all profiles of the user and of the environment, and those that were
    looked up. Never raises.
    """
    found = {value for name, value in os.environ.items() if names_key(name)}
    for file in _FILES:
        held, _ = read_json(dogent_home() / file, moves=False)
        found |= set(map(_looked_up, _keys_in(held)))
    return tuple(sorted({*filter(_is_secret, found), *learned_secrets()}))


def names_key(name: str) -> bool:
    """Return whether `name` indicates a key."""
    return _NAMED_AS_KEY.search(name) is not None


def learned_secrets() -> frozenset[str]:
    """Return the keys looked up so far in this process; there may be more next time. Reads
    nothing.
    """
    return frozenset(filter(_is_secret, revealed_keys()))


def _is_secret(value: str) -> bool:
    return len(value) >= _SHORTEST and not is_missing(value)


def _looked_up(key: str) -> str:
    """Return the key that `key` is or names in the environment; empty for the keyring, which could
    ask the user.
    """
    found = reference(key)
    if found is None:
        return key.strip()
    return os.environ.get(found.name, "").strip() if found.store == "env" else ""


def _keys_in(value: Any, *, is_key: bool = False) -> Iterator[str]:
    """Yield each text in a JSON `value` below a name that indicates a key, at any depth."""
    match value:
        case Mapping():
            for name, inner in value.items():
                yield from _keys_in(inner, is_key=is_key or names_key(str(name)))
        case list():
            for inner in value:
                yield from _keys_in(inner, is_key=is_key)
        case str() if is_key:
            yield value
