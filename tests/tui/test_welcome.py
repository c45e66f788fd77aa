"""What an empty conversation offers, and how it is chosen."""

import pytest

from dogent_tui.agent.events import Prompt, RunStarted
from dogent_tui.sample import copy_sample
from dogent_tui.sample.requests import requests_for
from dogent_tui.tui.welcome import Welcome

pytestmark = pytest.mark.slow


def drawn(stage) -> str:
    return "\n".join(
        "".join(segment.text for segment in line)
        for line in stage.app.screen._compositor.render_strips()
    )


@pytest.fixture
def sample(workspace):
    """The sample in the place of the workspace."""
    for path in workspace.root.iterdir():
        path.unlink()
    copy_sample(workspace.root)
    return requests_for([path.name for path in workspace.root.iterdir()])


@pytest.mark.parametrize("size", [(30, 8), (80, 24), (200, 60)])
async def test_three_requests_are_chosen_with_a_key(stage, sample, size) -> None:
    async with stage(size) as s:
        await s.until(lambda: "Tab  What was decided" in drawn(s))
        assert len(sample) == 3
        editor = s.app.conversation.prompt.editor
        for request in (*sample, sample[0]):
            await s.pilot.press("tab")
            assert editor.value == request
        await s.pilot.press("enter")
        await s.until(lambda: s.conversation.sent)
        assert s.conversation.sent[0].startswith(sample[0])
        await s.pilot.press("tab")
        assert editor.value == ""


async def test_what_is_typed_is_not_replaced(stage, sample) -> None:
    async with stage((80, 24)) as s:
        await s.until(lambda: "Tab  What was decided" in drawn(s))
        await s.type("My own words")
        await s.pilot.press("tab")
        assert s.app.conversation.prompt.editor.value.startswith("My own words")


async def test_one_is_chosen_with_the_mouse(stage, sample) -> None:
    async with stage((80, 24)) as s:
        await s.until(lambda: "Tab  What was decided" in drawn(s))
        row = next(y for y, line in enumerate(drawn(s).split("\n")) if "Which month" in line)
        await s.pilot.click(offset=(12, row))
        await s.until(lambda: s.app.conversation.prompt.editor.value == sample[1])
        assert s.app.conversation.prompt.editor.has_focus


async def test_an_empty_folder_leads_to_the_sample(stage, workspace, home) -> None:
    for path in workspace.root.iterdir():
        path.unlink()
    async with stage((80, 24)) as s:
        await s.until(lambda: "/sample" in drawn(s))
        s.app.conversation.prompt.editor.replace_all("/sample")
        await s.pilot.press("escape", "enter")
        await s.until(lambda: "~/dogent-sample?" in drawn(s) and s.app.screen.guard.open)
        await s.pilot.press("down", "enter")
        await s.until(lambda: s.app.elsewhere is not None)
        assert s.app.elsewhere[0].root == home / "dogent-sample"
        assert (home / "dogent-sample" / "meeting-notes.md").exists()


async def test_it_is_gone_once_something_is_said(stage, sample) -> None:
    async with stage((80, 24)) as s:
        s.app.conversation.handle(RunStarted(run_id="1", prompt=Prompt("go")))
        await s.until(lambda: not s.app.conversation.query_one(Welcome).display)
