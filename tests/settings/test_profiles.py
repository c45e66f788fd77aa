import json
import os
import stat
from unittest.mock import patch

import pytest

from dogent_tui.errors import ConfigError
from dogent_tui.settings.home_files import ensure_home_files
from dogent_tui.settings.profiles import ANTHROPIC_URL, choose_endpoint
from dogent_tui.settings.values import WorkspaceSettings

KEY = "sk-of-the-environment"
DEEP = {
    "ANTHROPIC_BASE_URL": "https://api.deepseek.com/anthropic",
    "ANTHROPIC_AUTH_TOKEN": "sk-deep",
    "ANTHROPIC_MODEL": "chat",
}


@pytest.fixture
def profiles(home):
    def write(**named):
        home.mkdir(exist_ok=True)
        (home / "claude.json").write_text(json.dumps({"profiles": named}))

    return write


def choose(home, name="", environ=None, override=None):
    with patch.dict(os.environ, environ or {}):
        return choose_endpoint(WorkspaceSettings(profile=name), home, override=override)


def codes(warnings):
    return [warning.code for warning in warnings]


def test_first_run_makes_private_stubs_that_count_as_missing(home):
    ensure_home_files(home)
    assert {path.name for path in home.iterdir()} == {"claude.json", "web.json", "vision.json"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()} == {0o600}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert "glm-4.6v" in json.loads((home / "vision.json").read_text())["profiles"]
    endpoint, warnings = choose(home, "deepseek")
    assert endpoint.kind == "offline"
    assert codes(warnings) == ["profile_no_key"]
    assert codes(choose(home)[1]) == []


def test_files_of_the_user_are_never_overwritten(home):
    home.mkdir()
    (home / "claude.json").write_text("mine")
    (home / "web.json").symlink_to("nowhere")
    ensure_home_files(home)
    assert (home / "claude.json").read_text() == "mine"
    assert not (home / "nowhere").exists()


def test_a_home_that_cannot_be_made_is_a_sentence(home):
    home.write_text("a file")
    with pytest.raises(ConfigError) as caught:
        ensure_home_files(home)
    assert "DOGENT_HOME" in caught.value.remedy


def test_a_named_profile_is_used_whole_and_the_environment_not_at_all(home, profiles):
    profiles(deep={**DEEP, "API_TIMEOUT_MS": "600000", "ANTHROPIC_SMALL_FAST_MODEL": "small"})
    endpoint, warnings = choose(
        home,
        "deep",
        {"ANTHROPIC_API_KEY": KEY, "CLAUDE_CODE_OAUTH_TOKEN": KEY, "ANTHROPIC_MODEL": "m"},
    )
    assert warnings == []
    assert (endpoint.kind, endpoint.name, endpoint.base_url) == (
        "custom",
        "deep",
        DEEP["ANTHROPIC_BASE_URL"],
    )
    assert (endpoint.token, endpoint.api_key, endpoint.oauth_token) == ("sk-deep", "", "")
    assert (endpoint.model, endpoint.small_model, endpoint.timeout_ms) == ("chat", "small", 600_000)
    assert KEY not in endpoint.environment().values()
    assert endpoint.environment()["ANTHROPIC_API_KEY"] == ""
    assert endpoint.environment()["ANTHROPIC_CUSTOM_HEADERS"] == ""
    assert "deep" in endpoint.source


def test_the_override_wins_over_the_workspace(home, profiles):
    profiles(a={**DEEP, "ANTHROPIC_MODEL": "a"}, b={**DEEP, "ANTHROPIC_MODEL": "b"})
    assert choose(home, "a", override="b")[0].model == "b"
    assert choose(home, "a", override="offline")[0].kind == "offline"
    assert choose(home, "offline", {"ANTHROPIC_API_KEY": KEY})[0].kind == "offline"


def test_a_profile_without_an_address_means_anthropic_with_its_own_key_only(home, profiles):
    profiles(own={"ANTHROPIC_API_KEY": "sk-own"}, none={})
    environ = {"ANTHROPIC_BASE_URL": "https://elsewhere.example", "ANTHROPIC_AUTH_TOKEN": KEY}
    endpoint, _ = choose(home, "own", environ)
    assert (endpoint.kind, endpoint.base_url, endpoint.secrets) == (
        "anthropic",
        ANTHROPIC_URL,
        ("sk-own",),
    )
    assert choose(home, "none", environ)[0].kind == "offline"


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ({"x": DEEP}, "profile_unknown"),
        ({"deep": {"ANTHROPIC_BASE_URL": "https://a.example"}}, "profile_no_key"),
        ({"deep": {**DEEP, "ANTHROPIC_AUTH_TOKEN": "replace-me"}}, "profile_no_key"),
        ({"deep": {**DEEP, "ANTHROPIC_BASE_URL": "ftp://a.example"}}, "profile_bad_url"),
    ],
)
def test_a_profile_that_cannot_be_used_never_falls_to_the_key_of_another(
    home, profiles, named, code
):
    profiles(**named)
    endpoint, warnings = choose(home, "deep", {"ANTHROPIC_API_KEY": KEY})
    assert endpoint.kind == "offline"
    assert endpoint.secrets == ()
    assert codes(warnings) == [code]
    assert "deep" in endpoint.source
    assert warnings[0].remedy


