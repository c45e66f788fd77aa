from collections.abc import Callable

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from dogent_tui.agent import events as ev
from dogent_tui.tui.transcript.search_bar import SearchBar
from dogent_tui.tui.transcript.view import Transcript

Make = Callable[..., "object"]


def lines(transcript: Transcript) -> list[str]:
    """What is on the screen."""
    return [transcript.render_line(y).text.rstrip() for y in range(transcript.size.height)]


def screen(transcript: Transcript) -> str:
    return "\n".join(lines(transcript))


async def settle(pilot: Pilot[None], transcript: Transcript) -> None:
    """Let everything be laid out and painted."""
    await pilot.pause()
    while not transcript.measured:
        await pilot.pause(0.01)
    await pilot.pause()


def delta(text: str, block: int = 0) -> ev.TextDelta:
    return ev.TextDelta(message_id="m", block=block, text=text, run_id="1")


def turns(count: int) -> list[ev.Event]:
    return [
        event
        for number in range(count)
        for event in (
            ev.RunStarted(prompt=ev.Prompt(f"prompt {number}"), run_id=str(number)),
            ev.TextFinished(
                message_id=f"m{number}",
                block=0,
                text=f"reply {number} " + "with some words " * 30,
                run_id=str(number),
            ),
        )
    ]


async def test_streamed_text_appears_and_the_end_is_followed(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(60, 10)) as pilot:
        for number in range(40):
            app.transcript.apply(delta(f"- item **{number}**\n"))
            if number % 10 == 0:
                await pilot.pause()
        await settle(pilot, app.transcript)
        assert "  • item 39" in lines(app.transcript)
        app.transcript.apply(ev.TextFinished(message_id="m", block=0, text="All done.", run_id="1"))
        await settle(pilot, app.transcript)
        assert [line for line in lines(app.transcript) if line] == ["  All done."]
        assert app.transcript.model.last_reply() == "All done."


