"""What is asked on a screen as a form of the Agent Client Protocol, or as text where an editor
has no forms.
"""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from dogent_tui.agent import ui_requests as ui
from dogent_tui.agent.change_requests import ChangeRequest
from dogent_tui.agent.events import UiAnswer
from dogent_tui.changes.hunks import Hunk
from dogent_tui.faces.seen import Chunk
from dogent_tui.language import tr


def fields_of(asked: ui.Request) -> Chunk:
    """Return the fields of a form: for a question its options, and a text where words of one's
    own are taken.
    """
    if isinstance(asked, ui.OutlineRequest):
        text = asked.outline_text
        return {"outline": {"type": "string", "title": tr("Outline"), "default": text}}
    fields: Chunk = {}
    for question in asked.questions:
        fields |= _fields(question)
    return fields


def _fields(question: ui.Question) -> Chunk:
    title, name = question.question, question.id
    options = [_option(each.value, each.label, each.description) for each in question.options]
    fields: Chunk = {}
    if options and question.multiple:
        fields[name] = _choice_of(title, options, question.recommended)
    elif options:
        fields[name] = {"type": "string", "title": title, "oneOf": options}
        fields[name] |= {"default": question.recommended[0]} if question.recommended else {}
    if question.takes_text:
        own = tr("{question} (in your own words)").format(question=title) if options else title
        described = {"description": question.placeholder} if question.placeholder else {}
        fields[f"{name}_text" if options else name] = {"type": "string", "title": own, **described}
    return fields


def field_of_hunks(hunks: Sequence[Hunk]) -> Chunk:
    """Return the field in which hunks of a change are chosen: none is chosen beforehand."""
    names = [f"{hunk.number}. {hunk.kind} {' › '.join(hunk.heading)}".rstrip() for hunk in hunks]
    options = [_option(str(hunk.number), name) for hunk, name in zip(hunks, names, strict=True)]
    return {"hunks": _choice_of(tr("Hunks to write"), options)}


def _option(value: str, title: str, description: str = "") -> Chunk:
    return {"const": value, "title": title, **({"description": description} if description else {})}


def _choice_of(title: str, options: list[Chunk], chosen: Sequence[str] = ()) -> Chunk:
    """Return a field in which several options can be chosen."""
    default = {"default": list(chosen)} if chosen else {}
    return {"type": "array", "title": title, "items": {"anyOf": options}, **default}


def filled_in(asked: ui.Request, given: Mapping[str, Any]) -> UiAnswer:
    """Return the answer that was filled in. Raises RequestError for one that does not fit."""
    if isinstance(asked, ui.OutlineRequest):
        return ui.check_answers(asked, given)
    answers = {question.id: _given(question, given) for question in asked.questions}
    return ui.check_answers(asked, answers)


def _given(question: ui.Question, given: Mapping[str, Any]) -> Any:
    own = str(given.get(f"{question.id}_text") or "").strip()
    chosen = given.get(question.id) or None
    if question.multiple and own:
        return [*(chosen or []), own]
    return own or chosen


def as_text(asked: ui.Request) -> str:
    """Return what is asked as text; the next prompt answers it."""
    lines = ["", "", f"**{asked.title}**", "", asked.preface, ""]
    if isinstance(asked, ui.OutlineRequest):
        words = tr("Send the outline back as you want it.")
        return "\n".join([*lines, asked.outline_text, "", words])
    for question in asked.questions:
        lines += [f"- {question.question}"]
        for option in question.options:
            mark = tr(" (recommended)") if option.value in question.recommended else ""
            lines += [f"  - {option.label}{mark} {option.description}".rstrip()]
    return "\n".join(lines)


def from_text(asked: ui.Request | ChangeRequest, text: str) -> UiAnswer | None:
    """Return the answer that a prompt is; None where it is none: it goes to the agent as it
    stands.
    """
    if isinstance(asked, ui.OutlineRequest) and "\n#" in f"\n{text}":
        return UiAnswer(outline=text)
    if isinstance(asked, ui.Clarification) and len(asked.questions) == 1:
        with contextlib.suppress(ui.RequestError):
            return ui.check_answers(asked, {asked.questions[0].id: text.strip()})
    return None
