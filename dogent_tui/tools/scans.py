"""Pages of a document that are pictures, read by the vision model that the user chose."""

import re
from pathlib import Path

import msgspec

from dogent_tui.documents.library import ReadResult
from dogent_tui.errors import DogentError
from dogent_tui.vision.looking import look_at
from dogent_tui.workspace.paths import dogent_home

SCANNED_REMEDY = (
    " Its pages are pictures. With ocr and the pages to read, the user is asked to have them read by their vision model; with"
    " images, they are saved as pictures that Read shows you, if you take images."
)
"""What follows for the model where no page holds text."""

_PICTURE = re.compile(r"!\[[^\]]*\]\((page-(\d+)\.png)\)")


async def with_pictures_read(found: ReadResult, folder: Path, profile: str) -> ReadResult:
    """Return what was read with the text of each picture of a page in its place, as the vision `profile` reads it.

    Each says with its page who read it. Raises DogentError where the first cannot be read; later ones say so themselves.
    """
    text, end = "", 0
    for picture in _PICTURE.finditer(found.text):
        try:
            seen = await look_at(folder / picture[1], profile, dogent_home(), "image")
            said = f"<!-- page {picture[2]} is a picture: {profile} read it -->\n\n{seen.text or seen.summary}"
        except DogentError as error:
            if not end:
                raise
            said = f"<!-- page {picture[2]} is a picture that {profile} did not read: {error} -->"
        text += found.text[end : picture.start()] + said
        end = picture.end()
    return msgspec.structs.replace(found, text=text + found.text[end:])
