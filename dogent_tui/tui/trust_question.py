"""The question whether to trust a folder, and its consequences."""

import asyncio

from dogent_tui.agent.session import OpenedSession
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.language import listing, tr
from dogent_tui.storage.paths import display_path
from dogent_tui.tui.commands.custom import offer_custom_commands
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.screens.withdrawable import answer_of


async def settle_trust(app: AppPort, opened: OpenedSession) -> None:
    """Ask before the first run if needed. Raises AgentError if the user goes back without an
    answer.
    """
    if opened.trust.must_ask and not await ask_for_trust(app, opened):
        raise AgentError(
            tr("Nothing was sent."), tr("Send it again once you have decided about this folder.")
        )


async def ask_for_trust(app: AppPort, opened: OpenedSession) -> bool:
    """Ask whether the configuration that came with the folder may be used, and apply the answer.
    False if the user goes back.

    Must not be awaited in a message handler, because the answer is a message, too.
    """
    from dogent_tui.settings.trust_inventory import trust_inventory
    from dogent_tui.tui.screens.trust import TrustScreen

    found = await asyncio.to_thread(trust_inventory, opened.workspace)
    screen = TrustScreen(display_path(opened.workspace.root), opened.trust.came, found)
    answer = await answer_of(app, screen)
    if answer is None:
        return False
    before = opened.trust.trusted
    try:
        await asyncio.to_thread(lambda: opened.trust.answer(trust=answer))
    except (OSError, DogentError) as error:
        app.notify(
            tr("Your answer applies until you quit; it could not be saved: {error}", error=error),
            severity="warning",
        )
    if answer != before:
        if not opened.read_only:  # there is no agent
            await opened.service.renew()
        await offer_custom_commands(app)
    return True


def trust_words(opened: OpenedSession) -> str:
    """Return the trust state of the folder for display; empty if nothing came with it."""
    came = listing(opened.trust.came)
    if not came:
        return ""
    if opened.trust.state == "trusted":
        return tr("You trust this folder: {came} is used.", came=came)
    if opened.trust.state == "declined":
        return tr(
            "You're working without what came with this folder: {came} is not used. Use /trust to"
            " decide again.",
            came=came,
        )
    return tr(
        "{came} came with this folder and will not be used. You'll be asked before the first run,"
        " or use /trust.",
        came=came,
    )
