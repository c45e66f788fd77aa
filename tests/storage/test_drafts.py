import stat
import subprocess
import sys

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dogent_tui.storage.drafts import Drafts
from dogent_tui.storage.paths import Workspace, state_dir


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
    drafts = Drafts(workspace)
    drafts.save("text")
    drafts.save("")
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
        "import sys; from pathlib import Path\nfrom dogent_tui.storage.drafts import Drafts; from"
        " dogent_tui.storage.paths import Workspace\ndrafts ="
        " Drafts(Workspace(Path(sys.argv[1]))); drafts.save('unsent'); print('saved', flush=True);"
        " sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(workspace.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as window:
        assert window.stdout.readline() == b"saved\n"
        other = Drafts(workspace)
        assert other.load() == ""
        window.kill()
    other.close()
    assert Drafts(workspace).load() == "unsent"


TYPED = st.lists(st.text(alphabet="ab\n文👍\u0301\udc80", max_size=6), max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TYPED)
def test_the_text_that_was_saved_last_is_there_again(workspace, texts):
    drafts = Drafts(workspace)
    drafts.load()  # what the run before left
    for text in ("", *texts):
        drafts.save(text)
    drafts.close()
    after = Drafts(workspace)
    assert after.load() == ["", *texts][-1]
    after.close()


def test_a_draft_that_is_exchanged_for_a_link_is_written_in_its_place_and_not_through_it(
    workspace, tmp_path
):
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text("of someone else")
    drafts = Drafts(workspace)
    drafts.save("typed")
    (file,) = (state_dir() / "drafts" / workspace.key).glob("*.txt")
    file.unlink()
    file.symlink_to(elsewhere)
    assert Drafts(workspace).load() == ""
    drafts.save("typed on")
    drafts.close()
    assert elsewhere.read_text() == "of someone else"
    assert Drafts(workspace).load() == "typed on"


def test_a_draft_that_somebody_deleted_is_written_again(workspace):
    drafts = Drafts(workspace)
    drafts.save("typed")
    next((state_dir() / "drafts" / workspace.key).glob("*.txt")).unlink()
    drafts.save("typed on")
    drafts.close()
    assert Drafts(workspace).load() == "typed on"
