"""What the outline editor is opened for, and what comes of it."""

from collections.abc import Callable
from typing import Literal

import msgspec


class OutlineResult(msgspec.Struct, frozen=True):
    """How the user left the editor.

    `accepted`: the proposal as it is. `edited`: `markdown` is the whole outline, `changes` say what
    is other than proposed, and `comment` is for the agent. `left`: nothing was decided, and the
    draft stands. `abandoned`: they want none of it.
    """

    outcome: Literal["accepted", "edited", "left", "abandoned"]
    markdown: str = ""
    changes: tuple[str, ...] = ()
    comment: str = ""


class OutlineTask(msgspec.Struct, frozen=True):
    """What the editor is opened for.

    `draft`: what the user had made of `proposal` before. `on_draft` is called with the text soon
    after each change. `notice` is said first.
    `save_as(name, text)` writes a new file and returns its name; `save(text)` makes this the editor
    of a document. Both are called in a thread and raise DogentError.
    """

    title: str
    proposal: str
    preface: str = ""
    draft: str | None = None
    notice: str = ""
    on_draft: Callable[[str], object] | None = None
    save_as: Callable[[str, str], str] | None = None
    save: Callable[[str], None] | None = None

    def offers(self, action: str) -> bool:
        """Say whether the editor has this action: a document is saved, an outline of the agent
        is answered.
        """
        if action in ("send", "accept", "abandon", "ask('comment')", "ask('length')"):
            return self.save is None
        if action == "save":
            return self.save is not None
        return self.save_as is not None if action == "ask('save')" else True
