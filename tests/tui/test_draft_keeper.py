"""Drafts of answers on a disk that takes none for a while."""

import asyncio

import pytest

from dogent_tui.storage.answer_drafts import AnswerDrafts
from dogent_tui.storage.paths import Workspace, state_dir
from dogent_tui.tui import draft_keeper
from dogent_tui.tui.draft_keeper import DraftKeeper


@pytest.fixture
def drafts(tmp_path, home, monkeypatch):
    monkeypatch.setattr(draft_keeper, "_TRY_AGAIN_S", 0.01)
    return AnswerDrafts(Workspace(tmp_path))


@pytest.fixture
def in_the_way():
    file = state_dir() / "answers"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("in the way")
    return file


async def test_it_is_said_while_a_draft_is_not_saved_and_the_newest_is_saved_in_the_end(
    drafts, in_the_way
):
    said = asyncio.Queue()
    keeper = DraftKeeper(drafts, said.put_nowait)
    keeper.keep("q", {"answer": 1})
    assert await said.get()
    keeper.keep("q", {"answer": 2})
    keeper.keep("other", {"answer": 3})
    await keeper.settle()
    assert said.empty()
    in_the_way.unlink()
    assert await asyncio.wait_for(said.get(), 60) == ""
    assert drafts.load("q") == {"answer": 2}
    assert drafts.load("other") == {"answer": 3}
    await keeper.close()


async def test_the_end_does_not_wait_for_a_disk_that_takes_nothing(drafts, in_the_way):
    keeper = DraftKeeper(drafts, lambda _: None)
    keeper.keep("q", {"answer": 1})
    await asyncio.wait_for(keeper.close(), 60)
    assert in_the_way.read_text() == "in the way"
