"""What the settings will be, without a screen."""

import json

import pytest

from dogent_tui.settings.config_models import PROFILE_MODELS, secret_keys
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.keymap import KeyAction
from dogent_tui.tui.settings.catalog import (
    LLM,
    WEB,
    chosen_profile,
    folder_settings,
    options_of,
    profile_settings,
    summary,
)
from dogent_tui.tui.settings.draft import SettingsDraft, name_problem, shown, typed_value
from dogent_tui.tui.settings.save import changes_in_words


@pytest.fixture
def draft(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "ws").mkdir()
    profiles = {
        "a": {"ANTHROPIC_AUTH_TOKEN": "sk-1", "ANTHROPIC_BASE_URL": "https://me:sk-2@x.org/sk-3"},
        "odd": 5,
    }
    (tmp_path / "home" / LLM).write_text(json.dumps({"profiles": profiles}))
    return SettingsDraft(Workspace(tmp_path / "ws"), tmp_path / "home")


def setting(settings, key):
    return next(one for one in settings if one.path[-1] == key)


def test_what_is_as_it_was_is_no_change(draft):
    learn = setting(folder_settings(draft), "learn_auto")
    draft.put(learn, False)
    assert (draft.is_changed(learn), shown(learn, draft)) == (True, "off")
    draft.put(learn, True)  # its default
    assert draft.changes == {}
    model = setting(profile_settings(draft.home / LLM, "a"), "ANTHROPIC_MODEL")
    draft.put(model, "m")
    draft.put(model, None)
    assert draft.changes == {}


def test_profiles_come_go_and_come_again(draft):
    file = draft.home / LLM
    assert draft.profiles(file) == ["a"]
    draft.put(setting(profile_settings(file, "b"), "ANTHROPIC_MODEL"), "m")
    assert draft.profiles(file) == ["a", "b"]
    draft.remove_profile(file, "b")
    assert draft.changes == {}
    draft.remove_profile(file, "a")
    assert (draft.profiles(file), draft.profile(file, "b")) == ([], {})
    draft.put(setting(profile_settings(file, "a"), "ANTHROPIC_MODEL"), "m")
    assert draft.profiles(file) == ["a"]
    assert draft.profile(file, "a") == {"ANTHROPIC_MODEL": "m"}  # the key went with the old one


def test_a_key_is_dots_and_a_summary_holds_nothing_but_the_host(draft):
    file = draft.home / LLM
    token = setting(profile_settings(file, "a"), "ANTHROPIC_AUTH_TOKEN")
    assert set(shown(token, draft)) == {"•"}
    draft.put(token, "keyring:work")
    assert shown(token, draft) == "keyring:work"
    draft.put(token, "replace-me")
    assert shown(token, draft) == "not set"
    assert summary(draft, file, "a") == "x.org · no key"


def test_every_secret_of_a_profile_is_one_here(draft):
    for name, model in PROFILE_MODELS.items():
        fields = profile_settings(draft.home / name, "x")
        assert {one.path[-1] for one in fields if one.kind == "secret"} == set(secret_keys(model))


@pytest.mark.parametrize(
    ("file", "key", "text", "value", "problem"),
    [
        (LLM, "API_TIMEOUT_MS", " 5000 ", 5000, ""),
        (LLM, "API_TIMEOUT_MS", "soon", None, "a number"),
        (LLM, "API_TIMEOUT_MS", "-1", None, "a whole number of milliseconds"),
        (LLM, "ANTHROPIC_BASE_URL", "https://u:p@x", None, "user name or password"),
        (LLM, "ANTHROPIC_MODEL", "  ", None, ""),
        (WEB, "timeout_s", "2,5", 2.5, ""),
        (WEB, "timeout_s", "500", None, "at most 120"),
        ("", "images_path", "pictures/new", "pictures/new", ""),
        ("", "images_path", "../elsewhere", None, "outside"),
        ("", "primary_language", "简体中文", "简体中文", ""),
    ],
)
def test_what_is_typed_becomes_a_value_or_a_sentence(draft, file, key, text, value, problem):
    settings = profile_settings(draft.home / file, "a") if file else folder_settings(draft)
    found, said = typed_value(setting(settings, key), text, draft)
    assert found == value
    assert problem in said
    assert bool(said) == bool(problem)


