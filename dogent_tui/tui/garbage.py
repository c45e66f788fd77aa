"""When Python looks for garbage in cycles: in small portions between the frames, rather than in the middle of a large one."""

import gc

COLLECT_EVERY_S = 1.0
WORTH_COLLECTING = 5_000
"""New objects for which a collection is worth its few milliseconds."""

_THRESHOLDS = (60_000, 20, 20)
"""Python's own numbers mean twenty collections for each change of theme, and pauses of the loop while the SDK is imported."""


def hold_back() -> None:
    """Leave what is here now out of all collections, and collect by `collect_young` unless very much piles up before."""
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


def agent_started(*, first: bool) -> None:
    """Leave what the agent loaded out of all collections, where it is the `first`; afterwards give back what the one before left.

    What is there when another session starts is the conversation that was left: kept out, it would stay for good.
    """
    if first:
        gc.freeze()
    else:
        gc.collect()


def collect_young() -> None:
    """Look through what was made lately, if it is enough to be worth it."""
    if gc.get_count()[0] >= WORTH_COLLECTING:
        gc.collect(1)
