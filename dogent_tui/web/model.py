"""What fetching means: what is asked for, what comes of it, and what can go wrong."""

from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.errors import DogentError

FetchMode: TypeAlias = Literal["auto", "text", "image"]
"""What is wanted: whatever it is, the text of it, or an image to be saved."""

DEFAULT_CHARS = 12_000
"""Characters of a page (SPEC 5)."""


class WebError(DogentError):
    """Something on the web cannot be had. The message is a sentence for the user and for the model
    alike.

    `code` names the case for programs. Of fetching: `bad_url`, `private_address`, `dns`, `connect`,
    `tls`, `timeout`, `redirects`, `http`, `too_large`, `damaged`, `not_image`, `bad_folder`,
    `unsupported`, `failed`, and those of `DocumentError`; other modules of this room add their own.

    With `private_address`, `host` is the name or address as `Fetcher.fetch` takes it in `allow`,
    and `addresses` are where it leads, as far as that was looked up. With `http`, `status` is what
    the server answered; with 429 and 503, `retry_after_s` is how many seconds it asks us to wait,
    None where it does not say.
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
        super().__init__(message, remedy)
        self.code = code
        self.host = host
        self.addresses = addresses
        self.status = status
        self.retry_after_s = retry_after_s


class SavedImage(msgspec.Struct, frozen=True):
    """An image that was saved. `snippet` is the Markdown that shows it; its path is relative to
    the folder of the workspace.
    """

    path: Path
    snippet: str
    format: str
    width: int
    height: int
    bytes: int


class FetchResult(msgspec.Struct, frozen=True):
    """What stands at an address: text from outside, or an image that was saved.

    `url` is what was asked for, `final_url` where the redirects led, `fetched_at` when (UTC, ISO
    8601). `content_type` is what the content is, not what the server said. `text` is Markdown
    (`format` ``page``, or that of a document) or plain text, characters `offset` to ``offset +
    len(text)`` of `total_chars` (None: not known yet); `next_offset` is where to read on, None at
    the end. `title`, `author` and `date` are what the page says, empty where it says nothing.
    `warnings` are sentences. With an `image`, `text` is empty.
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
    from_cache: bool = False
