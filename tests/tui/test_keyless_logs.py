"""What is written down of trouble holds no key, and no values of variables."""

import logging
import sys
from types import SimpleNamespace

from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.settings.secrets import revealed
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.keyless_logs import KeylessFormatter


async def test_a_crash_is_told_without_keys(workspace, monkeypatch, capsys):
    monkeypatch.setitem(
        sys.modules, "keyring", SimpleNamespace(get_password=lambda *_: "out-of-the-keyring-3")
    )

    class Crashing(DogentApp):
        def on_mount(self) -> None:
            profile = {"api_key": "in-a-variable-only", "text": "the user's own words"}
            raise RuntimeError(f"{len(profile)} things, said by {revealed('keyring:it')} [b]")

    app = Crashing(open_session(workspace, SessionOptions(profile="offline")))
    await app.run_async(headless=True)
    told = " ".join(capsys.readouterr().err.split())  # it is wrapped where paths are long
    assert app.return_code == 1
    assert "2 things, said by •••• [b]" in told
    assert "in on_mount" in told
    assert "in-a-variable-only" not in told  # neither the key of a profile nor what someone writes
    assert "own words" not in told


def test_a_line_of_the_log_holds_no_key(monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "a-token-of-the-environment")
    try:
        raise ValueError("asked with a-token-of-the-environment")
    except ValueError:
        record = logging.LogRecord(
            "x",
            logging.WARNING,
            "x.py",
            1,
            "No %s",
            ("a-token-of-the-environment",),
            sys.exc_info(),
        )
    written = KeylessFormatter().format(record)
    assert "No ••••" in written
    assert "asked with ••••" in written
    assert "a-token" not in written
