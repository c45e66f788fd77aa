"""Keys of one's own: what can be had, and why not."""

import ast
import re
from pathlib import Path

import pytest
from textual.binding import Binding

import dogent_tui
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.key_hints import key_name
from dogent_tui.tui.keymap import Keymap
from dogent_tui.tui.screens.conversation import ConversationScreen

BINDINGS = [
    Binding("ctrl+f", "find", "Find", id="find"),
    Binding("ctrl+t,f3", "plan", "Plan", id="plan"),
    Binding("ctrl+g", "edit", "Edit"),
]


def test_keys_are_taken_and_may_change_places():
    keymap = Keymap(BINDINGS, {"find": " F3 ", "plan": "ctrl+f,f8"})
    assert (keymap.keys, keymap.warnings) == ({"find": "f3", "plan": "ctrl+f,f8"}, [])


def test_what_cannot_be_is_told_and_the_usual_key_stays():
    for keys, words in {
        "ctrl+t": "ctrl+t is already used for: Plan.",
        "ctrl+g": "ctrl+g is already used for: Edit.",
        "x": "needed for typing",
        "enter": "needed for typing",
        "": "— is needed",
        "f9,": "— is needed",
    }.items():
        keymap = Keymap(BINDINGS, {"find": keys})
        (warning,) = keymap.warnings
        assert words in warning.message
        assert "/settings" in warning.remedy
        assert keymap.keys == {}
    both = Keymap(BINDINGS, {"find": "f9", "plan": "f9"})
    assert (both.keys, len(both.warnings)) == ({}, 2)


def test_an_action_that_is_not_there_is_answered_with_the_nearest():
    (warning,) = Keymap(BINDINGS, {"finde": "f9"}).warnings
    assert 'Did you mean "find"?' in warning.remedy
    assert "Available: find, plan." in Keymap(BINDINGS, {"xyz": "f9"}).warnings[0].remedy


def test_a_key_that_another_gives_up_can_be_had():
    keymap = Keymap(BINDINGS, {})
    assert keymap.problem("find", "f3") == "f3 is already used for: Plan."
    assert keymap.problem("find", "f3", {"plan": "f8"}) == ""
    assert keymap.problem("find", "f8", {"plan": None}) == ""


def test_a_sentence_names_the_key_that_does_it():
    keymap = Keymap(BINDINGS, {"plan": "ctrl+f8,f8"})
    assert (keymap.shown("find"), keymap.shown("plan")) == ("Ctrl+F", "Ctrl+F8")


_OF_OTHER_KEYS = {
    "Enter {enter} · F2 rename · F3 fork · Del delete · Tab {tab} · Esc close",
    "{summary} · Ctrl+T or Esc: tree",
    (
        "Not saved: an unclosed code block or comment would swallow the sections after it."
        " Close it (Ctrl+T)."
    ),
    "Copy your outline from the Markdown view (Ctrl+T), or save it under another name.",
    "Ctrl+O shows the pasted text · Ctrl+G opens it in your editor",
}
"""Sentences of places where the key does something else, which cannot be changed."""


@pytest.mark.slow
def test_no_sentence_names_a_key_that_may_have_been_changed():
    actions = Keymap([*ConversationScreen.BINDINGS, *DogentApp.BINDINGS], {}).actions
    named = re.compile(
        "|".join(
            rf"{re.escape(key_name(key))}(?!\w)"
            for action in actions
            for key in action.default.split(",")
        )
    )
    found = set()
    for file in Path(dogent_tui.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("tr", "ngettext"):
                texts = [
                    one.value
                    for one in call.args
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                ]
                found |= {text for text in texts if named.search(text)}
    assert found - _OF_OTHER_KEYS == set()
