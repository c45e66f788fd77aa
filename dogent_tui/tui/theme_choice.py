"""Choosing a theme: it holds at once, and for the next start where it can be kept in the
settings of the workspace.
"""

from collections.abc import Callable
from functools import partial

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.themes import described


async def choose_theme(app: AppPort, name: str) -> str:
    """Have the theme `name` hold, keep it, and return the line that says what came of it.

    Not to be awaited by a handler of messages: the user may be asked.
    """
    app.theme = name
    await app.conversation.wait_for_refresh()  # seen first, kept then
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


def theme_commands(app: AppPort) -> list[tuple[str, Callable[[], object]]]:
    """Return the themes as commands of a palette. Each is kept once chosen."""

    async def keep(name: str) -> None:
        app.conversation.prompt.notify_hint(await choose_theme(app, name))

    def choose(name: str) -> None:
        app.run_worker(keep(name), group="command")

    names = described(app.available_themes)
    return [(words, partial(choose, name)) for name, words in names.items()]
