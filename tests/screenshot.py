"""Makes the picture of the README: `python -m tests.screenshot docs/screenshot.svg`.

The real application, the real CLI and the offline engine on the sample workspace; the picture is
the application's own SVG.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.sample import copy_sample
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp

PROMPT = "Write a short report on Sunday opening from @meeting-notes.md and @interview-okafor.txt "


async def take(target: Path) -> None:
    """Write one document in the sample workspace, and save what the screen looks like then."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DOGENT_HOME"] = f"{folder}/home"
        workspace = Workspace(copy_sample(Path(folder) / "city-library"))
        app = DogentApp(open_session(workspace, SessionOptions(profile="offline")))
        async with app.run_test(size=(120, 36)) as pilot:
            while app.opened.service.state != "idle":
                await pilot.pause(0.1)
            app.conversation.status_bar.status.workspace = "~/city-library"
            app.conversation.prompt.editor.insert(PROMPT)
            await pilot.press("escape", "enter")
            while (
                not app.conversation.transcript.model.last_reply()
                or app.opened.service.state != "idle"
            ):
                await pilot.pause(0.1)
            await pilot.pause(0.5)
            target.write_text(app.export_screenshot(), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(take(Path(sys.argv[1])))
