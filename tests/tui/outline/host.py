"""An application with nothing but the outline editor."""

from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.screens.offers import show_offers
from dogent_tui.tui.screens.outline import OutlineScreen, OutlineTask
from dogent_tui.tui.textual_fixes.keys_in_turn import KeysInTurn
from dogent_tui.tui.themes import THEMES

PROPOSAL = OutlineTask(
    "An outline for the report",
    """# Report on tea 茶

## 1. Background (300 words)

What the house serves, and since when. See [b]the notes[/b].

### 1.1 Guests

### 1.2 市场与客户（约500字）

- 数据来源
- 口径

## 2. Method

Two visits a week, counted by hand.

## 3. Results

### 3.1 Tea rose

### 3.2 Coffee fell

## Sources
""",
    "Is this how you want it? It would come to about eight pages.",
    save_as=lambda name, text: name,
)


class OutlineHost(KeysInTurn):
    """Opens the editor for `task`, and keeps what came of it in `results`."""

    CSS_PATH = DogentApp.CSS_PATH
    check_action = DogentApp.check_action

    def __init__(self, task: OutlineTask) -> None:
        super().__init__()
        self.editor = OutlineScreen(task)
        self.results: list = []

    def action_command_palette(self) -> None:
        show_offers(self, "Commands", "", self.editor.offers())

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.push_screen(self.editor, self.results.append)
