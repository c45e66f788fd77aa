"""Credentials: whether one was given, and keeping them out of what is shown or logged."""

from collections.abc import Iterable

PLACEHOLDER = "replace-me"
"""What a stub holds where a key belongs."""

SHORTEST = 4
"""Shorter values are not taken for secrets: hiding each ``x`` of a text would only make it unreadable."""


def is_missing(value: object) -> bool:
    """Tell whether the credential `value` counts as not given: empty, no text, or still the placeholder of a stub."""
    return not isinstance(value, str) or not value.strip() or PLACEHOLDER in value.lower()


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with each of `secrets` replaced by dots."""
    # Longest first: a secret that is a part of another must not leave the rest of it behind.
    for secret in sorted({s for s in secrets if len(s) >= SHORTEST}, key=len, reverse=True):
        text = text.replace(secret, "••••")
    return text
