"""What the agent may ask on a screen of its own: a clarification or an outline to edit (the input
of the tool `ui_request`).

`parse_request` reads the model's payload and names every field that is wrong, so that the model can
correct itself. What is meant clearly is taken: an option as a plain string, a number as a value, a
question without an id. The CLI's own `AskUserQuestion` becomes the same clarification.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.agent.events import UiAnswer
from dogent_tui.errors import DogentError
from dogent_tui.language import ngettext, tr

Kind: TypeAlias = Literal["clarification", "outline_edit"]

MOST_QUESTIONS = 50
"""More than anybody answers; a form is laid out whole."""
MOST_OPTIONS = 50


class RequestError(DogentError):
    """A field of a request, or of an answer, is not what it should be. `field` is its path:
    ``questions[1].options[0].label``.
    """

    def __init__(self, field: str, message: str, remedy: str = "") -> None:
        super().__init__(f"{field}: {message}", remedy)
        self.field = field


class Option(msgspec.Struct, frozen=True):
    """One answer that can be chosen. `label` is what the user reads, `value` what goes back,
    `description` a further line.
    """

    label: str
    value: str
    description: str = ""


class Question(msgspec.Struct, frozen=True):
    """One question. `recommended` holds values of its options; `header` is a word or two that
    name the subject.
    """

    id: str
    question: str
    options: tuple[Option, ...] = ()
    recommended: tuple[str, ...] = ()
    allow_freeform: bool = False
    placeholder: str = ""
    multiple: bool = False
    header: str = ""

    @property
    def takes_text(self) -> bool:
        """Whether the user may answer in words of their own."""
        return self.allow_freeform or not self.options

    def option(self, value: str) -> Option | None:
        """Return the option with this value."""
        return next((option for option in self.options if option.value == value), None)


class Clarification(msgspec.Struct, frozen=True):
    """Questions that the user answers together."""

    title: str
    questions: tuple[Question, ...]
    preface: str = ""


class OutlineRequest(msgspec.Struct, frozen=True):
    """An outline, in Markdown, that the user may edit."""

    title: str
    outline_text: str
    preface: str = ""


Request: TypeAlias = Clarification | OutlineRequest


# ── The input of the tool ─────────────────────────────────────────────────────────────────────────


def _advice(description: str, **schema: Any) -> dict[str, Any]:
    """Return a schema that tells the model what a field is, and lets everything else pass as well.

    The SDK refuses what its schema refuses, in words that do not say which field (claude-agent-sdk
    0.2.187, `run_tool`). So it is `parse_request` that refuses.
    """
    return {"description": description, "anyOf": [schema, {}]}


_OPTION_SCHEMA = {
    "type": "object",
    "properties": {
        "label": {"type": "string"},
        "value": {"type": "string"},
        "description": {"type": "string"},
    },
    "required": ["label"],
}

_QUESTION_SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "question": {"type": "string"},
        "options": {"type": "array", "items": _OPTION_SCHEMA},
        "recommended": {"type": "string", "description": "The value you would choose."},
        "allow_freeform": {"type": "boolean"},
        "placeholder": {"type": "string"},
        "multiple": {"type": "boolean"},
    },
    "required": ["id", "question"],
}

JSON_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "type": _advice("Required.", type="string", enum=["clarification", "outline_edit"]),
        "title": _advice("A few words. Required.", type="string"),
        "preface": _advice("Why you ask.", type="string"),
        "questions": _advice("Of a clarification.", type="array", items=_QUESTION_SCHEMA),
        "outline_text": _advice("Markdown headings.", type="string"),
    },
}
"""The schema of the tool's input."""


def parse_request(payload: Mapping[str, Any]) -> Request:
    """Return the request in `payload`, the input of the tool. Raises RequestError, which names
    the first field that is wrong.
    """
    kind = _kind(payload)
    title = _needed(payload, "title", "")
    preface = _text(payload, "preface", "")
    if kind == "outline_edit":
        return OutlineRequest(title, _needed(payload, "outline_text", ""), preface)
    return Clarification(title, _questions(payload), preface)


def _kind(payload: Mapping[str, Any]) -> Kind:
    given = {
        name: payload[name] for name in ("type", "response_type") if payload.get(name) is not None
    }
    if not given:
        raise RequestError("type", "is missing; it is “clarification” or “outline_edit”.")
    field, kind = next(iter(given.items()))
    if any(other != kind for other in given.values()):
        raise RequestError("response_type", "says something else than type; give one of them.")
    if kind == "clarification":
        return "clarification"
    if kind == "outline_edit":
        return "outline_edit"
    raise RequestError(field, f"is {_shown(kind)}; it must be “clarification” or “outline_edit”.")


