"""The keys of the prompt."""

import pytest
from textual import events
from textual.geometry import Offset

from dogent_tui.tui.prompt.editor import PromptEditor

LONG = "a line of a long paste\n" * 40


class TestSending:
    @pytest.mark.parametrize("key", ["shift+enter", "alt+enter", "ctrl+j"])
    async def test_enter_sends_and_others_begin_a_line(self, make_app, key: str) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "h", "i", key, "y", "o", "u", "enter")
            assert app.sent == ["hi\nyou"]
            assert app.box.editor.is_blank

    async def test_a_backslash_before_enter_begins_a_line(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "a", "\\", "enter", "b", "enter")
            assert app.sent == ["a\nb"]

    async def test_nothing_is_not_sent(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "enter", "space", "enter")
            assert app.sent == []

    async def test_references_go_along_as_typed(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.paste_text(
                'Compare @notes.md with @"my papers/draft one.md" and mail me@home.org '
            )
            await app.press(pilot, "enter")
            (message,) = app.messages(PromptEditor.Submitted)
            assert [reference.path for reference in message.references] == [
                "notes.md",
                "my papers/draft one.md",
            ]

    async def test_a_shell_command_has_no_references(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.paste_text("!ls @notes.md ")
            await app.press(pilot, "enter")
            (message,) = app.messages(PromptEditor.Submitted)
            assert (message.text, message.references) == ("!ls @notes.md", ())

    async def test_markup_and_controls_are_text(self, make_app) -> None:
        text = "[/b] [x](y) [ ] \x1b[31m \x07 [red]"
        app = make_app()
        async with app.run_test(size=(60, 12)) as pilot:
            app.box.editor.paste_text(text)
            await pilot.pause()
            row = app.box.editor.render_line(0).text
            assert row.startswith("[/b] [x](y) [ ] ␛[31m ␇ [red]")
            assert "\x1b" not in row
            await app.press(pilot, "enter")
            assert app.sent == [text]

    async def test_keys_of_one_burst_stay_in_order(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            for key, character in (
                ("b", "b"),
                ("left", None),
                ("a", "a"),
                ("end", None),
                ("enter", "\r"),
                ("c", "c"),
            ):
                app.post_message(events.Key(key, character))
            await app.until(pilot, lambda: app.box.editor.raw == "c")
            assert app.sent == ["ab"]


class TestEscapeAndCtrlC:
    async def test_escape_asks_for_an_interrupt_and_keeps_the_text(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "h", "i", "escape")
            assert len(app.messages(PromptEditor.InterruptRequested)) == 1
            assert app.box.editor.raw == "hi"

    async def test_escape_twice_clears_where_nothing_runs_and_up_brings_it_back(
        self, make_app
    ) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"words", "escape")
            assert app.box.editor.value == "words"
            assert "Esc again" in app.hint
            await app.press(pilot, "escape")
            assert app.box.editor.value == ""
            await app.press(pilot, "up")
            assert app.box.editor.value == "words"
            await app.press(pilot, "escape", "x", "escape")  # a key between the two
            assert app.box.editor.value == "wordsx"

    async def test_escape_twice_clears_nothing_while_the_agent_works(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.set_busy(True)
            await app.press(pilot, *"words", "escape", "escape", "escape")
            assert app.box.editor.value == "words"
            assert len(app.messages(PromptEditor.InterruptRequested)) == 3

    async def test_escape_gives_up_a_selection_first(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "h", "i", "shift+home", "escape")
            assert not app.messages(PromptEditor.InterruptRequested)
            assert app.box.editor.selection.is_empty
            assert app.box.editor.raw == "hi"

    @pytest.mark.parametrize(
        "key", ["up", "down", "left", "right", "home", "end", "pageup", "pagedown"]
    )
    async def test_arrow_keys_never_interrupt(self, make_app, key: str) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, key, "a", key)
            assert not app.messages(PromptEditor.InterruptRequested)

    async def test_ctrl_c_clears_and_up_brings_it_back(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "h", "i", "ctrl+c")
            assert app.box.editor.is_blank
            assert not app.acted
            await app.press(pilot, "up")
            assert app.box.editor.raw == "hi"

    async def test_undo_brings_it_back_too(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "h", "i", "ctrl+c", "ctrl+z")
            assert app.box.editor.raw == "hi"

    @pytest.mark.parametrize("clears", [["ctrl+c"], ["escape", "escape"]])
    async def test_ctrl_underscore_undoes_also_where_a_scrollbar_goes(
        self, make_app, clears
    ) -> None:
        app = make_app()
        text = "\n".join(f"line {number}" for number in range(60))
        async with app.run_test() as pilot:
            app.box.editor.replace_all(text)
            await pilot.pause()
            await app.press(pilot, *clears)
            assert app.box.editor.value == ""
            await app.press(pilot, "ctrl+underscore")
            assert app.box.editor.value == text
            await app.press(pilot, "ctrl+underscore")  # the text was put in as one step
            assert app.box.editor.value == ""

    async def test_ctrl_c_twice_quits(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "h", "i", "ctrl+c")
            assert "Ctrl+C again" in app.hint
            await app.press(pilot, "ctrl+c")
            assert app.acted == ["quit"]

    async def test_another_key_in_between_does_not_quit(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "ctrl+c", "left", "ctrl+c")
            assert not app.acted

    async def test_a_late_second_press_does_not_quit(self, make_app, monkeypatch) -> None:
        monkeypatch.setattr(PromptEditor, "SECOND_PRESS_S", 0.01)
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "ctrl+c")
            await app.until(pilot, lambda: "Ctrl+C again" not in app.hint)
            await app.press(pilot, "ctrl+c")
            assert not app.acted

    async def test_ctrl_c_copies_a_selection(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.paste_text("a\x1bb")
            await app.press(pilot, "shift+home", "ctrl+c")
            assert app.clipboard == "a\x1bb"
            assert app.box.editor.raw == "a\x1bb"


class TestRecall:
    async def test_up_and_down_walk_the_history_and_keep_what_was_typed(self, make_app) -> None:
        app = make_app(history=["one", "two\nlines"])
        async with app.run_test() as pilot:
            editor = app.box.editor
            await app.press(pilot, "n", "e", "w", "up")
            assert editor.raw == "two\nlines"
            await app.press(pilot, "up")
            assert editor.raw == "one"
            await app.press(pilot, "up")
            assert editor.raw == "one"
            await app.press(pilot, "down", "down", "down")
            assert editor.raw == "new"

    async def test_inside_of_a_text_the_arrows_move(self, make_app) -> None:
        app = make_app(history=["old"])
        async with app.run_test(size=(30, 20)) as pilot:
            editor = app.box.editor
            editor.paste_text("word " * 12)  # one line, wrapped into rows
            await pilot.pause()
            row = editor.cursor_screen_offset.y
            await app.press(pilot, "up")
            assert editor.raw.startswith("word")
            assert editor.cursor_screen_offset.y == row - 1
            await app.press(pilot, "up", "up")
            assert editor.raw == "old"

    async def test_what_was_sent_can_be_recalled(self, make_app) -> None:
        app = make_app(history=["old"])
        async with app.run_test() as pilot:
            await app.press(pilot, "n", "e", "w", "enter", "up")
            assert app.box.editor.raw == "new"

    async def test_shift_up_selects(self, make_app) -> None:
        app = make_app(history=["old"])
        async with app.run_test() as pilot:
            await app.press(pilot, "n", "shift+up")
            assert app.box.editor.raw == "n"


class TestPasting:
    async def test_a_long_paste_folds_and_is_sent_whole(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.post_message(events.Paste(LONG))
            await app.until(pilot, lambda: not app.box.editor.is_blank)
            assert app.box.editor.raw == "[Pasted text #1 +40 lines]"
            await app.press(pilot, "space", "o", "k", "enter")
            assert app.sent == [f"{LONG} ok"]

    async def test_backspace_deletes_a_placeholder_as_a_whole_and_undo_brings_it_back(
        self, make_app
    ) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "a")
            app.box.editor.paste_text(LONG)
            await app.press(pilot, "backspace")
            assert app.box.editor.raw == "a"
            await app.press(pilot, "ctrl+z")
            assert app.box.editor.value == f"a{LONG}"

    async def test_delete_deletes_it_as_a_whole(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.paste_text(LONG)
            await app.press(pilot, "home", "delete")
            assert app.box.editor.is_blank

    async def test_the_cursor_jumps_over_it(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.paste_text(LONG)
            await app.press(pilot, "left", "a", "right", "b", "ctrl+left", "c")
            assert app.box.editor.value == f"ac{LONG}b" or app.box.editor.value == f"a{LONG}cb"

    async def test_the_mouse_cannot_get_into_it(self, make_app) -> None:
        app = make_app()
        async with app.run_test(size=(60, 10)) as pilot:
            app.box.editor.paste_text(LONG)
            await pilot.pause()
            await pilot.click(PromptEditor, offset=Offset(8, 0))
            await app.press(pilot, "x")
            assert app.box.editor.value in (f"x{LONG}", f"{LONG}x")

    @pytest.mark.parametrize("key", ["ctrl+w", "ctrl+u", "ctrl+k"])
    async def test_the_deleting_keys_take_all_of_it_or_nothing(self, make_app, key: str) -> None:
        app = make_app()
        async with app.run_test(size=(24, 12)) as pilot:  # so narrow that the placeholder wraps
            app.box.editor.paste_text(LONG)
            await app.press(pilot, key)
            assert app.box.editor.value in ("", LONG)

    async def test_ctrl_o_unfolds(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.paste_text(LONG)
            await pilot.pause()
            assert "Ctrl+O" in app.hint
            await app.press(pilot, "ctrl+o")
            assert app.box.editor.raw == LONG
            assert app.box.editor.size.height <= 12

    async def test_a_huge_paste_stays_folded_and_says_so(self, make_app) -> None:
        app = make_app()
        text = "0123456789abcdef" * 65_536
        async with app.run_test() as pilot:
            app.post_message(events.Paste(text))
            await app.until(pilot, lambda: not app.box.editor.is_blank)
            await app.press(pilot, "ctrl+o")
            assert "1,048,576 characters" in app.hint
            await app.press(pilot, "x", "enter")
            assert app.sent == [f"{text}x"]

    async def test_a_short_paste_is_literal(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.post_message(events.Paste("one\r\n\ttwo [b]\u2028three"))
            await app.until(pilot, lambda: not app.box.editor.is_blank)
            await app.press(pilot, "enter")
            assert app.sent == ["one\n\ttwo [b]\u2028three"]

    async def test_what_comes_back_to_a_prompt_with_a_folded_paste_is_whole(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            pasted = "a row of figures\n" * 20_000
            app.box.editor.insert("compare with ")
            app.box.editor.paste_text(pasted)
            waited = "x" * 390 + " then " + "y" * 100_000
            app.box.put_back(waited)
            await pilot.pause()
            assert app.box.editor.value == f"{waited}\ncompare with {pasted}"
            await app.press(pilot, "enter", "up")
            assert app.sent == [f"{waited}\ncompare with {pasted}".rstrip()]
            assert app.box.editor.value == app.sent[0]

    async def test_a_recalled_text_that_is_too_long_is_folded(self, make_app) -> None:
        text = "long " * 10_000
        app = make_app(history=[text])
        async with app.run_test() as pilot:
            await app.press(pilot, "up")
            assert app.box.editor.raw.startswith("long long ")  # its beginning stays to be read
            assert app.box.editor.raw.endswith("characters]")
            assert app.box.editor.value == text

    async def test_a_dropped_file_becomes_a_reference(self, make_app, folder) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "s", "e", "e", "space")
            app.post_message(events.Paste(f"'{folder / 'my papers' / 'draft one.md'}' "))
            await app.until(pilot, lambda: "@" in app.box.editor.raw)
            assert app.box.editor.raw == 'see @"my papers/draft one.md" '

    async def test_a_path_that_leads_nowhere_stays_text(self, make_app, folder) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.paste_text(f"{folder}/none.md")
            app.box.editor.paste_text(f" {folder}/notes.md")
            await app.until(pilot, lambda: "@" in app.box.editor.raw)
            assert app.box.editor.raw == f"{folder}/none.md@notes.md "

    async def test_in_a_shell_command_a_path_stays_a_path(self, make_app, folder) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "!")
            app.box.editor.paste_text(f"{folder}/notes.md")
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert app.box.editor.raw == f"!{folder}/notes.md"


class TestTheRest:
    async def test_the_draft_is_posted_in_a_pause_and_emptied_on_sending(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "h", "i")
            await app.until(
                pilot,
                lambda: (
                    [message.text for message in app.messages(PromptEditor.DraftChanged)][-1:]
                    == ["hi"]
                ),
            )
            await app.press(pilot, "enter")
            assert app.messages(PromptEditor.DraftChanged)[-1].text == ""

    async def test_a_draft_comes_back(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.put_back("half a\nsentence")
            await app.press(pilot, "!")
            assert app.box.editor.raw == "half a\nsentence!"

    async def test_ctrl_g_asks_for_an_editor(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.paste_text(LONG)
            await app.press(pilot, "ctrl+g")
            assert [
                message.text for message in app.messages(PromptEditor.ExternalEditorRequested)
            ] == [LONG]
            app.box.editor.replace_all("edited")
            assert app.box.editor.raw == "edited"
            await app.press(pilot, "ctrl+z")
            assert app.box.editor.value == LONG

    async def test_a_question_mark_asks_for_help_only_in_an_empty_prompt(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "question_mark")
            assert app.box.editor.is_blank
            assert app.acted == ["help"]
            await app.press(pilot, "a", "question_mark")
            assert app.box.editor.raw == "a?"

    async def test_it_grows_with_the_text_up_to_its_share_of_the_screen(self, make_app) -> None:
        app = make_app()
        async with app.run_test(size=(80, 24)) as pilot:
            editor = app.box.editor
            assert editor.size.height == 1
            await app.press(pilot, "ctrl+j", "ctrl+j")
            await pilot.pause()
            assert editor.size.height == 3
            await app.press(pilot, *["ctrl+j"] * 20)
            await pilot.pause()
            assert editor.size.height == 9
            await app.press(pilot, "ctrl+c")
            await pilot.pause()
            assert editor.size.height == 1

    async def test_the_terminal_cursor_follows_for_input_methods(self, make_app) -> None:
        app = make_app(history=["two\nlines"])
        async with app.run_test(size=(80, 24)) as pilot:
            await app.press(pilot, "up")
            await app.until(pilot, lambda: app.box.editor.size.height == 2)
            await app.until(pilot, lambda: app.cursor_position == (7, 21))

    @pytest.mark.parametrize(("typed", "mark"), [("a", "›"), ("!", "!"), ("/", "/")])
    async def test_the_mark_says_what_enter_will_do(self, make_app, typed: str, mark: str) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, typed)
            await pilot.pause()
            assert str(app.query_one("#prompt-mark").content) == mark

    async def test_cut_takes_the_line(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "a", "b", "ctrl+x")
            assert app.box.editor.is_blank
            assert app.clipboard == "ab"
            await app.press(pilot, "ctrl+v")
            assert app.box.editor.raw == "ab"
