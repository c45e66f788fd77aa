"""What web.json and the user's own dogent.json say."""

import json
import stat

import pytest

from dogent_tui.settings.home_files import ensure_home_files
from dogent_tui.web.profiles import WebAccess, choose_profile, find_profile, read_access


@pytest.fixture
def home(home):
    """The folder of the user's own files; it is not there yet."""
    return home / ".dogent"


@pytest.fixture
def web(home):
    def write(**profiles):
        home.mkdir(exist_ok=True)
        (home / "web.json").write_text(json.dumps({"profiles": profiles}), encoding="utf-8")

    return write


@pytest.fixture
def own(home):
    def write(**settings):
        home.mkdir(exist_ok=True)
        (home / "dogent.json").write_text(json.dumps(settings), encoding="utf-8")

    return write


def codes(warnings):
    return [warning.code for warning in warnings]


@pytest.mark.parametrize("wanted", ["", " ", "default"])
def test_nothing_chosen_means_the_native_tools(home, wanted):
    assert read_access(wanted, home) == (WebAccess(), [])


def test_the_stubs_hold_every_provider_and_count_as_not_filled_in(home):
    ensure_home_files(home)
    assert stat.S_IMODE((home / "web.json").stat().st_mode) == 0o600
    for name, provider in {
        "google": "google_cse",
        "bing": "bing",
        "brave": "brave",
        "tavily": "tavily",
        "searxng": "searxng",
    }.items():
        profile, warnings = choose_profile(name, home)
        assert warnings == []
        assert (profile.provider, profile.api_key, profile.cse_id, profile.timeout_s) == (
            provider,
            "",
            "",
            20.0,
        )


def test_a_profile_is_taken_whole_and_its_key_shows_nowhere(home, web):
    web(
        mine={
            "provider": "brave",
            "api_key": " sk-brave ",
            "endpoint": "http://127.0.0.1:9/",
            "timeout_s": 7,
        }
    )
    profile, warnings = choose_profile("mine", home)
    assert warnings == []
    assert (profile.api_key, profile.endpoint, profile.timeout_s) == (
        "sk-brave",
        "http://127.0.0.1:9/",
        7.0,
    )
    assert "sk-brave" not in repr(profile)
    assert "sk-brave" not in f"{WebAccess(profile)}"


def test_an_unknown_name_is_answered_with_the_nearest_and_the_native_tools(home, web):
    web(brave={"provider": "brave"}, other={"provider": "tavily"})
    profile, warnings = choose_profile("braev", home)
    assert profile is None
    assert codes(warnings) == ["web_profile_unknown"]
    assert 'Did you mean "brave"?' in warnings[0].remedy
    assert "built-in web tools" in warnings[0].remedy
    assert "It has: brave, other." in choose_profile("zzz", home)[1][0].remedy


def test_odd_files_are_told_and_survived(home, web):
    home.mkdir()
    for content, expected in [
        ("{", "config_broken"),
        ("[]", "config_broken"),
        ('{"profiles": []}', "config_wrong_type"),
        ('{"profiles": {"mine": 5}}', "config_wrong_type"),
        ('{"profile": {}}', "config_unknown_key"),
    ]:
        (home / "web.json").write_text(content, encoding="utf-8")
        profile, warnings = choose_profile("mine", home)
        assert profile is None
        assert codes(warnings) == [expected, "web_profile_unknown"]
    web(mine={"provider": "brave", "api_key": 5, "apikey": "x", "timeout_s": "soon"})
    profile, warnings = choose_profile("mine", home)
    assert (profile.api_key, profile.timeout_s) == ("", 20.0)
    assert codes(warnings) == ["config_wrong_type", "config_unknown_key", "config_wrong_type"]
    assert "api_key" in str(warnings[1])


@pytest.mark.parametrize("timeout", [0, -1, 1e9, True, float("inf")])
def test_a_time_that_makes_no_sense_is_the_default(home, web, timeout):
    web(mine={"provider": "brave", "timeout_s": timeout})
    profile, warnings = choose_profile("mine", home)
    assert (profile.timeout_s, codes(warnings)) == (20.0, ["config_wrong_type"])


def test_a_key_in_clear_over_the_internet_is_told(home, web):
    web(mine={"provider": "bing", "api_key": "k", "endpoint": "http://search.example"})
    warnings = []
    assert find_profile("mine", home, warnings).endpoint == "http://search.example"
    assert codes(warnings) == ["profile_clear_text"]
    web(mine={"provider": "searxng", "endpoint": "http://search.example"})
    assert choose_profile("mine", home)[1] == []


def test_private_hosts_are_allowed_one_by_one(home, own):
    own(
        web_allow_hosts=[
            "wiki.corp",
            "10.1.2.3:8080",
            "[fd00::1]",
            "*",
            "*.corp",
            "10.0.0.0/8",
            "http://x/",
        ],
        web_proxy="http://p:1",
    )
    access, warnings = read_access("", home)
    assert access == WebAccess(None, ("wiki.corp", "10.1.2.3:8080", "[fd00::1]"), "http://p:1")
    assert codes(warnings) == ["config_wrong_type"] * 4
    assert "*" in warnings[0].message


@pytest.mark.parametrize(
    "settings",
    [
        {"web_allow_hosts": "all"},
        {"web_allow_hosts": [5]},
        {"web_proxy": 5},
        {"web_proxy": "socks://x"},
    ],
)
def test_settings_of_another_kind_allow_nothing(home, own, settings):
    own(**settings)
    access, warnings = read_access("", home)
    assert access == WebAccess()
    assert codes(warnings) == ["config_wrong_type"]
