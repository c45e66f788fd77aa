from pathlib import Path

import pytest
from textual.app import App

from dogent_tui.tui import clipboard

COPY = """#!/bin/sh
[ -e "{folder}/refuses" ] && exit 1
[ -e "{folder}/forgets" ] && exit 0
/bin/cat > "{folder}/copied"
"""
PASTE = """#!/bin/sh
[ -e "{folder}/hangs" ] && exec /bin/sleep 600
exec /bin/cat "{folder}/copied"
"""


@pytest.fixture
def fake_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `wl-copy` and a `wl-paste` over a file. Files named `refuses`, `forgets` and `hangs`
    make them fail in these ways.
    """
    for name, script in (("wl-copy", COPY), ("wl-paste", PASTE)):
        file = tmp_path / name
        file.write_text(script.format(folder=tmp_path), encoding="utf-8")
        file.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    monkeypatch.setattr(clipboard, "_PATIENCE_S", 0.5)
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


async def test_copied_is_said_only_of_what_the_clipboard_holds(fake_tool: Path) -> None:
    app: App[object] = App()
    async with app.run_test():
        assert await clipboard.copied(app, "漢字 [/b]\n") == "Copied 8 characters."
        assert (fake_tool / "copied").read_text(encoding="utf-8") == "漢字 [/b]\n"
        assert app.clipboard == "漢字 [/b]\n"
        for way in ("refuses", "forgets", "hangs"):
            (fake_tool / way).touch()
            assert (await clipboard.copied(app, "x")).startswith("Sent 1 character to the terminal")
            (fake_tool / way).unlink()
        assert await clipboard.copied(app, "x") == "Copied 1 character."
        (fake_tool / "wl-paste").unlink()
        assert (await clipboard.copied(app, "x")).startswith("Sent 1 character")


def test_no_tool_is_used_over_ssh_or_without_a_display(fake_tool: Path) -> None:
    path = str(fake_tool)
    found = clipboard.tool({"PATH": path, "WAYLAND_DISPLAY": "w"})
    assert found is not None
    assert found.copy == ("wl-copy",)
    assert clipboard.tool({"PATH": path, "WAYLAND_DISPLAY": "w", "SSH_CONNECTION": "1"}) is None
    assert clipboard.tool({"PATH": path}) is None
