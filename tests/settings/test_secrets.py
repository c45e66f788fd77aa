import sys
import threading
from types import SimpleNamespace

import pytest

from dogent_tui.errors import ConfigError
from dogent_tui.settings import secrets
from dogent_tui.settings.secrets import is_missing, redact, revealed, revealed_keys


@pytest.mark.parametrize(
    "value", ["", "  ", None, 5, "replace-me", "sk-Replace-Me", "<replace-me>"]
)
def test_what_counts_as_missing(value):
    assert is_missing(value)


def test_a_key_is_a_key():
    assert not is_missing("sk-ant-123")


def test_secrets_do_not_show_and_short_values_are_no_secrets():
    text = "key sk-abcdef and sk-abc, x"
    assert redact(text, ["sk-abc", "sk-abcdef", "", "x"]) == "key •••• and ••••, x"


def test_a_key_is_itself_or_stands_in_the_environment(monkeypatch):
    assert revealed(" sk-1 ") == "sk-1"
    monkeypatch.setenv("OTHER", "x")
    for value, key in ((" sk-2\n", "sk-2"), ("env:OTHER", "env:OTHER")):  # once, and no further
        monkeypatch.setenv("MY_KEY", value)
        assert revealed("env:MY_KEY") == key
    for name, value in (("NO_KEY", ""), ("MY_KEY", " "), ("MY_KEY", "replace-me")):
        monkeypatch.setenv("MY_KEY", value)
        with pytest.raises(ConfigError, match=f"{name} is not set") as caught:
            revealed(f"env:{name}")
        assert f"export {name}=" in caught.value.remedy


def test_without_the_package_the_keyring_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigError, match="not installed") as caught:
        revealed("keyring:work")
    assert "pip install keyring" in caught.value.remedy


def test_the_keyring_is_asked_for_our_service(monkeypatch):
    entries = {("dogent-tui", "work"): "sk-3"}

    def get_password(service, name):
        if name == "locked":
            raise PermissionError("the secret sk-9 is locked")
        return entries.get((service, name))

    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_password=get_password))
    assert revealed("keyring:work") == "sk-3"
    assert "sk-3" in revealed_keys()
    with pytest.raises(ConfigError, match="no entry other") as caught:
        revealed("keyring:other")
    assert "keyring set dogent-tui other" in caught.value.remedy
    with pytest.raises(ConfigError, match=r"failed \(PermissionError\)") as caught:
        revealed("keyring:locked")
    assert "sk-9" not in str(caught.value)


def test_a_keyring_that_never_answers_is_given_up(monkeypatch):
    never = threading.Event()
    monkeypatch.setattr(secrets, "_KEYRING_S", 0.01)
    monkeypatch.setitem(
        sys.modules, "keyring", SimpleNamespace(get_password=lambda *_: never.wait())
    )
    with pytest.raises(ConfigError, match="did not respond"):
        revealed("keyring:work")
    never.set()
