"""What the agent may ask on a screen of its own: a clarification or an outline to edit (the input
of the tool `ui_request`).

`parse_request` parses the model's payload and names every invalid field, so that the model can
correct itself. Unambiguous deviations are accepted: an option as a plain string, a number as a
value, a question without an id. The CLI's own `AskUserQuestion` is turned into the same
clarification.
"""

import json
import re
import uuid
from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import Meta

from dogent_tui.agent.events import ToolUse, UiAnswer, UiRequested
from dogent_tui.errors import DogentError
from dogent_tui.language import ngettext, tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json, JsonDict, Record

Kind: TypeAlias = Literal["clarification", "outline_edit"]

MOST_QUESTIONS = 50
"""More than anyone answers; a form is laid out completely."""
MOST_OPTIONS = 50


class RequestError(DogentError):
    """A field of a request, or of an answer, is invalid. `field` is its path:
    ``questions[1].options[0].label``.
    """

    def __init__(self, field: str, message: str, remedy: str = "") -> None:
        super().__init__(f"{field}: {message}", remedy)
        self.field = field


class Option(Record):
    """A possible answer. `label` is for the user, `value` is sent back, `description` is a second
    line.
    """

    label: str
    value: str
    description: str = ""


class Question(Record):
    """One question. `recommended` contains values of its options; `header` names the subject in a
    word or two.
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
        """Whether the user may answer in their own words."""
        return self.allow_freeform or not self.options

    def option(self, value: str) -> Option | None:
        """Return the option with this value."""
        return next((option for option in self.options if option.value == value), None)


class Clarification(Record):
    """Questions that the user answers together."""

    title: str
    questions: tuple[Question, ...]
    preface: str = ""


class OutlineRequest(Record):
    """An outline, in Markdown, that the user may edit."""

    title: str
    outline_text: str
    preface: str = ""


Request: TypeAlias = Clarification | OutlineRequest
_Given = TypeVar("_Given", bound=msgspec.Struct)


# ── The input of the tool ─────────────────────────────────────────────────────────────────────────


class OfferedRequest(msgspec.Struct):
    """What may be asked: the model reads this, and what is said of questions and options."""

    type: Kind
    title: Annotated[str, Meta(description="A few words.")]
    preface: Annotated[str, Meta(description="Why you ask.")] = ""
    questions: Annotated[tuple[Question, ...], Meta(description="Of a clarification.")] = ()
    outline_text: Annotated[str, Meta(description="Markdown headings.")] = ""


Scalar: TypeAlias = str | int | float | bool
"""What is accepted as a text: a number or a boolean counts as its JSON form."""


class _GivenOption(msgspec.Struct):
    label: Scalar | None = None
    value: Scalar | None = None
    description: Scalar | None = None


class _GivenQuestion(msgspec.Struct):
    id: Scalar | None = None
    question: Scalar | None = None
    options: Annotated[list[_GivenOption | Scalar], Meta(max_length=MOST_OPTIONS)] | None = None
    recommended: list[Scalar] | Scalar | None = None
    allow_freeform: bool | None = None
    placeholder: Scalar | None = None
    multiple: bool | None = None
    header: Scalar | None = None


class _GivenRequest(msgspec.Struct):
    """What the model may send: everything is optional, so that our own messages can request it."""

    type: str | None = None
    response_type: str | None = None
    title: Scalar | None = None
    preface: Scalar | None = None
    questions: Annotated[list[_GivenQuestion | str], Meta(max_length=MOST_QUESTIONS)] | None = None
    outline_text: Scalar | None = None


def parse_request(payload: Json) -> Request:
    """Return the request in `payload`, the input of the tool. Raises RequestError, which names the
    first invalid field.
    """
    given = _converted(payload, _GivenRequest)
    kind = _kind(given)
    title, preface = _needed(given.title, "title"), _text(given.preface)
    if kind == "outline_edit":
        outline = given.outline_text if isinstance(given.outline_text, str) else ""
        return OutlineRequest(title, outline if _needed(outline, "outline_text") else "", preface)
    return Clarification(title, _questions(given.questions or ()), preface)


def _converted(given: object, kind: type[_Given]) -> _Given:
    try:
        return msgspec.convert(given, kind)
    except ValueError as error:
        words, _, place = str(error).partition(" - at `$")
        raise RequestError(place.strip("`.") or "questions", words) from None


def _kind(given: _GivenRequest) -> str:
    named = {"type": given.type, "response_type": given.response_type}
    said = {field: kind for field, kind in named.items() if kind is not None}
    if not said:
        raise RequestError("type", "is missing; it is “clarification” or “outline_edit”.")
    if len(set(said.values())) > 1:
        raise RequestError("response_type", "says something else than type; give one of them.")
    field, kind = next(iter(said.items()))
    if kind not in get_args(Kind):
        words = f"is {_shown(kind)}; it must be “clarification” or “outline_edit”."
        raise RequestError(field, words)
    return kind


def _questions(given: Sequence[_GivenQuestion | str]) -> tuple[Question, ...]:
    if not given:
        raise RequestError(
            "questions", "is missing or empty; a clarification asks at least one question."
        )
    items = [_GivenQuestion(question=one) if isinstance(one, str) else one for one in given]
    taken = {_text(item.id) for item in items}
    questions: list[Question] = []
    for number, item in enumerate(items):
        path = f"questions[{number}]"
        question = _question(item, path, _free_id(number + 1, taken))
        if any(question.id == other.id for other in questions):
            raise RequestError(f"{path}.id", f"“{question.id}” is the id of an earlier question.")
        questions.append(question)
    return tuple(questions)


def _free_id(number: int, taken: Collection[str]) -> str:
    name = f"q{number}"
    while name in taken:
        name += "_"
    return name


def _question(item: _GivenQuestion, path: str, default_id: str) -> Question:
    options: list[Option] = []
    for number, given in enumerate(item.options or ()):
        options.append(_option(given, f"{path}.options[{number}]", options))
    return Question(
        id=_text(item.id) or default_id,
        question=_needed(item.question, f"{path}.question"),
        options=tuple(options),
        recommended=_recommended(item, f"{path}.recommended", options),
        allow_freeform=bool(item.allow_freeform),
        placeholder=_text(item.placeholder),
        multiple=bool(item.multiple),
        header=_text(item.header),
    )


def _option(given: _GivenOption | Scalar, path: str, others: Sequence[Option]) -> Option:
    item = given if isinstance(given, _GivenOption) else _GivenOption(label=given)
    label = _needed(_text(item.label) or item.value, f"{path}.label")
    option = Option(label, _text(item.value) or label, _text(item.description))
    for field in ("value", "label"):
        value = getattr(option, field)
        if any(value == getattr(other, field) for other in others):
            raise RequestError(f"{path}.{field}", f"“{value}” appears twice; options must differ.")
    return option


def _recommended(item: _GivenQuestion, field: str, options: Sequence[Option]) -> tuple[str, ...]:
    given = item.recommended if isinstance(item.recommended, list) else [item.recommended]
    wanted = [text for entry in given if (text := _text(entry))]
    if len(wanted) > 1 and not item.multiple:
        raise RequestError(
            field, "names several options, but only one can be chosen; set multiple, or name one."
        )
    values: list[str] = []
    for text in wanted:
        if (option := _find(options, text)) is None:
            raise RequestError(field, f"is {_shown(text)}, which is not the value of an option.")
        values.append(option.value)
    return tuple(dict.fromkeys(values))


def _find(options: Sequence[Option], wanted: str) -> Option | None:
    """Return the option with this value or, failing that, with this label."""
    by_value = (option for option in options if option.value == wanted)
    by_label = (option for option in options if option.label == wanted)
    return next(by_value, None) or next(by_label, None)


def _needed(given: Scalar | None, field: str) -> str:
    text = _text(given)
    if not text:
        raise RequestError(field, "is missing or empty; it must be text.")
    return text


def _text(given: Scalar | None) -> str:
    if given is None:
        return ""
    return (given if isinstance(given, str) else json.dumps(given)).strip()


def _shown(given: Any) -> str:
    """Return what was given as short JSON."""
    return one_line(json.dumps(given, ensure_ascii=False, default=str), 60)


# ── `AskUserQuestion` of the CLI ──────────────────────────────────────────────────────────────────

_ASK_USER_QUESTION = "AskUserQuestion"
_MARKED = re.compile(r"\s*[(（]\s*recommended\s*[)）]\s*$", re.IGNORECASE)
"""The CLI has the model mark the recommended option in its label."""


class _AskedOption(msgspec.Struct):
    label: str
    description: Scalar | None = None


class _Asked(msgspec.Struct, rename="camel"):
    question: Scalar
    header: Scalar | None = None
    options: list[_AskedOption] = []
    multi_select: bool | None = None


class _AskedQuestions(msgspec.Struct):
    questions: list[_Asked]


def from_ask_user_question(given: Json) -> Clarification:
    """Return the input of the CLI's `AskUserQuestion` as a clarification. Raises RequestError.

    The CLI always lets the user answer otherwise, so each question accepts free text. The values of
    options are their labels.
    """
    asked = _converted(given, _AskedQuestions).questions
    title = ngettext("One question", "{count} questions", len(asked))
    questions = [_as_question(one) for one in asked]
    # it follows “The agent asks”
    return Clarification(title.format(count=len(asked)), _questions(questions))


def understood(call: ToolUse) -> UiRequested | None:
    """Return the questions in a call of the CLI's `AskUserQuestion`, None if `call` is not one or
    asks nothing valid.

    It is not offered, but models know it. The CLI refuses the call, so it ends the turn like
    `ui_request`.
    """
    if call.name != _ASK_USER_QUESTION:
        return None
    try:
        return ui_requested(from_ask_user_question(call.input))
    except RequestError:
        return None


def ui_requested(request: Request) -> UiRequested:
    """Return `request` as an event, with a payload for `parse_request`."""
    kind = "clarification" if isinstance(request, Clarification) else "outline_edit"
    payload = {"type": kind, **msgspec.json.decode(msgspec.json.encode(request))}
    return UiRequested(request_id=uuid.uuid4().hex[:12], kind=kind, payload=payload)  # type: ignore[arg-type]


def _as_question(asked: _Asked) -> _GivenQuestion:
    plain = {one.label: _MARKED.sub("", one.label) or one.label for one in asked.options}
    marked = [label for label, words in plain.items() if label != words]
    return _GivenQuestion(
        question=asked.question,
        header=asked.header,
        options=[
            _GivenOption(plain[one.label], one.label, one.description) for one in asked.options
        ],
        recommended=[*marked] if asked.multi_select else [*marked[:1]],
        allow_freeform=True,
        multiple=asked.multi_select,
    )


# ── What goes back to the model ───────────────────────────────────────────────────────────────────


def values_of(answer: object) -> list[str]:
    """Return an answer, one value or several, as a list; empty if the question was skipped."""
    given = answer if isinstance(answer, list | tuple) else [answer]
    return [str(value) for value in given if value is not None and str(value).strip()]


def answer_text(request: Request, answer: UiAnswer) -> str:
    """Return the user's message that answers `request`, in plain text for both the user and the
    model.
    """
    if answer.answers is None and answer.outline is None:
        return tr("I did not answer “{title}”.", title=request.title)
    if isinstance(request, Clarification):
        said = [
            _answered(question, (answer.answers or {}).get(question.id))
            for question in request.questions
        ]
        parts = [tr("My answers to “{title}”:", title=request.title), *said]
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


class _Comment(msgspec.Struct):
    comment: Scalar | None = None


def check_answers(request: Request, given: Json) -> UiAnswer:
    """Return the answers of a file to `request`: question id → value, label, several of them, or
    text; null skips a question.

    The file may answer several requests, so unknown names are not errors, unless a question has no
    answer: then one of them is probably misspelled. An outline is ``{"outline": "…"}``, with an
    optional ``comment``. Raises RequestError, which names the question.
    """
    comment = _text(_converted({"comment": given.get("comment")}, _Comment).comment)
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
    answers: JsonDict = {}
    for question in request.questions:
        if question.id in given:
            answers[question.id] = _checked(question, given[question.id])
        elif unknown:
            raise RequestError(
                question.id,
                tr("has no answer, and there is no question “{unknown}”.", unknown=unknown[0]),
                tr("Write null to skip a question."),
            )
    return UiAnswer(
        answers={name: value for name, value in answers.items() if value is not None},
        comment=comment,
    )


def _checked(question: Question, given: Any) -> Any:
    """Return an answer as the value of an option, as text or, if several can be chosen, as a list
    of these.
    """
    entries = given if isinstance(given, list) else [given]
    if len(entries) > 1 and not question.multiple:
        raise RequestError(question.id, tr("takes only one answer."))
    values = [_checked_value(question, entry) for entry in entries if entry is not None]
    if question.multiple:
        return list(dict.fromkeys(values)) or None
    return values[0] if values else None


def _checked_value(question: Question, given: Any) -> str:
    text = _text(given) if isinstance(given, Scalar) else ""
    if not text:
        raise RequestError(
            question.id,
            tr("is {given}; it must be text.", given=_shown(given)),
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
        tr("is {text}, which is not a valid answer to this question.", text=_shown(text)),
        tr("Choose from {offered}.", offered=offered),
    )


KIND: Literal["document_change"] = "document_change"


class ReviewMode(msgspec.Struct):
    """Whether every change by the agent is reviewed, for one session. `/review` changes it while
    the agent works.
    """

    on: bool = False


class ChangeRequest(Record):
    """The text that the agent proposes for the file `path`. `base` is what it last saw there, None
    for no file.

    `is_unread`: the agent has not seen the file's content, so `base` is the content at the time of
    the proposal. `place` is its real path if a proposal requires approval to lead there, otherwise
    empty.
    """

    path: str
    new_content: str
    summary: str = ""
    base: str | None = None
    place: str = ""
    is_unread: bool = False

    @property
    def payload(self) -> JsonDict:
        """The payload of the event that asks the user."""
        made: JsonDict = msgspec.to_builtins(self)
        return {"type": KIND, "title": self.path, **made}


def read_request(payload: Json) -> Request | ChangeRequest:
    """Return the request in the payload of a `UiRequested`. Raises RequestError,
    msgspec.ValidationError for one that is not ours.
    """
    return (
        msgspec.convert(payload, ChangeRequest)
        if payload.get("type") == KIND
        else parse_request(payload)
    )


def answer_words(payload: Json, answer: UiAnswer) -> str:
    """Return the user's message that answers a request."""
    request = read_request(payload)
    if isinstance(request, ChangeRequest):
        undecided = tr(
            "I haven't decided on your change to {path}; nothing was written.", path=request.path
        )
        return answer.review or undecided
    return answer_text(request, answer)
