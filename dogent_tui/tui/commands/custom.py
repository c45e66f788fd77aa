"""The commands and skills of the user and of a trusted workspace: prompts that are filled in and
sent.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.language import tr
from dogent_tui.tui.commands.table import Command

if TYPE_CHECKING:
    from dogent_tui.settings.custom_commands import CustomCommand
    from dogent_tui.settings.skills import Skill
    from dogent_tui.tui.ports import AppPort


async def offer_custom_commands(app: "AppPort") -> None:
    """Offer the commands currently in the folders of commands; those of the workspace only once it
    is trusted.
    """
    from dogent_tui.settings.custom_commands import custom_commands
    from dogent_tui.settings.skills import skills

    opened = app.opened
    trusted, home = opened.trust.trusted, Path.home()
    found = await asyncio.to_thread(custom_commands, opened.workspace, home, trusted=trusted)
    known = await asyncio.to_thread(skills, opened.workspace, home, trusted=trusted)
    app.commands.offer_also(
        [*(_of_skill(app, skill) for skill in known), *(_of_file(app, custom) for custom in found)]
    )


def _of_skill(app: "AppPort", skill: "Skill") -> Command:
    asked = tr(
        "Use the skill {name}: read {file} first, and follow it.", name=skill.name, file=skill.file
    )
    whose = tr("skill of this folder") if skill.of_workspace else tr("your skill")
    about = f"{skill.description[:200]} ({whose})".strip()
    return _sending(app, skill.name, about, "[…]", lambda typed: f"{asked}\n\n{typed}".rstrip())


def _of_file(app: "AppPort", custom: "CustomCommand") -> Command:
    whose = tr("this folder") if custom.of_workspace else tr("yours")
    # an argument not in brackets is required: Enter in the picker waits for it
    argument = custom.argument or "[…]"
    about = f"{custom.description} ({whose})"
    return _sending(app, custom.name, about, argument, custom.filled_in)


def _sending(
    app: "AppPort", name: str, about: str, argument: str, fill: Callable[[str], str]
) -> Command:
    """Return the command that sends what `fill` makes of the text typed after its name."""

    async def run(typed: str) -> str | None:
        from dogent_tui.references.lookup import find_references

        text = fill(typed)
        if not text.strip():
            return tr("/{name} is empty: write its prompt into the file.", name=name)
        await app.conversation.typed.send(text, find_references(text))
        return None

    return Command(name, about, run, argument)
