"""The words that the model gets: texts with named slots, in files beside this one."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template

from dogent_tui.agent.events import Attachment, UsedTemplate
from dogent_tui.agent.project_instructions import ProjectInstructions
from dogent_tui.agent.turn_index import MOST_TOLD, Said
from dogent_tui.workspace.skills import Skill

_FOLDER = Path(__file__).parent


def system_prompt(
    *,
    workspace: str,
    standing: ProjectInstructions | None = None,
    language: str = "",
    can_answer: bool = True,
    consent: bool = False,
) -> str:
    """Return the system prompt. `standing` is what the user wishes there; `language` is that of replies, if settled.

    `can_answer`: somebody, or a file of answers, is there to answer what the model asks. `consent`: each look at a document asks.
    """
    words = _template("system.md").substitute(
        workspace=workspace,
        language=f"Reply and write in {language} unless asked otherwise."
        if language
        else "Reply in the language of the request.",
        asking=_template("asking.md" if can_answer else "not-asking.md").template.strip(),
        constraints=(standing or ProjectInstructions()).as_prompt,
    )
    return f"{words}\n{_template('consent.md').template}" if consent else words


def skills_prompt(skills: Iterable[Skill]) -> str:
    """Return what the system prompt says of the user's `skills`; empty where there are none."""
    lines = [f"- {skill.name}: {skill.description} ({skill.file})".replace("</skills", "</ skills") for skill in skills]
    return _template("skills.md").substitute(skills="\n".join(lines)) if lines else ""


def user_prompt(text: str, attachments: Iterable[Attachment], template: UsedTemplate | None = None) -> str:
    """Return the message for a prompt: the words as typed, then what is attached as a JSON array of metadata, never contents.

    A document template that the words name follows whole: it tells how to write, not what.
    """
    metadata = json.dumps([attachment.as_metadata() for attachment in attachments], ensure_ascii=False)
    message = _template("user.md").substitute(prompt=text, attachments=metadata).rstrip("\n")
    if template is None:
        return message
    return f"{message}\n\n{_template('template.md').substitute(name=template.name, template=template.text.strip()).rstrip()}"


def taken_back(restored: Sequence[str], removed: Sequence[str]) -> str:
    """Return the note that tells which files the user brought back to what they were, and which they took away."""
    places = [f"- {path} (as it was before)" for path in restored] + [f"- {path} (gone again)" for path in removed]
    return _template("taken-back.md").substitute(places="\n".join(places)).rstrip("\n")


def changed_files(places: Sequence[str]) -> str:
    """Return the note that tells which files somebody else changed since the model saw them."""
    return _template("changed-files.md").substitute(places="\n".join(f"- {place}" for place in places)).rstrip("\n")


def earlier_conversation(said: Sequence[Said], *, is_part: bool = False) -> str:
    """Return the note that tells what was `said` in a conversation that is not remembered: who and what, oldest first.

    What is too long is left out from the beginning. `is_part`: the rest of the conversation is remembered.
    """
    texts: list[str] = []
    room = MOST_TOLD
    for who, words, _ in reversed(said):
        text = f"{who}:\n{words.strip()}".replace("</earlier-conversation", "</earlier conversation")
        if len(text) > room:
            texts.append(f"[…]\n{text[-room:]}" if room > 0 else "[…]")
            break
        room -= len(text)
        texts.append(text)
    return _template("forgotten-part.md" if is_part else "earlier.md").substitute(said="\n\n".join(reversed(texts))).rstrip("\n")


def _template(name: str) -> Template:
    return Template((_FOLDER / name).read_text(encoding="utf-8"))