def test_what_can_be_chosen(draft):
    assert [
        value for value, _ in options_of(chosen_profile(draft, draft.home / LLM), draft, {})
    ] == [None, "a", "offline"]
    assert "brave" in [
        value
        for value, _ in options_of(
            setting(profile_settings(draft.home / WEB, "x"), "provider"), draft, {}
        )
    ]
    assert "built-in:resume" in [
        value for value, _ in options_of(setting(folder_settings(draft), "doc_template"), draft, {})
    ]
    assert name_problem("a", draft.home / LLM, draft)
    assert name_problem("offline", draft.home / LLM, draft)
    assert name_problem("", draft.home / LLM, draft)
    assert name_problem("mine", draft.home / LLM, draft) == ""


def test_who_answers_in_all_other_folders_is_chosen_here_too(draft):
    """/setup writes it: without a row of its own it could neither be seen nor taken back."""
    here, elsewhere = [one for one in folder_settings(draft) if one.path == ("profile",)]
    assert (here.file, elsewhere.file) == (
        draft.workspace.settings_file,
        draft.home / "dogent.json",
    )
    assert shown(here, draft) == "the offline engine"
    draft.put(elsewhere, "a")
    here = chosen_profile(draft, draft.home / LLM)
    assert here.file == draft.workspace.settings_file
    assert shown(here, draft) == "as elsewhere: a"


def test_a_local_server_is_chosen_and_needs_no_key(draft):
    server = setting(profile_settings(draft.home / LLM, "a"), "DOGENT_LOCAL_SERVER")
    draft.put(setting(profile_settings(draft.home / LLM, "a"), "ANTHROPIC_AUTH_TOKEN"), None)
    assert summary(draft, draft.home / LLM, "a") == "x.org · no key"
    assert [value for value, _ in options_of(server, draft, {})] == [
        None,
        "ollama",
        "llama.cpp",
        "lm-studio",
        "vllm",
    ]
    draft.put(server, "lm-studio")
    assert shown(server, draft) == "LM Studio"
    language = setting(folder_settings(draft), "language")
    draft.put(language, "zh_CN")
    assert shown(language, draft) == "简体中文"
    assert summary(draft, draft.home / LLM, "a") == "x.org · needs no key"


def test_what_a_save_changes_is_said_without_keys(tmp_path):
    workspace, home = Workspace(tmp_path), tmp_path / "home"
    file, own = home / LLM, home / "dogent.json"
    home.mkdir()
    profile = {
        "ANTHROPIC_AUTH_TOKEN": "sk-old-1",
        "ANTHROPIC_BASE_URL": "https://me:pass-word@example.com",
        "other": "sk-other-1",
    }
    file.write_text(json.dumps({"profiles": {"a": profile, "b": {}}}))
    draft = SettingsDraft(workspace, home)
    for key, value in (
        ("ANTHROPIC_AUTH_TOKEN", "sk-new-2"),
        ("ANTHROPIC_API_KEY", "env:KEY"),
        ("ANTHROPIC_BASE_URL", "https://example.com/[b]\x1b"),
        ("other", "sk-other-2"),
    ):
        draft.set(file, ("profiles", "a", key), value)
    draft.remove_profile(file, "b")
    actions = [KeyAction("plan", "Plan", "ctrl+t")]
    draft.set(own, ("keys", "plan"), "f9")
    draft.set(own, ("profile",), "a")
    now = SettingsDraft(workspace, home)
    lines = changes_in_words(draft, now, file, actions)
    assert lines == [
        "a · Key (bearer token): changed (••••••••)",
        "a · Key (x-api-key): not set → env:KEY",
        "a · Address: https://••••@example.com → https://example.com/[b]␛",
        "a · other: changed (••••••••)",
        "b: removed",
    ]
    assert changes_in_words(draft, now, own, actions) == [
        "Plan: Ctrl+T → F9",
        "Model elsewhere: the offline engine → a",
    ]
    assert changes_in_words(draft, now, workspace.settings_file, actions) == []


def test_citation_styles_are_those_of_the_folder_with_their_titles(draft):
    root = draft.workspace.root
    (root / "styles").mkdir()
    title = "<style><info><title>Law &amp; Society\n Review</title></info></style>"
    (root / "styles" / "law.csl").write_text(title)
    (root / "broken.csl").write_bytes(b"\xff\x00")
    (root / "notes.md").write_text("# No style\n")
    style = setting(folder_settings(draft), "csl")
    draft.put(style, "gone.csl")
    assert options_of(style, draft, {})[1:] == [
        ("broken.csl", "broken.csl"),
        ("styles/law.csl", "styles/law.csl · Law & Society Review"),
        ("gone.csl", "gone.csl"),
    ]
