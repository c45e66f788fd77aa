"""The open document beside the conversation: opened, walked through, followed on the disk, asked about."""

import pytest

from dogent_tui.tui.pane.view import PaneView

TEXT = """# Tea

Tea is *hot*. It wants water,
and time.

## Kinds 茶的种类

- green
- black

```py
brew = 1
drink = 2
```

## End

The last words.
"""


@pytest.fixture
def draft(workspace):
    path = workspace.root / "draft.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def seen(stage) -> str:
    view = stage.app.screen.query_one(PaneView)
    return "\n".join("".join(segment.text for segment in view.render_line(y)).rstrip() for y in range(view.size.height))


async def opened(stage, what="draft.md") -> PaneView:
    await stage.type(f"/open {what}")
    await stage.pilot.press("escape", "enter")
    await stage.until(lambda: stage.app.screen.query(PaneView) and stage.app.conversation.has_document)
    await stage.until(lambda: stage.app.screen.query_one(PaneView).size.height)
    await stage.settle()
    return stage.app.screen.query_one(PaneView)


async def test_a_document_stands_beside_the_conversation(stage, draft) -> None:
    async with stage((120, 30)) as s:
        await opened(s)
        assert "Tea is hot. It wants water, and time." in seen(s)
        assert s.app.conversation.query_one("#conversation").display
        assert s.app.conversation.prompt.editor.has_focus
        assert s.app.opened.libraries.open_document == "draft.md"
