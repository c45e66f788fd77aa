"""The sentences about what went wrong between us and a model."""

import os
from unittest.mock import patch

import pytest

from dogent_tui.agent.events import Retrying, RunStarted
from dogent_tui.agent.failures import api_failure, retry_reason
from dogent_tui.settings.profiles import environment_endpoint, profile_endpoint
from dogent_tui.tui.status import Status


def failed(home, data, environ, status=401):
    with patch.dict(os.environ, environ):
        endpoint = profile_endpoint("mine", data, home / "claude.json", [])
    return api_failure(status, "Not logged in · Please run /login", endpoint)


def test_the_remedy_names_where_the_credential_really_came_from(tmp_path, monkeypatch):
    home = tmp_path / "another-home"
    assert (
        f"ANTHROPIC_AUTH_TOKEN of profile “mine” in {home}/claude.json"
        in failed(home, {"ANTHROPIC_AUTH_TOKEN": "sk-1234"}, {}).remedy
    )
    assert (
        "ANTHROPIC_API_KEY of profile" in failed(home, {"ANTHROPIC_API_KEY": "sk-1234"}, {}).remedy
    )
    assert (
        "environment: set MY_KEY"
        in failed(home, {"ANTHROPIC_AUTH_TOKEN": "env:MY_KEY"}, {"MY_KEY": "sk-1234"}).remedy
    )
    monkeypatch.setattr("dogent_tui.settings.secrets._from_keyring", lambda _: "sk-1234")
    assert (
        "keyring set dogent-tui work"
        in failed(home, {"ANTHROPIC_AUTH_TOKEN": "keyring:work"}, {}).remedy
    )
    missing = failed(home, {"ANTHROPIC_AUTH_TOKEN": "sk-1234"}, {}, 404)
    assert missing.remedy == f"Fix ANTHROPIC_MODEL of profile “mine” in {home}/claude.json."


@pytest.mark.parametrize(
    "name", ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"]
)
def test_a_key_of_the_environment_is_not_looked_for_in_a_file(name, monkeypatch):
    monkeypatch.setenv(name, "sk-1234")
    failure = api_failure(401, "", environment_endpoint())
    assert f"environment: set {name}" in failure.remedy
    assert "claude.json" not in failure.remedy
    assert "profile “environment”" not in failure.message


def test_a_key_in_what_the_server_says_is_not_repeated(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1234")
    failure = api_failure(401, "", environment_endpoint(), "sk-1234 is wrong")
    assert "sk-1234" not in failure.message


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, "rate_limit"), (0, "unknown"), (500, "server_error"), (418, "unknown")],
)
def test_why_it_is_asked_again_is_said_in_words(status, error):
    event = Retrying(attempt=1, max_attempts=3, delay_ms=500, status=status, error=error)
    assert error not in retry_reason(event)
    assert "_" not in retry_reason(event)


def test_the_attempt_and_the_seconds_are_told_apart():
    now = 100.0
    status = Status("~/w", "mine", clock=lambda: now)
    status.handle(RunStarted(prompt=None))
    now += 4
    status.handle(Retrying(attempt=1, max_attempts=3, delay_ms=500, status=429, error="rate_limit"))
    assert status.activity == "asking again (1 of 3), 4 s"
    status.handle(Retrying(attempt=2, max_attempts=3, delay_ms=32_000, status=429))
    now += 10
    assert status.activity == "asking again (2 of 3), in 22 s"
    now += 23
    assert status.activity == "asking again (2 of 3), 37 s"
