"""Opening the settings, saving them file by file, and applying them."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App

from dogent_tui.errors import DogentError
from dogent_tui.language import listing, sentences, tr
from dogent_tui.plain import one_line
from dogent_tui.settings.config_writer import plan_values, write_home_values
from dogent_tui.settings.values import load_home_settings, load_settings
from dogent_tui.storage.paths import dogent_home
from dogent_tui.tui.key_hints import key_names
from dogent_tui.tui.keymap import KeyAction
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.questions.own_writes import write_own
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.screens.settings import SettingsScreen
from dogent_tui.tui.settings.catalog import folder_settings, key_settings, profile_settings
from dogent_tui.tui.settings.draft import Setting, SettingsDraft, place_of, shown

_NEVER_SENT = frozenset({"status_usage", "notify", "theme", "learn_auto", "keys", "language"})
"""Keys that apply immediately or from the next start; the agent continues unchanged."""
_SENT_WITH_NEXT_PROMPT = frozenset({"doc_template", "primary_language"})
"""Keys that the agent is told about with the next prompt (`agent/project_instructions.py`)."""
_MOST_LINES = 10
_MOST_VALUE = 60


async def may_save(
    app: App[Any], draft: SettingsDraft, files: Sequence[Path], actions: Sequence[KeyAction]
) -> bool:
    """Show the changes of `files` and ask whether to save them. `actions` are the configurable
    keys.

    Must not be awaited in a message handler.
    """
    now = SettingsDraft(draft.workspace, draft.home)
    lines = [line for file in files for line in changes_in_words(draft, now, file, actions)]
    more = len(lines) - _MOST_LINES
    if more > 0:
        lines = [*lines[:_MOST_LINES], tr("and {count} more", count=more)]
    places = listing([one_line(place_of(file, draft.workspace)) for file in files])
    title = tr("Save this to {file}?", file=places)
    return await choose(app, title, "\n".join(lines), (tr("Cancel"), tr("Save"))) == 1


def changes_in_words(
    draft: SettingsDraft, now: SettingsDraft, file: Path, actions: Sequence[KeyAction]
) -> list[str]:
    """Return a line for each change of `file`: the value `now` and the new one. Never shows a key,
    whatever the file contains: a setting that no screen knows is treated as one.
    """
    known = [*folder_settings(draft), *key_settings(draft, actions)]
    lines = []
    for path in draft.changes.get(file, {}):
        is_profile = path[0] == "profiles"
        if is_profile and len(path) == 2:
            lines.append(tr("{profile}: removed", profile=path[1]))
            continue
        candidates = profile_settings(file, path[1]) if is_profile else known
        setting = next(
            (one for one in candidates if (one.file, one.path) == (file, path)),
            Setting(file, path, path[-1], "secret"),
        )
        label = f"{path[1]} · {setting.label}" if is_profile else setting.label
        before, after = (_value(setting, each) for each in (now, draft))
        if before == after:  # nothing more may be shown of a key
            lines.append(tr("{label}: changed ({after})", label=label, after=after))
        else:
            words = tr("{label}: {before} → {after}", label=label, before=before, after=after)
            lines.append(words)
    return [*map(one_line, lines)]


def _value(setting: Setting, draft: SettingsDraft) -> str:
    """Return a value in a few words; it was fully visible when typed."""
    value = shown(setting, draft)
    value = key_names(value) if setting.kind == "key" else value
    return value if len(value) <= _MOST_VALUE else f"{value[:_MOST_VALUE]}…"


async def open_settings(app: AppPort) -> None:
    """Show the settings of `app` until they are closed, and report the result. Must not be awaited
    in a message handler.
    """
    draft = await asyncio.to_thread(SettingsDraft, app.opened.workspace, dogent_home())
    note, section = "", 0
    while True:
        screen = SettingsScreen(draft, app.keys, note, section)
        if not await app.push_screen_wait(screen):
            return
        section = screen.section
        try:
            said = await _save(app, draft)
        except (OSError, DogentError) as error:
            note = tr("Not saved: {error}", error=error)  # the changes are kept
            continue
        if said is not None:
            app.conversation.prompt.notify_hint(one_line(said))
            return
        note = ""


async def _save(app: AppPort, draft: SettingsDraft) -> str | None:
    """Write the changed files, apply them, and return a message; None if the user continues
    editing.

    Raises OSError, DogentError.
    """
    asked = [file for file in draft.changes if await asyncio.to_thread(file.exists)]
    if asked and not await may_save(app, draft, asked, app.keys.actions):
        return None
    places = [place_of(file, draft.workspace) for file in draft.changes]
    changed = frozenset(path[0] for changes in draft.changes.values() for path in changes)
    for file, changes in list(draft.changes.items()):
        if file == app.opened.workspace.settings_file:
            plan = partial(plan_values, file, dict(changes))
            if await write_own(app, plan, "", exactly=True) == "denied":
                raise DogentError(tr("The file is being changed by another program."))
        else:
            await asyncio.to_thread(write_home_values, file, dict(changes))
        del draft.changes[file]
    said = tr("Saved: {files}.", files=", ".join(places))
    return sentences(said, await _take_into_use(app, changed))


async def _take_into_use(app: AppPort, changed: frozenset[str]) -> str:
    """Apply the settings as far as possible, and return a message about the rest. `changed` are the
    changed keys.
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
    if changed <= _NEVER_SENT:
        return ""
    chosen = "profile" in changed
    said_something = opened.service.begun or opened.earlier_log is not None or opened.service.queued
    if changed <= _NEVER_SENT | _SENT_WITH_NEXT_PROMPT:
        return tr("The agent is told with your next prompt.")
    if opened.service.state == "running" or (said_something and not chosen):
        return tr("The agent uses the new settings from the next conversation on: /new.")
    await app.session.change_profile("" if chosen else opened.options.profile)
    return tr("From now on: {who}.", who=app.opened.endpoint.label)
