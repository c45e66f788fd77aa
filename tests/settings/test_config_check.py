"""Configuration files against their models: the line and the key are named, the rest of the file
counts, nothing is lost.
"""

import json
import multiprocessing
import runpy
from multiprocessing.synchronize import Barrier
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.doctor import as_text, examine_files
from dogent_tui.settings.config_check import checked, read_profiles
from dogent_tui.settings.config_models import PROFILE_MODELS, LlmProfile, WebProfile, secret_keys
from dogent_tui.settings.config_writer import plan_values, write_home_values
from dogent_tui.settings.home_files import STUBS
from dogent_tui.settings.json_schemas import NAMES, schema_file
from dogent_tui.settings.values import (
    HomeSettings,
    WorkspaceSettings,
    load_home_settings,
    load_settings,
)
from dogent_tui.storage.files import read_json
from dogent_tui.storage.json_lines import line_of

schema_text = runpy.run_path(str(Path(__file__).parents[2] / ".ci/schemas"))["schema_text"]
SLIP = """{
  "profiles": {
    "x": {
      "timeout_s": "soon", "provider": " brave ",
      "apikey": "sk-secret-in-the-wrong-place"
    }
  }
}"""


def test_the_line_and_the_key_are_named_and_the_rest_is_used(tmp_path):
    file = tmp_path / "web.json"
    file.write_text(SLIP, encoding="utf-8")
    profiles, warnings = read_profiles(file)
    assert warnings == []
    usable, (wrong, unknown) = checked(profiles["x"], WebProfile, file, ("profiles", "x"))
    assert usable == {"provider": "brave"}
    assert wrong.message.startswith(
        "web.json, line 4, key `profiles.x.timeout_s`: expected a number of seconds, at most 120"
    )
    assert unknown.message.startswith("web.json, line 5, key `profiles.x.apikey`:")
    assert 'Did you mean "api_key"?' in unknown.remedy
    assert "sk-secret" not in f"{wrong}{unknown}"


def test_a_schema_may_be_named(workspace, home):
    workspace.dot.mkdir()
    workspace.settings_file.write_text('{"$schema": "file:///s.json", "profile": "a"}')
    settings, warnings = load_settings(workspace)
    assert (settings.profile, warnings) == ("a", [])
    home.mkdir()
    (home / "claude.json").write_text('{"$schema": "x", "profiles": {}}')
    assert read_profiles(home / "claude.json") == ({}, [])


@pytest.mark.parametrize("name", ["claude.json", "web.json", "vision.json"])
def test_the_stubs_are_what_the_models_expect(tmp_path, name):
    for profile in read_profiles(STUBS / name)[0].values():
        assert checked(profile, PROFILE_MODELS[name], tmp_path / name)[1] == []


def test_the_persons_own_settings_say_what_is_wrong_too(home):
    home.mkdir()
    (home / "dogent.json").write_text(
        '{"keys": {"find": "ctrl+g"}, "profile": "p",\n "web_allow_host": []}'
    )
    own, (warning,) = load_home_settings(home)
    assert (own.keys, own.profile) == ({"find": "ctrl+g"}, "p")
    assert "line 2, key `web_allow_host`" in warning.message
    assert '"web_allow_hosts"' in warning.remedy


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
        ),
        max_leaves=12,
    ),
    st.sampled_from([None, 1]),
)
def test_any_json_is_survived_and_every_key_is_found_on_its_line(tmp_path_factory, value, indent):
    file = tmp_path_factory.getbasetemp() / "any.json"
    text = json.dumps({"a": value, "b": {"the last": 1}}, indent=indent)
    file.write_text(text, encoding="utf-8")
    usable, _ = checked(value if isinstance(value, dict) else {"x": value}, LlmProfile, file)
    assert set(usable) <= {field.name for field in msgspec.structs.fields(LlmProfile)}
    assert line_of(file, ("b", "the last")) == (text.count("\n", 0, text.rindex('"the last"')) + 1)


def test_half_a_character_costs_its_key_and_not_the_file(tmp_path):
    file = tmp_path / "claude.json"
    file.write_text('{"DOGENT_LOCAL_SERVER": "\\ud800"}', encoding="utf-8")
    usable, [warning] = checked(read_json(file)[0], LlmProfile, file)
    assert not usable
    assert "expected ollama" in warning.message


