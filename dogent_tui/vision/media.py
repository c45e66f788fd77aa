"""A file in the form in which it may leave the machine: a picture with rewritten pixels, or a video
without its metadata.
"""

import asyncio
import io
import os
import stat
from pathlib import Path
from typing import IO

import msgspec

from dogent_tui.errors import disk_remedy
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.places import open_real
from dogent_tui.vision.containers import without_metadata
from dogent_tui.vision.file_kinds import HEAD_BYTES, IMAGE, description_of, kind_of
from dogent_tui.vision.model import Clip, ImageLimits, MediaType, Picture, VideoLimits, VisionError
from dogent_tui.vision.pixels import MOST_JPEG_PIXELS, MOST_PIXELS, PreparedPicture
from dogent_tui.wall.decoder import decoded

MOST_IMAGE_BYTES = 64 << 20
"""The largest picture file, in bytes."""

_MIMES = {
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "webm": "video/webm",
    "mkv": "video/x-matroska",
    "avi": "video/x-msvideo",
}
_NAME_ANOTHER = tr(
    "Specify a PNG, JPEG, GIF, WebP, AVIF, HEIC, TIFF or BMP image, or an mp4, mov, webm, mkv or"
    " avi video."
)


async def load_media(
    path: Path, media_type: MediaType | None, images: ImageLimits, videos: VideoLimits | None
) -> Picture | Clip:
    """Return what may be sent of the file `path`, determined by its content: `media_type` is the
    claimed type.

    Raises VisionError if it is neither picture nor video, of another type than `media_type`, or too
    large.
    """
    kind, data = await asyncio.to_thread(_read, path, media_type, videos)
    name = one_line(path.name)
    if kind == IMAGE:
        return await _picture(name, data, images)
    return Clip(_MIMES[kind], await asyncio.to_thread(without_metadata, kind, data))


def _read(
    path: Path, media_type: MediaType | None, videos: VideoLimits | None
) -> tuple[str, bytes]:
    """Return the kind of a file and its content. It is opened once: what was checked is what is
    sent.
    """
    name = one_line(path.name) or str(path)
    try:
        descriptor = open_real(Path(os.path.realpath(path)))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise VisionError(
                    tr("{name} is not a file.", name=name), _NAME_ANOTHER, code="not_media"
                )
            kind = _checked_kind(file, name, media_type)
            size = os.fstat(descriptor).st_size
            _check_size(name, kind, size, videos)
            file.seek(0)
            return kind, file.read(size)
    except FileNotFoundError:
        raise VisionError(
            tr("There is no file {path}.", path=one_line(str(path))),
            tr("Check the path."),
            code="not_found",
        ) from None
    except IsADirectoryError:
        raise VisionError(
            tr("{name} is a folder.", name=name), _NAME_ANOTHER, code="not_media"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in a path
        why = (getattr(error, "strerror", None) or tr("its name is not valid")).lower()
        raise VisionError(
            tr("{name} cannot be read: {why}.", name=name, why=why),
            disk_remedy(error),
            code="not_found",
        ) from None


def _checked_kind(file: IO[bytes], name: str, media_type: MediaType | None) -> str:
    kind = kind_of(file)
    if not kind:
        file.seek(0)
        what, remedy = description_of(file.read(HEAD_BYTES))
        raise VisionError(
            tr(
                "{name} is {what}: neither an image nor a video. Nothing was sent.",
                name=name,
                what=what,
            ),
            remedy,
            code="not_media",
        )
    found: MediaType = "image" if kind == IMAGE else "video"
    if media_type is not None and media_type != found:
        what = tr("an image") if found == "image" else tr("a video ({kind})", kind=kind)
        raise VisionError(
            tr(
                "{name} is not what media_type says: it is {what}. Nothing was sent.",
                name=name,
                what=what,
            ),
            tr('Leave media_type out, or make it "{found}".', found=found),
            code="mismatch",
        )
    return kind


def _check_size(name: str, kind: str, size: int, videos: VideoLimits | None) -> None:
    if kind == IMAGE:
        if size > MOST_IMAGE_BYTES:
            raise VisionError(
                tr(
                    "{name} is {size}; the limit for images is {most_image_bytes}.",
                    name=name,
                    size=_mb(size),
                    most_image_bytes=_mb(MOST_IMAGE_BYTES),
                ),
                tr("Export it at a smaller size."),
                code="too_large",
            )
    elif videos is None:
        raise VisionError(
            tr("{name} is a video, and the vision profile's provider accepts none.", name=name),
            tr(
                'Set "vision_profile" in .dogent/dogent.json to a profile whose provider accepts'
                " videos, such as glm-4.6v."
            ),
            code="unsupported",
        )
    elif kind not in videos.formats:
        raise VisionError(
            tr(
                "{name} is a video in {kind}; the vision profile's provider accepts {formats}.",
                name=name,
                kind=kind,
                formats=", ".join(videos.formats),
            ),
            tr("Convert it to {format}.", format=videos.formats[0]),
            code="unsupported",
        )
    elif size > videos.bytes:
        raise VisionError(
            tr(
                "{name} is {size}; with this vision profile, the limit for videos is {bytes}.",
                name=name,
                size=_mb(size),
                bytes=_mb(videos.bytes),
            ),
            tr("Cut out the part you need, or export it at a lower resolution."),
            code="too_large",
        )


async def _picture(name: str, body: bytes, limits: ImageLimits) -> Picture:
    """Have a process of its own decode the picture `body` and rewrite its pixels within
    `limits`.
    """
    wanted = msgspec.json.encode(limits) + b"\n"
    try:
        output = await decoded("dogent_tui.vision.pixels", wanted + body)
    except TimeoutError:
        raise VisionError(
            tr("{name} takes too long to decode. Nothing was sent.", name=name),
            tr("Save it again as PNG."),
            code="hostile",
        ) from None
    except OSError as error:
        raise VisionError(
            tr("Images cannot be decoded: {strerror}.", strerror=error.strerror or error),
            tr("Try again."),
            code="damaged",
        ) from error
    line, _, data = output.partition(b"\n")
    # a decoder crashed
    made = msgspec.json.decode(line, type=PreparedPicture) if line else PreparedPicture("damaged")
    _check_made(name, made)
    return Picture(made.mime, data, made.width, made.height, made.note)


def _check_made(name: str, made: PreparedPicture) -> None:
    if made.problem == "not_image":
        raise VisionError(
            tr("{name} starts like an image but isn't one. Nothing was sent.", name=name),
            tr("Check what it is, and specify an image."),
            code="not_media",
        )
    if made.problem == "hostile":
        raise VisionError(
            tr(
                "{name} has too many pixels to open: the limit is {most} million, {most_jpeg}"
                " million for JPEG. Nothing was sent.",
                name=name,
                most=MOST_PIXELS // 10**6,
                most_jpeg=MOST_JPEG_PIXELS // 10**6,
            ),
            tr("Export it at a smaller size."),
            code="hostile",
        )
    if made.problem:
        raise VisionError(
            tr("{name} is damaged or incomplete. Nothing was sent.", name=name),
            tr("Get a complete copy, or save it again."),
            code="damaged",
        )


def _mb(size: int) -> str:
    return f"{size / (1 << 20):.0f} MB"


SIDE = 64
"""The side of a square in pixels: some providers refuse less than 28."""


def white_square() -> Picture:
    """Return a white square as PNG."""
    from PIL import Image  # on use

    stream = io.BytesIO()
    Image.new("L", (SIDE, SIDE), 255).save(stream, "PNG")
    return Picture("image/png", stream.getvalue(), SIDE, SIDE)
