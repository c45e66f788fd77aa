"""Changing one setting: switched, chosen from a list, or typed."""

from typing import TYPE_CHECKING, Any

from textual.app import App

from dogent_tui.documents.export.themes import DEFAULT
from dogent_tui.language import tr
from dogent_tui.tui.exporting.first_page import first_page
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.screens.forms import type_text
from dogent_tui.tui.settings.catalog import options_of
from dogent_tui.tui.settings.draft import Setting, SettingsDraft, typed_value
from dogent_tui.tui.themes import described

if TYPE_CHECKING:
    from textual.content import Content

_KEPT = tr("The current value stays hidden, and is kept if you go back. Delete clears it.")


async def edit_setting(app: App[Any], draft: SettingsDraft, setting: Setting) -> None:
    """Have the user change `setting` in `draft`. Not to be awaited by a handler of messages."""
    if setting.kind == "switch":
        draft.put(setting, draft.value(setting) is not True)
    elif setting.kind == "choice":
        await _choose(app, draft, setting)
    else:
        await _type(app, draft, setting)


async def _choose(app: App[Any], draft: SettingsDraft, setting: Setting) -> None:
    options = options_of(setting, draft, described(app.available_themes))
    if not options:
        return
    values = [value for value, _ in options]
    now = draft.value(setting) if draft.is_set(setting) or setting.default in values else None
    pictures: list[Content] = []
    if setting.path[-1] == "export_theme":
        pictures = [first_page(str(value or DEFAULT)) for value in values]
    words = [words for _, words in options]
    chosen = await choose(app, setting.label, setting.about, words, _place(values, now), pictures)
    if chosen is not None:
        draft.put(setting, values[chosen])


async def _type(app: App[Any], draft: SettingsDraft, setting: Setting) -> None:
    secret = setting.kind == "secret"
    text = "" if secret or not draft.is_set(setting) else str(draft.value(setting))
    about = f"{setting.about} {_KEPT}" if secret and draft.is_set(setting) else setting.about
    typed = await type_text(
        app,
        setting.label,
        about,
        text,
        secret=secret,
        problem=lambda text: typed_value(setting, text, draft)[1],
        unset=setting.unset or str(setting.default or ""),
    )
    if typed is None or (secret and not typed.strip()):
        return
    draft.put(setting, typed_value(setting, typed, draft)[0])


def _place(values: list[Any], value: Any) -> int:
    return values.index(value) if value in values else 0
