"""What is on the screen can be read: every cell, in every theme, whatever state it is in."""

from collections.abc import Iterator

import pytest
from rich.segment import Segment
from textual.selection import SELECT_ALL
from textual.widgets import OptionList
from textual.widgets._toast import Toast

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.events import TextFinished, ToolResult, ToolUse
from dogent_tui.tui.legible import contrast, is_text
from tests.tui.test_app import ask

REPLY = """# Draft

Tea is **hot**, says *the* [note](https://example.org), `and so on`.

- one
- two

> quoted

```python
def pour(cup: int) -> str:  # slowly
    return "tea" * 2
```

| a | b |
|---|---|
| 1 | 茶 |
"""

_BLOCKS = {chr(point) for point in range(0x2580, 0x25A0)}
"""Parts of cells that are painted, such as the edge of a frame: ground, and no ink."""


def poor_cells(app) -> Iterator[str]:
    """Yield what cannot be read of what is on the screen now: what is drawn, its ink, its
    ground, their contrast.
    """
    ansi = app.current_theme.ansi
    for strip in app.screen._compositor.render_strips():
        for text, style, _ in strip:
            drawn = set(text) - _BLOCKS - {" ", "\xa0"}
            if not drawn or style is None or style.color is None or style.bgcolor is None:
                continue
            # the terminal's own, which nobody knows
            if ansi or style.color.is_default or style.bgcolor.is_default:
                if style.color == style.bgcolor and not style.color.is_default:
                    yield f"{text!r} {style}"
                continue
            ink, ground = style.color.get_truecolor(), style.bgcolor.get_truecolor()
            if style.reverse:
                ink, ground = ground, ink
            ratio = contrast(ink, ground)
            if ratio < (4.5 if is_text(text) else 3) - 0.005 and not (
                ink == ground and not is_text(text)
            ):
                yield f"{text.strip()!r} {ink.hex} on {ground.hex}: {ratio:.2f}"


async def in_every_theme(s, state: str, look=None) -> list[str]:
    """Change the theme while it runs, through all of them, and return what cannot be read after
    each change.

    To change it styles and draws everything: states that hide nothing of each other share a walk.
    """
    poor = []
    for name in s.app.available_themes:
        s.app.theme = name
        await s.pilot.pause()
        await s.app.screen.wait_for_refresh()
        await s.pilot.pause()
        if look is not None:
            await look()
        poor += [f"{state}, {name}: {cell}" for cell in poor_cells(s.app)]
    return poor


async def a_conversation(s) -> None:
    await s.send("Write on @notes.md ")
    path = str(s.app.opened.workspace.root / "notes.md")
    s.conversation.arrive(
        ToolUse(tool_use_id="1", name="Read", input={"file_path": path}),
        ToolResult(tool_use_id="1", content="Tea"),
        ToolUse(
            tool_use_id="2",
            name="Edit",
            input={"file_path": path, "old_string": "Tea", "new_string": "Coffee"},
        ),
        ToolResult(tool_use_id="2", content="It is not there.", is_error=True),
        TextFinished(message_id="m", block=0, text=REPLY),
        TurnEnded("completed", text=REPLY),
    )
    await s.until(lambda: s.app.conversation.transcript.model.last_reply())
    await s.settle()


def selected_cells(app) -> list[Segment]:
    """The cells of the transcript whose ground is the selection's."""
    behind = app.conversation.transcript.palette.styles["selection"]
    found = [
        part
        for strip in app.screen._compositor.render_strips()
        for part in strip
        if part.style is not None
    ]
    ansi = app.current_theme.ansi
    return [
        part
        for part in found
        if (part.style.reverse if ansi else part.style.bgcolor == behind.bgcolor)
    ]


