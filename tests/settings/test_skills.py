"""Which skills there are, and what is none."""

from dogent_tui.settings.skills import skills
from dogent_tui.storage.paths import dogent_home


def write(place, name, text):
    folder = place / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    return folder


def test_skills_of_the_user_and_of_a_trusted_workspace(home, workspace):
    write(home / ".claude" / "skills", "letter", "---\nname: letter\ndescription: Mine\n---\n")
    write(dogent_home() / "skills", "plain", "No front matter.\n")
    write(workspace.root / ".claude" / "skills", "letter", "---\ndescription: Theirs\n---\n")
    assert [
        (skill.name, skill.description) for skill in skills(workspace, home, trusted=False)
    ] == [
        ("letter", "Mine"),
        ("plain", ""),
    ]
    assert [skill.description for skill in skills(workspace, home, trusted=True)] == ["Theirs", ""]


def test_what_is_broken_or_leads_elsewhere_is_no_skill(home, workspace):
    mine, theirs = home / ".claude" / "skills", workspace.root / ".claude" / "skills"
    write(mine, "odd", "---\nname: [1\ndescription: {\n---\n")
    write(mine, "bad name!", "---\nname: also bad!\n---\n")
    write(mine, "long", f"---\ndescription: {'x' * 5_000}\n---\n")
    (mine / "everything").symlink_to(home)
    (home / "SKILL.md").write_text("x", encoding="utf-8")
    elsewhere = write(home / "elsewhere", "out", "---\ndescription: Out\n---\n")
    theirs.mkdir(parents=True)
    (theirs / "out").symlink_to(elsewhere)
    found = {skill.name: skill for skill in skills(workspace, home, trusted=True)}
    assert sorted(found) == ["long", "odd"]
    assert len(found["long"].description) <= 400
