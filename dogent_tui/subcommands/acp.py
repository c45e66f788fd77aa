"""`dogent-tui acp`: the agent for an editor, on standard input and output."""

import asyncio
from collections.abc import Sequence

from dogent_tui.agent.session import SessionOptions
from dogent_tui.arguments import CommandLine, add_profile, add_rights
from dogent_tui.language import tr
from dogent_tui.processes import guard_children
from dogent_tui.subcommands.terminal import Terminal


def run(arguments: Sequence[str], _: Terminal) -> int:
    """Serve the editor that started us until it disconnects, and return the exit status."""
    chosen = _parser().parse_args(arguments)
    guard_children()
    from dogent_tui.faces.acp import run_acp

    asyncio.run(
        run_acp(SessionOptions(chosen.profile, allow=tuple(chosen.allow), trust=chosen.trust))
    )
    return 0


def _parser() -> CommandLine:
    parser = CommandLine(
        prog="dogent-tui acp",
        description=tr(
            "Offer the agent to an editor that speaks the Agent Client Protocol. Editors start this"
            " themselves."
        ),
        epilog=tr(
            "docs/editors.md has the settings for Zed, Obsidian, JetBrains, Neovim and Emacs."
        ),
    )
    add_profile(parser)
    add_rights(parser)
    return parser