def _questions(payload: Mapping[str, Any]) -> tuple[Question, ...]:
    given = _list(payload, "questions", "", MOST_QUESTIONS)
    if not given:
        raise RequestError(
            "questions", "is missing or empty; a clarification asks at least one question."
        )
    taken = {
        _scalar(item["id"])
        for item in given
        if isinstance(item, Mapping) and item.get("id") is not None
    }
    questions: list[Question] = []
    for number, item in enumerate(given):
        path = f"questions[{number}]"
        question = _question(item, path, _free_id(number + 1, taken))
        if any(question.id == other.id for other in questions):
            raise RequestError(f"{path}.id", f"“{question.id}” is the id of an earlier question.")
        questions.append(question)
    return tuple(questions)


def _free_id(number: int, taken: Collection[str | None]) -> str:
    name = f"q{number}"
    while name in taken:
        name += "_"
    return name


def _question(item: Any, path: str, default_id: str) -> Question:
    if isinstance(item, str):
        item = {"question": item}
    if not isinstance(item, Mapping):
        raise RequestError(
            path, f"is {_shown(item)}; a question is an object with id, question and options."
        )
    options = _options(item, path)
    multiple = _flag(item, "multiple", path)
    return Question(
        id=_text(item, "id", path) or default_id,
        question=_needed(item, "question", path),
        options=options,
        recommended=_recommended(item, path, options, multiple=multiple),
        allow_freeform=_flag(item, "allow_freeform", path),
        placeholder=_text(item, "placeholder", path),
        multiple=multiple,
        header=_text(item, "header", path),
    )


def _options(item: Mapping[str, Any], path: str) -> tuple[Option, ...]:
    options: list[Option] = []
    for number, given in enumerate(_list(item, "options", path, MOST_OPTIONS)):
        place = f"{path}.options[{number}]"
        option = _option(given, place)
        for field in ("value", "label"):
            if any(getattr(option, field) == getattr(other, field) for other in options):
                raise RequestError(
                    f"{place}.{field}",
                    f"“{getattr(option, field)}” appears twice; options must differ.",
                )
        options.append(option)
    return tuple(options)


def _option(given: Any, path: str) -> Option:
    if (plain := _scalar(given)) is not None:
        given = {"label": plain}
    if not isinstance(given, Mapping):
        raise RequestError(
            path, f"is {_shown(given)}; an option is an object with label and value, or a string."
        )
    label = _text(given, "label", path) or _text(given, "value", path)
    if not label:
        raise RequestError(f"{path}.label", "is missing or empty; it is what the user reads.")
    return Option(label, _text(given, "value", path) or label, _text(given, "description", path))


def _recommended(
    item: Mapping[str, Any], path: str, options: Sequence[Option], *, multiple: bool
) -> tuple[str, ...]:
    field = f"{path}.recommended"
    given = item.get("recommended")
    if given is None or given == "":
        return ()
    wanted = given if isinstance(given, list) else [given]
    if len(wanted) > 1 and not multiple:
        raise RequestError(
            field, "names several options, but only one can be chosen; set multiple, or name one."
        )
    values: list[str] = []
    for entry in wanted:
        option = _find(options, _scalar(entry))
        if option is None:
            raise RequestError(field, f"is {_shown(entry)}, which is not the value of an option.")
        values.append(option.value)
    return tuple(dict.fromkeys(values))


def _find(options: Sequence[Option], wanted: str | None) -> Option | None:
    """Return the option with this value, else the one with this label."""
    by_value = (option for option in options if option.value == wanted)
    by_label = (option for option in options if option.label == wanted)
    return next(by_value, None) or next(by_label, None)


# ── Fields ────────────────────────────────────────────────────────────────────────────────────────


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _needed(item: Mapping[str, Any], name: str, path: str) -> str:
    text = _text(item, name, path)
    if not text:
        raise RequestError(_joined(path, name), "is missing or empty; it must be text.")
    return text


def _text(item: Mapping[str, Any], name: str, path: str) -> str:
    given = item.get(name)
    if given is None:
        return ""
    text = _scalar(given)
    if text is None:
        raise RequestError(
            _joined(path, name), tr("is {given}; it must be text.").format(given=_shown(given))
        )
    return text if name == "outline_text" and text.strip() else text.strip()


