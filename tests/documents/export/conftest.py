"""Exporters for the tests: one with the browser of this computer, kept warm, and one that finds
none.
"""

import asyncio
import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from dogent_tui.documents.export.browser import find_browsers
from dogent_tui.documents.export.model import ExportRequest, ExportResult, Progress, unheard
from dogent_tui.documents.exporter import Exporter


class Listener:
    """A server on this computer that nobody may ask."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append(await reader.read(2000))
        writer.close()


async def export_docx(request: ExportRequest, on_progress: Progress = unheard) -> ExportResult:
    """Make a docx where no browser is."""
    async with Exporter(list) as exporter:
        return await exporter.export(request, on_progress)


@pytest_asyncio.fixture(loop_scope="module")
async def listener() -> AsyncIterator[Listener]:
    found = Listener()
    async with await asyncio.start_server(found.answer, "127.0.0.1", 0) as server:
        found.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield found


@pytest.fixture(scope="session")
def browser_here() -> None:
    """Skip where no browser can print; where the tests are the proof, that is a failure."""
    if not find_browsers():
        missing = (
            "No browser that prints is here: install Chromium or Chrome (on Debian:"
            " chromium-headless-shell)."
        )
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def exporter(browser_here: None) -> AsyncIterator[Exporter]:
    """Prints with the browser."""
    async with Exporter() as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def typesetter() -> AsyncIterator[Exporter]:
    """Knows of no browser."""
    async with Exporter(list) as found:
        yield found
