"""The records of fetching: what is requested, the result, and what can go wrong."""

from pathlib import Path
from typing import Literal

from dogent_tui.errors import DogentError
from dogent_tui.records import Record

FetchMode = Literal["auto", "text", "image"]
"""What is wanted: the text of whatever is there, or an image to save."""

DEFAULT_CHARS = 12_000
"""Characters per page (SPEC 5)."""
HARDLY_LETTERS = 80
"""A page with no more text than this is looked for elsewhere: in its data, or by its scripts."""


class WebError(DogentError):
    """Something on the web cannot be fetched. The message is a sentence for both the user and the
    model.

    `code` is for programs. Of fetching: `bad_url`, `private_address`, `dns`, `connect`, `tls`,
    `timeout`, `redirects`, `http`, `too_large`, `damaged`, `not_image`, `bad_folder`,
    `unsupported`, `failed`, and those of `DocumentError`; other modules of this package add their
    own.

    With `private_address`, `host` is the name or address for `Fetcher.fetch`'s `allow`, and
    `addresses` are where it leads, as far as it was looked up. With `http`, `status` is the
    server's answer; with 429 and 503, `retry_after_s` is how many seconds it asks us to wait, None
    if it does not say.
    """

    def __init__(
        self,
        message: str,
        remedy: str = "",
        *,
        code: str = "failed",
        host: str = "",
        addresses: tuple[str, ...] = (),
        status: int = 0,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, remedy, code=code)
        self.host = host
        self.addresses = addresses
        self.status = status
        self.retry_after_s = retry_after_s


class SavedImage(Record):
    """A saved image. `snippet` is the Markdown that displays it; its path is relative to the folder
    of the workspace.
    """

    path: Path
    snippet: str
    format: str
    width: int
    height: int
    bytes: int


class FetchResult(Record):
    """The content of an address: untrusted text, or a saved image.

    Attributes:
        url: The requested address.
        final_url: The address after redirects.
        fetched_at: The time (UTC, ISO 8601).
        content_type: The actual type of the content, not the server's claim.
        text: Markdown (`format` ``page``, or that of a document) or plain text, from character
            `offset` to ``offset + len(text)``; empty with an `image`.
        total_chars: The length of the whole text, None if not known yet.
        next_offset: Where to continue, None at the end.
        title: As stated by the page, otherwise empty; likewise `author` and `date`.
        warnings: Sentences.
    """

    url: str
    final_url: str
    fetched_at: str
    content_type: str
    format: str = ""
    text: str = ""
    title: str = ""
    author: str = ""
    date: str = ""
    offset: int = 0
    next_offset: int | None = None
    total_chars: int | None = None
    image: SavedImage | None = None
    warnings: tuple[str, ...] = ()
