"""The commands that the user, or a trusted workspace, wrote: each is a prompt that is filled in and sent."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.language import tr
from dogent_tui.tui.commands.table import Command

if TYPE_CHECKING:
    from dogent_tui.tui.ports import AppPort
    from dogent_tui.workspace.custom_commands import CustomCommand


async def offer_custom_commands(app: "AppPort") -> None:
    """Offer what lies in the folders of commands now; what a folder brought along counts once it is trusted."""
    from dogent_tui.workspace.custom_commands import custom_commands

    opened = app.opened
    found = await asyncio.to_thread(custom_commands, opened.workspace, Path.home(), trusted=opened.trust.trusted)
    app.commands.offer_also(_command(app, custom) for custom in found)


def _command(app: "AppPort", custom: "CustomCommand") -> Command:
    async def run(typed: str) -> str:
        from dogent_tui.workspace.references import find_references

        text = custom.filled_in(typed)
        if not text.strip():
            return tr("/{name} is empty: write its prompt into the file.").format(name=custom.name)
        await app.conversation.typed.send(text, find_references(text))
        return ""

    whose = tr("this folder") if custom.of_workspace else tr("yours")
    argument = custom.argument or "[…]"  # one that does not stand in brackets is needed: Enter in the picker waits for it
    return Command(custom.name, f"{custom.description} ({whose})", run, argument)
