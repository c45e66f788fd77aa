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
