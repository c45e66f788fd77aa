"""`dogent-tui acp`: the agent for an editor, on standard input and output."""

import asyncio
from argparse import Namespace

from dogent_tui.agent.session import SessionOptions
from dogent_tui.arguments import CommandLine, add_profile, add_rights
from dogent_tui.language import tr
from dogent_tui.processes import guard_children
from dogent_tui.subcommands.terminal import Terminal

DESCRIPTION = tr(
    "Offer the agent to an editor that speaks the Agent Client Protocol. Editors start this"
    " themselves."
)
EPILOG = tr("docs/editors.md has the settings for Zed, Obsidian, JetBrains, Neovim and Emacs.")


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    add_profile(parser)
    add_rights(parser)


def run(chosen: Namespace, _: Terminal) -> int:
    """Serve the editor that started us until it disconnects, and return the exit status."""
    guard_children()
    from dogent_tui.faces.acp import run_acp

    asyncio.run(
        run_acp(SessionOptions(chosen.profile, allow=tuple(chosen.allow), trust=chosen.trust))
    )
    return 0