async def test_it_continues_where_the_word_of_a_paint_was_lost_with_a_screen(
    make_app: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    async with app.run_test(size=(60, 10)) as pilot:
        await settle(pilot, app.transcript)
        # as where a screen on top took it along
        monkeypatch.setattr(app.transcript, "call_after_refresh", lambda *_: True)
        app.transcript.apply(delta("first "))
        await pilot.pause(0.1)
        app.transcript.apply(delta("and second"))
        await settle(pilot, app.transcript)
        assert "  first and second" in lines(app.transcript)


async def test_the_place_is_kept_while_text_arrives_and_end_follows_again(make_app: Make) -> None:
    app = make_app(turns(30))
    async with app.run_test(size=(60, 12)) as pilot:
        transcript = app.transcript
        await settle(pilot, transcript)
        await pilot.press("pageup", "pageup")
        await settle(pilot, transcript)
        before = lines(transcript)
        transcript.apply(delta("more\n\n" * 50))
        await settle(pilot, transcript)
        assert transcript.behind
        assert lines(transcript)[:-1] == before[:-1]
        assert "↓ new text · End" in lines(transcript)[-1]
        await pilot.press("end")
        await settle(pilot, transcript)
        assert not transcript.behind
        assert "  more" in lines(transcript)


async def test_a_band_that_was_drawn_before_a_resize_is_not_drawn_after_it(make_app: Make) -> None:
    app = make_app([ev.TextFinished(message_id="m", block=0, text="```\nx = 1\n```", run_id="1")])
    async with app.run_test(size=(60, 10)) as pilot:
        await settle(pilot, app.transcript)
        layout = app.transcript._layout

        def band() -> int:
            strip = app.transcript.render_line(1)
            around = app.transcript.render_line(9)._segments[0].style.bgcolor
            return sum(segment.cell_length for segment in strip if segment.style.bgcolor != around)

        as_wide = layout.width
        assert band() == as_wide
        # a scrollbar comes: the lines are laid out again, and the widget is as wide as it was
        layout.resize(as_wide - 1)
        assert band() == as_wide - 1


async def test_the_top_line_stays_when_the_width_changes(make_app: Make) -> None:
    app = make_app(turns(40))
    async with app.run_test(size=(70, 12)) as pilot:
        transcript = app.transcript
        await settle(pilot, transcript)
        await pilot.press("pageup", "pageup", "pageup", "pageup")
        while "prompt" not in lines(transcript)[0]:
            transcript.action_move(-1)
        top = lines(transcript)[0].split()
        for width in (40, 90, 50):
            await pilot.resize_terminal(width, 12)
            await settle(pilot, transcript)
            assert lines(transcript)[0].split() == top


async def test_a_window_is_resized_where_the_reply_that_was_being_read_is_gone(
    make_app: Make,
) -> None:
    app = make_app([ev.TextDelta(message_id="m", block=0, text="half\n\n" * 40, run_id="1")])
    async with app.run_test(size=(60, 12)) as pilot:
        transcript = app.transcript
        await settle(pilot, transcript)
        await pilot.press("pageup", "pageup")
        transcript.apply(ev.MessageDropped(message_id="m", run_id="1"))
        transcript.apply(
            ev.TextFinished(message_id="n", block=0, text="whole\n\n" * 40, run_id="1")
        )
        await settle(pilot, transcript)
        await pilot.resize_terminal(50, 12)
        await settle(pilot, transcript)
        assert "  whole" in lines(transcript)


async def test_scrolling_meets_every_line_once(make_app: Make) -> None:
    app = make_app(turns(12))
    async with app.run_test(size=(50, 11)) as pilot:
        transcript = app.transcript
        await settle(pilot, transcript)
        seen = lines(transcript)
        while transcript.scroll_offset.y > 0:
            transcript.action_move(-1)
            seen.insert(0, lines(transcript)[0])
        prompts = [line.split()[-1] for line in seen if "prompt" in line]
        assert prompts == [str(number) for number in range(12)]


async def test_cards_unfold_by_key_and_by_click(make_app: Make, log: list[ev.Event]) -> None:
    app = make_app(log)
    async with app.run_test(size=(80, 40)) as pilot:
        transcript = app.transcript
        await settle(pilot, transcript)
        await pilot.press("home")
        assert "▸ Edit  drafts/plan.md  ✓ +1 −1 lines" in screen(transcript)
        assert "✗ failed: No sheet is called Q2." in screen(transcript)
        assert "✗ denied" in screen(transcript)
        row = next(y for y, line in enumerate(lines(transcript)) if "▸ Edit" in line)
        await pilot.click(transcript, offset=(6, row))
        await settle(pilot, transcript)
        assert "▾ Edit" in lines(transcript)[row]
        assert "- old line" in screen(transcript)
        assert "+ new line" in screen(transcript)
        await pilot.press("enter")
        await settle(pilot, transcript)
        assert "file_path" not in screen(transcript)
        await pilot.press("ctrl+o")
        await settle(pilot, transcript)
        assert "I should read the notes first." in screen(transcript)
        await pilot.press("ctrl+o")
        await settle(pilot, transcript)
        assert "I should read the notes first." not in screen(transcript)


async def test_brackets_move_from_card_to_card(make_app: Make, log: list[ev.Event]) -> None:
    app = make_app(log)
    async with app.run_test(size=(80, 30)) as pilot:
        await settle(pilot, app.transcript)
        await pilot.press("home", "right_square_bracket", "right_square_bracket")
        assert [line for line in lines(app.transcript) if line.startswith("❯")] == [
            "❯ ▸ Read  notes/a.md  ✓ 120 lines"
        ]


async def test_a_running_tool_says_so_until_it_is_done(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(60, 10)) as pilot:
        transcript = app.transcript
        transcript.apply(ev.ToolPreparing(message_id="m", tool_use_id="t", name="Bash", run_id="1"))
        await settle(pilot, transcript)
        assert "being written" in screen(transcript)
        transcript.apply(
            ev.PermissionRequested(
                request_id="r", tool_use_id="t", tool="Bash", input={"command": "ls"}, run_id="1"
            )
        )
        await settle(pilot, transcript)
        assert "Run  ls  ? waiting for you" in screen(transcript)
        transcript.apply(
            ev.PermissionDecided(request_id="r", tool_use_id="t", decision="allow", run_id="1")
        )
        await settle(pilot, transcript)
        assert "running" in screen(transcript)
        transcript.apply(ev.ToolResult(tool_use_id="t", content="a.md", run_id="1"))
        await settle(pilot, transcript)
        assert "✓ a.md" in screen(transcript)


NASTY = "[/b] [x](y) [ ] [red]no[/red] \x1b[31m\x1b]0;title\x07 \u202eevil \x9b2J {a} $b"


async def test_text_that_looks_like_markup_or_control_is_literal(make_app: Make) -> None:
    events: list[ev.Event] = [
        ev.RunStarted(prompt=ev.Prompt(NASTY), run_id="1"),
        ev.ThinkingDelta(message_id="m", block=0, text=NASTY, run_id="1"),
        ev.TextFinished(message_id="m", block=1, text=f"`{NASTY}`", run_id="1"),
        ev.ToolUse(
            tool_use_id="t", name=NASTY, input={"file_path": NASTY, NASTY: [NASTY]}, run_id="1"
        ),
        ev.ToolResult(tool_use_id="t", content=NASTY, run_id="1"),
        ev.TodosChanged(todos=(ev.Todo(NASTY, "pending"),), run_id="1"),
        ev.Notice(level="error", message=NASTY, remedy=NASTY),
        ev.UiRequested(request_id="r", kind="clarification", payload={"title": NASTY}, run_id="1"),
        ev.UiRequested(
            request_id="c",
            kind="document_change",
            payload={"title": NASTY, "summary": NASTY},
            run_id="1",
        ),
        ev.RunFinished(status="failed", duration_ms=1, reason=NASTY, remedy=NASTY, run_id="1"),
        ev.Retrying(attempt=1, max_attempts=2, delay_ms=1, error=NASTY),
    ]
    app = make_app(events)
    async with app.run_test(size=(100, 60)) as pilot:
        await settle(pilot, app.transcript)
        await pilot.press("ctrl+o")
        await settle(pilot, app.transcript)
        drawn = screen(app.transcript)
        assert (
            drawn.count("[/b] [x](y) [ ] [red]no[/red] ␛[31m␛]0;title␇ ⟦U+202E⟧evil ⟦U+009B⟧2J {a}")
            >= 9
        )
        assert not any(ord(character) < 32 and character != "\n" for character in drawn)


async def test_search_counts_goes_there_and_unfolds(make_app: Make, log: list[ev.Event]) -> None:
    app = make_app([*log, *turns(20)])
    async with app.run_test(size=(80, 20)) as pilot:
        transcript = app.transcript
        await settle(pilot, transcript)
        await pilot.press("ctrl+f")
        await pilot.press(*"no sheet")
        await settle(pilot, transcript)
        bar = app.query_one(SearchBar)
        assert str(bar.query_one(".search--count", Static).content) == "2 of 2", (
            "the reason and the result"
        )
        assert "No sheet is called Q2." in screen(transcript)
        assert "▾ Read document" in screen(transcript)
        bar.query_one(Input).value = "reply 7"
        await settle(pilot, transcript)
        assert "reply 7 with" in screen(transcript)
        bar.query_one(Input).value = "prompt 1"
        await settle(pilot, transcript)
        assert str(bar.query_one(".search--count", Static).content) == "1 of 11"
        await pilot.press("enter")
        await settle(pilot, transcript)
        assert str(bar.query_one(".search--count", Static).content) == "11 of 11"
        assert "prompt 19" in screen(transcript)
        await pilot.press("enter")
        await settle(pilot, transcript)
        assert str(bar.query_one(".search--count", Static).content) == "10 of 11"
        await pilot.press("escape")
        assert app.focused is transcript
        assert not bar.display


async def test_selected_text_is_the_text_without_decoration(make_app: Make) -> None:
    app = make_app([ev.RunStarted(prompt=ev.Prompt("first\nsecond"), run_id="1"), *turns(1)[1:]])
    async with app.run_test(size=(40, 26)) as pilot:
        await settle(pilot, app.transcript)
        y = next(y for y, line in enumerate(lines(app.transcript)) if "first" in line)
        await pilot.mouse_down(app.transcript, offset=(0, y))
        await pilot.hover(app.transcript, offset=(30, y + 4))
        await pilot.mouse_up(app.transcript, offset=(30, y + 4))
        copied = app.screen.get_selected_text()
        assert copied is not None
        assert copied.startswith("first\nsecond\n\nreply 0 with some words with some")
        assert "\n" not in copied.partition("reply")[2]


async def test_two_clicks_select_a_word_and_three_a_paragraph(make_app: Make) -> None:
    app = make_app(turns(1))
    async with app.run_test(size=(40, 26)) as pilot:
        await settle(pilot, app.transcript)
        y = next(y for y, line in enumerate(lines(app.transcript)) if "reply" in line)
        await pilot.click(app.transcript, offset=(4, y), times=2)
        assert app.screen.get_selected_text() == "reply"
        await pilot.click(app.transcript, offset=(4, y), times=3)
        assert app.screen.get_selected_text() == ("reply 0 " + "with some words " * 30).strip()


async def test_two_clicks_beside_a_line_of_wide_characters_select_its_end(make_app: Make) -> None:
    app = make_app([ev.TextFinished(message_id="m", block=0, text="茶很热")])
    async with app.run_test(size=(40, 6)) as pilot:
        await settle(pilot, app.transcript)
        await pilot.click(app.transcript, offset=(30, 1), times=2)
        assert app.screen.get_selected_text() == "茶很热"


async def test_a_key_finds_what_has_just_arrived(make_app: Make) -> None:
    app = make_app(turns(1))
    async with app.run_test(size=(60, 40)) as pilot:
        await settle(pilot, app.transcript)
        use = ev.ToolUse(tool_use_id="t", name="Bash", input={"command": "printf pear"}, run_id="1")
        app.transcript.apply(use)
        app.transcript.apply(ev.ToolResult(tool_use_id="t", content="apple\npear", run_id="1"))
        app.transcript.search("apple")
        await settle(pilot, app.transcript)
        assert app.transcript.matches.count == 1
        app.transcript.apply(replace(use, tool_use_id="u"))
        app.transcript.apply(ev.ToolResult(tool_use_id="u", content="plum", run_id="1"))
        app.transcript.action_fold_all()
        app.transcript.action_fold_all()
        await settle(pilot, app.transcript)
        assert "apple" in screen(app.transcript)
        assert "plum" in screen(app.transcript)


async def test_a_click_on_a_link_is_told_and_not_followed(make_app: Make) -> None:
    app = make_app([ev.TextFinished(message_id="m", block=0, text="[here](https://example.org/x)")])
    async with app.run_test(size=(40, 6)) as pilot:
        await settle(pilot, app.transcript)
        await pilot.click(app.transcript, offset=(3, 1))
        assert app.opened == ["https://example.org/x"]


async def test_nothing_runs_when_nothing_happens(make_app: Make, log: list[ev.Event]) -> None:
    app = make_app(log)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, app.transcript)
        assert not [
            timer for timer in app.transcript._timers if timer._active.is_set() and timer.name
        ]


