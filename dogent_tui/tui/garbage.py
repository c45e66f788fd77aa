"""When Python collects cyclic garbage: in small portions between frames, instead of during a large
one.
"""

import gc

COLLECT_EVERY_S = 1.0
GIVE_BACK_AFTER_S = 2.0
"""Seconds after which the widgets of a closed conversation are gone."""
WORTH_COLLECTING = 5_000
"""The number of new objects that makes a collection worth a few milliseconds."""


def hold_back() -> None:
    """Exclude all current objects from collections."""
    gc.freeze()


def give_back() -> None:
    """Free the memory of a closed conversation, whose objects were excluded from collections and
    would otherwise never be freed.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def collect_young() -> None:
    """Collect recent objects if there are enough of them."""
    if gc.get_count()[0] >= WORTH_COLLECTING:
        gc.collect(1)
