"""What the outline editor is opened for."""

from collections.abc import Callable

import msgspec

from dogent_tui.tui.prompt.completion import Completions


class OutlineTask(msgspec.Struct, frozen=True):
    """What the editor is opened for.

    `draft`: what the user had made of `proposal` before. `on_draft` is called with the text soon
    after each change. `notice` is said first.
    `save_as(name, text)` writes a new file and returns its name; `save(text)` makes this the editor
    of a document. Both are called in a thread and raise DogentError. `completions`: what may be
    cited in it.
    """

    title: str
    proposal: str
    preface: str = ""
    draft: str | None = None
    notice: str = ""
    on_draft: Callable[[str], object] | None = None
    save_as: Callable[[str, str], str] | None = None
    save: Callable[[str], None] | None = None
    completions: Completions | None = None

    def offers(self, action: str) -> bool:
        """Say whether the editor has this action: a document is saved, an outline of the agent
        is answered.
        """
        if action in ("send", "accept", "abandon", "ask('comment')", "ask('length')"):
            return self.save is None
        if action == "save":
            return self.save is not None
        return self.save_as is not None if action == "ask('save')" else True