def test_arguments_of_a_server_that_are_no_list_are_told(workspace, home):
    config = {"mcpServers": {"notes": {"command": "python3", "args": 3}}}
    home.mkdir(exist_ok=True)
    (home / "mcp.json").write_text(json.dumps(config), encoding="utf-8")
    assert 'texts in "args"' in as_text(examine_files(workspace))


def test_a_file_that_changed_meanwhile_has_no_lines(tmp_path):
    file = tmp_path / "x.json"
    assert line_of(file, ("a",)) == 0
    for odd in ("", "}}}]]", '{"a', "[[[[", '{"a":{"b":', "\x00"):
        file.write_text(odd)
        assert line_of(file, ("a", "b", "c")) == 0
    file.write_text('{"a": 1,\n"a": 2}')
    assert line_of(file, ("a",)) == 2


@pytest.mark.parametrize("name", NAMES)
def test_the_schemas_are_in_step_with_the_models(name):
    """`make schemas` writes them."""
    assert schema_file(name).read_text(encoding="utf-8") == schema_text(name)


def test_the_schemas_name_every_key():
    for name, model in PROFILE_MODELS.items():
        schema = json.loads(schema_text(name.removesuffix(".json")))
        keys = schema["properties"]["profiles"]["additionalProperties"]["properties"]
        assert set(keys) == {field.encode_name for field in msgspec.structs.fields(model)}
        assert all(key.get("description") or key.get("anyOf") for key in keys.values())
    assert "extra" not in json.loads(schema_text("dogent"))["properties"]
    assert secret_keys(LlmProfile) == ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY")


def test_one_value_is_changed_and_the_rest_stays(tmp_path):
    file = tmp_path / "claude.json"
    file.write_text('{"//": "mine", "profiles": {"a": {"KEY": "k", "odd": [1]}, "b": {}}}')
    after = json.loads(
        plan_values(
            file, {("profiles", "a", "KEY"): "n", ("profiles", "b"): None, ("x", "y"): 1}
        ).after
    )
    assert after == {"//": "mine", "profiles": {"a": {"KEY": "n", "odd": [1]}}, "x": {"y": 1}}


def test_a_file_of_the_user_is_private_where_it_is_new_and_a_link_is_followed(home):
    real = home.parent / "dotfiles" / "claude.json"
    write_home_values(home / "web.json", {("profiles", "a", "provider"): "brave"})
    assert (home / "web.json").stat().st_mode & 0o777 == 0o600
    real.parent.mkdir()
    real.write_text("{}")
    (home / "claude.json").symlink_to(real)
    write_home_values(home / "claude.json", {("profiles", "a", "ANTHROPIC_API_KEY"): "k"})
    assert (home / "claude.json").is_symlink()
    assert json.loads(real.read_text()) == {"profiles": {"a": {"ANTHROPIC_API_KEY": "k"}}}


def _set_each(file: Path, mine: str, barrier: Barrier, rounds: int) -> None:
    for number in range(rounds):
        if mine == "a":
            file.write_text("{broken")
        barrier.wait(60)
        write_home_values(file, {(mine,): number})
        barrier.wait(60)
        assert json.loads(file.read_text()) == {"a": number, "b": number}
        barrier.wait(60)


@pytest.mark.slow
def test_two_windows_that_find_a_broken_file_lose_nothing_of_each_other(tmp_path):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)
    windows = [
        context.Process(target=_set_each, args=(tmp_path / "dogent.json", mine, barrier, 30))
        for mine in "ab"
    ]
    for window in windows:
        window.start()
    for window in windows:
        window.join(60)
        assert window.exitcode == 0


@pytest.mark.parametrize("settings", [WorkspaceSettings, HomeSettings])
def test_every_key_is_in_the_docs(settings):
    docs = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text("utf-8")
    keys = {field.name for field in msgspec.structs.fields(settings)} - {"extra"}
    assert [key for key in sorted(keys) if f"`{key}`" not in docs] == []