def test_an_unknown_name_is_answered_with_the_nearest(home, profiles):
    profiles(deepseek=DEEP)
    assert "deepseek" in choose(home, "deepsek")[1][0].remedy


def test_the_environment_is_next(home):
    endpoint, warnings = choose(
        home, environ={"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_MODEL": "m", "API_TIMEOUT_MS": "5000"}
    )
    assert warnings == []
    assert (endpoint.kind, endpoint.api_key, endpoint.model, endpoint.timeout_ms) == (
        "anthropic",
        KEY,
        "m",
        5000,
    )
    login, _ = choose(home, environ={"CLAUDE_CODE_OAUTH_TOKEN": KEY})
    assert (login.kind, login.oauth_token) == ("anthropic", KEY)
    other, _ = choose(
        home,
        environ={"ANTHROPIC_BASE_URL": "http://127.0.0.1:8000", "ANTHROPIC_AUTH_TOKEN": "local"},
    )
    assert (other.kind, other.token) == ("custom", "local")


def test_the_login_of_anthropic_goes_nowhere_else(home):
    environ = {"ANTHROPIC_BASE_URL": "https://a.example", "CLAUDE_CODE_OAUTH_TOKEN": KEY}
    endpoint, warnings = choose(home, environ=environ)
    assert (endpoint.kind, codes(warnings)) == ("offline", ["profile_no_key"])
    endpoint, _ = choose(home, environ={**environ, "ANTHROPIC_AUTH_TOKEN": "its-own"})
    assert endpoint.secrets == ("its-own",)
    assert KEY not in endpoint.environment().values()


def test_with_nothing_it_is_offline_quietly_and_a_filled_in_profile_is_pointed_at(home, profiles):
    assert choose(home, environ={"ANTHROPIC_API_KEY": " "}) == choose(home)
    assert choose(home)[0].kind == "offline"
    profiles(deep=DEEP)
    endpoint, warnings = choose(home)
    assert endpoint.kind == "offline"
    assert "--profile deep" in warnings[0].remedy


@pytest.mark.parametrize(
    "url",
    [
        "https://api.anthropic.com.evil.example",
        "https://api.anthropic.com:x@evil.example",
        "http://api.anthropic.com",
        "https://evil.example/api.anthropic.com",
    ],
)
def test_only_anthropic_is_anthropic(home, profiles, url):
    profiles(p={**DEEP, "ANTHROPIC_BASE_URL": url})
    assert choose(home, "p")[0].kind != "anthropic"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc",
        "https://",
        "nonsense",
        "https://u:pass@a.example",
        "https://a b",
        "https://a:99999",
        "https://[",
        "https://a?b",
    ],
)
def test_addresses_that_cannot_be_used(home, profiles, url):
    profiles(p={**DEEP, "ANTHROPIC_BASE_URL": url})
    endpoint, warnings = choose(home, "p")
    assert (endpoint.kind, codes(warnings)) == ("offline", ["profile_bad_url"])
    assert "pass" not in str(warnings[0]).replace("password", "")


def test_a_key_in_clear_over_the_internet_is_told_but_not_on_the_own_network(home, profiles):
    for url, expected in [
        ("http://llm.example.com", ["profile_clear_text"]),
        ("http://localhost:11434", []),
        ("http://192.168.1.7:8000", []),
        ("http://[::1]:8000", []),
        ("http://10.evil.example.com", ["profile_clear_text"]),
    ]:
        profiles(p={**DEEP, "ANTHROPIC_BASE_URL": url})
        endpoint, warnings = choose(home, "p")
        assert (endpoint.base_url, codes(warnings)) == (url, expected)


