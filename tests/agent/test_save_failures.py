"""What is not kept is said while it is so, and kept again by itself."""

import asyncio

import pytest

from dogent_tui.agent import save_failures
from dogent_tui.agent.save_failures import SaveFailures
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.paths import Workspace, state_dir
from dogent_tui.undo.undo_log import UndoLog


@pytest.mark.parametrize(
    ("code", "folder", "made"),
    [
        ("seen_not_kept", "seen", lambda _: Ledger("one")),
        ("undo_not_kept", "copies", lambda workspace: UndoLog.of(workspace, "one")),
    ],
    ids=["seen", "copies"],
)
async def test_it_is_said_once_and_over_when_the_disk_takes_it_again(
    tmp_path, home, monkeypatch, code, folder, made
):
    monkeypatch.setattr(save_failures, "_TRY_AGAIN_S", 0.01)
    (tmp_path / "w").mkdir()
    workspace = Workspace(tmp_path / "w")
    file = workspace.root / "a.md"
    file.write_text("a")
    in_the_way = state_dir() / folder
    in_the_way.parent.mkdir(parents=True, exist_ok=True)
    in_the_way.write_text("in the way")
    keeps, said = made(workspace), asyncio.Queue()
    watch = SaveFailures(said.put_nowait, {code: keeps})
    for _ in range(2):
        if isinstance(keeps, Ledger):
            keeps.note(file)
        else:
            assert keeps.keep("Edit", [file]).left == (str(file),)
        watch.look()
    notice = await said.get()
    assert (notice.code, notice.why) == (code, "already there")
    assert notice.remedy
    assert said.empty()
    in_the_way.unlink()
    assert (await asyncio.wait_for(said.get(), 60)).code == f"{code}_over"
    assert keeps.refused is None
    await watch.close()
