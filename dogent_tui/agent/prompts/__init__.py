"""The words that the model gets: texts with named slots, in files beside this one."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template

from dogent_tui.agent.events import Attachment

_FOLDER = Path(__file__).parent
_MAX_CONSTRAINTS = 20_000
"""Characters of `.dogent/dogent.md` that travel with every conversation; longer ones are cut, and say so."""

_MAX_EARLIER = 60_000
"""Characters of an earlier conversation that are told where it is not remembered."""


def system_prompt(*, workspace: str, constraints: str = "", language: str = "", can_answer: bool = True) -> str:
    """Return the system prompt. `constraints` is the text of `.dogent/dogent.md`; `language` is that of replies, if settled.

    `can_answer`: somebody, or a file of answers, is there to answer what the model asks.
    """
    if len(constraints) > _MAX_CONSTRAINTS:
        constraints = constraints[:_MAX_CONSTRAINTS] + "\n\n[cut here: the file is longer; read it whole with the Read tool]"
    return _template("system.md").substitute(
        workspace=workspace,
        language=f"Reply and write in {language} unless asked otherwise."
        if language
        else "Reply in the language of the request.",
        asking=_template("asking.md" if can_answer else "not-asking.md").template.strip(),
        constraints=constraints.strip() or "(The workspace has none.)",
    )


def user_prompt(text: str, attachments: Iterable[Attachment]) -> str:
    """Return the message for a prompt: the words as typed, then what is attached as a JSON array of metadata, never contents."""
    metadata = json.dumps([attachment.as_metadata() for attachment in attachments], ensure_ascii=False)
    return _template("user.md").substitute(prompt=text, attachments=metadata).rstrip("\n")


def earlier_conversation(said: Sequence[tuple[str, str]]) -> str:
    """Return the note that tells what was `said` in a conversation that is not remembered: who and what, oldest first.

    What is too long is left out from the beginning.
    """
    texts: list[str] = []
    room = _MAX_EARLIER
    for who, words in reversed(said):
        text = f"{who}:\n{words.strip()}".replace("</earlier-conversation", "</earlier conversation")
        if len(text) > room:
            texts.append(f"[…]\n{text[-room:]}" if room > 0 else "[…]")
            break
        room -= len(text)
        texts.append(text)
    return _template("earlier.md").substitute(said="\n\n".join(reversed(texts))).rstrip("\n")


def _template(name: str) -> Template:
    return Template((_FOLDER / name).read_text(encoding="utf-8"))
