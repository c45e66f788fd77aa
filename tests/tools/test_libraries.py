"""The libraries of a session live as long as it does."""

from functools import cached_property
from pathlib import Path

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.launch import ClaudeLauncher
from dogent_tui.agent.session import session_copies
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries


class Library:
    def __init__(self, name: str, closed: list[str], *, fails: bool = False) -> None:
        self._name, self._closed, self._fails = name, closed, fails

    async def close(self) -> None:
        self._closed.append(self._name)
        if self._fails:
            raise OSError("gone")


class Two(Libraries):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, WorkspaceSettings())
        self.closed: list[str] = []

    @cached_property
    def reading(self) -> Library:
        return self._closed_with_us(Library("reading", self.closed))

    @cached_property
    def printing(self) -> Library:
        return self._closed_with_us(Library("printing", self.closed, fails=True))


@pytest.fixture
def two(tmp_path: Path) -> Two:
    return Two(Workspace(tmp_path))


async def test_what_was_made_is_closed_once_whatever_fails(two):
    assert two.reading is two.reading
    assert two.printing
    await two.close()
    assert two.closed == ["printing", "reading"]
    await two.close()
    assert two.closed == ["printing", "reading"]


async def test_what_was_not_wanted_is_not_made(two):
    await two.close()
    assert two.closed == []


async def test_they_are_closed_with_the_session(two):
    assert two.reading
    endpoint, workspace = Endpoint("offline", "offline"), two.workspace
    launcher = ClaudeLauncher(
        workspace,
        endpoint,
        Authority(workspace),
        FolderTrust(workspace),
        two,
        session_copies(workspace, "s"),
    )
    await launcher.close()
    assert two.closed == ["reading"]
