import stat
import subprocess
import sys

from dogent_tui.workspace.drafts import Drafts
from dogent_tui.workspace.paths import Workspace, state_dir


def test_a_draft_survives_and_is_private_and_outside_of_the_workspace(workspace):
    text = "Ein Entwurf\nmit 中文 und \udc80, [/b]\r\n"
    drafts = Drafts(workspace)
    assert drafts.load() == ""
    drafts.save(text)
    drafts.close()
    assert Drafts(workspace).load() == text
    assert list(workspace.root.iterdir()) == []
    (file,) = (state_dir() / "drafts" / workspace.key).glob("*.txt")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_was_sent_or_deleted_is_gone(workspace):
    for forget in (Drafts.clear, lambda drafts: drafts.save("")):
        drafts = Drafts(workspace)
        drafts.save("text")
        forget(drafts)
        drafts.close()
        assert Drafts(workspace).load() == ""


def test_workspaces_do_not_share(workspace, tmp_path):
    (tmp_path / "other").mkdir()
    Drafts(workspace).save("here")
    assert Drafts(Workspace(tmp_path / "other")).load() == ""


def test_a_second_window_neither_shows_nor_overwrites_the_text_of_the_first(workspace):
    first, second = Drafts(workspace), Drafts(workspace)
    first.save("first")
    assert second.load() == ""
    second.save("second")
    first.save("first, more")
    first.close()
    assert Drafts(workspace).load() == "first, more"


def test_the_draft_of_a_killed_window_is_taken_over(workspace):
    code = (
        "import sys; from pathlib import Path\n"
        "from dogent_tui.workspace.drafts import Drafts; from dogent_tui.workspace.paths import Workspace\n"
        "drafts = Drafts(Workspace(Path(sys.argv[1]))); drafts.save('unsent'); print('saved', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(workspace.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as window:
        assert window.stdout.readline() == b"saved\n"
        other = Drafts(workspace)
        assert other.load() == ""
        window.kill()
    other.close()
    assert Drafts(workspace).load() == "unsent"
