"""The profile for macOS, as text: nothing here proves that it holds."""

from pathlib import Path

from dogent_tui.wall.seatbelt import command, profile


def test_the_profile_denies_all_but_what_is_listed() -> None:
    text = profile([Path("/Users/a/tools")], [Path('/Users/a/my "book" \\ 1')])

    assert text.splitlines()[:2] == ["(version 1)", "(deny default)"]
    assert '(allow file-write* (subpath "/Users/a/my \\"book\\" \\\\ 1"))' in text
    assert '(allow file-write* (subpath "/Users/a/tools"))' not in text
    assert '(allow file-read* (subpath "/Users/a/tools"))' in text
    assert "network" not in text
    assert text.count("(") == text.count(")")


def test_the_network_is_let_out_only_where_it_was_allowed() -> None:
    assert "(allow network-outbound" in profile([], [], network=True)
    assert command("(version 1)", ["/bin/ls"]) == [
        "/usr/bin/sandbox-exec",
        "-p",
        "(version 1)",
        "/bin/ls",
    ]
