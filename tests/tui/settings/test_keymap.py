"""Keys of one's own: what can be had, and why not."""

from textual.binding import Binding

from dogent_tui.tui.keymap import Keymap

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
        "ctrl+t": "ctrl+t is taken: Plan.",
        "ctrl+g": "ctrl+g is taken: Edit.",
        "x": "needed for writing",
        "enter": "needed for writing",
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
    assert "There are find, plan." in Keymap(BINDINGS, {"xyz": "f9"}).warnings[0].remedy


def test_a_key_that_another_gives_up_can_be_had():
    keymap = Keymap(BINDINGS, {})
    assert keymap.problem("find", "f3") == "f3 is taken: Plan."
    assert keymap.problem("find", "f3", {"plan": "f8"}) == ""
    assert keymap.problem("find", "f8", {"plan": None}) == ""
