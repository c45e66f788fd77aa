"""One profile: whom it asks, with which key, and whether that works."""

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.paths import display_path
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.settings.catalog import chosen_profile, profile_settings
from dogent_tui.tui.settings.draft import Setting, SettingsDraft, shown
from dogent_tui.tui.settings.rows import Row, RowList
from dogent_tui.tui.settings.setting_editor import edit_setting
from dogent_tui.tui.stylesheets import stylesheet


class ProfileScreen(ModalScreen[None]):
    """Changes a profile in a draft; nothing is written here."""

    CSS_PATH = stylesheet("settings.tcss")
    AUTO_FOCUS = "#settings-rows"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete", "reset", tr("Clear"), key_display="Del"),
        Binding("c", "check", tr("Test")),
        Binding("u", "use", tr("Use here")),
        Binding("ctrl+x", "remove", tr("Remove"), key_display="^X"),
        Binding("escape,left", "dismiss", tr("Back"), key_display="Esc"),
        Binding("f1", "app.help", tr("Help"), show=False),
    ]

    def __init__(self, draft: SettingsDraft, file: Path, name: str) -> None:
        """Change the profile `name` of `file`, which need not be there yet."""
        super().__init__()
        self._draft = draft
        self._file = file
        self._profile = name
        self._list = RowList(id="settings-rows")
        self._about = Static("", id="settings-about", markup=False)

    @property
    def _settings(self) -> list[Setting]:
        return profile_settings(self._file, self._profile)

    def compose(self) -> ComposeResult:
        """Lay out the fields."""
        where = tr("Settings · {folder}", folder=f"{self._profile} · {display_path(self._file)}")
        yield Static(one_line(where), classes="screen-title", markup=False)
        with Vertical(id="settings"):
            yield self._list
            yield self._about
            yield Static("", id="settings-note", markup=False)
        yield KeyHints(id="settings-keys", first=("select", "check"), last=("dismiss",))

    def on_mount(self) -> None:
        """Show the fields."""
        self._show()

    def _show(self) -> None:
        draft = self._draft
        self._list.show_rows(
            [
                Row(
                    setting.path[-1],
                    setting.label,
                    shown(setting, draft),
                    setting.about,
                    "",
                    draft.is_changed(setting),
                    is_set=draft.is_set(setting),
                )
                for setting in self._settings
            ]
        )

    def say(self, words: str) -> None:
        """Say something below the fields."""
        self.query_one("#settings-note", Static).update(one_line(words))

    @property
    def _chosen(self) -> Setting | None:
        row = self._list.chosen
        return next(
            (
                setting
                for setting in self._settings
                if row is not None and setting.path[-1] == row.id
            ),
            None,
        )

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        row = self._list.chosen
        self._about.update(f"{row.about} ({row.id})" if row else "")

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_edit()

    def action_edit(self) -> None:
        """Change the field under the cursor."""
        self.run_worker(self._edit(), group="edit", exclusive=True)

    async def _edit(self) -> None:
        if (setting := self._chosen) is not None:
            self.say("")
            await edit_setting(self.app, self._draft, setting)
            self._show()

    def action_reset(self) -> None:
        """Take the value of the field out."""
        if (setting := self._chosen) is not None:
            self._draft.set(setting.file, setting.path, None)
            self._show()

    def action_check(self) -> None:
        """Ask what the profile leads to, as it stands here."""
        self.say(tr("Testing…"))
        self.run_worker(self._check(), group="check", exclusive=True)

    async def _check(self) -> None:
        from dogent_tui.agent.profile_check import probe

        found = await probe(
            self._file, self._profile, self._draft.profile(self._file, self._profile)
        )
        self.say(f"{'✓' if found.works else '✗'} {found.words}")

    def action_use(self) -> None:
        """Use the profile in this folder."""
        self._draft.put(chosen_profile(self._draft, self._file), self._profile)
        self.say(tr("This folder uses {name} once you save.", name=self._profile))

    def action_remove(self) -> None:
        """Remove the profile, when asked."""
        self.run_worker(self._remove(), group="edit", exclusive=True)

    async def _remove(self) -> None:
        title = tr("Remove the profile {name}?", name=self._profile)
        why = tr("Its key is removed with it once you save.")
        if await choose(self.app, title, why, (tr("Keep"), tr("Remove")), 0) == 1:
            self._draft.remove_profile(self._file, self._profile)
            self.dismiss()
