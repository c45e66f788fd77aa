"""The question whether to download pandoc, where something a user asked for needs it and it is
missing.
"""

import asyncio
from typing import TYPE_CHECKING

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.download import MEGABYTES, VERSION
from dogent_tui.documents.pandoc.program import is_pandoc_missing
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.screens.choice import choose

if TYPE_CHECKING:
    from textual.app import App


async def wants_pandoc(app: "App[None]", error: DocumentError) -> bool:
    """Where there being no pandoc is why `error` came: ask whether to download it. Not to be
    awaited by a handler of messages.
    """
    if not await asyncio.to_thread(is_pandoc_missing, error):
        return False
    why = tr(
        "{message} It can be downloaded from its makers (github.com/jgm/pandoc), only for"
        " dogent-tui.",
        message=one_line(error.message),
    )
    answers = (
        tr("Continue without it"),
        tr(
            "Download pandoc {version} (about {megabytes} MB)", version=VERSION, megabytes=MEGABYTES
        ),
    )
    return await choose(app, tr("Download pandoc?"), why, answers) == 1
