"""The settings by keyboard: what is chosen goes to the right file, keys are never seen, and
nothing is written unasked.
"""

import asyncio
import json
import re

import pytest
from msgspec.structs import replace
from textual.widgets import Input, OptionList, Static

from dogent_tui.agent.events import SessionStarted
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import SessionOptions
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import dogent_home
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.dialog import Dialog
from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.forms import PressKeyScreen, TypingScreen
from dogent_tui.tui.screens.settings import ProfileScreen, RowList, SettingsScreen
from tests.agent.fake_conversation import FakeLauncher, opened_session
from tests.tui.conftest import Stage

KEY = "sk-secret-0123456789"
PROFILES = {
    "deepseek": {
        "ANTHROPIC_BASE_URL": "https://api.deepseek.com/anthropic",
        "ANTHROPIC_AUTH_TOKEN": KEY,
        "later": [1],
    },
    "work": {"ANTHROPIC_API_KEY": "env:WORK_KEY"},
}


@pytest.fixture
def own(home):
    file = dogent_home() / "claude.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"mine": 1, "profiles": PROFILES}), encoding="utf-8")
    file.chmod(0o600)
    return file


async def on(s, kind):
    await s.until(lambda: isinstance(s.app.screen, kind))
    await s.pilot.pause()


def seen(s):
    """Everything that the screen shows."""
    screen = s.app.screen
    lines = [str(dialog.border_title) for dialog in screen.query(Dialog)]
    lines += [str(static.content) for static in screen.query(Static)]
    for options in screen.query(OptionList):
        lines += [str(options.get_option_at_index(at).prompt) for at in range(options.option_count)]
    return "\n".join(lines)


def drawn(s):
    """The characters of the screen."""
    strips = s.app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)


def row(workspace, key):
    return f"{workspace.settings_file}:{key}"


def own_row(key):
    return f"{dogent_home() / 'dogent.json'}:{key}"


async def opened(s, *keys):
    await s.pilot.press("f4")
    await on(s, SettingsScreen)
    await s.pilot.press(*keys)
    await s.pilot.pause()
    return s.app.screen


async def pressed(s, *keys, then):
    await s.pilot.press(*keys)
    await on(s, then)


async def confirmed(s, *words):
    """Wait for the question before a file of one's own is written, which says `words` and no
    key, and save.
    """
    await on(s, ChoiceScreen)
    text = seen(s)
    assert "Save this to " in text
    for word in words:
        assert word in text
    assert KEY not in text
    await s.until(lambda: s.app.screen.guard.open)
    await s.pilot.press("down", "enter")


def stored(workspace):
    return json.loads(workspace.settings_file.read_text(encoding="utf-8"))


def hint(s):
    return str(s.app.conversation.prompt.query_one("#prompt-hint", Static).content)


@pytest.fixture
def reopened(workspace, monkeypatch):
    """What the sessions that are opened while the test runs were opened with."""
    options = []

    def open_again(_, chosen):
        options.append(chosen)
        profile = chosen.profile or load_settings(workspace)[0].profile or "offline"
        endpoint = Endpoint(profile, "custom", model="chat")
        return opened_session(
            workspace, endpoint, AgentService(FakeLauncher(), endpoint, cwd=str(workspace.root))
        )

    monkeypatch.setattr("dogent_tui.tui.sessions.current.open_session", open_again)
    return options


async def test_a_click_on_its_name_opens_a_section(stage):
    async with stage() as s:
        screen = await opened(s)
        web = screen.query("#settings-sections Words")[2]
        assert await s.pilot.click(web)
        await s.until(lambda: web.has_class("-open"))
        assert screen.query_one(RowList).chosen.place == "~/.dogent/web.json"


async def test_settings_of_the_folder_are_saved_together_and_hold(stage, workspace, own, reopened):
    async with stage() as s:
        screen = await opened(s)
        assert "Reply language" in seen(s)
        screen.query_one(RowList).go_to(row(workspace, "review_edits"))
        await pressed(s, "enter", then=SettingsScreen)
        await s.until(lambda: "Review each change on" in " ".join(seen(s).split()))
        screen.query_one(RowList).go_to(row(workspace, "primary_language"))
        await pressed(s, "enter", then=TypingScreen)
        # what holds as long as nothing is typed
        assert s.app.screen.query_one(Input).placeholder == "same as the prompt"
        await s.pilot.press(*"Deutsch")
        await pressed(s, "enter", then=SettingsScreen)
        screen.query_one(RowList).go_to(row(workspace, "theme"))
        await pressed(s, "enter", then=ChoiceScreen)
        await pressed(s, "end", "enter", then=SettingsScreen)
        await s.until(lambda: screen.draft.changes)
        assert not workspace.settings_file.exists()
        await s.pilot.press("ctrl+s")
        # nothing was said: it begins again
        await s.until(lambda: reopened and "Saved: .dogent/dogent.json" in hint(s))
        assert reopened[0].resume == ""
        assert s.app.theme == stored(workspace)["theme"]
        assert stored(workspace)["review_edits"] is True
        assert stored(workspace)["primary_language"] == "Deutsch"
        assert set(stored(workspace)) == {"review_edits", "primary_language", "theme"}


