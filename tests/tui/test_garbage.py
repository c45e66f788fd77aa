"""Garbage is looked for between the frames."""

import gc
import weakref

import pytest

from dogent_tui.tui.garbage import WORTH_COLLECTING, collect_young, give_back, hold_back


@pytest.fixture
def collected():
    """Return the generations that are collected during a test; Python's own collections are held
    back in the meantime.
    """
    found = []

    def note(phase, info):
        if phase == "start":
            found.append(info["generation"])

    gc.collect()
    gc.disable()
    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)
    gc.enable()


def test_little_that_is_new_is_left_alone(collected):
    collect_young()
    assert collected == []


def test_much_that_is_new_is_looked_through(collected):
    rings = [[] for _ in range(WORTH_COLLECTING + 1)]
    for ring in rings:
        ring.append(ring)
    rings.clear()
    del ring
    collect_young()
    assert collected == [1]
    assert gc.get_count()[0] < WORTH_COLLECTING


class Conversation:
    def __init__(self) -> None:
        self.itself = self


@pytest.mark.thorough
def test_a_conversation_that_was_left_is_given_back():
    conversation = Conversation()
    left = weakref.ref(conversation)
    hold_back()
    del conversation
    give_back()
    assert left() is None
