"""/settings: what can be chosen, section by section; it is written when the user saves it."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from dogent_tui.language import sentences, tr
from dogent_tui.plain import one_line
from dogent_tui.storage.paths import display_path
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.keymap import Keymap
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.screens.forms import press_key, type_text
from dogent_tui.tui.screens.help import key_names
from dogent_tui.tui.screens.profile import ProfileScreen
from dogent_tui.tui.settings.catalog import (
    LLM,
    VISION,
    WEB,
    chosen_profile,
    folder_settings,
    heading_over,
    summary,
)
from dogent_tui.tui.settings.draft import Setting, SettingsDraft, name_problem, place_of, shown
from dogent_tui.tui.settings.rows import Row, RowList, Sections
from dogent_tui.tui.settings.setting_editor import edit_setting
from dogent_tui.tui.stylesheets import stylesheet

SECTIONS = (tr("Folder"), tr("Models"), tr("Web"), tr("Vision"), tr("Keys"))
_PROFILES: Mapping[int, str] = {1: LLM, 2: WEB, 3: VISION}
_KEYS = 4
_ADD = "+"
_SAVE, _DISCARD = 0, 1


class SettingsScreen(ModalScreen[bool]):
    """Changes a draft. Dismissed with True where it is to be saved."""

    CSS_PATH = stylesheet("settings.tcss")
    AUTO_FOCUS = "#settings-rows"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,shift+tab", "section(-1)", tr("Section"), key_display="← →"),
        Binding("right,tab", "section(1)", tr("Section"), show=False),
        Binding("delete", "reset", tr("Default"), key_display="Del"),
        Binding("u", "use", tr("Use here")),
        Binding("ctrl+s", "save", tr("Save"), key_display="^S"),
        Binding("escape", "leave", tr("Close"), key_display="Esc"),
        Binding("f1", "app.help", tr("Help"), show=False),
    ]

    def __init__(
        self, draft: SettingsDraft, keymap: Keymap, note: str = "", section: int = 0
    ) -> None:
        """Change `draft`, with the keys as `keymap` has them. `note` is said at first."""
        super().__init__()
        self.draft = draft
        self.section = section
        self._keymap = keymap
        self._note = note
        self._list = RowList(id="settings-rows")
        self._sections = Sections(SECTIONS, id="settings-sections")
        self._about = Static("", id="settings-about", markup=False)

    def compose(self) -> ComposeResult:
        """Lay out the sections, the rows, and what the chosen one means."""
        where = tr("Settings · {folder}", folder=display_path(self.draft.workspace.root))
        yield Static(one_line(where), classes="screen-title", markup=False)
        with Vertical(id="settings"):
            yield self._sections
            yield self._list
            yield self._about
            yield Static(self._note, id="settings-note", markup=False)
        yield KeyHints(id="settings-keys", first=("select", "save"), last=("leave",))

    def on_mount(self) -> None:
        """Show the first section."""
        self.show_rows()

    # ── What is shown ─────────────────────────────────────────────────────────────────────────

    def show_rows(self) -> None:
        """Show the rows of the section as they are now."""
        self._sections.show(self.section)
        self._list.show_rows(self._rows())
        self.refresh_bindings()

    def _rows(self) -> list[Row]:
        if self.section in _PROFILES:
            return self._profile_rows(self.draft.home / _PROFILES[self.section])
        if self.section == _KEYS:
            return self._key_rows()
        rows: list[Row] = []
        for setting in folder_settings(self.draft):
            if heading := heading_over(setting, self.draft):
                rows.append(Row("", heading))
            rows.append(
                Row(
                    setting.id,
                    setting.label,
                    shown(setting, self.draft),
                    setting.about,
                    place_of(setting.file, self.draft.workspace),
                    self.draft.is_changed(setting),
                    is_set=self.draft.is_set(setting),
                )
            )
        return rows

    def _setting(self, row: Row) -> Setting:
        """Return the setting that a row of the first section shows."""
        return next(setting for setting in folder_settings(self.draft) if setting.id == row.id)

    def _profile_rows(self, file: Path) -> list[Row]:
        draft = self.draft
        used = draft.value(chosen_profile(draft, file))
        changes = draft.changes.get(file, {})
        rows = [
            Row(
                name,
                name,
                (tr("used here · ") if name == used else "") + summary(draft, file, name),
                tr("Enter opens it; u uses it in this folder."),
                display_path(file),
                any(path[:2] == ("profiles", name) for path in changes),
                name == used,
            )
            for name in draft.profiles(file)
        ]
        return [*rows, Row(_ADD, tr("Add a profile…"), place=display_path(file))]

    def _key_rows(self) -> list[Row]:
        file = self.draft.home / "dogent.json"
        rows = []
        for action in self._keymap.actions:
            setting = _key_setting(file, action.id, action.words)
            keys = self.draft.value(setting) or action.default
            about = tr(
                "Default: {keys}. Press Enter, then the key you want.",
                keys=key_names(action.default),
            )
            rows.append(
                Row(
                    action.id,
                    action.words,
                    key_names(keys),
                    about,
                    display_path(file),
                    self.draft.is_changed(setting),
                    is_set=self.draft.is_set(setting),
                )
            )
        return rows

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        row = self._list.chosen
        kept = tr("Stored in {place}.", place=row.place) if row else ""
        self._about.update(one_line(sentences(row.about, kept)) if row else "")

    def say(self, words: str) -> None:
        """Say something below the rows."""
        self.query_one("#settings-note", Static).update(one_line(words))

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what the section knows."""
        del parameters
        if action == "use":
            return self.section in _PROFILES
        return action != "reset" or self.section not in _PROFILES

    def action_section(self, step: int) -> None:
        """Go to another section."""
        self._open((self.section + step) % len(SECTIONS))

    @on(Sections.Picked)
    def _picked_section(self, event: Sections.Picked) -> None:
        event.stop()
        self._open(event.number)

    def _open(self, section: int) -> None:
        self.section = section
        self._list.highlighted = 0
        self.say("")
        self.show_rows()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_edit()

    def action_edit(self) -> None:
        """Change what is under the cursor."""
        self.run_worker(self._edit(), group="edit", exclusive=True)

    async def _edit(self) -> None:
        row = self._list.chosen
        if row is None:
            return
        self.say("")
        if self.section in _PROFILES:
            await self._edit_profile(self.draft.home / _PROFILES[self.section], row.id)
        elif self.section == _KEYS:
            await self._edit_key(row.id)
        else:
            await edit_setting(self.app, self.draft, self._setting(row))
        self.show_rows()

    async def _edit_profile(self, file: Path, name: str) -> None:
        if name == _ADD:
            typed = await type_text(
                self.app,
                tr("New profile in {file}", file=file.name),
                tr("What should it be called?"),
                problem=lambda text: name_problem(text.strip(), file, self.draft),
            )
            if typed is None:
                return
            name = typed.strip()
        await self.app.push_screen_wait(ProfileScreen(self.draft, file, name))
        self.show_rows()
        self._list.go_to(name)

    async def _edit_key(self, action_id: str) -> None:
        action = self._keymap.action(action_id)
        changed = {path[1]: keys for path, keys in self._key_changes().items()}

        def problem(key: str) -> str:
            return self._keymap.problem(action_id, key, changed)

        key = await press_key(self.app, tr("Key for: {action}", action=action.words), problem)
        if key is not None:
            file = self.draft.home / "dogent.json"
            setting = _key_setting(file, action_id, action.words)
            self.draft.put(setting, None if key == action.default else key)

    def _key_changes(self) -> Mapping[tuple[str, ...], str]:
        changes = self.draft.changes.get(self.draft.home / "dogent.json", {})
        return {
            path: value for path, value in changes.items() if path[0] == "keys" and len(path) == 2
        }

    def action_reset(self) -> None:
        """Have the default hold for what is under the cursor."""
        row = self._list.chosen
        if row is None:
            return
        if self.section == _KEYS:
            self.draft.set(self.draft.home / "dogent.json", ("keys", row.id), None)
        else:
            setting = self._setting(row)
            self.draft.set(setting.file, setting.path, None)
        self.show_rows()

    def action_use(self) -> None:
        """Use the profile under the cursor in this folder."""
        row = self._list.chosen
        if row is None or row.id == _ADD:
            return
        setting = chosen_profile(self.draft, self.draft.home / _PROFILES[self.section])
        self.draft.put(setting, row.id)
        self.show_rows()

    # ── Leaving ───────────────────────────────────────────────────────────────────────────────

    def action_save(self) -> None:
        """Have everything written."""
        if self.draft.changes:
            self.dismiss(True)
        else:
            self.say(tr("Nothing was changed."))

    def action_leave(self) -> None:
        """Leave; what was changed is asked about."""
        if not self.draft.changes:
            self.dismiss(False)
        else:
            self.run_worker(self._ask_to_save(), group="edit", exclusive=True)

    async def _ask_to_save(self) -> None:
        files = ", ".join(place_of(file, self.draft.workspace) for file in self.draft.changes)
        answers = (tr("Save"), tr("Discard"), tr("Keep editing"))
        answer = await choose(
            self.app,
            tr("Save the changes?"),
            tr("They are written to {files}.", files=files),
            answers,
            0,
        )
        if answer in (_SAVE, _DISCARD):
            self.dismiss(answer == _SAVE)


def _key_setting(file: Path, action_id: str, words: str) -> Setting:
    return Setting(file, ("keys", action_id), words, "key", default="")
