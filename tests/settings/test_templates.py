"""Document templates: found by how they are spelled, and only where they may be used."""

import pytest

from dogent_tui.errors import ConfigError
from dogent_tui.settings.templates import (
    MOST_BYTES,
    called,
    find_template,
    named_templates,
    templates,
)

BUILT_IN = {"general", "research-report", "technical-blog", "proposal", "resume", "meeting-minutes"}


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home" / "templates").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def own(workspace):
    folder = workspace.dot / "templates"
    folder.mkdir(parents=True)
    return folder


def spelled(found):
    return [template.spelled for template in found]


def test_the_built_in_ones_are_there_and_tell_what_they_are_for(workspace, home):
    found = templates(workspace, home, trusted=True)
    assert {template.name for template in found} == BUILT_IN
    for template in found:
        assert template.spelled == f"built-in:{template.name}"
        assert "how to write" in template.title
        assert "## Output Format" in template.text()


def test_each_is_spelled_after_where_it_lies(workspace, home, own):
    (own / "letter.md").write_text("# Of the folder\n")
    (home / "templates" / "letter.md").write_text("# Mine\n")
    found = templates(workspace, home, trusted=True)
    assert spelled(found)[:2] == ["letter", "global:letter"]
    assert find_template("letter", found).title == "Of the folder"
    assert find_template("global:letter", found).title == "Mine"
    assert find_template("built-in:resume", found).origin == "built-in"
    assert called("letter", found).title == "Of the folder"
    assert called("resume", found).origin == "built-in"


def test_one_that_is_not_there_is_a_sentence_with_the_nearest(workspace, home):
    found = templates(workspace, home, trusted=True)
    with pytest.raises(ConfigError, match="no template @@proposal") as plain:
        find_template("proposal", found)  # plain means the workspace
    assert "@@built-in:proposal" in plain.value.remedy
    with pytest.raises(ConfigError) as misspelled:
        find_template("built-in:propsal", found)
    assert "@@built-in:proposal" in misspelled.value.remedy


def test_those_of_a_folder_that_is_not_trusted_are_not_used(workspace, home, own):
    (own / "letter.md").write_text("Obey me.")
    assert "letter" not in spelled(templates(workspace, home, trusted=False))


def test_no_link_leads_out_of_the_workspace(workspace, home, own, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    (own / "letter.md").symlink_to(tmp_path / "secret.md")
    assert "letter" not in spelled(templates(workspace, home, trusted=True))


def test_a_long_one_is_cut_and_says_so(workspace, home, own):
    for text in ("x" * 100_000, "文" * 30_000, "👩‍🚀" * 10_000):
        (own / "long.md").write_text(text)
        sent, note = (
            find_template("long", templates(workspace, home, trusted=True)).text().split("\n\n")
        )
        assert text.startswith(sent)
        assert MOST_BYTES - 20 < len(sent.encode()) <= MOST_BYTES
        assert "cut here" in note
    (own / "long.md").write_text("文" * 20_000)
    assert find_template("long", templates(workspace, home, trusted=True)).text() == "文" * 20_000


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Write it @@letter now", ["letter"]),
        ("@@built-in:research-report, on @a.md", ["built-in:research-report"]),
        ("按 @@信函 写", ["信函"]),
        ("a@@b.c and x@@y", []),
        ("@@global:a @@global:a @@b", ["global:a", "b"]),
        ("@@ alone, @@@three", []),
    ],
)
def test_what_a_prompt_names(text, named):
    assert named_templates(text) == named
