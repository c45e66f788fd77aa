"""When Python looks for garbage in cycles: in small portions between the frames, rather than in
the middle of a large one.
"""

import gc

COLLECT_EVERY_S = 1.0
GIVE_BACK_AFTER_S = 2.0
"""Seconds after which the widgets of a conversation that was left are gone."""
WORTH_COLLECTING = 5_000
"""New objects for which a collection is worth its few milliseconds."""


def hold_back() -> None:
    """Leave what is here now out of all collections."""
    gc.freeze()


def give_back() -> None:
    """Give back what a conversation that was left holds: it was there when the rest was left
    out, and would stay for good.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def collect_young() -> None:
    """Look through what was made lately, if it is enough to be worth it."""
    if gc.get_count()[0] >= WORTH_COLLECTING:
        gc.collect(1)
