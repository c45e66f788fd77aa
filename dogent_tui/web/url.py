"""Strict parsing of page addresses: whatever two programs could interpret differently is
refused.
"""

import re

from yarl import URL

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.web.address import literal, looks_like_number
from dogent_tui.web.model import WebError

_LONGEST = 8192
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(?!\d+(?:[/?#]|$))")
_AUTHORITY = re.compile(r"https?://([^/?#]*)", re.IGNORECASE)
_BRACKETED = re.compile(r"(?:[a-z]+:)?//\[", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")


def parse_url(text: str) -> URL:
    """Parse an address; without a scheme it is taken to be https. Raises WebError (`bad_url`)."""
    text = text.strip()
    if not text:
        raise _bad(text, tr("The address is missing."))
    if len(text) > _LONGEST:
        raise _bad(text, tr("The address exceeds {longest} characters.", longest=_LONGEST))
    scheme = _SCHEME.match(text)
    if scheme is None:
        text = f"https://{text.removeprefix('//')}"
    elif scheme[1].lower() not in {"http", "https"}:
        raise _bad(
            text,
            tr(
                "Only http and https addresses can be fetched, not {scheme}.",
                scheme=scheme[1].lower(),
            ),
        )
    return checked(_parsed(text), text)


def joined(base: URL, location: str) -> URL:
    """Return the target of a redirect from `base`. Raises WebError (`bad_url`)."""
    location = location.strip()
    if len(location) > _LONGEST:
        raise _bad(location, tr("The address of the redirect is too long."))
    try:
        target = base.join(URL(location.replace(" ", "%20")))
    except (ValueError, UnicodeError):
        raise _bad(
            location,
            tr(
                "The redirect does not point to an address: {location}.",
                location=_shown(location),
            ),
        ) from None
    if target.scheme not in {"http", "https"}:
        raise _bad(
            location,
            tr(
                "The redirect points to {scheme}: only http and https can be fetched.",
                scheme=target.scheme or tr("nowhere"),
            ),
        )
    return checked(_parsed(str(target)), location)


def checked(url: URL, text: str) -> URL:
    """Return `url` with its host normalized and without a fragment. Raises WebError (`bad_url`)."""
    if url.user is not None or url.password is not None:
        remedy = tr("Leave out the part before the @.")
        raise _bad(
            text, tr("The address contains a user name or password, which are not sent."), remedy
        )
    host = (url.raw_host or "").lower().rstrip(".")
    if not host:
        raise _bad(text, tr("The address {text} has no host.", text=_shown(text)))
    if literal(host) is None:
        if looks_like_number(host):
            raise _bad(
                text,
                tr("The host {host} is a number in disguise.", host=_shown(host)),
                tr("Write it as four numbers separated by dots."),
            )
        if _HOST.fullmatch(host) is None or ".." in host or _BRACKETED.match(text):
            raise _bad(text, tr("{host} is not a host name.", host=_shown(host)))
    elif "%" in host:
        raise _bad(text, tr("The address specifies a network interface, which is not supported."))
    try:
        port = url.port
    except ValueError:
        port = 0
    if not port:
        raise _bad(text, tr("The port of the address is not valid."))
    return url.with_host(host).with_fragment(None)


def _parsed(text: str) -> URL:
    authority = _AUTHORITY.match(text)
    if (
        authority is None
        or _UNSAFE.search(authority[1])
        or "\\" in authority[1]
        or "%" in authority[1]
    ):
        raise _bad(text, tr("{text} is not a web address.", text=_shown(text)))
    if _UNSAFE.search(text):
        text = _UNSAFE.sub(lambda match: "%20" if match[0] == " " else "", text)
    try:
        return URL(text)
    except (ValueError, UnicodeError):  # idna raises the latter
        raise _bad(text, tr("{text} is not a web address.", text=_shown(text))) from None


def _shown(text: str) -> str:
    return one_line(text, 120)


def _bad(
    text: str, message: str, remedy: str = "Give a full address, such as https://example.com/page."
) -> WebError:
    return WebError(message, remedy, code="bad_url", host=_shown(text))
