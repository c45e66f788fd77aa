"""The time of events."""

import time

from dogent_tui.agent.events import Prompt, RunStarted, TextDelta
from dogent_tui.agent.stream import EventStream


def test_a_clock_that_is_set_within_a_run_changes_no_duration(monkeypatch):
    stream = EventStream()
    began = stream.publish(RunStarted(prompt=Prompt("p")), "r").time
    really = time.time
    monkeypatch.setattr(time, "time", lambda: really() - 3600)
    later = stream.publish(TextDelta(message_id="m", block=0, text="t"), "r").time
    assert 0 <= later - began < 600
    assert stream.publish(RunStarted(prompt=Prompt("p")), "s").time < began - 3000
