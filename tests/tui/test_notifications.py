"""What is said to a user who looks at another window, and how the terminal is told."""

import base64

import pytest

from dogent_tui.agent.events import PermissionRequested, RunFinished, UiRequested
from dogent_tui.tui.notifications import notification, spoken_by, words_for


@pytest.mark.parametrize(
    ("environ", "spoken"),
    [
        ({"TERM": "xterm-kitty"}, "osc99"),
        ({"TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM_PROGRAM": "WezTerm", "TERM": "xterm-256color"}, "osc777"),
        ({"TERM": "foot-extra"}, "osc777"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "osc777"),
        ({"TERM": "xterm-256color"}, ""),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode", "VTE_VERSION": "7600"}, ""),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, ""),
        (
            {"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TMUX": "x", "KITTY_WINDOW_ID": "1"},
            "osc99",
        ),
        ({"TERM": "screen", "STY": "x", "LC_TERMINAL": "iTerm2"}, "osc9"),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TMUX": "x"}, ""),
    ],
)
def test_which_sequence_a_terminal_understands(environ, spoken):
    assert spoken_by(environ) == spoken


def test_words_go_in_the_form_that_the_terminal_understands():
    words = "asks: delete 3 files; now?"
    assert notification(words, {"TERM_PROGRAM": "iTerm.app"}) == f"\x1b]9;dogent-tui: {words}\x07"
    assert (
        notification(words, {"TERM": "foot"})
        == "\x1b]777;notify;dogent-tui;asks: delete 3 files, now?\x07"
    )
    kitty = notification(words, {"TERM": "xterm-kitty"})
    assert base64.b64decode(kitty.partition("e=1;")[2].removesuffix("\x1b\\")).decode() == words
    assert notification(words, {"TERM": "dumb"}) == ""
    inside = notification(words, {"TERM_PROGRAM": "tmux", "TMUX": "x", "ITERM_SESSION_ID": "1"})
    assert inside == f"\x1bPtmux;\x1b\x1b]9;dogent-tui: {words}\x07\x1b\\"


@pytest.mark.parametrize(
    "environ", [{"TERM_PROGRAM": "iTerm.app"}, {"TERM": "foot"}, {"TERM": "xterm-kitty"}]
)
def test_what_others_wrote_cannot_end_the_sequence(environ):
    hostile = "a\x07b\x1b]0;title\x07c\x9cd\ne" * 50
    sent = notification(hostile, environ)
    inner = sent.removesuffix("\x07").removesuffix("\x1b\\")
    assert "\x07" not in inner
    assert "\x9c" not in inner
    assert sent.count("\x1b") <= 4
    assert len(sent) < 400


DELETE = PermissionRequested(
    request_id="1", tool_use_id="", tool="Bash", input={}, sentence="Delete 3 files"
)


@pytest.mark.parametrize(
    ("event", "made", "words"),
    [
        (
            PermissionRequested(
                request_id="1", tool_use_id="", tool="Bash", input={}, sentence="Delete 3 files"
            ),
            (),
            "asks: delete 3 files?",
        ),
        (
            UiRequested(request_id="1", kind="clarification", payload={"title": "Which year"}),
            (),
            "asks: Which year",
        ),
        (RunFinished(status="completed", duration_ms=1), ("report.md",), "report.md is done"),
        (
            RunFinished(status="completed", duration_ms=1),
            ("a.md", "b.md"),
            "a.md and b.md are done",
        ),
        (RunFinished(status="completed", duration_ms=1), (), "done"),
        (RunFinished(status="failed", duration_ms=1, reason="No answer"), (), "stopped: No answer"),
        (RunFinished(status="interrupted", duration_ms=1), (), ""),
        (RunFinished(status="needs_clarification", duration_ms=1), (), ""),
    ],
)
def test_what_is_said(event, made, words):
    assert words_for(event, made) == words


async def test_it_is_said_only_while_another_window_has_the_focus_and_only_if_wanted(
    stage, monkeypatch
):
    monkeypatch.setenv("TERM_PROGRAM", "iTerm.app")
    event = RunFinished(run_id="1", status="completed", duration_ms=1)
    async with stage() as s:
        written, rung = [], []
        monkeypatch.setattr(s.app._driver, "write", written.append)
        monkeypatch.setattr(s.app, "bell", lambda: rung.append(1))
        s.app.conversation.handle(event)
        assert not rung
        s.app.app_focus = False
        for wanted, told, bells in (("", 1, 1), ("bell", 1, 2), ("off", 1, 2)):
            s.app.notify_by = wanted
            s.app.conversation.handle(event)
            assert len([text for text in written if "dogent-tui: done" in text]) == told
            assert len(rung) == bells
