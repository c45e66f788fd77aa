"""/permissions: what the agent may do here without asking, and taking it back."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static

from dogent_tui.agent.authority import Authority, HeldGrant
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen

_SINCE: Mapping[str, str] = {
    "rule": tr("from the command line"),
    "session": tr("for this session"),
    "always": tr("always in this workspace"),
}
_NOTHING = tr("Nothing yet. When you answer “this session” or “always”, it appears here.")
_LEAST_ROWS = 2


def grant_lines(held: HeldGrant, sentence: str) -> Content:
    """Return the lines for a grant: what is allowed, and how long that holds."""
    since = tr(" · since {since}").format(since=one_line(held.granted[:10])) if held.granted else ""
    words = one_line(sentence)
    return Content.assemble(
        f"{words[:1].upper()}{words[1:]}", (f"\n  {_SINCE[held.origin]}{since}", "dim")
    )


class PermissionsScreen(DialogScreen[None]):
    """Lists the grants of one workspace and revokes them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", tr("Close")),
        Binding("delete,r", "revoke", tr("Revoke")),
    ]

    def __init__(self, authority: Authority, standing: Sequence[str] = ()) -> None:
        """List the grants of `authority`. `standing` are sentences on what else decides here:
        trust, the wall.
        """
        super().__init__()
        self._authority = authority
        self._standing = standing
        self._held: Sequence[HeldGrant] = ()

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Dialog(
            tr("What the agent may do here without asking"), {}, id="permissions", classes="-wide"
        ):
            yield ChoiceList(id="permissions-list", markup=False, compact=True)
            yield Static("", id="permissions-nothing", classes="dialog-why", markup=False)
            if self._standing:
                yield Static(
                    "\n".join(map(one_line, self._standing)),
                    id="permissions-standing",
                    classes="dialog-note",
                    markup=False,
                )

    async def on_mount(self) -> None:
        """Read what is allowed."""
        await self._refresh()

    def on_resize(self) -> None:
        """Leave the list the rows that the words around it do not take."""
        self.call_after_refresh(self._fit)

    async def action_revoke(self) -> None:
        """Take the chosen grant back: from now on such a call asks again."""
        chosen = self.query_one(OptionList).highlighted
        if chosen is None:
            return
        try:
            await asyncio.to_thread(self._authority.revoke, self._held[chosen])
        except (OSError, DogentError) as error:
            self.notify(
                tr("It could not be revoked: {error}").format(error=error),
                severity="error",
                markup=False,
            )
        await self._refresh(chosen)

    def _fit(self) -> None:
        box, options = self.query_one("#permissions"), self.query_one(OptionList)
        others = [each for each in box.children if each.display and each is not options]
        rows = box.gutter.height + sum(
            each.outer_size.height + each.styles.margin.height for each in others
        )
        options.styles.max_height = max(
            _LEAST_ROWS, self.size.height - rows - box.styles.margin.height
        )

    async def _refresh(self, chosen: int = 0) -> None:
        self._held = await asyncio.to_thread(self._authority.grants)
        options = self.query_one(OptionList)
        options.set_options(
            grant_lines(held, self._authority.describe(held.grant)) for held in self._held
        )
        options.highlighted = min(chosen, len(self._held) - 1) if self._held else None
        options.display = bool(self._held)
        keys = {"delete": tr("Revoke"), "up,down": tr("Choose")} if self._held else {}
        self.query_one(Dialog).keys.show(keys | {"escape": tr("Close")})
        nothing = self.query_one("#permissions-nothing", Static)
        nothing.display = not self._held
        broken = self._authority.store.broken
        nothing.update(f"{broken.message} {broken.remedy}" if broken else _NOTHING)
        options.focus()
        self.call_after_refresh(self._fit)
