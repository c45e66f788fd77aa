"""What is offered, and what a choice writes."""

from dogent_tui.local_models.model import LocalModel, LocalServer
from dogent_tui.settings.config_check import read_profiles
from dogent_tui.settings.home_files import STUBS
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.tui.setup.model import (
    Choice,
    Saved,
    choices,
    endpoint_profile,
    local_profile,
    provider_profile,
)

STUBBED = read_profiles(STUBS / "claude.json")[0]
OLLAMA = Choice("local", "Ollama · qwen3", "", "ollama", "http://127.0.0.1:11434", "qwen3")


def test_what_was_found_comes_first_and_the_offline_engine_last():
    servers = [
        LocalServer(
            "ollama", "http://127.0.0.1:11434", tuple(LocalModel(f"m{n}") for n in range(9))
        ),
        LocalServer("llama.cpp", "http://127.0.0.1:8080"),
        LocalServer(
            "lm-studio",
            "http://127.0.0.1:1234",
            (LocalModel("gpt\x1b[2J-oss", 4096, 131072), LocalModel("b", 65536)),
        ),
        LocalServer("vllm", "http://127.0.0.1:8000", (LocalModel("c", tools=False),)),
    ]
    found = choices(
        servers,
        Endpoint("environment", "anthropic", "https://api.anthropic.com", api_key="sk-secret"),
    )
    assert [choice.kind for choice in found] == [
        "environment",
        *["local"] * 3,
        "endpoint",
        "offline",
    ]
    assert found[0].note == "api.anthropic.com"
    assert "sk-secret" not in repr(found)
    assert [choice.model for choice in found[1:4]] == ["m0", "m1", "gpt\x1b[2J-oss"]
    assert "\x1b" not in found[3].label
    assert found[3].note == "on this computer · too small: 4k"
    assert choices(servers[2:], None)[1].note == "on this computer · 64k"
    assert "can't call tools" in choices(servers[3:], None)[0].note


def test_nothing_found_still_leaves_a_choice():
    assert [choice.kind for choice in choices([], None)] == ["endpoint", "offline"]


def test_the_stubs_of_claude_json_are_providers_until_they_have_a_key():
    found = choices([], None, STUBBED)
    assert [choice.label for choice in found] == [
        "Anthropic…",
        "DeepSeek…",
        "GLM (Zhipu)…",
        "Another endpoint…",
        "Stay offline",
    ]
    assert found[1].note == "paste a key · deepseek-chat"
    filled = {**STUBBED, "deepseek": {**STUBBED["deepseek"], "ANTHROPIC_AUTH_TOKEN": "sk-1"}}
    assert [choice.profile for choice in choices([], None, filled)] == ["anthropic", "glm", "", ""]
    assert not [
        choice
        for choice in choices([], None, {"mine": {"DOGENT_LOCAL_SERVER": "ollama"}})
        if choice.kind == "provider"
    ]


def test_the_key_of_a_provider_is_all_that_is_written():
    anthropic, deepseek, glm = choices([], None, STUBBED)[:3]
    assert provider_profile(glm, glm.base_url, "k", glm.model, STUBBED) == Saved(
        "glm", {"ANTHROPIC_AUTH_TOKEN": "k"}
    )
    assert provider_profile(anthropic, anthropic.base_url, "k", "", STUBBED) == Saved(
        "anthropic", {"ANTHROPIC_API_KEY": "k"}
    )
    other = provider_profile(deepseek, deepseek.base_url, "k", "deepseek-reasoner", STUBBED)
    assert (other.name, other.values["ANTHROPIC_MODEL"]) == ("deepseek", "deepseek-reasoner")


def test_a_local_model_becomes_a_profile_that_is_changed_the_next_time():
    saved = local_profile(OLLAMA, STUBBED)
    assert saved.name == "ollama"
    assert saved.values == {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:11434",
        "ANTHROPIC_MODEL": "qwen3",
        "ANTHROPIC_SMALL_FAST_MODEL": "qwen3",
        "DOGENT_LOCAL_SERVER": "ollama",
    }
    assert local_profile(OLLAMA, {"ollama": saved.values}).name == "ollama"
    assert (
        local_profile(OLLAMA, {"ollama": {"ANTHROPIC_BASE_URL": "http://mine"}}).name == "ollama-2"
    )


def test_an_endpoint_fills_in_the_stub_that_waits_for_it():
    anthropic = endpoint_profile("https://api.anthropic.com", "sk-1", "", STUBBED)
    assert (anthropic.name, anthropic.values["ANTHROPIC_API_KEY"]) == ("anthropic", "sk-1")
    assert (
        endpoint_profile("https://api.deepseek.com/anthropic", "k", "deepseek-chat", STUBBED).name
        == "deepseek"
    )


def test_an_endpoint_of_somebody_else_is_left_alone():
    mine = {
        "example": {"ANTHROPIC_BASE_URL": "https://llm.example.com", "ANTHROPIC_AUTH_TOKEN": "old"}
    }
    assert endpoint_profile("https://llm.example.com/", "new", "m", mine).name == "example"
    assert endpoint_profile("https://other.example.com", "new", "m", mine).name == "example-2"
    for address, name in (
        ("http://10.0.0.7:4000", "gateway"),
        ("http://[::1]:4000", "gateway"),
        ("http://box:1", "gateway"),
    ):
        assert endpoint_profile(address, "k", "m", {}).name == name
    assert endpoint_profile("https://a.offline.com", "k", "m", {}).name == "my-offline"