def _scalar(given: Any) -> str | None:
    """Return a string as it is, and a number or a truth value as JSON spells it."""
    if isinstance(given, str):
        return given
    return json.dumps(given) if isinstance(given, bool | int | float) else None


def _flag(item: Mapping[str, Any], name: str, path: str) -> bool:
    given = item.get(name)
    if given is None:
        return False
    if isinstance(given, bool):
        return given
    raise RequestError(_joined(path, name), f"is {_shown(given)}; it must be true or false.")


def _list(item: Mapping[str, Any], name: str, path: str, most: int) -> list[Any]:
    given = item.get(name)
    if given is None:
        return []
    if not isinstance(given, list | tuple):
        raise RequestError(_joined(path, name), f"is {_shown(given)}; it must be a list.")
    if len(given) > most:
        raise RequestError(_joined(path, name), f"holds {len(given)} entries; {most} are the most.")
    return list(given)


def _shown(given: Any) -> str:
    """Return what was given as short JSON."""
    text = json.dumps(given, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:59]}…"


# ── `AskUserQuestion` of the CLI ──────────────────────────────────────────────────────────────────

_MARKED = re.compile(r"\s*[(（]\s*recommended\s*[)）]\s*$", re.IGNORECASE)
"""The CLI has the model say in the label which option it recommends."""


def from_ask_user_question(given: Mapping[str, Any]) -> Clarification:
    """Return the input of the CLI's `AskUserQuestion` as a clarification. Raises RequestError.

    The CLI always lets the user answer otherwise, so that each question takes free text. The values
    of options are their labels.
    """
    questions = [_asked(item) for item in _list(given, "questions", "", MOST_QUESTIONS)]
    count = len(questions)
    title = ngettext("One question", "{count} questions", count).format(
        count=count
    )  # it stands behind “The agent asks”
    return Clarification(title, _questions({"questions": questions}))


