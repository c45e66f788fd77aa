"""How far a call is, told while it runs."""

import asyncio

import pytest

from dogent_tui.tools import progress
from dogent_tui.tools.progress import ToolProgress


@pytest.fixture
def told(monkeypatch):
    """What is told, with a second that passes quickly."""
    monkeypatch.setattr(progress, "_EVERY_S", 0.01)
    return []


def tell(told):
    return lambda tool, payload, text: told.append((tool, payload["path"], text))


async def until(holds):
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.002)


async def test_the_newest_is_told_again_and_again_and_nothing_after_the_end(told):
    with ToolProgress(tell(told), "read_document", {"path": "a.pdf"}, "Converting …") as now:
        await until(lambda: len(told) == 1)
        now.count(1, 1200, "pages")
        now.count(7, 1200, "pages")
        await until(lambda: len(told) == 2)
        now.count(9_500, 0, "rows")
        await until(lambda: len(told) == 3)
        now.count(1, 4, "bytes")
        await until(lambda: len(told) == 4)
        now.say("never told")
    await asyncio.sleep(0.03)
    assert [text for _, _, text in told] == [
        "Converting …",
        "7 of 1,200 pages",
        "9,500 rows",
        "25 %",
    ]
    assert told[0][:2] == ("read_document", "a.pdf")


async def test_what_is_quick_is_not_told(told):
    with ToolProgress(tell(told), "read_document", {"path": "a.pdf"}, "Converting …"):
        pass
    await asyncio.sleep(0.03)
    assert told == []
