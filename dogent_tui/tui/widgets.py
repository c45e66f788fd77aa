"""Helpers shared by the widgets of the application."""

from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from dogent_tui.language import tr

_M = TypeVar("_M", bound=Message)


@dataclass_transform(eq_default=False)
def message_fields(cls: type[_M]) -> type[_M]:
    """Make `cls` a message with the annotated fields, without comparison and repr: generating those
    methods would take time at start-up.
    """
    return dataclass(eq=False, repr=False)(cls)


def styled(widget: Widget, text: str | Content, part: str) -> Content:
    """Return `text` in the style of a component class of `widget`."""
    return Content.assemble(text).stylize(widget.get_visual_style(part, partial=True))


def duration(seconds: float) -> str:
    """Return a duration for display: ``0.4 s``, ``12 s``, ``3 min 5 s``, ``1 h 2 min``; whole
    seconds without a fraction if they are an `int`.
    """
    if seconds < 10 and isinstance(seconds, float):
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return tr("{minutes} min {seconds} s", minutes=whole // 60, seconds=whole % 60)
    return tr("{hours} h {minutes} min", hours=whole // 3600, minutes=whole % 3600 // 60)


def bound(key: str, action: str, words: str, **options: Any) -> Binding:
    """Return a binding whose `words` are shown in the language of the interface."""
    return Binding(key, action, tr(words), **options)


def hidden(key: str, action: str, words: str, **options: Any) -> Binding:
    """Return a binding hidden in the line of keys; the help lists it."""
    return bound(key, action, words, show=False, **options)


@message_fields
class ActionRequested(Message):
    """A part of the conversation screen requests `what` of `item`, mostly for the user."""

    what: str
    item: object = None
