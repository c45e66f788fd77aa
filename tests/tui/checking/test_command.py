"""/check in the application: the list of findings, and the passage of each beside the
conversation.
"""

import pytest

from dogent_tui.tui.screens.choice import ChoiceScreen
from tests.tui.pane.test_pane import Pane

pytestmark = pytest.mark.slow

NOTES = (
    "# Notes\n\n"
    + "A line to fill the page.\n\n" * 60
    + "The ferry leaves the small harbour at seven, and it does not wait.\n"
)
DRAFT = (
    "“at seven, and it does wait” (notes.md)\n\n“a whale was never seen here” (notes.md)\n\n"
    "“leaves the small harbour at seven” (notes.md)\n"
)


@pytest.fixture
def folder(workspace):
    (workspace.root / "notes.md").write_text(NOTES, encoding="utf-8")
    (workspace.root / "draft.md").write_text(DRAFT, encoding="utf-8")
    return workspace.root


async def typed(scene, command: str) -> None:
    await scene.type(command)
    await scene.pilot.press("enter")


def rows(scene) -> list[str]:
    """The answers of a choice; none before it is composed."""
    if not (found := scene.app.screen.query("#choice-answers")):
        return []
    answers = found.first()
    return [str(answers.get_option_at_index(n).prompt) for n in range(answers.option_count)]


async def test_the_margin_of_an_open_draft_says_what_was_found(stage, folder):
    async with stage(size=(160, 40)) as scene:
        try:
            await typed(scene, "/open draft.md")
            pane = Pane(scene)
            await scene.until(lambda: pane.is_seen and any("whale" in row for row in pane.rows()))
            assert not any(mark in row[:2] for row in pane.rows() for mark in "≠?✓")
            await typed(scene, "/check draft.md")
            await scene.until(lambda: isinstance(scene.app.screen, ChoiceScreen))
            await scene.pilot.press("escape")
            await scene.until(lambda: any("≠" in row for row in pane.rows()))
            seen = {row[2:].split(" ")[0]: row[0] for row in pane.rows() if "“" in row}
            assert seen == {"“at": "≠", "“a": "?", "“leaves": "✓"}
        finally:
            await scene.app.opened.libraries.close()


async def test_enter_on_a_finding_opens_its_passage_and_next_continues(stage, folder):
    async with stage(size=(160, 40)) as scene:
        try:
            await typed(scene, "/check draft.md")
            await scene.until(lambda: isinstance(scene.app.screen, ChoiceScreen))
            assert [row.split(" · ")[:2] for row in rows(scene)] == [
                ["line 1", "altered (negation)"],
                ["line 3", "not found"],
            ]
            await scene.pilot.press("enter")
            pane = Pane(scene)
            await scene.until(
                lambda: pane.is_seen and any("The ferry leaves" in row for row in pane.rows())
            )
            await scene.until(lambda: "does [-not-] wait" in scene.hint)
            assert scene.hint.startswith("1 of 2")
            await typed(scene, "/check next")
            await scene.until(lambda: scene.hint.startswith("2 of 2"))
            await scene.until(lambda: any("a whale was never seen" in row for row in pane.rows()))
        finally:
            await scene.app.opened.libraries.close()


async def test_a_document_without_a_fault_is_a_line(stage, folder):
    (folder / "draft.md").write_text(
        "“leaves the small harbour at seven” (notes.md)\n", encoding="utf-8"
    )
    async with stage(size=(100, 30)) as scene:
        try:
            await typed(scene, "/check draft.md")
            await scene.until(lambda: "2 claims checked: 2 verbatim." in scene.hint)
            await typed(scene, "/check gone.txt")
            await scene.until(lambda: "not a Markdown file" in scene.hint)
        finally:
            await scene.app.opened.libraries.close()


async def test_a_claim_without_marks_has_its_nearest_passages_and_no_verdict(stage, folder):
    (folder / "draft.md").write_text(
        "# Ferry\n\nLate passengers are left behind at the harbour by the ferry at seven.\n"
    )
    async with stage(size=(160, 40)) as scene:
        try:
            await typed(scene, "/check passages")
            await scene.until(lambda: "Choose the lines of a claim" in scene.hint)
            await typed(scene, "/open draft.md")
            pane = Pane(scene)
            await scene.until(lambda: pane.is_seen and any("Late" in row for row in pane.rows()))
            pane.view.choose((2, 3))
            await typed(scene, "/check passages")
            await scene.until(lambda: isinstance(scene.app.screen, ChoiceScreen) and rows(scene))
            first, *_ = rows(scene)
            assert first.startswith("notes.md, line 123 · The ferry leaves the small harbour")
            await scene.pilot.press("enter")
            await scene.until(lambda: any("it does not wait" in row for row in pane.rows()))
        finally:
            await scene.app.opened.libraries.close()
