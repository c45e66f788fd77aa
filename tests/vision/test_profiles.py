"""vision.json: what of it can be used, and which file and key an error names."""

import json

import pytest

from dogent_tui.settings.config_check import read_profiles
from dogent_tui.settings.home_files import STUBS, ensure_home_files
from dogent_tui.vision.model import VisionError
from dogent_tui.vision.profiles import load_profile
from dogent_tui.vision.providers import client_for
from tests.vision.conftest import KEY

GOOD = {"provider": "openai", "model": "m", "base_url": "https://example.org/v1", "api_key": KEY}


def refused(dot, name="mine"):
    with pytest.raises(VisionError) as caught:
        client_for(load_profile(name, dot))
    assert caught.value.code == "config"
    assert KEY not in str(caught.value)
    return str(caught.value)


def test_the_stub_has_a_key_to_fill_in_and_no_path_in_its_address(dot):
    ensure_home_files(dot)
    said = refused(dot, "")
    assert (
        'The vision profile glm-4.6v has no key. Set "api_key" of glm-4.6v in ~/.dogent/vision.json'
        in said
    )
    assert '"vision_profile" in .dogent/dogent.json' in said
    stub = json.loads((dot / "vision.json").read_text())["profiles"]["glm-4.6v"]
    assert stub["base_url"] == "https://open.bigmodel.cn/api/paas/v4"


STUBBED = read_profiles(STUBS / "vision.json")[0]


@pytest.mark.parametrize("name", STUBBED)
def test_each_stub_is_complete_but_for_the_key(dot, write_profiles, name):
    write_profiles(**{name: {**STUBBED[name], "api_key": KEY}})
    assert client_for(load_profile(name, dot)).image_limits.side >= 1000


def test_a_profile_that_is_not_there_names_the_nearest(dot, write_profiles):
    write_profiles(**{"glm-4.6v": GOOD})
    assert "There is no profile glm-4.6 in ~/.dogent/vision.json. Did you mean" in refused(
        dot, "glm-4.6"
    )
    assert "It has: glm-4.6v." in refused(dot, "xyz")
    (dot / "vision.json").unlink()
    assert "It has: none." in refused(dot)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"api_key": ""}, "has no key"),
        ({"api_key": None}, "has no key"),
        ({"api_key": "sk-replace-me"}, "has no key"),
        ({"provider": ""}, "Available: glm-4.6v, openai, anthropic"),
        ({"provider": "opena"}, 'Did you mean "openai"?'),
        ({"provider": "x"}, "Available: glm-4.6v, openai, anthropic"),
        ({"model": ""}, "has no model"),
        ({"base_url": "ftp://x"}, "does not start with http"),
        ({"base_url": f"https://me:{KEY}@x.org"}, "has a user name or password"),
        ({"base_url": "http://example.org/v1"}, "unencrypted"),
        ({"extra": [1]}, "key `profiles.mine.extra`: expected an object"),
        ({"timeout_s": "long"}, "key `profiles.mine.timeout_s`: expected a number of seconds"),
        ({"max_side": 0}, "a number of pixels from 1 to 16384"),
        ({"max_video_mb": True}, "line 1, key `profiles.mine.max_video_mb`"),
    ],
)
def test_what_is_wrong_in_a_profile_is_said(dot, write_profiles, change, words):
    write_profiles(mine={**GOOD, **change})
    said = refused(dot)
    assert words in said
    assert "vision.json" in said


@pytest.mark.parametrize("content", ['{"profiles": []}', '{"profiles": {"mine": 3}}', "{", '"x"'])
def test_a_file_that_cannot_be_used_is_a_sentence(dot, content):
    (dot / "vision.json").write_text(content)
    assert "vision.json" in refused(dot)


def test_a_profile_never_shows_its_key(dot, write_profiles):
    write_profiles(mine=GOOD)
    assert KEY not in repr(load_profile("mine", dot))


def test_limits_of_a_profile_win_over_those_of_the_provider(dot, write_profiles):
    write_profiles(mine={**GOOD, "max_side": 500, "max_video_mb": 3})
    client = client_for(load_profile("mine", dot))
    assert (client.image_limits.side, client.video_limits.bytes) == (500, 3 << 20)
