"""The style sheets of widgets that bring their own."""

from dogent_tui.storage.paths import shipped


def styles(name: str) -> str:
    """Return the text of the style sheet `name` (such as ``"keys.tcss"``)."""
    return shipped(name).read_text(encoding="utf-8")
