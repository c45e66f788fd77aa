"""The records of vision: what is sent, what comes back, who is asked, and what can go wrong."""

from typing import Literal, TypeAlias

from dogent_tui.errors import DogentError
from dogent_tui.records import Record
from dogent_tui.settings import config_models

MediaType: TypeAlias = Literal["image", "video"]


class VisionError(DogentError):
    """A picture or a video cannot be described. The message is a sentence for both the user and the
    model.

    `code` is for programs. Configuration: `config`. File: `not_found`, `not_media`, `unsupported`,
    `mismatch`, `too_large`, `damaged`, `hostile`. Endpoint: `key`, `quota`, `http`, `timeout`,
    `connect`, `tls`, `refused`, `bad_answer`, `too_long`.
    """


class Analysis(Record):
    """What a model sees: sentences, short tags, and the legible text. All of it is untrusted
    text.
    """

    summary: str
    tags: tuple[str, ...]
    text: str


class ImageLimits(Record):
    """A provider's limits for a picture: pixels of the longer side, and bytes of the file."""

    side: int
    bytes: int


class VideoLimits(Record):
    """A provider's limits for a video: bytes, and containers (`mp4`, `mov`, `webm`, `mkv`,
    `avi`).
    """

    bytes: int
    formats: tuple[str, ...]


class Picture(Record):
    """A picture to send: pixels rewritten, without anything else its file contained. `note` tells
    the model what was done.
    """

    mime: str
    data: bytes
    width: int
    height: int
    note: str = ""


class Clip(Record):
    """A video to send: the file without its metadata."""

    mime: str
    data: bytes


class VisionProfile(config_models.VisionProfile, kw_only=True):
    """A profile of ``vision.json``, called `name`; `where` is its file.

    `base_url` is the endpoint with or without the path of the call. `timeout_s`, `max_side` and
    `max_video_mb` are 0 for the provider's defaults.
    """

    name: str
    where: str