async def test_what_is_already_there_is_asked_about_and_unknown_keys_stay(stage, workspace):
    workspace.dot.mkdir()
    workspace.settings_file.write_text('{"future": {"a": 1}, "learn_auto": false}')
    async with stage() as s:
        screen = await opened(s)
        screen.query_one(RowList).go_to(row(workspace, "learn_auto"))
        await s.pilot.press("enter")
        await s.until(lambda: screen.draft.changes)
        await s.pilot.press("ctrl+s")
        await confirmed(s, ".dogent/dogent.json", "Offer to note lessons: off → on")
        await s.until(lambda: stored(workspace) == {"future": {"a": 1}, "learn_auto": True})


async def test_leaving_asks_and_writes_nothing_unless_it_is_wanted(stage, workspace):
    async with stage() as s:
        screen = await opened(s, "escape")
        await s.until(lambda: s.app.screen is s.app.conversation)
        await pressed(s, "ctrl+comma", then=SettingsScreen)
        screen = s.app.screen
        screen.query_one(RowList).go_to(row(workspace, "review_edits"))
        await s.pilot.press("enter")
        await s.until(lambda: screen.draft.changes)
        await pressed(s, "escape", then=ChoiceScreen)
        await pressed(s, "escape", then=SettingsScreen)
        await pressed(s, "escape", then=ChoiceScreen)
        await s.pilot.press("down", "enter")
        await s.until(lambda: s.app.screen is s.app.conversation)
        assert not workspace.settings_file.exists()


async def test_a_key_is_never_seen_and_stays_unless_it_is_typed_anew(stage, own):
    async with stage() as s:
        screen = await opened(s, "right")
        assert "key set" in seen(s)
        await pressed(s, "enter", then=ProfileScreen)
        assert "••••••••" in seen(s)
        assert KEY not in seen(s)
        await pressed(s, "down", "enter", then=TypingScreen)
        assert s.app.screen.query_one(Input).value == ""
        await pressed(s, "enter", then=ProfileScreen)
        await pressed(s, "down", "down", "enter", then=TypingScreen)
        await s.pilot.press(*"chat")
        await pressed(s, "enter", then=ProfileScreen)
        await pressed(s, "escape", then=SettingsScreen)
        assert list(screen.draft.changes[own]) == [("profiles", "deepseek", "ANTHROPIC_MODEL")]
        await s.pilot.press("ctrl+s")
        await on(s, ChoiceScreen)
        before = own.read_text()
        await s.until(lambda: s.app.screen.guard.open)
        await pressed(s, "escape", then=SettingsScreen)
        assert s.app.screen.draft.changes  # all is still there
        await pressed(s, "ctrl+s", then=ChoiceScreen)
        await s.until(lambda: s.app.screen.guard.open)
        await pressed(s, "enter", then=SettingsScreen)  # the first answer leaves it
        assert own.read_text() == before
        await s.pilot.press("ctrl+s")
        await confirmed(s, "~/.dogent/claude.json", "deepseek · Model: the endpoint's → chat")
        await s.until(lambda: "chat" in own.read_text())
        expected = {
            "mine": 1,
            "profiles": {
                **PROFILES,
                "deepseek": {**PROFILES["deepseek"], "ANTHROPIC_MODEL": "chat"},
            },
        }
        assert json.loads(own.read_text()) == expected
        assert own.stat().st_mode & 0o777 == 0o600


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("turns", [0, 6, 15, 42, 100])
async def test_closing_while_the_profile_changes_is_no_error(stage, own, reopened, turns):
    """After any number of turns of the event loop: the widgets go while the change is still
    under way.
    """
    async with stage() as s:
        s.app.run_worker(s.app.session.change_profile("work"))
        for _ in range(turns):
            await asyncio.sleep(0)


