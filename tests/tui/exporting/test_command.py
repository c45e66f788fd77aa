"""/export in the application: with the real engines where they make the file, by hand where it
matters when something happens.
"""

import asyncio
from contextlib import asynccontextmanager

import docx
import pymupdf
import pytest
from textual.widgets import Static

from dogent_tui.agent.events import ToolResult, ToolUse
from dogent_tui.documents.export.model import ExportResult
from dogent_tui.documents.exporter import Exporter
from dogent_tui.documents.model import DocumentError
from dogent_tui.tui.dialog import ChoiceList
from dogent_tui.tui.exporting import controller
from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.permission import PermissionScreen

REPORT = "# Visits\n\nMany came. ![gone](gone.png)\n"


class HeldExporter:
    """Makes a file once it is told to, and tells what it does."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()
        self.was_stopped = False

    async def export(self, request, on_progress):
        on_progress("Printing [b]")
        try:
            await self.may_go_on.wait()
        except asyncio.CancelledError:
            self.was_stopped = True
            raise
        request.target.write_bytes(b"made")
        return ExportResult(path=request.target, engine="Chromium 150.0.7871.100", pages=3)


@pytest.fixture
def exporting(stage, workspace):
    """The application with a report in its folder; what made the files is gone at the end."""

    @asynccontextmanager
    async def opened(size=(100, 30)):
        (workspace.root / "report.md").write_text(REPORT, encoding="utf-8")
        async with stage(size=size) as scene:
            try:
                yield scene
            finally:
                libraries = scene.app.opened.libraries
                if not isinstance(libraries.__dict__.get("exporter"), HeldExporter):
                    await libraries.close()

    return opened


async def run(scene, text: str) -> None:
    scene.app.conversation.prompt.editor.show(text)
    await scene.pilot.press("escape", "enter")
    await scene.until(lambda: not scene.app.conversation.prompt.editor.value)


def answers(scene) -> list[str]:
    """Return what can be chosen."""
    return [str(option.prompt) for option in scene.app.screen.query_one(ChoiceList).options]


async def test_a_docx_is_made_and_replaced_only_after_the_question(exporting, workspace):
    async with exporting() as scene:
        await run(scene, "/export report.md docx")
        await scene.until(lambda: "Wrote report.docx" in scene.hint)
        assert "by pandoc 3." in scene.hint
        path = workspace.root / "report.docx"
        assert docx.Document(str(path)).paragraphs[0].text == "Visits"
        transcript = scene.app.conversation.transcript
        assert "Left out of report.docx" in str(transcript.model.entries[-1])
        assert "gone.png" in str(transcript.model.entries[-1])

        before = path.read_bytes()
        (workspace.root / "report.md").write_text("# Other\n", encoding="utf-8")
        await run(scene, "/export report.md docx")
        await scene.until(
            lambda: isinstance(scene.app.screen, PermissionScreen) and scene.app.screen.guard.open
        )
        assert "/export" in str(scene.app.screen.request.reasons)
        await scene.pilot.press("n")
        await scene.until(lambda: "report.docx is unchanged" in scene.hint)
        assert path.read_bytes() == before
        await run(scene, "/export report.md docx")
        await scene.until(
            lambda: isinstance(scene.app.screen, PermissionScreen) and scene.app.screen.guard.open
        )
        await scene.pilot.press("y")
        await scene.until(lambda: path.read_bytes() != before and "Wrote report.docx" in scene.hint)
        assert docx.Document(str(path)).paragraphs[0].text == "Other"


async def test_progress_is_told_and_esc_stops_it(exporting, workspace):
    async with exporting() as scene:
        held = scene.app.opened.libraries.exporter = HeldExporter()
        await run(scene, "/export report.md docx out.docx")
        await scene.until(lambda: scene.hint == "Printing [b]… · Esc stops it")
        await scene.type("typed meanwhile")
        assert scene.hint == "Printing [b]… · Esc stops it"
        await scene.pilot.press("escape")
        await scene.until(lambda: "was stopped" in scene.hint)
        assert held.was_stopped
        assert scene.app.conversation.prompt.editor.value == "typed meanwhile"
        assert not (workspace.root / "out.docx").exists()
        assert scene.conversation.interrupts == 0

        held.may_go_on.set()
        await run(scene, "/export report.md docx out.docx")
        await scene.until(lambda: scene.hint == "Wrote out.docx: 3 pages, 4 B, by Chromium 150.0.")


async def test_only_one_at_a_time_and_none_after_the_conversation_was_left(exporting, workspace):
    async with exporting() as scene:
        held = scene.app.opened.libraries.exporter = HeldExporter()
        await run(scene, "/export report.md docx one.docx")
        await scene.until(lambda: scene.app.conversation.foreground.busy)
        scene.app.conversation.typed.submit("/export report.md docx two.docx", ())
        await scene.until(lambda: "in progress" in scene.hint)
        scene.app.conversation.typed.submit("/new", ())
        await scene.until(lambda: held.was_stopped)
        assert not list(workspace.root.glob("*.docx"))


async def test_without_a_name_it_is_the_one_written_last_or_the_one_picked(exporting, workspace):
    async with exporting() as scene:
        scene.app.opened.libraries.exporter = HeldExporter()
        scene.app.opened.libraries.exporter.may_go_on.set()
        await run(scene, "/export docx")
        await scene.until(
            lambda: isinstance(scene.app.screen, ChoiceScreen) and scene.app.screen.guard.open
        )
        await scene.pilot.press("escape")
        await scene.until(lambda: scene.hint == "Nothing was exported.")
        await run(scene, "/export docx")
        await scene.until(
            lambda: isinstance(scene.app.screen, ChoiceScreen) and scene.app.screen.guard.open
        )
        names = answers(scene)
        assert sorted(names) == ["notes.md", "report.md", "销售 2025.md"]
        await scene.pilot.press(*["down"] * names.index("notes.md"), "enter")
        await scene.until(lambda: "Wrote notes.docx" in scene.hint)

        path = str(workspace.root / "report.md")
        scene.app.conversation.handle(
            ToolUse(run_id="1", tool_use_id="t", name="Write", input={"file_path": path})
        )
        scene.app.conversation.handle(ToolResult(run_id="1", tool_use_id="t", content="written"))
        await run(scene, "/export docx")
        await scene.until(lambda: "Wrote report.docx" in scene.hint)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/export missing.md", "There is no file missing.md here."),
        ("/export a.md b.md", "is not recognized"),
        ("/export report.md .dogent/x.pdf", "outside .dogent"),
        ("/export report.md pdf notes.md/..", "is a folder"),
    ],
)
async def test_what_cannot_be_exported_is_said(exporting, typed, said):
    async with exporting(size=(160, 30)) as scene:
        await run(scene, typed)
        await scene.until(lambda: said in scene.hint)


@pytest.mark.thorough
async def test_without_a_browser_one_is_offered_once(exporting, workspace, monkeypatch):
    fetched: list[str] = []

    async def refuse(tell):
        fetched.append("asked for")
        tell("10 %")
        raise DocumentError("The browser could not be installed: no network.", "Install Chromium.")

    monkeypatch.setattr(controller, "find_browsers", list)
    monkeypatch.setattr(controller, "install_browser", refuse)
    async with exporting() as scene:
        scene.app.opened.libraries.exporter = Exporter(list)
        await run(scene, "/export report.md a.pdf")
        await scene.until(
            lambda: isinstance(scene.app.screen, ChoiceScreen) and scene.app.screen.guard.open
        )
        await scene.pilot.press("escape")
        await scene.until(lambda: scene.hint == "Nothing was exported.")
        await run(scene, "/export report.md a.pdf")
        await scene.until(
            lambda: isinstance(scene.app.screen, ChoiceScreen) and scene.app.screen.guard.open
        )
        assert "100 MB" in answers(scene)[1]
        await scene.pilot.press("down", "enter")
        await scene.until(lambda: "Wrote a.pdf" in scene.hint)
        assert "by typst" in scene.hint
        assert "no network" in str(scene.app.conversation.transcript.model.entries)
        with pymupdf.open(workspace.root / "a.pdf") as pdf:
            assert "Many came" in pdf[0].get_text()
        await run(scene, "/export report.md b.pdf")
        await scene.until(lambda: "Wrote b.pdf" in scene.hint)
        assert fetched == ["asked for"]


async def test_a_browser_that_was_fetched_prints_the_pdf(exporting, monkeypatch):
    async def install(tell):
        tell("Downloading")

    monkeypatch.setattr(controller, "find_browsers", list)
    monkeypatch.setattr(controller, "install_browser", install)
    async with exporting() as scene:
        scene.app.opened.libraries.exporter = HeldExporter()
        scene.app.opened.libraries.exporter.may_go_on.set()
        await run(scene, "/export report.md")
        await scene.until(
            lambda: isinstance(scene.app.screen, ChoiceScreen) and scene.app.screen.guard.open
        )
        await scene.pilot.press("down", "enter")
        await scene.until(lambda: "Wrote report.pdf" in scene.hint)


async def test_without_pandoc_it_says_what_to_install(exporting, no_pandoc):
    async with exporting() as scene:
        await run(scene, "/export report.md docx")
        await scene.until(
            lambda: "Nothing was exported. This kind of document needs pandoc" in scene.hint
        )
        assert "pypandoc_binary" in scene.hint


async def test_the_doctor_shows_what_the_command_line_shows(stage):
    async with stage() as scene:
        await run(scene, "/doctor")

        def drawn() -> str:
            return "\n".join(
                "".join(segment.text for segment in line)
                for line in scene.app.screen._compositor.render_strips()
            )

        await scene.until(lambda: "Claude CLI" in drawn() and "✓ pandoc" in drawn())
        await scene.pilot.press("escape")
        assert scene.app.screen is scene.app.conversation


async def test_a_theme_is_chosen_by_its_picture(exporting, workspace):
    async with exporting() as scene:
        await run(scene, "/export report.md docx theme")
        await scene.until(
            lambda: isinstance(scene.app.screen, ChoiceScreen) and scene.app.screen.guard.open
        )
        picture = scene.app.screen.query_one("#choice-picture", Static)
        article = picture.content.spans
        assert str(picture.content).count("▀") > 300
        await scene.pilot.press("down")  # to the letter
        await scene.until(lambda: picture.content.spans != article)
        await scene.pilot.press("enter")
        await scene.until(lambda: "Wrote report.docx" in scene.hint)
    styles = docx.Document(str(workspace.root / "report.docx")).styles
    assert styles["Heading 1"].font.size.pt == 13