def test_odd_files_are_told_and_survived(home, profiles):
    home.mkdir()
    for content in ("{", "[]", '{"profiles": []}', '{"profiles": {"deep": 5}}', '{"profile": {}}'):
        (home / "claude.json").write_text(content)
        endpoint, warnings = choose(home, "deep")
        assert endpoint.kind == "offline"
        assert len(warnings) == 2
    profiles(deep={**DEEP, "ANTHROPIC_MODLE": "x", "API_TIMEOUT_MS": "soon"})
    endpoint, warnings = choose(home, "deep")
    assert endpoint.kind == "custom"
    assert endpoint.timeout_ms is None
    assert "ANTHROPIC_MODEL" in str(warnings[0])
    assert codes(warnings) == ["config_unknown_key", "config_wrong_type"]
    assert (
        "line 1, key `profiles.deep.API_TIMEOUT_MS`: expected a whole number of milliseconds"
        in str(warnings[1])
    )
    profiles(deep={**DEEP, "ANTHROPIC_AUTH_TOKEN": 5})
    endpoint, warnings = choose(home, "deep")
    assert (endpoint.kind, codes(warnings)) == ("offline", ["config_wrong_type", "profile_no_key"])


def test_keys_show_nowhere(home, profiles):
    profiles(deep=DEEP)
    endpoint, _ = choose(home, "deep")
    assert "sk-deep" not in repr(endpoint)


def test_a_key_may_stand_elsewhere_and_is_kept_out_of_sight_all_the_same(home, profiles):
    profiles(deep={**DEEP, "ANTHROPIC_AUTH_TOKEN": "env:DEEP_KEY"})
    endpoint, warnings = choose(home, "deep", {"DEEP_KEY": "sk-from-elsewhere"})
    assert (endpoint.token, endpoint.secrets, warnings) == (
        "sk-from-elsewhere",
        ("sk-from-elsewhere",),
        [],
    )
    endpoint, (warning,) = choose(home, "deep", {"ANTHROPIC_API_KEY": KEY})
    assert (endpoint.kind, warning.code) == ("offline", "profile_no_secret")
    assert "DEEP_KEY is not set" in warning.message
    assert "--profile deep" in choose(home)[1][0].remedy


def test_a_local_server_needs_no_key_and_is_told_apart(home, profiles):
    local = {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:11434",
        "ANTHROPIC_MODEL": "qwen3",
        "DOGENT_LOCAL_SERVER": "ollama",
    }
    profiles(mine=local, odd={**local, "DOGENT_LOCAL_SERVER": "other"})
    endpoint, warnings = choose(home, "mine", {"ANTHROPIC_API_KEY": KEY})
    assert (endpoint.kind, endpoint.server, endpoint.model) == ("local", "ollama", "qwen3")
    assert endpoint.secrets == ()
    assert warnings == []
    assert codes(choose(home, "odd")[1]) == ["config_wrong_type", "profile_no_key"]


def test_the_environment_cannot_make_a_server_local(home):
    environ = {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:11434",
        "ANTHROPIC_AUTH_TOKEN": "x",
        "DOGENT_LOCAL_SERVER": "ollama",
    }
    assert choose(home, environ=environ)[0].kind == "custom"


def test_the_order_is_command_line_folder_home_environment_engine(home, profiles):
    profiles(line=DEEP, folder=DEEP, home=DEEP)
    environ = {"ANTHROPIC_API_KEY": KEY}
    (home / "dogent.json").write_text('{"profile": "home"}')
    assert choose(home, "folder", environ, override="line")[0].name == "line"
    assert choose(home, "folder", environ)[0].name == "folder"
    assert choose(home, environ=environ)[0].name == "home"
    assert choose(home, "environment", environ)[0].name == "environment"
    (home / "dogent.json").unlink()
    assert choose(home, environ=environ)[0].name == "environment"
    assert choose(home)[0].name == "offline"


def test_the_home_names_who_answers_where_the_folder_names_nobody(home, profiles):
    profiles(deepseek=DEEP, other={**DEEP, "ANTHROPIC_MODEL": "other"})
    (home / "dogent.json").write_text('{"profile": "deepseek"}')
    environ = {"ANTHROPIC_API_KEY": KEY}
    assert choose(home, environ=environ)[0].model == "chat"
    assert choose(home, "other", environ)[0].model == "other"
    assert choose(home, override="offline", environ=environ)[0].kind == "offline"
    (home / "dogent.json").write_text('{"profile": "environment"}')
    assert choose(home, environ=environ)[0].api_key == KEY
    (home / "dogent.json").write_text('{"profile": "gone"}')
    endpoint, warnings = choose(home, environ=environ)
    assert endpoint.kind == "offline"
    assert codes(warnings) == ["profile_unknown"]
    assert f"Fix the profile in {home / 'dogent.json'}" in warnings[0].remedy
    assert "Fix the profile in .dogent/dogent.json" in choose(home, "gone")[1][0].remedy
