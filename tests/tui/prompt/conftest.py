"""A small app around a prompt, over a real workspace folder."""

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static

from dogent_tui.references.file_index import FileIndex
from dogent_tui.storage.paths import Workspace, shipped
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.prompt.box import PromptBox
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.prompt.model import Recall
from dogent_tui.tui.prompt.references import WorkspaceReferences
from dogent_tui.tui.textual_fixes.keys_in_turn import KeysInTurn
from dogent_tui.tui.widgets import ActionRequested
from tests.tui.idle import until

M = TypeVar("M", bound=Message)


async def done(argument: str) -> str:
    return argument


COMMANDS = (
    Command("attach", "Attach a file to the next prompt", done, "PATH", "file"),
    Command("export", "Write a document as PDF or Word", done, "PATH", "file"),
    Command("help", "Show the keys", done),
    Command("theme", "Choose the colors", done, "[name]"),
    Command("clean", "Forget", done, "history|all", "word", ("history", "all")),
)

_WORKBOOK = (
    '<?xml version="1.0"?><workbook'
    ' xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets><sheet name="Sales"'
    ' sheetId="1"/><sheet name="My costs" sheetId="2"/></sheets></workbook>'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with names of several kinds."""
    names = (
        "notes.md",
        "报告.md",
        "docs/report.md",
        "docs/interview with Li.txt",
        "my papers/draft one.md",
        "odd[b].md",
    )
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"About {name}\n")
    with zipfile.ZipFile(tmp_path / "numbers.xlsx", "w") as workbook:
        workbook.writestr("[Content_Types].xml", "<Types/>")
        workbook.writestr("xl/workbook.xml", _WORKBOOK)
    return tmp_path


class PromptApp(KeysInTurn):
    """The prompt under an empty transcript. `posted` is what the prompt told the app, `acted`
    what it had it do.
    """

    CSS_PATH = shipped("prompt.tcss")
    CSS = "#transcript { height: 1fr; }"

    def __init__(self, box: PromptBox, index: FileIndex) -> None:
        super().__init__()
        self.index = index
        self.box = box
        self.posted: list[Message] = []
        self.acted: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static("transcript", id="transcript")
        yield self.box

    def on_mount(self) -> None:
        self.box.focus_editor()

    @on(PromptEditor.Submitted)
    @on(PromptEditor.DraftChanged)
    @on(PromptEditor.ExternalEditorRequested)
    @on(PromptEditor.InterruptRequested)
    @on(ActionRequested)
    def note(self, message: Message) -> None:
        self.posted.append(message)

    def action_help(self) -> None:
        self.acted.append("help")

    async def action_quit(self) -> None:
        self.acted.append("quit")

    def messages(self, kind: type[M]) -> list[M]:
        return [message for message in self.posted if isinstance(message, kind)]

    async def press(self, pilot: Pilot[None], *keys: str) -> None:
        """Press `keys` in one burst, as a fast typist or a terminal does, and let the app come to
        rest.

        `Pilot.press` waits after each of them.
        """
        for key in keys:
            self.post_message(
                events.Key(
                    key,
                    {"space": " ", "question_mark": "?"}.get(key, key if len(key) == 1 else None),
                )
            )
        await pilot.pause()
        await pilot._wait_for_screen()

    @staticmethod
    async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
        """Let the app run until `condition` holds."""
        await until(pilot, condition)

    @property
    def sent(self) -> list[str]:
        return [message.text for message in self.messages(PromptEditor.Submitted)]

    @property
    def hint(self) -> str:
        return str(self.query_one("#prompt-hint", Static).content)


@pytest.fixture
def make_app(folder: Path) -> Callable[..., PromptApp]:
    """Make an app over `folder`, its index ready."""

    def make(history: Sequence[str] = ()) -> PromptApp:
        index = FileIndex(folder)
        index.refresh()
        box = PromptBox(WorkspaceReferences(Workspace(folder), index, COMMANDS))
        box.editor.recall = Recall(history)
        return PromptApp(box, index)

    return make
