"""From opening the settings to what holds afterwards: shown, saved file by file, taken into use."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from dogent_tui.agent.session import endpoint_label
from dogent_tui.errors import DogentError
from dogent_tui.language import sentences, tr
from dogent_tui.plain import one_line
from dogent_tui.settings.config_writer import plan_values, write_home_values
from dogent_tui.settings.values import load_home_settings, load_settings
from dogent_tui.storage.paths import dogent_home
from dogent_tui.tui.questions.own_writes import write_own
from dogent_tui.tui.screens.settings import SettingsScreen
from dogent_tui.tui.settings.draft import SettingsDraft, place_of
from dogent_tui.tui.settings.home_changes import may_save

if TYPE_CHECKING:
    from pathlib import Path

    from dogent_tui.tui.ports import AppPort

_NOT_THE_AGENTS = frozenset({"status_usage", "notify", "theme", "learn_auto", "keys", "language"})
"""Keys that hold at once, or from the next start on: the agent continues as it is."""
_TOLD = frozenset({"doc_template", "primary_language"})
"""Keys of which the agent is told with the next prompt (`agent/project_instructions.py`)."""
_BECAUSE = tr("You changed it in the settings.")


async def open_settings(app: "AppPort", section: int = 0) -> None:
    """Show the settings of `app` until they are left, and say what came of it. Not to be awaited
    by a handler of messages.
    """
    draft = await asyncio.to_thread(SettingsDraft, app.opened.workspace, dogent_home())
    note = ""
    while True:
        screen = SettingsScreen(draft, app.keys, note, section)
        if not await app.push_screen_wait(screen):
            return
        section = screen.section
        try:
            said = await _save(app, draft)
        except (OSError, DogentError) as error:
            note = tr("Not saved: {error}", error=error)  # what was typed is still there
            continue
        if said is not None:
            app.conversation.prompt.notify_hint(one_line(said))
            return
        note = ""


async def _save(app: "AppPort", draft: SettingsDraft) -> str | None:
    """Write the files that changed, have it hold, and return the line that says so; None where the
    user keeps changing.

    Raises OSError, DogentError.
    """
    allowed: dict[Path, bool] = {}
    for file in draft.changes:
        if file != app.opened.workspace.settings_file and await asyncio.to_thread(file.exists):
            answer = await may_save(app, draft, file, app.keys.actions)
            if answer is None:
                return None
            allowed[file] = answer
    written: list[str] = []
    left: list[str] = []
    changed = frozenset(path[0] for changes in draft.changes.values() for path in changes)
    for file, changes in list(draft.changes.items()):
        if file == app.opened.workspace.settings_file:
            plan = partial(plan_values, file, dict(changes))
            done = await write_own(
                app.opened.workspace,
                app.opened.authority,
                app.conversation.requests.ask,
                plan,
                _BECAUSE,
            )
        elif not allowed.get(file, True):
            done = "denied"
        else:
            await asyncio.to_thread(write_home_values, file, dict(changes))
            done = "written"
        (left if done == "denied" else written).append(place_of(file, draft.workspace))
        del draft.changes[file]
    said = [tr("Saved: {files}.", files=", ".join(written))] if written else []
    said += [tr("Unchanged: {files}.", files=", ".join(left))] if left else []
    return sentences(*said, await _take_into_use(app, changed) if written else "")


async def _take_into_use(app: "AppPort", changed: frozenset[str]) -> str:
    """Have it hold as far as it can, and return the line about the rest. `changed` are the keys
    that were changed.
    """
    opened = app.opened
    own, _ = await asyncio.to_thread(load_home_settings, dogent_home())
    settings, _ = await asyncio.to_thread(load_settings, opened.workspace)
    app.use_keys(own.keys)
    if "theme" in changed:
        app.show_theme(settings.theme)
    app.conversation.lessons.offers = settings.learn_auto
    app.notify_by = own.notify
    app.conversation.status_bar.status.shows_usage = own.status_usage
    app.conversation.status_bar.refresh()
    if changed <= _NOT_THE_AGENTS:
        return ""
    chosen = "profile" in changed
    said_something = opened.service.begun or opened.earlier_log is not None or opened.service.queued
    if changed <= _NOT_THE_AGENTS | _TOLD:
        return tr("The agent is told with your next prompt.")
    if opened.service.state == "running" or (said_something and not chosen):
        return tr("The agent uses the new settings from the next conversation on: /new.")
    await app.session.change_profile("" if chosen else opened.options.profile)
    endpoint = app.opened.endpoint
    return tr(
        "From now on: {who}.", who=endpoint_label(endpoint.name, endpoint.kind, endpoint.model)
    )
