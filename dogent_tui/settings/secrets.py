"""Credentials: whether one was given, where it is stored, and keeping it out of what is shown or
logged.

A key is given literally, as ``env:NAME``, the variable that contains it, or as ``keyring:NAME``, an
entry of the system's keyring under the service `dogent-tui`.
"""

import base64
import json
import os
import threading
from collections.abc import Iterable
from typing import Literal
from urllib.parse import quote

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.records import Record

Store = Literal["env", "keyring"]

KEYRING_SERVICE = "dogent-tui"
"""The service of our keyring entries."""

_KEYRING_S = 20.0
"""The time limit for a keyring in seconds: it may ask the user to unlock it."""

PLACEHOLDER = "replace-me"
"""The placeholder for a key in a stub."""

_REVEALED: set[str] = set()

SHORTEST = 4
"""Shorter values are not treated as secrets: hiding every ``x`` would only make a text
unreadable.
"""

_SHORTEST_ENCODED = 10
"""The minimum number of digits of an encoded secret to look for: fewer occur in other texts too."""


def is_missing(value: object) -> bool:
    """Return whether the credential `value` counts as not given: empty, not text, or still a stub's
    placeholder.
    """
    return not isinstance(value, str) or not value.strip() or PLACEHOLDER in value.lower()


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with each of `secrets` replaced by dots."""
    # Longest first: replacing a part of a secret must not leave the rest of it behind.
    for secret in sorted({s for s in secrets if len(s) >= SHORTEST}, key=len, reverse=True):
        text = text.replace(secret, "••••")
    return text


def spellings(secret: str) -> frozenset[str]:
    """Return `secret` and its forms in JSON, in an address, in hexadecimal and in base64, at any
    position in a text.

    In base64, the first and last digits are omitted if they depend on the surrounding text.
    """
    content = secret.encode("utf-8", errors="surrogatepass")
    encoded = {content.hex(), content.hex().upper()}
    for before in range(3):
        digits = base64.b64encode(bytes(before) + content)
        inner = digits[-(-before * 8 // 6) : (before + len(content)) * 8 // 6].decode()
        encoded |= {inner, inner.replace("+", "-").replace("/", "_")}
    plain = {secret, *(json.dumps(secret, ensure_ascii=escaped)[1:-1] for escaped in (True, False))}
    plain.add(quote(content, safe=""))
    return frozenset({*plain, *(text for text in encoded if len(text) >= _SHORTEST_ENCODED)})


class Reference(Record):
    """Where a key is stored that is not in the file itself."""

    store: Store
    name: str


def reference(text: str) -> Reference | None:
    """Return what `text` refers to, None if it is a literal key."""
    store, colon, name = text.strip().partition(":")
    if colon and store == "env":
        return Reference("env", name.strip())
    if colon and store == "keyring":
        return Reference("keyring", name.strip())
    return None


def revealed(value: object) -> str:
    """Return the key that `value` is or refers to, empty if none is given.

    Raises ConfigError for a broken reference. A keyring may wait for the user; it is given up after
    a while.
    """
    key = "" if is_missing(value) else _looked_up(str(value))
    _REVEALED.add(key)
    return key


def revealed_keys() -> frozenset[str]:
    """Return all keys looked up in this process so far, to be kept out of what is written."""
    return frozenset(_REVEALED)


def _looked_up(text: str) -> str:
    found = reference(text)
    if found is None:
        return text.strip()
    if found.store == "keyring":
        return _from_keyring(found.name)
    value = os.environ.get(found.name, "").strip()
    if is_missing(value):
        raise ConfigError(
            tr("the environment variable {found} is not set.", found=found.name or tr("(no name)")),
            tr("Set it before you start dogent-tui: export {found}=…", found=found.name or "NAME"),
        )
    return value


def _from_keyring(name: str) -> str:
    try:
        import keyring  # optional, and imported on use
    except ImportError:
        raise ConfigError(
            tr("the package keyring, which reads the system's keyring, is not installed."),
            tr(
                "Install it in the same environment as dogent-tui: pip install keyring. Or use"
                " env:NAME."
            ),
        ) from None
    answers: list[str | None] = []
    failures: list[str] = []

    def ask() -> None:
        try:
            answers.append(keyring.get_password(KEYRING_SERVICE, name))
        except Exception as error:  # each backend has errors of its own
            failures.append(type(error).__name__)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_KEYRING_S)
    if answers and answers[0]:
        return answers[0].strip()
    add = tr(
        "Add it: keyring set {keyring_service} {name}",
        keyring_service=KEYRING_SERVICE,
        name=name or "NAME",
    )
    if answers:
        raise ConfigError(tr("the keyring has no entry {name}.", name=name or tr("(no name)")), add)
    why = (
        tr("failed ({failure})", failure=failures[0])
        if failures
        else tr("did not respond within {keyring_s:g} seconds", keyring_s=_KEYRING_S)
    )
    raise ConfigError(
        tr("the keyring {why}.", why=why),
        tr("Unlock it and try again, or use env:NAME. {add}", add=add),
    )
