"""Saves images from the web in the workspace: real images only, under safe names, never overwriting
a file.
"""

import asyncio
import hashlib
import os
import re
import unicodedata
from pathlib import Path
from urllib.parse import quote, unquote

import msgspec

from dogent_tui.errors import disk_remedy
from dogent_tui.image_files import without_metadata
from dogent_tui.language import tr
from dogent_tui.storage.files import temporary_beside
from dogent_tui.storage.places import pinned
from dogent_tui.wall.decoder import decoded
from dogent_tui.web.image_check import FORMATS, Checked
from dogent_tui.web.model import SavedImage, WebError

MOST_BYTES = 24 << 20
_NAME_BYTES = 120
"""The length of a file name without its extension: file systems allow 255 in total, some count
twice, and a suffix may be added.
"""
_EXTENSIONS = frozenset(
    {*FORMATS.values(), ".jpeg", ".jpe", ".jfif", ".tif", ".svg", ".heic", ".apng"}
)
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE
)
"""Names of devices on Windows, even with an extension."""
_UNSAFE = re.compile(r"[/\\:*?\"<>|\[\](){}`#%&$!'^~;]+|\s+")
"""Characters with a special meaning for some file system, shell or Markdown reader."""


async def save_image(body: bytes, folder: Path, root: Path, name: str) -> SavedImage:
    """Save the image `body` in `folder`, which is created if necessary, under a safe form of
    `name`.

    The same image under the same name is saved once. Raises WebError (`not_image`, `too_large`,
    `damaged`, `hostile`, `bad_folder`, `failed`), in which case nothing was saved.
    """
    image = await _checked(body)
    return await asyncio.to_thread(_save, without_metadata(body), image, folder, root, name)


def _save(body: bytes, image: Checked, folder: Path, root: Path, name: str) -> SavedImage:
    """Save it. Blocks."""
    place = _folder(folder, root)
    stem = safe_stem(name)
    try:
        with pinned(place / stem) as there:
            path = place / _write_new(there.parent, stem, FORMATS[image.format], body).name
    except OSError as error:
        raise WebError(
            tr(
                "The image could not be saved in {folder}: {strerror}.",
                folder=folder,
                strerror=error.strerror or error,
            ),
            disk_remedy(error),
        ) from error
    relative = path.relative_to(os.path.realpath(root)).as_posix()
    alt = re.sub(r"[-_\s]+", " ", path.stem).strip()
    snippet = f"![{alt}]({quote(relative, safe=_UNQUOTED)})"
    return SavedImage(path, snippet, image.format.lower(), image.width, image.height, len(body))


_UNQUOTED = "/" + "".join(map(chr, range(0xA1, 0x2000)))


def safe_stem(name: str) -> str:
    """Return a file name, without an extension, that is valid on every system: no path, no device,
    not too long.
    """
    name = unicodedata.normalize("NFC", unquote(name).encode("utf-8", "replace").decode("utf-8"))
    name = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    name = "".join(character for character in name if _may_stand(character))
    name = name.strip()
    stem, dot, extension = name.rpartition(".")
    if dot and f".{extension.lower()}" in _EXTENSIONS:
        name = stem
    name = _UNSAFE.sub("-", name).strip("-. ")
    while len(name.encode()) > _NAME_BYTES:
        name = name[:-1]
    name = name.strip("-. ") or "image"
    return f"image-{name}" if _RESERVED.fullmatch(name) else name


def _may_stand(character: str) -> bool:
    """Return whether a character is allowed in a name: none that is invisible or changes the order,
    except the joiner in emoji.
    """
    return (
        unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
        or character == "\u200d"
    )


def _folder(folder: Path, root: Path) -> Path:
    """Return the real path of `folder`, created if necessary; it must be inside `root`, even if
    links lead there.
    """
    outside = WebError(
        tr("The images folder {folder} is outside the workspace.", folder=folder),
        tr("Set `images_path` to a folder inside it."),
        code="bad_folder",
    )
    real_root = Path(os.path.realpath(root))
    real = Path(os.path.realpath(real_root / folder))
    if not real.is_relative_to(real_root):
        raise outside
    try:
        real.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WebError(
            tr(
                "The images folder {folder} cannot be created: {strerror}.",
                folder=folder,
                strerror=error.strerror,
            ),
            tr("Set `images_path` to another folder."),
            code="bad_folder",
        ) from error
    if Path(os.path.realpath(real)) != real:
        raise outside
    return real


def _write_new(folder: Path, stem: str, extension: str, body: bytes) -> Path:
    """Write `body` under the first unused name, or return the file that already contains it. Raises
    OSError.
    """
    digest = hashlib.sha256(body).hexdigest()
    for suffix in ("", f"-{digest[:8]}", f"-{digest[:16]}", f"-{digest}"):
        path = folder / f"{stem}{suffix}{extension}"
        try:
            _write_whole(path, body)
        except FileExistsError:
            if path.is_file() and not path.is_symlink() and path.read_bytes() == body:
                return path
            continue
        return path
    raise FileExistsError(f"{stem}{extension} is taken")


def _write_whole(path: Path, body: bytes) -> None:
    """Create the file `path` with `body`. Raises FileExistsError if anything is there, even a
    dangling link.
    """
    part = temporary_beside(path)
    try:
        part.write_bytes(body)
        try:
            path.hardlink_to(part)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            with path.open("xb") as file:
                file.write(body)
    finally:
        part.unlink(missing_ok=True)


async def _checked(body: bytes) -> Checked:
    """Have a process of its own decode the image. Raises WebError if it is not one, incomplete, or
    too large.
    """
    if len(body) > MOST_BYTES:
        raise WebError(
            tr("The image exceeds {size} MB.", size=MOST_BYTES >> 20),
            tr("Find a smaller one."),
            code="too_large",
        )
    try:
        output = await decoded("dogent_tui.web.image_check", body)
    except TimeoutError:
        raise WebError(
            tr("The image takes too long to decode."), tr("Find another one."), code="hostile"
        ) from None
    except OSError as error:
        raise WebError(
            tr("Images cannot be decoded: {strerror}.", strerror=error.strerror or error),
            tr("Try again."),
        ) from error
    # a decoder crashed
    found = msgspec.json.decode(output, type=Checked) if output else Checked("damaged")
    if found.problem == "not_image":
        raise not_image(tr("something that isn't an image"))
    if found.problem == "too_many_pixels":
        raise WebError(
            tr("The image has too many pixels to open safely."),
            tr("Find a smaller one."),
            code="too_large",
        )
    if found.problem:
        raise WebError(
            tr("The image is damaged or incomplete."),
            tr("Try again, or find another one."),
            code="damaged",
        )
    return found


def not_image(what: str) -> WebError:
    """Return the error for an address with `what` where an image was expected."""
    return WebError(
        tr(
            "The content at this address is {what}, not an image that can be saved; nothing was"
            " saved.",
            what=what,
        ),
        tr(
            "Give the address of the image file itself ({formats}).",
            formats=", ".join(sorted(name.lower() for name in FORMATS)),
        ),
        code="not_image",
    )
