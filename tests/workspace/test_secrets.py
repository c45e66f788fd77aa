import pytest

from dogent_tui.workspace.secrets import is_missing, redact


@pytest.mark.parametrize("value", ["", "  ", None, 5, "replace-me", "sk-Replace-Me", "<replace-me>"])
def test_what_counts_as_missing(value):
    assert is_missing(value)


def test_a_key_is_a_key():
    assert not is_missing("sk-ant-123")


def test_secrets_do_not_show_and_short_values_are_no_secrets():
    text = "key sk-abcdef and sk-abc, x"
    assert redact(text, ["sk-abc", "sk-abcdef", "", "x"]) == "key •••• and ••••, x"
