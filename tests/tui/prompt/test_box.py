"""The picker, the marks on references, the queue strip and the hints."""

from dogent_tui.agent.events import Prompt, QueuedPrompt
from dogent_tui.references.file_index import FileIndex
from dogent_tui.tui.prompt.queue import QueueStrip
from dogent_tui.tui.widgets import ActionRequested


def labels(app) -> list[str]:
    return [row.label for row in app.box.picker.rows]


def queued(*texts: str) -> tuple[QueuedPrompt, ...]:
    return tuple(
        QueuedPrompt(id=f"q{number}", prompt=Prompt(text)) for number, text in enumerate(texts, 1)
    )


class TestPicker:
    async def test_an_at_sign_opens_it_and_tab_takes_the_best(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"Read @notes")
            await app.until(pilot, lambda: app.box.picker.display)
            assert labels(app)[0] == "notes.md"
            await app.press(pilot, "tab", *"now", "enter")
            assert app.sent == ["Read @notes.md now"]

    async def test_a_space_typed_after_a_name_is_not_a_second_one(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"Read @notes")
            await app.until(pilot, lambda: app.box.picker.display)
            await app.press(pilot, "tab", "space", *"now", "space", "space")
            assert app.box.editor.raw == "Read @notes.md now  "

    async def test_keys_that_come_before_the_search_does(self, make_app) -> None:
        app = make_app()
        async with app.run_test():
            editor = app.box.editor
            editor.insert("@notes")
            assert editor.key_filter("tab")
            assert editor.raw == "@notes.md "

    async def test_a_name_with_a_newline_takes_one_row(self, make_app, folder) -> None:
        (folder / "new\nline.md").write_text("x", encoding="utf-8")
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@new")
            await app.until(pilot, lambda: app.box.picker.display)
            assert str(app.box.picker.render()).splitlines()[0].strip() == "› new line.md"

    async def test_enter_takes_a_candidate_and_then_sends(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@notes", "enter")
            assert app.sent == []
            assert app.box.editor.raw == "@notes.md "
            await app.press(pilot, "enter")
            assert app.sent == ["@notes.md"]

    async def test_enter_sends_at_once_when_the_name_is_whole(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@notes.md", "enter")
            assert app.sent == ["@notes.md"]

    async def test_a_name_with_spaces_is_quoted(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@draft", "tab")
            assert app.box.editor.raw == '@"my papers/draft one.md" '

    async def test_arrows_choose_and_escape_closes_without_interrupting(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "@")
            await app.until(pilot, lambda: app.box.picker.display)
            first, second = labels(app)[:2]
            await app.press(pilot, "down")
            assert app.box.picker.current.label == second
            await app.press(pilot, "up")
            assert app.box.picker.current.label == first
            await app.press(pilot, "escape")
            assert not app.box.picker.display
            assert app.posted == [] or "InterruptRequested" not in {
                type(message).__name__ for message in app.posted
            }
            await app.press(pilot, "n", "o")
            assert not app.box.picker.display
            await app.press(pilot, "enter")
            assert app.sent == ["@no"]

    async def test_another_token_opens_it_again(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "@", "escape", "space", "@")
            await app.until(pilot, lambda: app.box.picker.display)

    async def test_folders_are_browsed(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@docs/")
            await app.until(pilot, lambda: "docs/" in labels(app)[:1])
            assert set(labels(app)) == {"docs/", "docs/report.md", "docs/interview with Li.txt"}

    async def test_taking_a_folder_shows_what_is_in_it(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@papers")
            await app.until(pilot, lambda: "my papers/" in labels(app))
            while app.box.picker.current.label != "my papers/":
                await app.press(pilot, "down")
            await app.press(pilot, "tab")
            assert app.box.editor.raw == '@"my papers/'
            await app.until(pilot, lambda: labels(app) == ["my papers/", "my papers/draft one.md"])
            await app.press(pilot, "down", "tab")
            assert app.box.editor.raw == '@"my papers/draft one.md" '

    async def test_enter_on_a_folder_and_enter_again_sends_the_folder(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@docs", "enter")
            assert app.box.editor.raw == "@docs/"
            await app.press(pilot, "enter")
            assert app.sent == ["@docs/"]

    async def test_recalled_text_does_not_open_it(self, make_app) -> None:
        app = make_app(history=["/help", "see @notes.md"])
        async with app.run_test() as pilot:
            await app.press(pilot, "up", "up")
            assert app.box.editor.raw == "/help"
            await app.press(pilot, "down", "left", "right")
            assert app.box.editor.raw == "see @notes.md"
            assert not app.box.picker.display
            await app.press(pilot, "backspace")
            await app.until(pilot, lambda: app.box.picker.display)

    async def test_a_hash_after_a_workbook_offers_its_sheets(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@numb", "tab", "#")
            assert app.box.editor.raw == "@numbers.xlsx#"
            await app.until(pilot, lambda: labels(app) == ["Sales", "My costs"])
            await app.press(pilot, *"cost", "tab")
            assert app.box.editor.raw == '@numbers.xlsx#"My costs" '

    async def test_commands_are_offered_and_enter_runs_one(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"/hel")
            await app.until(pilot, lambda: labels(app) == ["/help"])
            await app.press(pilot, "enter")
            assert app.sent == ["/help"]
            assert not app.box.picker.display

    async def test_what_commands_do_stands_in_one_column_and_the_hint_says_how_the_typed_one_continues(  # noqa: E501
        self, make_app
    ) -> None:
        app = make_app()
        async with app.run_test(size=(80, 24)) as pilot:
            await app.press(pilot, "/")
            await app.until(pilot, lambda: len(labels(app)) == 5)
            rows = app.box.picker.render().plain.splitlines()[:5]
            assert [row[22:].rstrip() for row in rows] == [
                "Attach a file to the next prompt  PATH",
                "Write a document as PDF or Word  PATH",
                "Show the keys",
                "Choose the colors  [name]",
                "Forget  history|all",
            ]
            await app.press(pilot, *"theme ")
            assert app.hint == "Enter runs /theme [name]"
            await app.press(pilot, "ctrl+u", *"/help")
            assert "Enter runs the command" in app.hint

    async def test_a_high_window_shows_more_of_what_was_found(self, make_app, folder) -> None:
        for number in range(30):
            (folder / f"chapter-{number}.md").touch()
        app = make_app()
        async with app.run_test(size=(80, 60)) as pilot:
            await app.press(pilot, *"@chapter")
            await app.until(pilot, lambda: len(labels(app)) == 30)
            assert app.box.picker.size.height == 17

    async def test_what_to_do_stands_at_the_end_of_a_long_sentence_and_is_seen(
        self, make_app
    ) -> None:
        app = make_app()
        async with app.run_test(size=(80, 24)) as pilot:
            said = (
                "The profile has no key for https://api.example.com. "
                + "Put this or that into the profile. " * 3
                + "/settings does."
            )
            app.box.notify_hint(said)
            await app.until(pilot, lambda: app.query_one("#prompt-hint").size.height == 3)

    async def test_a_command_that_needs_more_is_completed_first(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"/att", "enter", *"notes.md", "enter")
            assert app.sent == ["/attach notes.md"]

    async def test_enter_on_a_command_that_needs_more_offers_what_there_is(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"/attach")
            await app.until(pilot, lambda: labels(app) == ["/attach"])
            await app.press(pilot, "enter")
            await app.until(pilot, lambda: "notes.md" in labels(app))
            assert (app.box.editor.raw, app.sent) == ("/attach ", [])
            await app.press(pilot, "ctrl+u", *"/clean", "enter")
            await app.until(pilot, lambda: labels(app) == ["history", "all"])
            await app.press(pilot, "down", "enter")
            assert app.sent == ["/clean all"]

    async def test_the_path_of_a_command_is_completed(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"/attach ")
            await app.until(pilot, lambda: "notes.md" in labels(app))
            await app.press(pilot, *"draft", "tab")
            assert app.box.editor.raw == "/attach my papers/draft one.md"
            await app.press(pilot, "ctrl+u", *"/attach docs", "tab")
            await app.until(pilot, lambda: "docs/report.md" in labels(app))
            await app.press(pilot, *"int", "enter", "enter")
            assert app.sent == ["/attach docs/interview with Li.txt"]

    async def test_enter_takes_a_new_path_as_it_was_typed(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"/attach note.md")
            await app.until(pilot, lambda: "notes.md" in labels(app))
            await app.press(pilot, "enter")
            assert app.sent == ["/attach note.md"]
            await app.press(pilot, *"/attach otes.md")
            await app.until(pilot, lambda: "notes.md" in labels(app))
            await app.press(pilot, "tab", "enter")
            assert app.sent[1:] == ["/attach notes.md"]

    async def test_other_paths_and_the_arguments_of_other_commands_are_not_completed(
        self, make_app
    ) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            for text in (
                "/attach /etc/notes",
                "/attach ~/notes",
                "/attach ../notes",
                "/theme notes",
                "/attach notes\n/attach notes",
            ):
                app.box.editor.replace_all("")
                app.box.editor.insert(text)
                await pilot.pause()
                assert app.box.picker.completion is None

    async def test_a_click_takes_a_candidate(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "/")
            await app.until(pilot, lambda: app.box.picker.display)
            await pilot.pause()
            await pilot.click("#prompt-picker", offset=(4, 2))
            await pilot.pause()
            assert app.box.editor.raw == "/help "

    async def test_names_are_literal(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@odd")
            await app.until(pilot, lambda: app.box.picker.display)
            await pilot.pause()
            assert "odd[b].md" in app.box.picker.render_line(0).text

    async def test_a_mark_after_a_completed_name_closes_up(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"@notes", "tab", ",", "space", "o", "k")
            assert app.box.editor.raw == "@notes.md, ok"

    async def test_an_index_in_the_making_says_so_and_fills_in(self, make_app, monkeypatch) -> None:
        with monkeypatch.context() as unready:
            unready.setattr(FileIndex, "refresh", lambda index: None)
            app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, "@")
            await app.until(pilot, lambda: app.box.picker.display)
            assert "indexing" in app.box.picker.render_line(app.box.picker.size.height - 1).text
            app.index.refresh()
            await app.until(pilot, lambda: "notes.md" in labels(app))

    async def test_no_picker_in_a_shell_command(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await app.press(pilot, *"!ls @no")
            assert app.box.picker.completion is None


class TestReferences:
    async def test_what_does_not_resolve_is_named_and_marked(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            editor = app.box.editor
            editor.insert("Read @notess.md and @notes.md ")
            await app.until(pilot, lambda: app.hint == "No file notess.md here")
            await pilot.pause()
            styles = {
                segment.text: segment.style
                for segment in editor.render_line(0)
                if "@" in segment.text
            }
            assert styles["@notess.md"].underline
            assert not styles["@notes.md"].underline
            assert styles["@notes.md"].color != styles["@notess.md"].color

    async def test_the_mark_goes_with_the_mistake(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.insert("Read @notess.md ")
            await app.until(pilot, lambda: "notess" in app.hint)
            await app.press(pilot, "ctrl+c", "a")
            await app.until(pilot, lambda: app.hint.startswith("Enter sends"))

    async def test_text_that_follows_a_name_is_not_marked(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.insert("比较@报告.md的内容 ")
            await app.until(
                pilot, lambda: any(s.text == "@报告.md" for s in app.box.editor.render_line(0))
            )

    async def test_a_missing_sheet(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.insert("@numbers.xlsx#Sales @numbers.xlsx#Nope ")
            await app.until(pilot, lambda: app.hint == "No sheet Nope in numbers.xlsx")

    async def test_several(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.insert("@a.md @b.md @c.md ")
            await app.until(pilot, lambda: app.hint == "No file a.md here, and 2 more")

    async def test_what_is_being_completed_is_not_called_missing_until_escape(
        self, make_app
    ) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.editor.insert("@none.md ")
            await app.press(pilot, *"@no")
            await app.until(pilot, lambda: app.hint == "No file none.md here")
            await app.press(pilot, "escape")
            await app.until(pilot, lambda: app.hint == "No file none.md here, and 1 more")


class TestHint:
    async def test_what_was_said_before_a_run_is_over_when_it_begins(self, make_app) -> None:
        app = make_app()
        async with app.run_test():
            app.box.notify_hint("This waits.")
            assert app.hint == "This waits."
            app.box.set_busy(True)
            assert "Esc stops" in app.hint
            app.box.set_busy(False)
            assert app.hint.startswith("Enter sends")

    async def test_a_warning_stays_through_a_run(self, make_app) -> None:
        app = make_app()
        async with app.run_test():
            app.box.notify_hint("That was not done.", warning=True)
            app.box.set_busy(True)
            assert app.hint == "That was not done."

    async def test_a_narrow_window_still_tells_the_key_that_shows_all(self, make_app) -> None:
        app = make_app()
        async with app.run_test(size=(80, 15)) as pilot:
            app.box.set_busy(True)
            app.box.set_document("F3 shows a-report.md")
            assert app.hint == "F3 shows a-report.md · Esc stops the agent · ? help"
            await pilot.resize_terminal(36, 15)
            await app.until(pilot, lambda: app.hint == "F3 shows a-report.md · ? help")
            await pilot.resize_terminal(120, 15)
            await app.until(pilot, lambda: "Enter queues your next prompt · ? help" in app.hint)


class TestQueue:
    async def test_waiting_prompts_are_seen(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.queue.show(queued("first [b]", "second\nline"))
            await pilot.pause()
            strip = app.query_one(QueueStrip)
            assert "↳ 1 first [b]" in strip.render_line(0).text
            assert "↳ 2 second line" in strip.render_line(1).text
            app.box.queue.show(())
            await pilot.pause()
            assert not strip.display

    async def test_up_from_the_empty_prompt_edits_the_last(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.queue.show(queued("first", "second"))
            await pilot.pause()
            await pilot.press("up", "enter")
            assert [
                (message.what, message.item.id) for message in app.messages(ActionRequested)
            ] == [("edit", "q2")]
            app.box.queue.show(queued("first"))
            app.box.put_back("second")
            await pilot.press("!", "enter")
            assert app.sent == ["second!"]

    async def test_alt_up_works_with_text_and_delete_drops(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.queue.show(queued("first", "second"))
            await pilot.pause()
            await pilot.press("x", "alt+up", "up", "delete")
            assert [
                (message.what, message.item.id) for message in app.messages(ActionRequested)
            ] == [("drop", "q1")]

    async def test_down_and_escape_lead_back(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.queue.show(queued("first"))
            await pilot.pause()
            for key in ("down", "escape"):
                await pilot.press("up")
                assert app.query_one(QueueStrip).has_focus
                await pilot.press(key)
                await app.until(pilot, lambda: app.box.editor.has_focus)

    async def test_what_was_typed_meanwhile_is_kept(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            await pilot.press("n", "e", "w")
            app.box.put_back("old")
            assert app.box.editor.raw == "old\nnew"

    async def test_many_are_counted(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.queue.show(queued(*"abcdefg"))
            await pilot.pause()
            strip = app.query_one(QueueStrip)
            assert "and 3 more" in strip.render_line(4).text
            await pilot.press("up")
            await pilot.pause()
            assert "↳ 7 g" in strip.render_line(3).text

    async def test_the_focus_comes_back_when_the_queue_is_empty(self, make_app) -> None:
        app = make_app()
        async with app.run_test() as pilot:
            app.box.queue.show(queued("first"))
            await pilot.pause()
            await pilot.press("up")
            app.box.queue.show(())
            await app.until(pilot, lambda: app.box.editor.has_focus)