def _asked(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    options = [
        _asked_option(option) for option in _list(item, "options", "questions[]", MOST_OPTIONS)
    ]
    marked = [
        option["value"]
        for option in options
        if isinstance(option, dict) and option["value"] != option["label"]
    ]
    multiple = item.get("multiSelect")
    return {
        "question": item.get("question"),
        "header": item.get("header"),
        "options": options,
        "recommended": marked if multiple else marked[:1] or None,
        "allow_freeform": True,
        "multiple": multiple,
    }


def _asked_option(option: Any) -> Any:
    if not isinstance(option, Mapping) or not isinstance(label := option.get("label"), str):
        return option
    return {
        "label": _MARKED.sub("", label) or label,
        "value": label,
        "description": option.get("description"),
    }


# ── What goes back to the model ───────────────────────────────────────────────────────────────────


def values_of(answer: object) -> list[str]:
    """Return an answer, a value or several, as a list; empty where the question was skipped."""
    given = answer if isinstance(answer, list | tuple) else [answer]
    return [str(value) for value in given if value is not None and str(value).strip()]


def answer_text(request: Request, answer: UiAnswer) -> str:
    """Return the user's message that answers `request`, in plain text for both the user and the
    model.
    """
    if answer.answers is None and answer.outline is None:
        return tr("I did not answer “{title}”.").format(title=request.title)
    if isinstance(request, Clarification):
        said = [
            _answered(question, (answer.answers or {}).get(question.id))
            for question in request.questions
        ]
        parts = [tr("My answers to “{title}”:").format(title=request.title), *said]
    else:
        same = (answer.outline or "").strip() == request.outline_text.strip()
        words = (
            tr("I accept this outline as it is (“{title}”):")
            if same
            else tr("This is the outline as I want it (“{title}”):")
        )
        parts = [words.format(title=request.title), (answer.outline or "").strip()]
        if answer.changes:
            parts.append(
                "\n".join([tr("What I changed:"), *(f"- {change}" for change in answer.changes)])
            )
    return "\n\n".join([*parts, answer.comment.strip()] if answer.comment.strip() else parts)


def _answered(question: Question, answer: object) -> str:
    values = values_of(answer)
    if not values:
        return f"{question.question}\n" + tr("→ skipped, decide yourself")
    return "\n".join([question.question, *(_said(question, value) for value in values)])


def _said(question: Question, value: str) -> str:
    option = question.option(value)
    if option is None:
        return "→ " + "\n  ".join(value.strip().splitlines())
    return (
        f"→ {option.label}"
        if option.value.casefold() == option.label.casefold()
        else f"→ {option.label} ({option.value})"
    )


def check_answers(request: Request, given: Mapping[str, Any]) -> UiAnswer:
    """Return the answers of a file to `request`: question id → value, label, several of them, or
    text; null skips a question.

    The file may answer several requests, so that names which this one does not know are no error,
    unless a question of it has no answer: then one of them is probably misspelled. An outline is
    ``{"outline": "…"}``, with a ``comment`` where there is one to say. Raises RequestError, which
    names the question.
    """
    comment = _text(given, "comment", "")
    if isinstance(request, OutlineRequest):
        outline = given.get("outline")
        if not isinstance(outline, str) or not outline.strip():
            raise RequestError(
                "outline",
                tr("is missing or empty; the agent is proposing an outline."),
                tr('Answer with {"outline": "…"}.'),
            )
        return UiAnswer(outline=outline, comment=comment)
    unknown = sorted(
        set(given) - {question.id for question in request.questions} - {"comment", "outline"}
    )
    answers: dict[str, Any] = {}
    for question in request.questions:
        if question.id in given:
            answers[question.id] = _checked(question, given[question.id])
        elif unknown:
            raise RequestError(
                question.id,
                tr("has no answer, and there is no question “{unknown}”.").format(
                    unknown=unknown[0]
                ),
                tr("Write null to skip a question."),
            )
    return UiAnswer(
        answers={name: value for name, value in answers.items() if value is not None},
        comment=comment,
    )


def _checked(question: Question, given: Any) -> Any:
    """Return an answer as the value of an option, as text, or, where several can be chosen, as a
    list of these.
    """
    entries = given if isinstance(given, list) else [given]
    if len(entries) > 1 and not question.multiple:
        raise RequestError(question.id, tr("takes only one answer."))
    values = [_checked_value(question, entry) for entry in entries if entry is not None]
    if question.multiple:
        return list(dict.fromkeys(values)) or None
    return values[0] if values else None


def _checked_value(question: Question, given: Any) -> str:
    text = _scalar(given)
    if text is None or not text.strip():
        raise RequestError(
            question.id,
            tr("is {given}; it must be text.").format(given=_shown(given)),
            tr("Write null to skip a question."),
        )
    option = _find(question.options, text)
    if option is not None:
        return option.value
    if question.takes_text:
        return text
    offered = ", ".join(f"“{option.value}”" for option in question.options)
    raise RequestError(
        question.id,
        tr("is {text}, which is not a valid answer to this question.").format(text=_shown(text)),
        tr("Choose from {offered}.").format(offered=offered),
    )


KIND: Literal["document_change"] = "document_change"


class ReviewMode(msgspec.Struct):
    """Whether every change of the agent is reviewed, for one session. `/review` changes it while
    the agent works.
    """

    on: bool = False


class ChangeRequest(msgspec.Struct, frozen=True):
    """The text that the agent proposes for the file `path`. `base` is what it last saw there, None
    for no file.

    `is_unread`: the agent has not seen what the file holds, so `base` is what it held when this was
    proposed. `place` is its real path where a proposal leads there by an approval only, else empty.
    """

    path: str
    new_content: str
    summary: str = ""
    base: str | None = None
    place: str = ""
    is_unread: bool = False

    @property
    def payload(self) -> dict[str, Any]:
        """This as the payload of the event that asks the user."""
        made: dict[str, Any] = msgspec.to_builtins(self)
        return {"type": KIND, "title": self.path, **made}


def read_request(payload: Mapping[str, Any]) -> Request | ChangeRequest:
    """Return what the payload of a `UiRequested` asks. Raises RequestError,
    msgspec.ValidationError for one that is not ours.
    """
    return (
        msgspec.convert(payload, ChangeRequest)
        if payload.get("type") == KIND
        else parse_request(payload)
    )


def answer_words(payload: Mapping[str, Any], answer: UiAnswer) -> str:
    """Return the user's message that answers a request."""
    request = read_request(payload)
    if isinstance(request, ChangeRequest):
        undecided = tr("I haven't decided on your change to {path}; nothing was written.").format(
            path=request.path
        )
        return answer.review or undecided
    return answer_text(request, answer)
