"""What a session is told about its web profile at its start, and what it hears of the user's
prompts.
"""

import json

import pytest

from dogent_tui.agent.events import Prompt, RunStarted
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.storage.paths import Workspace, dogent_home
from tests.agent.fake_conversation import FakeLauncher
from tests.agent.test_service import serving


@pytest.fixture
def opened(tmp_path):
    """Open a session of a workspace with these settings; the user has one profile that is filled
    in, and the stubs.
    """

    def opened(**settings):
        root = tmp_path / "texts"
        (root / ".dogent").mkdir(parents=True, exist_ok=True)
        (root / ".dogent" / "dogent.json").write_text(json.dumps(settings), encoding="utf-8")
        return open_session(Workspace(root), SessionOptions())

    home = dogent_home()
    home.mkdir(parents=True)
    profiles = {
        "mine": {"provider": "brave", "api_key": "k"},
        "stub": {"provider": "brave", "api_key": "replace-me"},
    }
    (home / "web.json").write_text(json.dumps({"profiles": profiles}), encoding="utf-8")
    (home / "dogent.json").write_text(
        json.dumps({"web_allow_hosts": ["wiki.corp"]}), encoding="utf-8"
    )
    return opened


def codes(session):
    return [
        warning.code for warning in session.warnings if warning.code.startswith(("web_", "images_"))
    ]


@pytest.mark.parametrize(
    ("settings", "profile", "told"),
    [
        ({}, None, []),
        ({"web_profile": "default", "images_path": "/tmp"}, None, []),
        ({"web_profile": "mine"}, "mine", []),
        ({"web_profile": "mien"}, None, ["web_profile_unknown"]),
        ({"web_profile": "stub"}, "stub", ["web_profile_no_key"]),
        ({"web_profile": "mine", "images_path": "../pictures"}, "mine", ["images_path_outside"]),
    ],
)
def test_what_is_not_right_is_told_at_the_start(opened, settings, profile, told):
    session = opened(**settings)
    assert getattr(session.libraries.web.profile, "name", None) == profile
    assert codes(session) == told
    assert session.libraries.web.allow_hosts == ("wiki.corp",)


async def test_prompts_are_heard_as_their_runs_begin_but_not_the_answers_to_the_agents_questions():
    heard: list[str] = []
    launcher = FakeLauncher()
    async with serving(launcher, on_prompt=heard.append) as agent:
        await agent.service.submit(Prompt("Read http://wiki.corp"))
        await agent.heard(RunStarted)
        await launcher.conversation.received.wait()
        await agent.service.submit(Prompt("You asked: http://10.0.0.1? Yes.", answers=("r1",)))
        await agent.service.interrupt()
        await agent.heard(RunStarted, 2)
    assert heard == ["Read http://wiki.corp"]
