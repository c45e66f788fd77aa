"""/permissions: what the agent may do here without asking, and revoking it."""

import asyncio
from collections.abc import Sequence

from textual.content import Content

from dogent_tui.agent.authority import Authority, HeldGrant
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen, Words
from dogent_tui.tui.widgets import bound

_SINCE = {
    "rule": tr("from the command line"),
    "session": tr("for this session"),
    "always": tr("always in this workspace"),
}
_NOTHING = tr("Nothing yet. When you answer “this session” or “always”, it appears here.")


def grant_lines(held: HeldGrant, sentence: str) -> Content:
    """Return the lines for a grant: what is allowed, and for how long."""
    since = tr(" · since {since}", since=one_line(held.granted[:10])) if held.granted else ""
    words = one_line(sentence)
    return Content.assemble(
        f"{words[:1].upper()}{words[1:]}", (f"\n  {_SINCE[held.origin]}{since}", "dim")
    )


class PermissionsScreen(DialogScreen[None]):
    """Lists the grants of one workspace and revokes them."""

    BINDINGS = [
        bound("escape,q", "dismiss", "Close"),
        bound("delete,r", "revoke", "Revoke"),
    ]

    def __init__(self, authority: Authority, notes: Sequence[str]) -> None:
        """List the grants of `authority`. `notes` are sentences about what else decides here:
        trust, the wall.
        """
        self._authority = authority
        self._list = ChoiceList[HeldGrant](id="permissions-list")
        self._nothing = Words("", id="permissions-nothing", classes="dialog-why")
        words = "\n".join(map(one_line, notes))
        note = Words(words, id="permissions-standing", classes="dialog-note")
        note.display = bool(words)
        title = tr("What the agent may do here without asking")
        super().__init__(
            Dialog(title, {}, self._list, self._nothing, note, id="permissions", classes="-wide")
        )

    async def on_mount(self) -> None:
        """Read what is allowed."""
        await self._refresh()

    async def action_revoke(self) -> None:
        """Revoke the selected grant: such calls ask again."""
        if (held := self._list.chosen) is None:
            return
        try:
            await asyncio.to_thread(self._authority.revoke, held)
        except (OSError, DogentError) as error:
            self.warn(tr("It could not be revoked: {error}", error=error))
        await self._refresh()

    async def _refresh(self) -> None:
        grants = await asyncio.to_thread(self._authority.grants)
        describe = self._authority.describe
        self._list.show(grants, [grant_lines(held, describe(held.grant)) for held in grants])
        keys = {"delete": tr("Revoke"), "up,down": tr("Choose")} if grants else {}
        self.dialog.keys.show(keys | {"escape": tr("Close")})
        self._nothing.display = not grants
        broken = self._authority.store.broken
        self._nothing.update(f"{broken.message} {broken.remedy}" if broken else _NOTHING)
