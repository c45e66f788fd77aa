"""Commands written as Markdown: found, named, filled in."""

import pytest

from dogent_tui.settings.custom_commands import custom_commands


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def write(folder, name, text):
    file = folder / ".claude" / "commands" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def by_name(workspace, home, *, trusted=True):
    return {command.name: command for command in custom_commands(workspace, home, trusted=trusted)}


def test_they_come_from_the_home_and_from_a_trusted_folder(workspace, home):
    write(home, "tidy.md", "Tidy up.")
    write(
        home,
        "letters/thanks.md",
        "---\ndescription: Thank somebody\nargument-hint: NAME\n---\nThank $1.",
    )
    write(workspace.root, "tidy.md", "Tidy this folder up.")
    found = by_name(workspace, home)
    assert list(found) == ["letters:thanks", "tidy"]
    assert found["letters:thanks"].description == "Thank somebody"
    assert found["letters:thanks"].argument == "NAME"
    assert found["tidy"].prompt == "Tidy this folder up."
    assert by_name(workspace, home, trusted=False)["tidy"].prompt == "Tidy up."


@pytest.mark.parametrize(
    ("prompt", "typed", "sent"),
    [
        ("Sum up $ARGUMENTS.", "a b", "Sum up a b."),
        ("From $1 to $2, $3.", '"New York" Rome', "From New York to Rome, ."),
        ("Sum it up.", "", "Sum it up."),
        ("Sum it up.", "but short", "Sum it up.\n\nbut short"),
        ("Costs $10 and $ARGUMENTSX", "x", "Costs $10 and $ARGUMENTSX\n\nx"),
        ("Say $1", 'it"s', 'Say it"s'),
        ("$ARGUMENTS", "$1 $ARGUMENTS", "$1 $ARGUMENTS"),
    ],
)
def test_what_was_typed_is_filled_in(workspace, home, prompt, typed, sent):
    write(home, "it.md", prompt)
    assert by_name(workspace, home)["it"].filled_in(typed) == sent


def test_what_is_no_command_is_passed_over(workspace, home, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    write(workspace.root, "with space.md", "x")
    write(workspace.root, "notes.txt", "x")
    (workspace.root / ".claude/commands/link.md").symlink_to(tmp_path / "secret.md")
    (workspace.root / ".claude/commands/broken.md").symlink_to(tmp_path / "nowhere")
    (workspace.root / ".claude/commands/empty.md").write_text("")
    assert [command.prompt for command in custom_commands(workspace, home, trusted=True)] == [""]
