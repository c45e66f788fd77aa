"""dogent-tui with a watch on its event loop: every delay of a callback by 10 ms or more goes to the
file LOOP_GAPS as JSON.

Each is `[when it ended, how long it took]` in seconds, by the monotonic clock of the machine, which
other processes read too.
"""

import asyncio
import atexit
import json
import os
import sys
import time
from pathlib import Path

_EVERY_S = 0.002
_NOTED_S = 0.010


def watch(loop: asyncio.AbstractEventLoop, gaps: list[tuple[float, float]]) -> None:
    """Note each time at which `loop` came back late."""

    def tick(due: float) -> None:
        now = time.monotonic()
        if now - due >= _NOTED_S:
            gaps.append((now, now - due))
        loop.call_later(_EVERY_S, tick, now + _EVERY_S)

    loop.call_soon(tick, time.monotonic())


def main() -> int:
    gaps: list[tuple[float, float]] = []
    run_forever = asyncio.BaseEventLoop.run_forever

    def watched(loop: asyncio.BaseEventLoop) -> None:
        watch(loop, gaps)
        run_forever(loop)

    asyncio.BaseEventLoop.run_forever = watched  # type: ignore[method-assign]
    atexit.register(
        lambda: Path(os.environ["LOOP_GAPS"]).write_text(json.dumps(gaps), encoding="utf-8")
    )
    from dogent_tui.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
