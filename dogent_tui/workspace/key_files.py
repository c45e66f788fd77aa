"""The files that hold keys: who else can read them, and what must never be shown of them."""

import json
import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dogent_tui.workspace.checking import ConfigWarning
from dogent_tui.workspace.config_models import PROFILE_MODELS, secret_keys
from dogent_tui.workspace.secrets import is_missing, reference

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|auth|cookie|cse_id|headers", re.IGNORECASE)
_SECRET_VARIABLE = re.compile(
    r"(^|_)(\w*KEYS?|\w*TOKEN|SECRET|PASS|PASSW(OR)?D|CREDENTIALS?|AUTH|COOKIE|HEADERS)(_|$)", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]{1,7}|[A-Z]{1,7}|[0-9]{1,5}|.{1,3}", re.DOTALL)
"""What stands where a key is wanted and none is needed: taken for a secret, it would make holes in every path."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")


def open_to_others(file: Path) -> list[ConfigWarning]:
    """Return a warning where `file`, one of `PROFILE_MODELS`, holds a key and others can read or change it. Never raises.

    The mode is looked at first: the file is opened only where it is too wide.
    """
    if os.name == "nt":  # rights are lists there, not a mode
        return []
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
    except OSError:
        return []
    if not mode & _OTHERS or not _holds_a_key(file):
        return []
    message = f"{file.name} holds keys, and other users of this machine may read or change it (its mode is {mode:o})."
    return [ConfigWarning(message, f"Run: chmod 600 {shlex.quote(str(file))}", "key_file_open")]


def key_file_warnings(home: Path) -> list[ConfigWarning]:
    """Return the warnings about the files with keys in the folder `home`."""
    return [warning for name in PROFILE_MODELS for warning in open_to_others(home / name)]


def known_secrets(files: Iterator[Path], environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return everything in the JSON `files` and in `environ` that may be a secret: to be kept out of a report.

    That is what stands under a name such as key or token, at any depth, and what stands before the @ of an address.
    """
    found: set[str] = set()
    for file in files:
        found.update(_secrets_in(_content(file), secret=False))
    for name, value in environ.items():
        found.update(_secrets_in(value, secret=bool(_SECRET_VARIABLE.search(name))))
    return tuple(secret for secret in found if not _WORD.fullmatch(secret))


def _holds_a_key(file: Path) -> bool:
    content = _content(file)
    profiles = content.get("profiles") if isinstance(content, dict) else None
    names = secret_keys(PROFILE_MODELS[file.name])
    return isinstance(profiles, dict) and any(
        not is_missing(profile.get(name)) and reference(profile[name]) is None
        for profile in profiles.values()
        if isinstance(profile, dict)
        for name in names
    )


def _content(file: Path) -> Any:
    """Return what the JSON `file` holds; where it is not JSON, its lines, each of which may hold a key."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"token": re.findall(r'"((?:[^"\\]|\\.){8,})"', text)}


def _secrets_in(value: Any, *, secret: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _secrets_in(inner, secret=secret or bool(_SECRET_NAME.search(str(name))))
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets_in(inner, secret=secret)
    elif isinstance(value, str):
        if secret and not is_missing(value) and reference(value) is None:
            yield value.strip()
        for address in _ADDRESS.findall(value):
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
