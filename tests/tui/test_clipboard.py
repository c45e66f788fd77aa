from pathlib import Path

import pytest
from textual.app import App

from dogent_tui.tui import clipboard


@pytest.fixture
def fake_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `wl-copy` that writes what it is given into a file, or fails where the file `fail` exists."""
    script = tmp_path / "wl-copy"
    script.write_text(f'#!/bin/sh\n[ -e "{tmp_path}/fail" ] && exit 1\nexec /bin/cat > "{tmp_path}/copied"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


async def test_success_is_claimed_only_where_the_tool_reports_it(fake_tool: Path) -> None:
    app: App[object] = App()
    async with app.run_test():
        assert await clipboard.copy(app, "漢字 [/b]") == "Copied 7 characters."
        assert (fake_tool / "copied").read_text(encoding="utf-8") == "漢字 [/b]"
        assert app.clipboard == "漢字 [/b]"
        (fake_tool / "fail").touch()
        assert (await clipboard.copy(app, "x")).startswith("Gave 1 character to the terminal")


def test_no_tool_is_used_over_ssh_or_without_a_display(fake_tool: Path) -> None:
    path = str(fake_tool)
    assert clipboard.tool({"PATH": path, "WAYLAND_DISPLAY": "w"}) == ["wl-copy"]
    assert clipboard.tool({"PATH": path, "WAYLAND_DISPLAY": "w", "SSH_CONNECTION": "1"}) == []
    assert clipboard.tool({"PATH": path}) == []
