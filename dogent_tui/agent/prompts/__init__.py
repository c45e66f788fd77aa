"""The texts that the model gets: templates with named slots, in files in this folder."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Literal

from dogent_tui.agent.events import Attachment, UsedTemplate
from dogent_tui.agent.project_instructions import ProjectInstructions
from dogent_tui.agent.turn_index import MOST_EARLIER, Utterance
from dogent_tui.settings.skills import Skill

_FOLDER = Path(__file__).parent

INSTRUCTIONS_CHANGED = "<standing-changed>"
"""The beginning of the note about changes in what applies in a workspace."""

_TAGS = ("dogent-md", "template", "lessons")
"""The tags of what applies in a workspace, in order of precedence."""

_OURS = re.compile(r"<(?=/?(?:dogent-md|template|lessons|standing-changed|earlier-conversation)\b)")
"""The beginning of our tags. Text put between two of them cannot close or open one."""


def system_prompt(
    *,
    workspace: str,
    instructions: ProjectInstructions | None = None,
    can_answer: bool = True,
    at_screen: bool = True,
    wall: Literal["full", "partial", "none"] = "full",
    consent: bool = False,
) -> str:
    """Return the system prompt. `instructions` are the project's.

    `can_answer`: someone, or a file of answers, answers the model's questions; `at_screen`: someone
    can approve what the policy asks about. `wall` is around commands. `consent`: every access to a
    document asks.
    """
    instructions = instructions or ProjectInstructions()
    consenting = [_words("consent.md")] if consent else []
    return _template("system.md").substitute(
        workspace=workspace,
        language=_language(instructions),
        commands=_words(f"commands-{wall}.md"),
        denied=_words("denied.md" if at_screen else "denied-unasked.md"),
        asking=_words("asking.md" if can_answer else "not-asking.md"),
        instructions="\n".join(["", *consenting, *_tagged(instructions).values()]),
    )


def instructions_changed(before: ProjectInstructions | None, now: ProjectInstructions) -> str:
    """Return the note about what has changed in what applies in a workspace, empty if nothing has.

    If `before` is None, it is not known what the model was told, so all of it is told.
    """
    parts = _tagged(now)
    told = dict.fromkeys(_TAGS, "") if before is None else _tagged(before)
    gone = [f"There is no <{tag}> any more." for tag in told if tag not in parts]
    changed = [text for tag, text in parts.items() if told.get(tag) != text]
    if before is None or before.language != now.language:
        changed.append(_language(now))
    if not changed and not gone:
        return ""
    return _filled("standing-changed.md", parts="\n".join([*changed, *gone]))


def _tagged(instructions: ProjectInstructions) -> dict[str, str]:
    """Return what applies in a workspace by tag, each part in its tag, in order of precedence."""
    parts = dict(
        zip(
            _TAGS,
            (instructions.constraints, instructions.template, instructions.lessons),
            strict=True,
        )
    )
    return {
        tag: f"<{tag}>\n{_inside(text)}\n</{tag}>" for tag, text in parts.items() if text.strip()
    }


def _language(instructions: ProjectInstructions) -> str:
    if instructions.language:
        return f"Reply and write in {instructions.language} unless asked otherwise."
    return "Reply in the language of the request."


def _inside(text: str) -> str:
    """Escape `text` for use between two of our tags."""
    return _OURS.sub("&lt;", text.strip())


def skills_prompt(skills: Iterable[Skill]) -> str:
    """Return what the system prompt says about the user's `skills`; empty if there are none."""
    lines = [
        f"- {skill.name}: {skill.description} ({skill.file})".replace("</skills", "</ skills")
        for skill in skills
    ]
    return _template("skills.md").substitute(skills="\n".join(lines)) if lines else ""


def user_prompt(
    text: str, attachments: Iterable[Attachment], template: UsedTemplate | None = None
) -> str:
    """Return the message for a prompt: the words as typed, then the attachments as a JSON array of
    metadata, never contents.

    A document template that the words name follows in full: it says how to write, not what.
    """
    metadata = json.dumps(
        [attachment.as_metadata() for attachment in attachments], ensure_ascii=False
    )
    message = _filled("user.md", prompt=text, attachments=metadata)
    if template is None:
        return message
    words = _filled("template.md", name=template.name, template=_inside(template.text))
    return f"{message}\n\n{words}"


def undo_note(restored: Sequence[str], removed: Sequence[str]) -> str:
    """Return the note about which files the user restored and which they removed."""
    places = [f"- {path} (as it was before)" for path in restored] + [
        f"- {path} (gone again)" for path in removed
    ]
    return _filled("taken-back.md", places="\n".join(places))


def changed_files(places: Sequence[str]) -> str:
    """Return the note about which files someone else has changed since the model saw them."""
    return _filled("changed-files.md", places="\n".join(f"- {place}" for place in places))


def earlier_conversation(said: Sequence[Utterance], *, is_part: bool = False) -> str:
    """Return the note about what was `said` in a conversation that is not remembered: speaker and
    text, oldest first.

    If it is too long, its beginning is left out. `is_part`: the rest of the conversation is
    remembered.
    """
    texts: list[str] = []
    room = MOST_EARLIER
    for who, words, _ in reversed(said):
        text = f"{who}:\n{_inside(words)}"
        if len(text) > room:
            texts.append(f"[…]\n{text[-room:]}" if room > 0 else "[…]")
            break
        room -= len(text)
        texts.append(text)
    name = "forgotten-part.md" if is_part else "earlier.md"
    return _filled(name, said="\n\n".join(reversed(texts)))


def _words(name: str) -> str:
    return _template(name).template.strip()


def _filled(name: str, /, **slots: str) -> str:
    return _template(name).substitute(slots).rstrip("\n")


def _template(name: str) -> Template:
    return Template((_FOLDER / name).read_text(encoding="utf-8"))
