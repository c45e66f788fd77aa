"""What a save would change in a file of the user's own folder, in words: no key is in them,
whatever the file holds.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.app import App

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.json_lines import KeyPath
from dogent_tui.tui.keymap import KeyAction
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.screens.help import key_names
from dogent_tui.tui.settings.catalog import folder_settings, profile_settings
from dogent_tui.tui.settings.draft import Setting, SettingsDraft, place_of, shown

_MOST_LINES = 10
_MOST_VALUE = 60
"""Characters of a value: more of it stood on the screen where it was typed."""
_SAVE = 1


async def may_save(
    app: App[Any], draft: SettingsDraft, file: Path, actions: Sequence[KeyAction]
) -> bool | None:
    """Show what changes in `file` and ask whether to save it; None where the user goes back without
    an answer.

    Not to be awaited by a handler of messages.
    """
    lines = changes_in_words(draft, SettingsDraft(draft.workspace, draft.home), file, actions)
    more = len(lines) - _MOST_LINES
    if more > 0:
        lines = [*lines[:_MOST_LINES], tr("and {count} more", count=more)]
    title = tr("Save this to {file}?", file=one_line(place_of(file, draft.workspace)))
    answer = await choose(app, title, "\n".join(lines), (tr("Cancel"), tr("Save")))
    return None if answer is None else answer == _SAVE


def changes_in_words(
    draft: SettingsDraft, now: SettingsDraft, file: Path, actions: Sequence[KeyAction]
) -> list[str]:
    """Return a line for each change of `file`: its value as it is `now`, and as it will be.
    `actions` are what keys do.
    """
    return [
        one_line(_line(draft, now, file, path, actions)) for path in draft.changes.get(file, {})
    ]


def _line(
    draft: SettingsDraft,
    now: SettingsDraft,
    file: Path,
    path: KeyPath,
    actions: Sequence[KeyAction],
) -> str:
    if path[0] == "profiles" and len(path) == 2:
        return tr("{profile}: removed", profile=path[1])
    setting = _setting(draft, file, path, actions)
    label = f"{path[1]} · {setting.label}" if path[0] == "profiles" else setting.label
    before, after = (_short(_value(setting, one)) for one in (now, draft))
    if before == after:  # of a key nothing more can be said
        return tr("{label}: changed ({after})", label=label, after=after)
    return tr("{label}: {before} → {after}", label=label, before=before, after=after)


def _setting(
    draft: SettingsDraft, file: Path, path: KeyPath, actions: Sequence[KeyAction]
) -> Setting:
    """Return the setting at `path`. One that no screen knows counts as a key, and is never
    shown.
    """
    known = profile_settings(file, path[1]) if path[0] == "profiles" else folder_settings(draft)
    known += [
        Setting(file, ("keys", action.id), action.words, "key", unset=action.default)
        for action in actions
    ]
    unknown = Setting(file, path, path[-1], "secret")
    return next(
        (setting for setting in known if (setting.file, setting.path) == (file, path)), unknown
    )


def _value(setting: Setting, draft: SettingsDraft) -> str:
    value = shown(setting, draft)
    return key_names(value) if setting.kind == "key" else value


def _short(value: str) -> str:
    return value if len(value) <= _MOST_VALUE else f"{value[:_MOST_VALUE]}…"