@pytest.mark.parametrize("theme", ["textual-light", "nord"])
async def test_a_theme_changes_the_colors_and_nothing_else(
    make_app: Make, log: list[ev.Event], theme: str
) -> None:
    app = make_app(log)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, app.transcript)
        before, color = screen(app.transcript), app.transcript.render_line(5)._segments[0].style
        app.theme = theme
        await settle(pilot, app.transcript)
        assert screen(app.transcript) == before
        assert app.transcript.render_line(5)._segments[0].style.bgcolor != color.bgcolor


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
def test_how_it_looks(
    snap_compare: Callable[..., bool], make_app: Make, log: list[ev.Event], size: tuple[int, int]
) -> None:
    async def settled(pilot: Pilot[None]) -> None:
        await settle(pilot, pilot.app.query_one(Transcript))
        await pilot.press(
            "home",
            "right_square_bracket",
            "right_square_bracket",
            "right_square_bracket",
            "right_square_bracket",
        )
        await pilot.press("enter")
        await settle(pilot, pilot.app.query_one(Transcript))

    assert snap_compare(make_app(log), terminal_size=size, run_before=settled)


async def test_c_copies_the_selection_or_the_last_reply(
    make_app: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    app = make_app(turns(1))
    async with app.run_test(size=(40, 26)) as pilot:
        await settle(pilot, app.transcript)
        await pilot.press("c")
        await app.workers.wait_for_complete()
        assert app.clipboard == app.transcript.model.last_reply()
        y = next(y for y, line in enumerate(lines(app.transcript)) if "reply" in line)
        await pilot.click(app.transcript, offset=(4, y), times=2)
        await pilot.press("c")
        await app.workers.wait_for_complete()
        assert app.clipboard == "reply"


async def test_text_that_is_being_selected_stays_under_the_mouse(make_app: Make) -> None:
    app = make_app(turns(30))
    async with app.run_test(size=(60, 12)) as pilot:
        transcript = app.transcript
        await settle(pilot, transcript)
        before = lines(transcript)
        await pilot.mouse_down(transcript, offset=(4, 4))
        await pilot.hover(transcript, offset=(20, 5))
        transcript.apply(delta("more\n\n" * 50))
        await settle(pilot, transcript)
        assert lines(transcript)[:-1] == before[:-1]
        await pilot.mouse_up(transcript, offset=(20, 5))
        assert app.screen.get_selected_text()
        await pilot.click(transcript, offset=(4, 11))
        await settle(pilot, transcript)
        assert "  more" in lines(transcript)
        transcript.apply(delta("the last\n\n"))
        await settle(pilot, transcript)
        assert "  the last" in lines(transcript)


async def test_text_continues_behind_a_modal(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(40, 12)) as pilot:
        app.transcript.apply(delta("first\n\n"))
        await settle(pilot, app.transcript)
        await app.push_screen(ModalScreen())
        for text in ("second\n\n", "third\n\n"):
            app.transcript.apply(delta(text))
            await settle(pilot, app.transcript)
        assert "  third" in lines(app.transcript)
        app.pop_screen()
        await settle(pilot, app.transcript)
        assert "  third" in lines(app.transcript)