async def test_a_profile_is_added_checked_and_used(stage, workspace, own, reopened):
    async with stage() as s:
        screen = await opened(s, "right", "end")
        await pressed(s, "enter", then=TypingScreen)
        await s.pilot.press(*"work")
        await pressed(s, "enter", then=TypingScreen)
        assert "There is already a profile work." in seen(s)
        await s.pilot.press("2")
        await pressed(s, "enter", then=ProfileScreen)
        await pressed(s, "enter", then=TypingScreen)
        await s.pilot.press(*"ftp://x")
        await pressed(s, "enter", then=TypingScreen)
        assert "does not start with http" in seen(s)
        s.app.screen.query_one(Input).value = "http://127.0.0.1:1"
        await pressed(s, "enter", then=ProfileScreen)
        await pressed(s, "down", "enter", then=TypingScreen)
        await s.pilot.press(*"s3cret-key")
        await pressed(s, "enter", then=ProfileScreen)
        await s.pilot.press("c")
        await s.until(lambda: "✗ There is no connection to" in seen(s))
        assert "s3cret" not in seen(s)
        await s.pilot.press("u")
        await pressed(s, "escape", then=SettingsScreen)
        assert "used here" in seen(s)
        await s.pilot.press("ctrl+s")
        await confirmed(
            s,
            "work2 · Address: Anthropic's own → http://127.0.0.1:1",
            "work2 · Key (bearer token): not set → ••••••••",
        )
        await s.until(
            lambda: workspace.settings_file.exists() and stored(workspace) == {"profile": "work2"}
        )
        added = json.loads(own.read_text())["profiles"]["work2"]
        assert added == {
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
            "ANTHROPIC_AUTH_TOKEN": "s3cret-key",
        }
        await s.until(lambda: reopened)
        assert screen.draft.changes == {}


async def test_who_answers_holds_at_once_and_the_conversation_continues(
    stage, workspace, own, reopened
):
    async with stage() as s:
        first = s.app.opened.service
        await s.send("go")
        await s.pilot.press("escape")
        await s.until(lambda: s.app.opened.service.state == "idle")
        # named on the command line
        s.app.session.opened = replace(s.app.opened, options=SessionOptions(profile="work"))
        await opened(s, "right", "u", "ctrl+s")
        await s.until(lambda: reopened and "From now on:" in hint(s))
        assert stored(workspace) == {"profile": "deepseek"}
        assert (reopened[0].profile, reopened[0].resume) == ("", first.session_id)
        s.app.opened.service.begun = True
        screen = await opened(s)
        screen.query_one(RowList).go_to(row(workspace, "review_edits"))
        await s.pilot.press("enter")
        await s.until(lambda: screen.draft.changes)
        await s.pilot.press("ctrl+s")
        await confirmed(s, "Review each change: off → on")
        await s.until(lambda: "from the next conversation on" in hint(s))
        assert stored(workspace) == {"profile": "deepseek", "review_edits": True}
        assert len(reopened) == 1


async def test_a_profile_is_removed_when_asked_twice(stage, own):
    def listed():
        return re.search("(?m)^ *work ", seen(s))

    async with stage() as s:
        await opened(s, "right", "down")
        assert listed()
        await pressed(s, "enter", then=ProfileScreen)
        await pressed(s, "ctrl+x", then=ChoiceScreen)
        await pressed(s, "down", "enter", then=SettingsScreen)
        await s.until(lambda: not listed())
        await s.pilot.press("ctrl+s")
        await confirmed(s, "work: removed")
        await s.until(lambda: list(json.loads(own.read_text())["profiles"]) == ["deepseek"])


async def test_keys_can_be_changed_and_conflicts_are_told(stage, own):
    async with stage() as s:
        screen = await opened(s, "left")
        screen.query_one(RowList).go_to(own_row("keys:plan"))
        await pressed(s, "enter", then=PressKeyScreen)
        box = s.app.screen.query_one("#typing")
        # a box, as all questions
        assert (box.region.x > 0, box.region.y > 0, box.styles.border_top[0]) == (
            True,
            True,
            "round",
        )
        await s.pilot.press("ctrl+b")
        assert "ctrl+b is already used for: Files." in seen(s)
        await s.pilot.press("x")
        assert "needed for typing" in seen(s)
        await s.pilot.press("ctrl+g")
        assert "used for: Open in $EDITOR" in seen(s)
        await pressed(s, "f9", then=SettingsScreen)
        await s.until(lambda: "F9" in seen(s))
        await s.pilot.press("ctrl+s")
        await s.until(
            lambda: s.app.screen is s.app.conversation and s.app.keys.keys == {"plan": "f9"}
        )
        assert json.loads((dogent_home() / "dogent.json").read_text()) == {"keys": {"plan": "f9"}}
        await s.until(lambda: s.app.conversation.prompt.editor.has_focus)
        await s.pilot.press("f9")
        await s.until(
            lambda: any(
                "no plan yet" in notification.message for notification in s.app._notifications
            )
        )
        s.app.action_help()
        await s.until(lambda: s.app.screen.query("#help-text"))
        assert "F9" in str(s.app.screen.query_one("#help-text").render())


