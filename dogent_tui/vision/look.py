"""Describes one picture or video with one profile. Nothing is stored: the next call asks again."""

import asyncio
from pathlib import Path

from dogent_tui.vision.media import load_media
from dogent_tui.vision.model import Analysis, MediaType
from dogent_tui.vision.profiles import load_profile
from dogent_tui.vision.providers import client_for


async def look_at(
    path: Path, profile: str, home: Path, media_type: MediaType | None = None
) -> Analysis:
    """Return what the file `path` shows, using the vision profile of that name in the folder
    `home`.

    `media_type` is the claimed type; a different one is an error. The profile is checked first:
    without it nothing is opened. Raises VisionError.
    """
    client = client_for(await asyncio.to_thread(load_profile, profile, home))
    media = await load_media(path, media_type, client.image_limits, client.video_limits)
    return await client.look_at(media)
