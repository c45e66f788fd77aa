"""Choosing a theme: it applies immediately, and is saved in the settings of the workspace if
possible.
"""

from functools import partial

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.themes import described


async def choose_theme(app: AppPort, name: str) -> str:
    """Apply and save the theme `name`, and return a message about the result.

    Must not be awaited in a message handler, because the user may be asked.
    """
    app.theme = name
    await app.conversation.wait_for_refresh()  # shown first, saved afterwards
    from dogent_tui.settings.values import plan_settings
    from dogent_tui.tui.questions.own_writes import write_own

    plan = partial(plan_settings, app.opened.workspace, {"theme": name})
    because = tr(
        "You chose the theme {name}; saved there, it applies from the next start too.", name=name
    )
    try:
        done = await write_own(app, plan, because, exactly=True)
    except (OSError, DogentError) as error:
        return one_line(
            tr(
                "The theme is {name} until you quit; it could not be saved: {error}",
                name=name,
                error=error,
            )
        )
    if done == "denied":
        return tr(
            "The theme is {name} until you quit; .dogent/dogent.json is unchanged.", name=name
        )
    return tr("The theme is {name}.", name=name)


def offer_themes(app: AppPort) -> None:
    """Let the user choose a theme, which is saved."""
    from dogent_tui.tui.screens.offers import Offer, show_offers

    async def keep(name: str) -> None:
        app.conversation.prompt.notify_hint(await choose_theme(app, name))

    names = described(app.available_themes)
    offers = [Offer(words, partial(keep, name)) for name, words in names.items()]
    show_offers(app, tr("Theme"), tr("Search themes…"), offers)