async def test_what_cannot_be_saved_is_still_there_to_be_saved(stage, own, monkeypatch):
    from dogent_tui.tui.settings import save

    def full(*_):
        raise OSError(28, "No space left on device")

    async with stage() as s:
        await opened(s, "right")
        await pressed(s, "enter", then=ProfileScreen)
        await s.pilot.press("end", "delete")
        await pressed(s, "enter", then=TypingScreen)
        await s.pilot.press(*"5000")
        await pressed(s, "enter", then=ProfileScreen)
        await pressed(s, "escape", then=SettingsScreen)
        real = save.write_home_values
        monkeypatch.setattr(save, "write_home_values", full)
        await s.pilot.press("ctrl+s")
        await confirmed(s, "deepseek · Timeout: ten minutes → 5000")
        await s.until(
            lambda: isinstance(s.app.screen, SettingsScreen) and "No space left" in seen(s)
        )
        monkeypatch.setattr(save, "write_home_values", real)
        await s.pilot.press("ctrl+s")
        await confirmed(s, "deepseek · Timeout: ten minutes → 5000")
        await s.until(
            lambda: (
                json.loads(own.read_text())["profiles"]["deepseek"].get("API_TIMEOUT_MS") == 5000
            )
        )


async def test_another_profile_answers_by_command(stage, own, reopened):
    async with stage() as s:
        first = s.app.opened.service
        await s.type("/profile deepsek")
        await s.pilot.press("enter")
        await s.until(lambda: "Did you mean deepseek" in hint(s))
        s.app.conversation.prompt.editor.replace_all("")
        await s.type("/profile deepseek")
        await s.pilot.press("enter")
        await s.until(lambda: "From now on: deepseek · chat." in hint(s))
        assert (first.state, reopened[0].profile, reopened[0].resume) == ("closed", "deepseek", "")


async def test_that_another_answers_than_was_named_is_said_where_one_writes(workspace):
    launcher, engine = FakeLauncher(), Endpoint("offline", "offline")
    opened = opened_session(
        workspace, engine, AgentService(launcher, engine, cwd=str(workspace.root))
    )
    app = DogentApp(replace(opened, options=SessionOptions(profile="NOPE")))
    async with app.run_test(size=(80, 24)) as pilot:
        s = Stage(app, pilot, launcher)
        await s.until(lambda: "NOPE can't be used, so the offline engine is" in hint(s))
        bar = app.conversation.status_bar
        await s.until(lambda: "not NOPE: offline engine · no AI model" in bar.render().plain)
        bar.status.handle(
            SessionStarted(session_id="s", profile="offline", model="", endpoint="offline", cwd="")
        )
        assert "not NOPE: offline engine" in bar.render().plain  # it stays there
    for name in ("", "offline"):
        assert replace(opened, options=SessionOptions(profile=name)).unusable_profile == ""


async def test_a_conversation_continues_with_another_profile_from_the_list(
    stage, own, reopened, monkeypatch
):
    async with stage() as s:
        first = s.app.opened.service
        await s.send("go")
        await s.type("/profile")
        await s.pilot.press("enter")
        await s.until(lambda: "The agent is working" in hint(s))
        s.app.conversation.prompt.editor.replace_all("")
        await s.pilot.press("escape")
        await s.until(lambda: s.app.opened.service.state == "idle")
        await s.type("/profile")
        await s.pilot.press("enter")
        await on(s, ChoiceScreen)
        assert "work · key set" in seen(s)
        assert KEY not in seen(s)
        await s.pilot.press("home", "down", "enter")
        await s.until(lambda: "WORK_KEY is not set" in hint(s))
        assert reopened == []
        monkeypatch.setenv("WORK_KEY", "sk-of-work")
        s.app.conversation.prompt.editor.replace_all("/profile work")
        await s.pilot.press("enter")
        await s.until(lambda: "From now on: work · chat." in hint(s))
        assert (reopened[0].profile, reopened[0].resume) == ("work", first.session_id)


