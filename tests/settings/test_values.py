import json

import pytest

from dogent_tui.settings.own_files import make_change, plan_change
from dogent_tui.settings.values import (
    HomeSettings,
    WorkspaceSettings,
    load_home_settings,
    load_settings,
    plan_settings,
)
from dogent_tui.storage.paths import display_path, dogent_home


def write(workspace, text):
    workspace.dot.mkdir(exist_ok=True)
    workspace.settings_file.write_text(text if isinstance(text, str) else json.dumps(text))


def test_without_a_file_there_are_defaults_and_none_is_made(workspace):
    assert load_settings(workspace) == (WorkspaceSettings(), [])
    assert WorkspaceSettings().vision_profile == "glm-4.6v"
    assert WorkspaceSettings().images_path == "./images"
    assert not workspace.dot.exists()


def test_what_is_there_is_used(workspace):
    write(workspace, {"profile": " deepseek ", "learn_auto": False, "theme": None})
    assert load_settings(workspace) == (WorkspaceSettings(profile="deepseek", learn_auto=False), [])


def test_unknown_keys_are_named_with_the_nearest(workspace):
    write(workspace, {"profil": "x", "zzz": 1, "profile": "p"})
    settings, warnings = load_settings(workspace)
    assert settings.profile == "p"
    assert [w.code for w in warnings] == ["config_unknown_key"] * 2
    assert "dogent.json" in warnings[0].message
    assert 'Did you mean "profile"?' in warnings[0].remedy
    assert "Did you mean" not in warnings[1].remedy


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("profile", 5),
        ("learn_auto", "yes"),
        ("learn_auto", 1),
        ("images_path", ["a"]),
        ("consent", "each_tool"),
    ],
)
def test_a_wrong_type_is_named_and_the_default_used(workspace, key, value):
    write(workspace, {key: value})
    settings, (warning,) = load_settings(workspace)
    assert getattr(settings, key) == getattr(WorkspaceSettings(), key)
    assert f"dogent.json, line 1, key `{key}`: expected" in str(warning)


def test_which_of_the_two_files_of_that_name_is_meant_is_said(workspace):
    write(workspace, {"learn_auto": 1})
    dogent_home().mkdir(parents=True, exist_ok=True)
    (dogent_home() / "dogent.json").write_text('{"offer_setup": 1}')
    (here,), (own,) = load_settings(workspace)[1], load_home_settings(dogent_home())[1]
    assert here.message.startswith(".dogent/dogent.json, line 1, key `learn_auto`")
    assert own.message.startswith(
        f"{display_path(dogent_home() / 'dogent.json')}, line 1, key `offer_setup`"
    )


def test_a_broken_file_is_kept_aside_and_told(workspace):
    write(workspace, '{"profile": "a",}')
    settings, (warning,) = load_settings(workspace)
    assert settings == WorkspaceSettings()
    assert "line 1" in warning.message
    assert "dogent.json.broken-" in warning.remedy
    assert [path.read_text() for path in workspace.dot.iterdir()] == ['{"profile": "a",}']


def save(workspace, changes):
    return make_change(workspace, plan_settings(workspace, changes))


def test_saving_changes_only_what_it_should(workspace):
    write(workspace, {"future": {"a": [1]}, "profile": "old", "theme": "dark"})
    assert save(workspace, {"profile": "新", "theme": None})
    assert json.loads(workspace.settings_file.read_text(encoding="utf-8")) == {
        "future": {"a": [1]},
        "profile": "新",
    }


def test_saving_makes_the_file_and_does_not_lose_a_broken_one(workspace):
    assert save(workspace, {"profile": "a"})
    write(workspace, "{oops")
    assert save(workspace, {"profile": "b"})
    (kept,) = workspace.dot.glob("dogent.json.broken-*")
    assert kept.read_text() == "{oops"
    assert load_settings(workspace)[0].profile == "b"


@pytest.mark.parametrize("meanwhile", ['{"profile": "theirs"}', None])
def test_what_changed_since_it_was_planned_is_planned_anew(workspace, meanwhile):
    write(workspace, {"profile": "old"})
    planned = plan_settings(workspace, {"theme": "x"})
    workspace.settings_file.unlink() if meanwhile is None else write(workspace, meanwhile)
    assert not make_change(workspace, planned)
    assert workspace.settings_file.exists() is (meanwhile is not None)
    assert make_change(workspace, plan_settings(workspace, {"theme": "x"}))
    assert load_settings(workspace)[0].profile == ("theirs" if meanwhile else "")


def test_any_text_of_the_workspace_is_planned_the_same_way(workspace):
    file = workspace.constraints_file
    assert plan_change(file, "Metric units.\n").before is None
    assert make_change(workspace, plan_change(file, "Metric units.\n"))
    assert plan_change(file, "Other.\n").before == b"Metric units.\n"


def test_a_broken_file_at_home_is_told(workspace, home):
    home.mkdir()
    (home / "dogent.json").write_text("{")
    own, warnings = load_home_settings(home)
    assert own == HomeSettings()
    assert [warning.code for warning in warnings] == ["config_broken"]


def test_a_list_of_folders_is_taken_and_anything_else_is_said(workspace):
    workspace.dot.mkdir(exist_ok=True)
    workspace.settings_file.write_text(
        '{"ignored_folders": ["old", "notes/private"]}', encoding="utf-8"
    )
    assert load_settings(workspace) == (
        WorkspaceSettings(ignored_folders=("old", "notes/private")),
        [],
    )
    workspace.settings_file.write_text('{"ignored_folders": ["old", 3]}', encoding="utf-8")
    settings, (warning,) = load_settings(workspace)
    assert settings == WorkspaceSettings()
    assert "a list of quoted texts" in str(warning)


def test_a_home_that_is_a_workspace_has_the_keys_of_both_in_one_file(workspace, monkeypatch):
    monkeypatch.setenv("DOGENT_HOME", str(workspace.dot))
    home = dogent_home()
    write(workspace, {"language": "en", "theme": "nord", "offer_setup": False, "zzz": 1})
    settings, warnings = load_settings(workspace)
    assert (settings.theme, len(warnings)) == ("nord", 1)
    assert len(load_home_settings(home)[1]) == 2  # nobody has worked there so far
    workspace.history_file.write_text("[]")
    settings, warnings = load_home_settings(home)
    assert (settings.language, settings.offer_setup, len(warnings)) == ("en", False, 1)
    monkeypatch.undo()
    assert len(load_settings(workspace)[1]) == 3
