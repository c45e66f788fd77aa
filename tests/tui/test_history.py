"""The history of a workspace on the screen: shown, searched however long it is, and forgotten."""

import json

import pytest

from dogent_tui.storage.history import History, HistoryEntry
from dogent_tui.tui.key_hints import KeyLine
from dogent_tui.tui.pane.view import PaneView
from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.history import history_offers
from dogent_tui.tui.screens.offers import OffersScreen


def entry(second: int, status: str, prompt: str, **more) -> HistoryEntry:
    return HistoryEntry(
        f"2026-01-01T00:{second // 60:02}:{second % 60:02}.000+00:00",
        status,
        prompt,
        session_id="s",
        **more,
    )


def test_a_run_is_one_row_with_what_came_of_it_the_latest_first():
    taken = []
    rows = history_offers(
        [
            entry(1, "started", "tea"),
            entry(2, "command", "/theme nord"),
            entry(3, "completed", "tea", summary="Written\n[b].", duration_ms=75_000),
            entry(4, "clarification", "→ visitors"),
            entry(5, "started", "coffee \x1b[31m\nand milk"),
            entry(6, "aborted", "x", reason="Denied: rm"),
            HistoryEntry("soon", "odd\n", "y"),
        ],
        taken.append,
    )
    assert [(row.name, *row.help.split(" · ")[1:]) for row in rows] == [
        ("y", "odd"),
        ("x", "denied", "Denied: rm"),
        ("coffee ␛[31m and milk", "started"),
        ("→ visitors", "answers"),
        ("tea", "done", "1 min 15 s", "Written [b]."),
        ("/theme nord", "command"),
    ]
    assert rows[0].help.startswith("\n  at an unknown time ·")
    rows[2].run()
    assert taken == ["coffee \x1b[31m\nand milk"]


async def test_the_history_tells_what_came_of_each_prompt_and_gives_one_back(stage, workspace):
    history = History(workspace.history_file)
    history.append(entry(1, "completed", "Write on tea [b]", summary="Done **[/b]** in `a.md`"))
    history.append(entry(2, "command", "/theme nord"))
    async with stage() as s:
        await s.type("/show history")
        await s.pilot.press("enter")
        await s.until(lambda: isinstance(s.app.screen, OffersScreen) and s.app.screen.list.items)
        last = s.app.screen.list.items[-1]
        assert last.name == "Write on tea [b]"
        assert last.help.endswith(" · done · Done [/b] in a.md")
        await s.pilot.press(*"wriea")
        await s.until(lambda: s.app.screen.list.items == [last])
        await s.pilot.press("enter")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "Write on tea [b]")


async def test_forgetting_asks_and_deletes_the_file_and_what_is_recalled(stage, workspace):
    history = History(workspace.history_file)
    history.append(entry(1, "completed", "Write on tea"))
    async with stage() as s:
        await s.until(
            lambda: s.app.conversation.prompt.editor.recall.step(-1, "") == "Write on tea"
        )
        for answer, left in (("enter", 1), ("down", 0)):
            await s.type("/clean history")
            await s.pilot.press("enter")
            await s.until(
                lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open
            )
            await s.until(lambda: history.entries()[-1].prompt == "/clean history")
            await s.pilot.press(*(["enter"] if answer == "enter" else ["down", "enter"]))
            await s.until(lambda: s.app.screen is s.app.conversation)
            await s.until(lambda left=left: bool(history.entries()) == bool(left))
        await s.until(lambda: "Deleted: history" in s.hint)
        assert s.app.conversation.prompt.editor.recall.step(-1, "") is None
    assert not workspace.history_file.exists()


@pytest.mark.thorough
async def test_all_of_a_hundred_thousand_entries_can_be_found(stage, workspace):
    rows = [
        {
            "timestamp": f"2026-01-01T00:00:00.{number:06}+00:00",
            "status": "completed",
            "prompt": f"Prompt {number}",
        }
        for number in range(100_000)
    ]
    rows[7]["prompt"] = "Write about marmalade"
    workspace.dot.mkdir()
    workspace.history_file.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
    async with stage((80, 24)) as s:
        await s.until(
            lambda: s.app.conversation.prompt.editor.recall.step(-1, "") == "Prompt 99999"
        )
        await s.pilot.press("ctrl+r")
        await s.until(lambda: isinstance(s.app.screen, OffersScreen) and s.app.screen.list.items)
        assert s.app.screen.list.items[0].name == "Prompt 99999"
        keys, box = s.app.screen.query_one(KeyLine), s.app.screen.query_one("#offers")
        await s.until(lambda: keys.region.height == 1)
        # a full list leaves room for them, at 80 columns by 24 lines
        assert box.content_region.contains_region(keys.region)
        await s.pilot.press(*"marma")
        await s.until(
            lambda: [one.name for one in s.app.screen.list.items] == ["Write about marmalade"]
        )


async def test_lessons_and_notes_are_shown_and_forgotten_too(stage, workspace):
    workspace.dot.mkdir()
    for file in (workspace.lessons_file, workspace.memory_file):
        file.write_text("# Use the second column\n")
    async with stage() as s:
        for what in ("lessons", "memory"):
            await s.type(f"/show {what}")
            await s.pilot.press("enter")
            await s.until(lambda: isinstance(s.app.focused, PaneView))
            assert s.app.conversation.documents.shows(f".dogent/{what}.md")
            await s.pilot.press("q")
            await s.until(lambda: not s.app.conversation.has_document)
        await s.type("/clean all")
        await s.pilot.press("enter")
        await s.until(lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open)
        await s.pilot.press("down", "enter")
        await s.until(lambda: "Deleted: history, lessons, memory" in s.hint)
        assert not workspace.lessons_file.exists()
        assert not workspace.memory_file.exists()
        assert History(workspace.history_file).entries() == []
        await s.type("/clean memory")
        await s.pilot.press("enter")
        await s.until(lambda: "nothing of that" in s.hint)  # and nobody is asked whether
        s.app.conversation.prompt.editor.replace_all("")
        await s.type("/clean everything")
        await s.pilot.press("enter")
        await s.until(lambda: "or all" in s.hint)
