"""Scanned pages of a document, read by the vision model that the user chose."""

import re
from contextlib import suppress
from pathlib import Path

import msgspec

from dogent_tui.documents.library import ReadResult
from dogent_tui.errors import DogentError
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.vision.look import look_at
from dogent_tui.vision.profiles import load_profile

_PICTURE = re.compile(r"!\[[^\]]*\]\((page-(\d+)\.png)\)")


def remedy(workspace: Workspace) -> str:
    """Return what the model can do about a document without any text."""
    said = (
        " Its pages are pictures. With images, they are saved, and Read shows them to you if you"
        " take images."
    )
    with suppress(DogentError):
        profile = load_profile(load_settings(workspace)[0].vision_profile, dogent_home())
        said += (
            " With ocr and the pages to read, the user is asked to have them read by"
            f" {profile.name}."
        )
    return said


async def with_pictures_read(found: ReadResult, folder: Path, profile: str) -> ReadResult:
    """Return the document with each scanned page replaced by its text as read by the vision
    `profile`.

    Each page says who read it. Raises DogentError if the first cannot be read; later failures are
    reported in place.
    """
    text, end = "", 0
    for picture in _PICTURE.finditer(found.text):
        try:
            seen = await look_at(folder / picture[1], profile, dogent_home(), "image")
            said = (
                f"<!-- page {picture[2]} is a picture: {profile} read it"
                f" -->\n\n{seen.text or seen.summary}"
            )
        except DogentError as error:
            if not end:
                raise
            said = f"<!-- page {picture[2]} is a picture that {profile} did not read: {error} -->"
        text += found.text[end : picture.start()] + said
        end = picture.end()
    return msgspec.structs.replace(found, text=text + found.text[end:])
