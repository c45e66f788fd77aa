"""`analyze_media`: what a picture or a video shows, as strict JSON."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import dogent_home
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.server import Tool, ToolFailure, as_json, typed_tool
from dogent_tui.vision.look import look_at
from dogent_tui.vision.model import MediaType, VisionError

NAME = "analyze_media"

DESCRIPTION = """\
Describe an image or a video: {"summary", "tags", "text" (legible words, verbatim)}. For png, jpg, \
gif, webp, avif, tiff, bmp, mp4, mov, webm, mkv, avi. The file goes to the vision model that the \
user chose. If an error says that only the user can fix it, stop."""

STOP = (
    "Stop here: tell the user this, ask them to fix it, and do not continue without it. Do not"
    " guess what the file shows."
)
"""Follows an error that only the user can fix."""

_AT_ONCE = 3
"""A model may request a whole folder: each picture takes memory here, and providers limit
concurrent requests.
"""

_FOR_THE_USER = frozenset({"config", "key", "quota", "tls"})


class _Input(msgspec.Struct):
    path: str
    media_type: MediaType | msgspec.UnsetType = msgspec.UNSET


def vision_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tool that looks at media. It reads the path that the policy approved, one of
    `libraries.places`; relative paths are relative to the workspace.

    Profiles and settings are read at each call, so that corrections take effect at once.
    """
    workspace = libraries.workspace

    turns = asyncio.Semaphore(_AT_ONCE)

    async def analyze(wanted: _Input, payload: Mapping[str, Any]) -> str:
        path = workspace.absolute(wanted.path.removeprefix("file://"))
        settings, _ = await asyncio.to_thread(load_settings, workspace)
        kind = None if wanted.media_type is msgspec.UNSET else wanted.media_type
        try:
            async with turns:
                place = await asyncio.to_thread(libraries.places.of, payload, path)
                seen = await look_at(place, settings.vision_profile, dogent_home(), kind)
        except VisionError as error:
            if error.code in _FOR_THE_USER:
                raise ToolFailure(f"{error} {STOP}") from error
            raise
        return as_json(seen)

    yield typed_tool(NAME, DESCRIPTION, _Input, analyze, "Nothing was looked at")
