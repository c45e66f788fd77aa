"""Finding the articles of real pages: F1 as two public benchmarks count it, and time, beside
trafilatura alone and all the text.

The pages of the benchmarks are not a part of the project: they are in the folder that DOGENT_SHARED
names, or in ``../shared``.
"""

import asyncio
import logging
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from aiohttp import web

from dogent_tui.documents.html.charset import decode
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.web.article import find_article
from dogent_tui.web.fetch import Fetcher
from dogent_tui.web.model import WebError
from dogent_tui.web.plain_page import plain_blocks
from tests.benchmarks.table import Row
from tests.web.corpus.scoring import Page, pages, plain_text, score
from tests.web.own_pages import own_pages

SLOWEST_MS = 5000.0
SAEB, TRAF = 4.0, 7.4
"""What trafilatura alone misses of an F1 of 1 on the whole benchmarks, in percent."""


HOSTILE = {
    "links in links": "<p>" + "[x](" * 300_000,
    "open elements": "<div>" * 80_000 + "x",
    "paragraphs": "<article>" + "<p>abc def, ghi. <a href=x>b</a>" * 30_000,
    "a tag without end": "<p>x</p><" + "a" * 5_000_000,
    "lines below a long number": "<p>" + "1" * 1_000_000 + "<br>a" * 90_000,
    "references": "<p>" + "&NotEqualTilde" * 400_000,
}
"""Pages that extractors take minutes for, or forever."""


def documents() -> Path:
    return (
        Path(os.environ.get("DOGENT_SHARED") or Path(__file__).parents[2].parent / "shared")
        / "documents"
    )


def ours(html: str, url: str) -> str:
    return find_article(html, url).markdown


def alone(html: str, url: str) -> str:
    from trafilatura import extract

    wanted: dict[str, Any] = {
        "include_links": True,
        "include_tables": True,
        "include_formatting": True,
    }
    return extract(html, url=url, output_format="markdown", **wanted) or ""


def stripped(html: str, url: str) -> str:
    return "\n\n".join(plain_blocks(html, url))


def run(
    found: list[Page], extract: Callable[[str, str], str]
) -> tuple[dict[str, float], list[float]]:
    """Return the F1 of each benchmark, and the milliseconds of each page."""
    texts, times = [], []
    extract(*_source(found[0]))  # its libraries are loaded
    for page in found:
        source = _source(page)
        began = time.perf_counter()
        markdown = extract(*source)
        times.append((time.perf_counter() - began) * 1000)
        texts.append((page, plain_text(markdown)))
    return {name: value.f1 for name, value in score(texts).items()}, times


def _source(page: Page) -> tuple[str, str]:
    return decode(page.html, "", markup=True)[0], page.url


def measure() -> list[Row]:
    """Measure over the pages that the tests ship, and over those of the shared corpus, if it is
    here.
    """
    logging.disable(logging.ERROR)
    found = list(pages(documents())) if (documents() / "manifest.json").is_file() else []
    rows = []
    for name, extract in (("ours", ours), ("trafilatura alone", alone), ("all text", stripped)):
        scores, times = run(own_pages(), extract)
        rows += [
            Row(f"F1 missed on pages of our own, {name}", 100 * (1 - scores["traf"]), "%"),
            Row(
                f"a page of our own, {name}",
                statistics.mean(times),
                "ms",
                None,
                f"{len(times)} pages",
            ),
        ]
        if found:
            rows += _on_the_corpus(name, found, extract)
    rows.append(
        Row(
            "a hostile page at most",
            asyncio.run(hostile()),
            "ms",
            SLOWEST_MS,
            f"{len(HOSTILE)} pages",
        )
    )
    logging.disable(logging.NOTSET)
    return rows


async def hostile() -> float:
    """Return the milliseconds of the slowest of the pages that are made to be slow, from the
    request to its text or its error.
    """

    async def answer(request: web.Request) -> web.Response:
        body = list(HOSTILE.values())[int(request.path[1:])] if request.path[1:] else "<p>Words."
        return web.Response(text=f"<!doctype html>{body}", content_type="text/html")

    app = web.Application()
    app.router.add_get("/{number:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host = f"127.0.0.1:{runner.addresses[0][1]}"
    times = []
    with tempfile.TemporaryDirectory() as folder:
        async with DocumentLibrary(Path(folder)) as documents, AsyncExitStack() as closing:
            fetcher = Fetcher(Path("images"), Path(folder), documents=documents, allow=[host])
            closing.push_async_callback(fetcher.close)
            await fetcher.fetch(f"http://{host}/")  # its libraries are loaded
            for name in map(str, range(len(HOSTILE))):
                began = time.perf_counter()
                try:
                    await fetcher.fetch(f"http://{host}/{name}")
                except WebError as error:
                    assert error.code == "timeout"
                times.append((time.perf_counter() - began) * 1000)
    await runner.cleanup()
    return max(times)


def _on_the_corpus(name: str, found: list[Page], extract: Callable[[str, str], str]) -> list[Row]:
    scores, times = run(found, extract)
    targets = (SAEB, TRAF, SLOWEST_MS) if extract is ours else (None, None, None)
    return [
        Row(
            f"F1 missed on article-extraction-benchmark, {name}",
            100 * (1 - scores["saeb"]),
            "%",
            targets[0],
        ),
        Row(
            f"F1 missed on trafilatura's evaluation, {name}",
            100 * (1 - scores["traf"]),
            "%",
            targets[1],
        ),
        Row(f"a page, {name}", statistics.mean(times), "ms", None, f"{len(found)} pages"),
        Row(f"a page at most, {name}", max(times), "ms", targets[2]),
    ]
