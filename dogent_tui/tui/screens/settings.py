"""/settings: the settings, section by section; they are written when the user saves them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from dogent_tui.documents.export.themes import DEFAULT
from dogent_tui.language import sentences, tr
from dogent_tui.plain import one_line, revealed_line
from dogent_tui.records import Record
from dogent_tui.storage.paths import display_path, shipped
from dogent_tui.tui.dialog import Answer, ChoiceList, Words
from dogent_tui.tui.exporting.first_page import first_page
from dogent_tui.tui.key_hints import KeyHints, key_names
from dogent_tui.tui.keymap import Keymap
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.screens.forms import PressKeyScreen, TypingScreen
from dogent_tui.tui.screens.withdrawable import Withdrawable, answer_of
from dogent_tui.tui.settings.catalog import (
    LLM,
    VISION,
    WEB,
    chosen_profile,
    folder_settings,
    heading_over,
    key_settings,
    options_of,
    profile_settings,
    summary,
)
from dogent_tui.tui.settings.draft import (
    Setting,
    SettingsDraft,
    name_problem,
    place_of,
    shown,
    typed_value,
)
from dogent_tui.tui.themes import described
from dogent_tui.tui.widgets import bound, hidden

_LABEL_CELLS = 29
_CHANGED = "● "


class Row(Record):
    """A line of the list. `id` identifies it to the screen ("" for a heading); `about` explains it,
    and `place` tells where it is stored.

    `is_set`: the value was set by someone, otherwise it is the default. `setting` is the setting
    shown, None for other lines.
    """

    id: str
    label: str
    value: str = ""
    about: str = ""
    place: str = ""
    changed: bool = False
    strong: bool = False
    is_set: bool = True
    setting: Setting | None = None


class RowList(ChoiceList[Row]):
    """Shows rows, and reports which one is under the cursor."""

    BINDINGS = [bound("enter", "select", "Change")]

    def __init__(self) -> None:
        super().__init__(id="settings-rows")
        self._label_cells = _LABEL_CELLS

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show `rows`, with the cursor where it was."""
        at = min(self.highlighted or 0, len(rows) - 1)
        at += bool(rows and not rows[at].id)
        drawn = (Option(_drawn(row, self._label_cells), disabled=not row.id) for row in rows)
        self.show(rows, drawn, at)

    def on_resize(self) -> None:
        """Give the labels no more space than the values."""
        fitting = min(_LABEL_CELLS, self.size.width // 2)
        if fitting != self._label_cells:
            self._label_cells = fitting
            self.show_rows(self.items)

    def go_to(self, row_id: str) -> None:
        """Put the cursor on a row."""
        at = next((at for at, row in enumerate(self.items) if row.id == row_id), None)
        if at is not None:
            self.highlighted = at


def _drawn(row: Row, label_cells: int) -> Content:
    if not row.id:
        return Content.styled(row.label, "bold $accent")
    label = Content.styled(revealed_line(row.label), "bold" if row.strong else "")
    label = label.truncate(label_cells, ellipsis=True, pad=True)
    value = revealed_line(row.value)
    mark = (_CHANGED if row.changed else "  ", "$text-warning")
    return Content.assemble(mark, label, " ", (value, "" if row.is_set else "dim"))


_SECTIONS = {
    tr("Folder"): "",
    tr("Models"): LLM,
    tr("Web"): WEB,
    tr("Vision"): VISION,
    tr("Keys"): "",
}
"""The names of the sections → the file with the profiles of each."""
SECTIONS = tuple(_SECTIONS)
_KEYS = 4
_ADD = "+"
_SAVE, _DISCARD = 0, 1


class RowsScreen(Withdrawable[Answer], ModalScreen[Answer]):
    """Shows rows of settings and edits them in a draft, without writing."""

    CSS_PATH = shipped("settings.tcss")
    AUTO_FOCUS = "#settings-rows"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-medium")]

    def __init__(
        self, draft: SettingsDraft, keymap: Keymap, where: str, *above: Widget, note: str = ""
    ) -> None:
        """Edit `draft`, with the keys of `keymap`. `where` is shown in the title, what is `above`
        between it and the rows. `note` is shown first.
        """
        super().__init__()
        self._title = tr("Settings · {folder}", folder=where)
        self._above = above
        self.draft = draft
        self._keymap = keymap
        self._list = RowList()
        self._about = Words("", id="settings-about")
        self._note = Words(note, id="settings-note", classes="" if note else "-empty")

    def compose(self) -> ComposeResult:
        """Lay out the rows, and the explanation of the selected one."""
        yield Words(one_line(self._title), classes="screen-title")
        yield Vertical(*self._above, self._list, self._about, self._note, id="settings")
        first, last = ("select", "save", "check"), ("leave", "dismiss")
        yield KeyHints(id="settings-keys", first=first, last=last)

    def on_mount(self) -> None:
        """Show the rows."""
        self.show_rows()

    def show_rows(self) -> None:
        """Update the rows."""
        self._list.show_rows(self._rows())

    def _rows(self) -> list[Row]:
        raise NotImplementedError

    def _words(self, row: Row) -> str:
        """Return the explanation of the row under the cursor."""
        raise NotImplementedError

    def _row(self, setting: Setting, value: str = "", about: str = "") -> Row:
        return Row(
            setting.id,
            setting.label,
            value or shown(setting, self.draft),
            about or setting.about,
            place_of(setting.file, self.draft.workspace),
            self.draft.is_changed(setting),
            is_set=self.draft.is_set(setting),
            setting=setting,
        )

    def _on_option_list_option_highlighted(self) -> None:
        row = self._list.chosen
        self._about.update(one_line(self._words(row)) if row else "")

    def say(self, words: str) -> None:
        """Show a message below the rows."""
        self._note.update(one_line(words))
        self._note.set_class(not words, "-empty")

    @on(OptionList.OptionSelected)
    def action_edit(self) -> None:
        """Edit the row under the cursor."""
        if (row := self._list.chosen) is not None:
            self.say("")
            self.run_worker(self._edit(row), group="edit", exclusive=True)

    async def _edit(self, row: Row) -> None:
        if row.setting is not None:
            await self._change(row.setting)
        self.show_rows()

    def action_reset(self) -> None:
        """Reset the row under the cursor to its default."""
        row = self._list.chosen
        if row is not None and row.setting is not None:
            self.draft.put(row.setting, None)
            self.show_rows()

    # ── Changing one setting ──────────────────────────────────────────────────────────────────

    async def _change(self, setting: Setting) -> None:
        match setting.kind:
            case "switch":
                self.draft.put(setting, self.draft.value(setting) is not True)
            case "choice":
                await self._choose(setting)
            case "key":
                await self._press_key(setting)
            case _:
                await self._type(setting)

    async def _choose(self, setting: Setting) -> None:
        draft = self.draft
        options = options_of(setting, draft, described(self.app.available_themes))
        values = [value for value, _ in options]
        now = draft.value(setting) if draft.is_set(setting) or setting.default in values else None
        pictures = []
        if setting.path[-1] == "export_theme":
            pictures = [first_page(str(value or DEFAULT)) for value in values]
        words = [words for _, words in options]
        at = values.index(now) if now in values else 0
        chosen = await choose(self.app, setting.label, setting.about, words, at, pictures)
        if chosen is not None:
            draft.put(setting, values[chosen])

    async def _type(self, setting: Setting) -> None:
        draft, about, text = self.draft, setting.about, ""
        is_secret = setting.kind == "secret"
        if draft.is_set(setting) and is_secret:
            kept = tr(
                "The current value stays hidden, and is kept if you go back. Delete clears it."
            )
            about = f"{about} {kept}"
        elif draft.is_set(setting):
            text = str(draft.value(setting))
        screen = TypingScreen(
            setting.label,
            about,
            text,
            secret=is_secret,
            problem=lambda text: typed_value(setting, text, draft)[1],
            unset=setting.unset or str(setting.default or ""),
        )
        typed = await answer_of(self.app, screen)
        if typed is not None and (typed.strip() or not is_secret):
            draft.put(setting, typed_value(setting, typed, draft)[0])

    async def _press_key(self, setting: Setting) -> None:
        changes = self.draft.changes.get(setting.file, {})
        changed = {path[1]: keys for path, keys in changes.items() if path[0] == "keys"}
        problem = partial(self._keymap.problem, setting.path[1], changed=changed)
        title = tr("Key for: {action}", action=setting.label)
        if (key := await answer_of(self.app, PressKeyScreen(title, problem))) is not None:
            self.draft.put(setting, None if key == setting.unset else key)


class ProfileScreen(RowsScreen[None]):
    """Edits a profile."""

    BINDINGS = [
        bound("delete", "reset", "Clear"),
        bound("c", "check", "Test"),
        bound("u", "use", "Use here"),
        bound("ctrl+x", "remove", "Remove"),
        bound("escape,left", "dismiss", "Back"),
        hidden("f1", "app.help", "Help"),
    ]

    def __init__(self, draft: SettingsDraft, keymap: Keymap, file: Path, name: str) -> None:
        """Edit the profile `name` of `file`, which need not exist yet."""
        super().__init__(draft, keymap, f"{name} · {display_path(file)}")
        self._file = file
        self._profile = name

    def _rows(self) -> list[Row]:
        return [self._row(setting) for setting in profile_settings(self._file, self._profile)]

    def _words(self, row: Row) -> str:
        return f"{row.about} ({row.setting.path[-1]})" if row.setting is not None else ""

    @work(group="check", exclusive=True)
    async def action_check(self) -> None:
        """Test the profile as it is in the draft."""
        from dogent_tui.agent.profile_check import probe

        self.say(tr("Testing…"))
        profile = self.draft.profile(self._file, self._profile)
        found = await probe(self._file, self._profile, profile)
        self.say(f"{'✓' if found.works else '✗'} {found.words}")

    def action_use(self) -> None:
        """Use the profile in this folder."""
        self.draft.put(chosen_profile(self.draft, self._file), self._profile)
        self.say(tr("This folder uses {name} once you save.", name=self._profile))

    @work(group="edit", exclusive=True)
    async def action_remove(self) -> None:
        """Remove the profile after asking."""
        title = tr("Remove the profile {name}?", name=self._profile)
        why = tr("Its key is removed with it once you save.")
        if await choose(self.app, title, why, (tr("Keep"), tr("Remove")), 0) == 1:
            self.draft.remove_profile(self._file, self._profile)
            self.leave(None)


class SettingsScreen(RowsScreen[bool]):
    """Dismissed with True to save the changes."""

    BINDINGS = [
        bound("left,shift+tab", "section(-1)", "Section", key_display="← →"),
        hidden("right,tab", "section(1)", "Section"),
        bound("delete", "reset", "Default"),
        bound("u", "use", "Use here"),
        bound("ctrl+s", "save", "Save"),
        bound("escape", "leave", "Close"),
        hidden("f1", "app.help", "Help"),
    ]

    def __init__(self, draft: SettingsDraft, keymap: Keymap, note: str, section: int) -> None:
        """Start with a section."""
        names = (Words(f" {name} ") for name in SECTIONS)
        self._sections = Horizontal(*names, id="settings-sections")
        where = display_path(draft.workspace.root)
        super().__init__(draft, keymap, where, self._sections, note=note)
        self.section = section

    # ── What is shown ─────────────────────────────────────────────────────────────────────────

    @property
    def _profiles(self) -> Path | None:
        """The file whose profiles the section shows."""
        name = _SECTIONS[SECTIONS[self.section]]
        return self.draft.home / name if name else None

    def show_rows(self) -> None:
        """Update the rows of the section."""
        for number, name in enumerate(self._sections.children):
            name.set_class(number == self.section, "-open")
        super().show_rows()
        self.refresh_bindings()

    def _rows(self) -> list[Row]:
        if (file := self._profiles) is not None:
            return self._profile_rows(file)
        rows = []
        if self.section == _KEYS:
            for setting in key_settings(self.draft, self._keymap.actions):
                about = tr(
                    "Default: {keys}. Press Enter, then the key you want.",
                    keys=key_names(setting.unset),
                )
                rows.append(self._row(setting, key_names(shown(setting, self.draft)), about))
            return rows
        for setting in folder_settings(self.draft):
            if heading := heading_over(setting, self.draft):
                rows.append(Row("", heading))
            rows.append(self._row(setting))
        return rows

    def _profile_rows(self, file: Path) -> list[Row]:
        draft, place = self.draft, display_path(file)
        used, changes = draft.value(chosen_profile(draft, file)), draft.changes.get(file, {})
        about, here = tr("Enter opens it; u uses it in this folder."), tr("used here · ")
        rows = []
        for name in draft.profiles(file):
            value = (here if name == used else "") + summary(draft, file, name)
            is_changed = any(path[:2] == ("profiles", name) for path in changes)
            rows.append(Row(name, name, value, about, place, is_changed, name == used))
        return [*rows, Row(_ADD, tr("Add a profile…"), place=place)]

    def _words(self, row: Row) -> str:
        return sentences(row.about, tr("Stored in {place}.", place=row.place))

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the actions that the section supports."""
        del parameters
        if action in ("use", "reset"):
            return (action == "use") == (self._profiles is not None)
        return True

    def action_section(self, step: int) -> None:
        """Go to another section."""
        self._open((self.section + step) % len(SECTIONS))

    def on_click(self, event: events.Click) -> None:
        """Open the section whose name was clicked."""
        clicked, _ = self.get_widget_at(*event.screen_offset)
        if clicked in self._sections.children:
            self._open(self._sections.children.index(clicked))

    def _open(self, section: int) -> None:
        self.section = section
        self._list.highlighted = 0
        self.say("")
        self.show_rows()

    async def _edit(self, row: Row) -> None:
        if (file := self._profiles) is None:
            await super()._edit(row)
            return
        name: str | None = row.id
        if name == _ADD:
            screen = TypingScreen(
                tr("New profile in {file}", file=file.name),
                tr("What should it be called?"),
                problem=lambda text: name_problem(text.strip(), file, self.draft),
            )
            name = await answer_of(self.app, screen)
        if name is not None:
            name = name.strip()
            await self.app.push_screen_wait(ProfileScreen(self.draft, self._keymap, file, name))
            self.show_rows()
            self._list.go_to(name)

    def action_use(self) -> None:
        """Use the profile under the cursor in this folder."""
        row, file = self._list.chosen, self._profiles
        if row is not None and row.id != _ADD and file is not None:
            self.draft.put(chosen_profile(self.draft, file), row.id)
            self.show_rows()

    # ── Leaving ───────────────────────────────────────────────────────────────────────────────

    def action_save(self) -> None:
        """Write everything."""
        if self.draft.changes:
            self.leave(True)
        else:
            self.say(tr("Nothing was changed."))

    @work(group="edit", exclusive=True)
    async def action_leave(self) -> None:
        """Leave, asking about unsaved changes."""
        if not self.draft.changes:
            self.leave(False)
            return
        files = ", ".join(place_of(file, self.draft.workspace) for file in self.draft.changes)
        why = tr("They are written to {files}.", files=files)
        answers = (tr("Save"), tr("Discard"), tr("Keep editing"))
        answer = await choose(self.app, tr("Save the changes?"), why, answers, 0)
        if answer in (_SAVE, _DISCARD):
            self.leave(answer == _SAVE)
