"""What the prompt looks like."""

import pytest

from dogent_tui.agent.events import Prompt, QueuedPrompt

SIZES = [(80, 24), (200, 60)]
WAITING = tuple(
    QueuedPrompt(id=str(number), prompt=Prompt(text))
    for number, text in enumerate(
        ("Then shorten it to one page", "and translate [b]it[/b] into\nChinese")
    )
)


@pytest.mark.parametrize("size", SIZES)
def test_empty(snap_compare, make_app, size) -> None:
    assert snap_compare(make_app(), terminal_size=size)


@pytest.mark.parametrize("size", SIZES)
def test_picker(snap_compare, make_app, size) -> None:
    app = make_app()

    async def run(pilot) -> None:
        app.box.editor.insert("Read @re")
        await app.until(pilot, lambda: app.box.picker.display)

    assert snap_compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", SIZES)
def test_commands(snap_compare, make_app, size) -> None:
    app = make_app()

    async def run(pilot) -> None:
        app.box.editor.insert("/")
        await app.until(pilot, lambda: app.box.picker.display)

    assert snap_compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", SIZES)
def test_references_pastes_controls_and_the_queue(snap_compare, make_app, size) -> None:
    app = make_app()

    async def run(pilot) -> None:
        app.box.queue.show(WAITING)
        app.box.editor.insert("Compare @notes.md with @notess.md and @报告.md的内容, then ")
        app.box.editor.paste_text("a line\n" * 1_234)
        app.box.editor.paste_text(" and [/b] \x1b[31m too")
        await app.until(pilot, lambda: "notess" in app.hint)

    assert snap_compare(app, terminal_size=size, run_before=run)


def test_without_colors(snap_compare, make_app, monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app()

    async def run(pilot) -> None:
        app.box.queue.show(WAITING)
        await pilot.pause()
        await pilot.press("up")

    assert snap_compare(app, terminal_size=(80, 24), run_before=run)
