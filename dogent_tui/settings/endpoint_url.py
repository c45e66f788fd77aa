"""What the address of an endpoint implies: whether it is valid, whose it is, and who can listen."""

import re
from urllib.parse import SplitResult, urlsplit

from dogent_tui.language import tr

_ANTHROPIC_HOST = "api.anthropic.com"

_NEAR_NAME = re.compile(r"localhost|.*\.(localhost|local|lan|internal)|[^.:]+", re.IGNORECASE)
"""Names of this machine or the local network (RFC 6761, RFC 6762); one without a dot is local
too.
"""


def check_url(url: str) -> str:
    """Return what is wrong with `url` as the address of an endpoint, as the end of a sentence,
    empty if nothing is.
    """
    if re.search(r"[\s\x00-\x1f\x7f]", url):
        return tr("has spaces in its address")
    parts = _split(url)
    if parts is None:
        return tr("has no valid address")
    if parts.scheme not in ("http", "https"):
        return tr("does not start with http:// or https://")
    if "@" in parts.netloc:
        return tr("has a user name or password in its address, which logs and errors would show")
    if not parts.hostname:
        return tr("has no host in its address")
    if parts.query or parts.fragment:
        return tr("has a ? or a # in its address")
    return ""


def is_anthropic(url: str) -> bool:
    """Return whether `url` is Anthropic's own endpoint, reached securely."""
    parts = _split(url)
    return parts is not None and parts.scheme == "https" and parts.hostname == _ANTHROPIC_HOST


def sends_keys_in_clear(url: str) -> bool:
    """Return whether data sent to `url` can be intercepted: http to a host outside the local
    network.
    """
    parts = _split(url)
    return parts is not None and parts.scheme == "http" and not _is_near(parts.hostname or "")


def _is_near(host: str) -> bool:
    from ipaddress import ip_address  # imported on use: few endpoints are plain http

    try:
        return ip_address(host).is_private
    except ValueError:
        return _NEAR_NAME.fullmatch(host) is not None


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises if it is not a number
    except ValueError:
        return None
    return parts
