"""/name for a skill: a prompt that has the agent read and follow it."""


async def test_a_skill_is_a_command(stage, home):
    folder = home / ".claude" / "skills" / "minutes"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: minutes\ndescription: How minutes are written\n---\n", encoding="utf-8"
    )
    async with stage() as s:
        await s.until(lambda: s.app.commands.find("/minutes")[0])
        command, _ = s.app.commands.find("/minutes")
        assert command.help == "How minutes are written (your skill)"
        await s.type("/minutes of Monday")
        await s.pilot.press("escape", "enter")
        await s.until(lambda: s.conversation.sent)
        assert s.conversation.sent[0].startswith(
            f"Use the skill minutes: read {folder}/SKILL.md first, and follow it.\n\nof Monday"
        )
