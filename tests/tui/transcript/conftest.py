from collections.abc import Callable

import pytest
from textual.app import App, ComposeResult

from dogent_tui.agent import events as ev
from dogent_tui.tui.transcript.search_bar import SearchBar
from dogent_tui.tui.transcript.view import Transcript
from dogent_tui.tui.widgets import ActionRequested

REPLY = """\
# A short plan

The notes say **three things** that matter, and one that *may*; see [the draft](https://example.org/draft) and `notes/a.md`.

1. Costs fell by 12 % in the second quarter, which nobody had expected.
2. The office moves
   - to the ~~old~~ new building
   - in *October*
3. 季度报告显示，成本下降了百分之十二，而团队规模保持不变。

> Nobody reads a plan that is longer than a page.

| Quarter | Cost | What changed |
|:--|--:|---|
| Q1 | 1,204 | nothing |
| Q2 | 1,060 | two contracts ended, and the third was renewed on better terms than before |

```python
def total(costs: list[int]) -> int:
    # a comment
    return sum(costs) + 12
```

- [x] read the notes
- [ ] write the draft

Literal: [/b] [x](y) is a link, [ ] is not, and \x1b[31mthis is not red\x1b[0m.
"""  # noqa: E501


def conversation() -> list[ev.Event]:
    """A run with everything in it."""
    todos = (
        ev.Todo("Read the notes", "completed"),
        ev.Todo("Write the draft", "in_progress"),
        ev.Todo("Check it", "pending"),
    )
    old, new = "# Plan\nold line\nsame", "# Plan\nnew line\nsame"
    edit = {"file_path": "/texts/drafts/plan.md", "old_string": old, "new_string": new}
    prompt = "Write a short plan from @notes/a.md and @costs.xlsx#Q2.\nKeep it to one page."
    refused = "The endpoint rejects the key (401)."
    return [
        ev.SessionStarted(session_id="s", profile="p", model="m", endpoint="offline", cwd="/texts"),
        ev.RunStarted(prompt=ev.Prompt(prompt), run_id="1"),
        ev.ThinkingDelta(message_id="m", block=0,
            text="A plan is wanted.\nI should read the notes first.", time=100, run_id="1"),
        ev.ThinkingDelta(message_id="m", block=0, text=" Then write.", time=104, run_id="1"),
        ev.TextFinished(message_id="m", block=1, text="I will read the notes first.", run_id="1",
            time=104),
        ev.TodosChanged(todos=todos, run_id="1"),
        ev.ToolUse(tool_use_id="t1", name="Read", input={"file_path": "/texts/notes/a.md"},
            run_id="1", time=105),
        ev.ToolResult(tool_use_id="t1", content="line\n" * 120, run_id="1", time=106),
        ev.ToolUse(tool_use_id="t2", name="mcp__dogent__read_document", input={"path": "costs.xlsx",
            "sheet": "Q2"}, run_id="1"),
        ev.ToolResult(tool_use_id="t2", content="No sheet is called Q2.\nSheets: Q1, Q3",
            is_error=True, run_id="1"),
        ev.ToolUse(tool_use_id="t3", name="Edit", input=edit, run_id="1"),
        ev.ToolResult(tool_use_id="t3", content="The file has been updated.", run_id="1"),
        ev.PermissionRequested(request_id="r", tool_use_id="t4", tool="Bash",
            input={"command": "rm -r old drafts"}, run_id="1"),
        ev.PermissionDecided(request_id="r", tool_use_id="t4", decision="deny",
            message="Keep them.", run_id="1"),
        ev.TextFinished(message_id="n", block=0, text=REPLY, run_id="1"),
        ev.Notice(level="warning", message="`profil` is no known key of dogent.json.",
            remedy="Did you mean `profile`?"),
        ev.RunFinished(status="completed", duration_ms=12_300, cost_usd=0.0312, run_id="1"),
        ev.RunStarted(prompt=ev.Prompt("And now the costs"), run_id="2"),
        ev.RunFinished(status="failed", duration_ms=900, reason=refused,
            remedy="Check the profile.", run_id="2"),
    ]  # fmt: skip


class TranscriptApp(App[None]):
    """A transcript and its search bar, with some events to start with."""

    BINDINGS = [("ctrl+f", "search", "Find")]  # noqa: RUF012

    def __init__(self, events: list[ev.Event] | None = None) -> None:
        super().__init__()
        self.transcript = Transcript()
        self.opened: list[str] = []
        self._log = events or []

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield SearchBar(self.transcript)

    def on_mount(self) -> None:
        self.transcript.replay(self._log)
        self.transcript.focus()

    def action_search(self) -> None:
        self.query_one(SearchBar).open()

    def on_action_requested(self, message: ActionRequested) -> None:
        self.opened.append(message.item)


@pytest.fixture
def make_app() -> Callable[..., TranscriptApp]:
    return TranscriptApp


@pytest.fixture
def log() -> list[ev.Event]:
    return conversation()
