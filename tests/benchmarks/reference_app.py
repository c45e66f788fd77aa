"""The least that a Textual application with such a screen can be: what ours is compared with."""

from textual.app import App, ComposeResult
from textual.widgets import Markdown, TextArea, Tree


class ReferenceApp(App[None]):
    """A text to write, a text to read and a tree."""

    def compose(self) -> ComposeResult:
        yield Markdown("# Nothing yet")
        yield Tree("Files")
        yield TextArea(placeholder="What would you like to write?")

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()


if __name__ == "__main__":
    ReferenceApp().run()