@pytest.mark.thorough
@pytest.mark.slow
async def test_what_is_selected_and_a_sidebar_that_is_focused_can_be_read_in_every_theme(stage):
    async with stage(size=(120, 40)) as s:
        await a_conversation(s)
        screen = s.app.conversation

        async def select() -> None:
            s.app.screen.selections = {screen.transcript: SELECT_ALL}
            await s.pilot.pause()
            assert any("Tea is" in part.text for part in selected_cells(s.app))

        screen.conversation_layout.sidebar.focus_list()
        assert not await in_every_theme(s, "selected, sidebar focused", select)


@pytest.mark.thorough
@pytest.mark.slow
async def test_what_is_pointed_at_can_be_read_in_every_theme(stage):
    async with stage(size=(120, 40)) as s:
        await a_conversation(s)
        s.app.conversation.conversation_layout.sidebar.focus_list()
        await s.pilot.hover("#attachments-list", offset=(3, 0))
        assert s.app.conversation.conversation_layout.sidebar.query_one(
            "#attachments-list"
        ).is_mouse_over
        assert not await in_every_theme(s, "hovered")


@pytest.mark.thorough
@pytest.mark.slow
async def test_toasts_can_be_read_in_every_theme(stage):
    async with stage(size=(120, 40), notifications=True) as s:
        for severity in ("information", "warning", "error"):
            s.app.notify("Something was said.", title="Said", severity=severity, timeout=6000)
        await s.until(lambda: len(s.app.screen.query(Toast)) == 3)
        assert not await in_every_theme(s, "toast")


@pytest.mark.thorough
@pytest.mark.slow
async def test_what_is_focused_and_what_is_disabled_can_be_read_in_every_theme(stage):
    async with stage(size=(120, 40)) as s:
        await a_conversation(s)
        screen = s.app.conversation
        screen.transcript.focus()
        await s.pilot.press("up")
        screen.conversation_layout.sidebar.query(OptionList).set(disabled=True)
        screen.prompt.editor.disabled = True
        assert not await in_every_theme(s, "transcript focused, others disabled")
        assert screen.transcript.has_focus


@pytest.mark.thorough
@pytest.mark.slow
async def test_pickers_and_palettes_can_be_read_in_every_theme(stage):
    async with stage(size=(120, 40)) as s:
        await s.type("/")
        await s.until(lambda: s.app.conversation.prompt.picker.display)
        poor = await in_every_theme(s, "commands")
        await s.pilot.press("escape", "ctrl+c", "ctrl+p")
        await s.until(
            lambda: (
                s.app.screen is not s.app.conversation
                and s.app.screen.query_one(OptionList).option_count
            )
        )
        poor += await in_every_theme(s, "palette")
        assert not poor


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("action", ["action_help", "action_settings"])
async def test_screens_can_be_read_in_every_theme(stage, action):
    async with stage(size=(120, 40)) as s:
        getattr(s.app, action)()
        await s.until(lambda: s.app.screen is not s.app.conversation)
        assert not await in_every_theme(s, action)


EDIT = {"file_path": "notes.md", "old_string": "Tea is hot.", "new_string": "Tea is *very* hot."}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "asked_for"), [("Bash", {"command": "rm notes.md"}), ("Edit", EDIT)]
)
async def test_a_question_can_be_read_in_every_theme(stage, tool, asked_for):
    async with stage(size=(120, 40)) as s:
        await s.send("go")
        asked = await ask(s, tool, asked_for)
        await s.until(lambda: s.app.screen.guard.open)
        poor = await in_every_theme(s, "question")
        await s.pilot.press("n")
        await asked
        assert not poor


async def test_the_sidebar_has_the_ink_of_the_theme_there_is(stage):
    async with stage(size=(140, 40)) as s:
        await a_conversation(s)
        sidebar = s.app.conversation.conversation_layout.sidebar
        inks = set()
        for name in ("dogent-paper", "dogent-night", "textual-light"):
            s.app.theme = name
            await s.pilot.pause()
            await s.app.screen.wait_for_refresh()
            row = sidebar.query_one("#attachments-list", OptionList).render_line(1)
            inks.add(row._segments[-1].style.color)
        assert len(inks) == 3