async def test_the_list_says_who_answers_where_nobody_is_chosen_and_has_the_environment(
    stage, workspace, own, reopened, monkeypatch
):
    async def last(s):
        s.app.conversation.prompt.editor.replace_all("/profile")
        await s.pilot.press("enter")
        await on(s, ChoiceScreen)
        options = s.app.screen.query_one(OptionList)
        words = str(options.get_option_at_index(options.option_count - 1).prompt)
        offers = "environment · " in seen(s)
        await s.pilot.press("escape")
        await s.until(lambda: s.app.screen is s.app.conversation)
        return words, offers

    async with stage() as s:
        await s.type("/profile environment")
        await s.pilot.press("enter")
        await s.until(lambda: "There is no usable key in the environment" in hint(s))
        assert await last(s) == (
            "from the environment, which has no key: the offline engine",
            False,
        )
        (dogent_home() / "dogent.json").write_text('{"profile": "deepseek"}', encoding="utf-8")
        assert await last(s) == ("your choice for all folders: deepseek", False)
        workspace.dot.mkdir(exist_ok=True)
        workspace.settings_file.write_text('{"profile": "work"}', encoding="utf-8")
        assert await last(s) == ("set for this folder: work", False)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-environment")
        assert await last(s) == ("set for this folder: work", True)
        s.app.conversation.prompt.editor.replace_all("/profile environment")
        await s.pilot.press("enter")
        await s.until(lambda: reopened and reopened[-1].profile == "environment")


async def test_who_answers_elsewhere_is_saved_for_all_folders_and_holds_at_once(
    stage, own, reopened
):
    """What is written to several files of one's own is asked about once."""
    (dogent_home() / "dogent.json").write_text("{}")
    async with stage() as s:
        screen = await opened(s)
        screen.query_one(RowList).go_to(own_row("profile"))
        await pressed(s, "enter", then=ChoiceScreen)
        await s.pilot.press("down")
        await pressed(s, "enter", then=SettingsScreen)
        await s.until(lambda: "as elsewhere: deepseek" in seen(s))
        screen.draft.set(own, ("profiles", "deepseek", "ANTHROPIC_MODEL"), "chat")
        await s.pilot.press("ctrl+s")
        await confirmed(s, "~/.dogent/dogent.json and ~/.dogent/claude.json", "→ chat")
        await s.until(lambda: reopened and "Saved:" in hint(s))
        assert json.loads(own.read_text())["profiles"]["deepseek"]["ANTHROPIC_MODEL"] == "chat"
        assert json.loads((dogent_home() / "dogent.json").read_text(encoding="utf-8")) == {
            "profile": "deepseek"
        }


async def test_what_the_agent_does_not_work_with_holds_at_once_and_leaves_it_alone(
    stage, workspace, own, reopened
):
    async with stage() as s:
        screen = await opened(s)
        screen.query_one(RowList).go_to(row(workspace, "learn_auto"))
        await s.pilot.press("enter")
        await s.until(lambda: screen.draft.changes)
        screen.query_one(RowList).go_to(row(workspace, "theme"))
        await pressed(s, "enter", then=ChoiceScreen)
        await pressed(s, "end", "enter", then=SettingsScreen)
        await s.pilot.press("ctrl+s")
        await s.until(lambda: hint(s) == "Saved: .dogent/dogent.json.")
        assert stored(workspace)["learn_auto"] is False
        assert not s.app.conversation.lessons.offers
        assert s.app.theme == stored(workspace)["theme"]
        assert not reopened


async def test_settings_are_grouped_under_headings_that_the_cursor_passes_over(stage, workspace):
    async with stage() as s:
        screen = await opened(s)
        rows = screen.query_one(RowList)
        headings = [row.label for row in rows.items if not row.id]
        assert headings == ["Models", "Writing", "Working with the agent", "Look", "In all folders"]
        seen = [rows.chosen.label]
        for _ in range(len(rows.items) - len(headings) - 1):
            await s.pilot.press("down")
            seen.append(rows.chosen.label)
        assert seen == [row.label for row in rows.items if row.id]


async def test_a_narrow_screen_has_room_for_the_values(stage):
    async with stage((40, 24)) as s:
        await opened(s)
        await s.until(lambda: "Citation style" in drawn(s))
        line = next(line for line in drawn(s).splitlines() if "Citation style" in line)
        assert "Chica" in line


async def test_a_low_window_shows_the_row_under_the_cursor(stage):
    async with stage(size=(40, 10)) as s:
        screen = await opened(s, "down", "down")
        rows = screen.query_one(RowList)
        assert rows.size.height >= 5
        assert 0 <= rows.highlighted - rows.scroll_offset.y < rows.size.height
