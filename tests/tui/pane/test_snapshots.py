"""What the open document looks like: beside something else if there is room, alone where there is
not.
"""

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from dogent_tui.tui.pane.pane import DocumentPane
from dogent_tui.tui.pane.text import Changes, MarkdownText

TEXT = """---
title: 茶
---

# 茶的历史 A history of tea

茶是一种用茶树的叶子制成的饮料。它起源于中国，后来传到世界各地，成为仅次于水的第二大饮料。这一段文字很长，\
用来看看没有空格的文字怎样换行，以及标点符号会不会出现在行首。

Tea came to Europe in the *seventeenth* century, with **porcelain** and [b]no markup[/b]; see [the notes][n].

## 种类 Kinds

- 绿茶，未发酵
- 红茶，全发酵
  1. first
  2. second

| 种类 | water |
|---|---|
| 绿茶 | 80° |
| 红茶 | 95° |

> 水为茶之母。

```python
def brew(tea):
    return f"{tea} \x1b[31m"
```

## End

The last words.

[n]: https://example.org
"""  # noqa: E501


class PaneApp(App[None]):
    """A document with what changed in it, and lines that are chosen."""

    CSS = (
        "#conversation { width: 1fr; height: 100%; background: $background; color: $foreground;"
        " padding: 1 4; }"
    )

    def __init__(self, *, alone: bool) -> None:
        super().__init__()
        self.alone = alone
        self.pane = DocumentPane()

    def compose(self) -> ComposeResult:
        with Horizontal():
            if not self.alone:
                yield Static("The conversation.", id="conversation")
            yield self.pane

    def on_mount(self) -> None:
        markdown = MarkdownText(TEXT)
        self.pane.set_class(self.alone, "-whole")
        self.pane.say(
            "drafts/茶.md", "lines 13-14 will be sent with the next prompt", "2 lines changed"
        )
        self.pane.view.show(markdown.parts, markdown.definitions)
        self.pane.view.changes = Changes(added=(8, 28), cut=(19,))
        self.pane.view.choose((12, 14))
        self.pane.view.focus()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
def test_pane(snap_compare, size) -> None:
    assert snap_compare(PaneApp(alone=size[0] < 110), terminal_size=size)
