"""What can go wrong between us and a model, as sentences with a remedy: the one place that words
them.
"""

import contextlib
import json
import re

import msgspec

from dogent_tui.agent.events import BUDGET_SPENT, Retrying
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.profiles import ENVIRONMENT, Endpoint
from dogent_tui.settings.secrets import redact

REWIND_AT_WORK = tr("The agent is working."), tr("Wait, or stop it first with Esc.")
REWIND_UNKNOWN = tr("This prompt is no longer part of the conversation."), tr("Nothing was done.")
"""Why the conversation cannot be rewound to a prompt."""

_PROMPT_TOO_LONG = ("prompt is too long", "prompt too long", "context window", "context_length")


_RELAYED = "API Error: 400 "
"""The CLI's prefix for an error that it does not retry (measured)."""
_MOST_SAID = 400
"""The length in characters of a server's sentence."""


class Failure(msgspec.Struct, frozen=True):
    """Why a run ended as it did, usually why it failed: `code` for programs, `message` and `remedy`
    for people.
    """

    code: str = ""
    message: str = ""
    remedy: str = ""


def server_words(text: str) -> str:
    """Return the server's own sentence from the CLI's error message, empty if the CLI replaced it
    with its own words.
    """
    found = _SERVER_WORDS.search(text)
    if found is None:
        return ""
    words = _ADVICE.sub("", found[3])
    with contextlib.suppress(ValueError, KeyError, TypeError):
        words = json.loads(words)["error"]["message"]
    return one_line(words)


def server_status(text: str) -> int:
    """Return the status in the CLI's error message, 0 if there is none."""
    found = _SERVER_WORDS.search(text)
    return int(found[1] or found[2]) if found else 0


_SERVER_WORDS = re.compile(
    r"API Error: (?:Request rejected \((\d{3})\)(?: · )?|(\d{3}) )(.+)", re.DOTALL
)
_ADVICE = re.compile(r"\. This is a server-side issue, usually temporary.*", re.DOTALL)
"""What the CLI adds (measured with version 2.1)."""

_NO_CREDIT = re.compile(
    r"credit balance|insufficient (?:balance|funds|credit)|billing|quota exceeded", re.IGNORECASE
)


def api_failure(status: int, text: str, endpoint: Endpoint, said: str = "") -> Failure:
    """Return the failure for an answer of `endpoint`. `status` 0 means that no answer came; `text`
    is the CLI's message.

    `said` is the server's own sentence if known. The errors of our relay are a sentence and, on the
    next line, a remedy.
    """
    relayed = endpoint.kind == "local"
    if relayed and text.startswith(_RELAYED):
        message, _, remedy = text.removeprefix(_RELAYED).partition("\n")
        return Failure(
            "local_model", message.strip(), remedy.strip() or tr("Send the prompt again.")
        )
    said = redact(said or server_words(text), endpoint.secrets)[:_MOST_SAID]
    says = tr(" It says: “{word}”.", word=said.rstrip(".")) if said else ""
    lowered = f"{text} {said}".lower()
    if any(sign in lowered for sign in _PROMPT_TOO_LONG):
        return _prompt_too_long(endpoint, says)
    if status == 0:
        url = tr("Check the network and {url}, then send the prompt again.")
        return Failure(
            "no_connection",
            tr("There is no connection: {who} does not answer.", who=who_answers(endpoint)),
            url.format(url=endpoint.place_of("ANTHROPIC_BASE_URL")),
        )
    message, remedy = _BY_STATUS.get(status, _by_class(status))
    if _NO_CREDIT.search(lowered):
        remedy = tr("Add credit with the provider, or choose another profile with /profile.")
    words = message.format(who=who_answers(endpoint))
    return Failure(
        f"api_{status}",
        words[0].upper() + words[1:] + says,
        remedy.format(
            key=endpoint.key_remedy or _new_key(endpoint),
            model=endpoint.place_of("ANTHROPIC_MODEL"),
        ),
    )


def stopped_reply(because: str, endpoint: Endpoint) -> Failure | None:
    """Return the failure for `TurnEnded.because`, None if it does not indicate one. The CLI's own
    words for these contain remedies that do not apply here.
    """
    if because == "model_context_window_exceeded":
        return _prompt_too_long(endpoint)
    return _BY_STOP_REASON.get(because)


_BY_STOP_REASON = {
    "max_tokens": Failure(
        "reply_too_long",
        tr("The reply is longer than the model may write at once, and stops there."),
        tr("Ask for a part at a time, such as one section."),
    ),
    "refusal": Failure(
        "refused",
        tr("The model declined to answer this."),
        tr("Take the prompt back with /rewind and word it differently, or start with /new."),
    ),
    "image_error": Failure(
        "media_refused",
        tr("An image or a document in the request was refused, for its size or its format."),
        tr("Make it smaller or convert it, then send the prompt again."),
    ),
}


def _prompt_too_long(endpoint: Endpoint, says: str = "") -> Failure:
    larger = (
        tr(", or give the model a larger window on the server") if endpoint.kind == "local" else ""
    )
    return Failure(
        "prompt_too_long",
        tr("The conversation no longer fits into the model's context window.") + says,
        tr(
            "Start a new session with /new, or refer to fewer files at once{larger}.", larger=larger
        ),
    )


def _new_key(endpoint: Endpoint) -> str:
    return tr("Put a valid key into {place}.", place=endpoint.place_of("ANTHROPIC_AUTH_TOKEN"))


def who_answers(endpoint: Endpoint) -> str:
    """Return the name of the endpoint for use within a sentence."""
    if endpoint.name == ENVIRONMENT:
        return tr("the endpoint that your environment names")
    return tr("the endpoint of profile “{profile}”", profile=endpoint.name)


_BY_STATUS = {
    400: (
        tr("{who} refused the request (400)."),
        tr("Check that the model ({model}) can do what was asked, then send the prompt again."),
    ),
    401: (
        tr("{who} rejected the credential (401)."),
        tr("{key} /profile chooses another."),
    ),
    403: (
        tr("{who} does not allow this with the credential it got (403)."),
        tr("Ask the provider for access to the model. If the credential is wrong: {key}"),
    ),
    404: (
        tr("{who} does not have the model (404)."),
        tr("Fix {model}."),
    ),
    413: (
        tr("The request was too large for {who} (413)."),
        tr("Refer to fewer or smaller files, or start a new session with /new."),
    ),
    429: (
        tr("{who} is rate limited; retries failed (429)."),
        tr("Wait a moment, then send the prompt again."),
    ),
    529: (
        tr("{who} is overloaded; retries failed (529)."),
        tr("Wait a moment, then send the prompt again."),
    ),
}


def _by_class(status: int) -> tuple[str, str]:
    if status >= 500:
        return (
            tr("{{who}} had a server error; retries failed ({status}).", status=status),
            tr("Send the prompt again later, or choose another profile with /profile."),
        )
    return (
        tr("{{who}} refused the request ({status}).", status=status),
        tr("Check the profile, then try again."),
    )


def retry_reason(event: Retrying) -> str:
    """Return briefly why the endpoint is asked again; the CLI's names of errors are not words."""
    if event.status == 0:
        return tr("no usable answer")
    words = _RETRIED.get(event.status) or (
        tr("an error on its side") if event.status >= 500 else tr("a refusal")
    )
    return f"{words}, {event.status}"


_RETRIED = {
    401: tr("the credential was not accepted"),
    403: tr("the credential was not accepted"),
    408: tr("it took too long"),
    429: tr("too many requests"),
    529: tr("overloaded"),
}


def session_lost(detail: str) -> Failure:
    """Return the failure for an agent process that ended on its own."""
    return Failure(
        "session_lost",
        tr(
            "The agent process exited unexpectedly{why}.",
            why=f" ({detail})" if detail and _DEBRIS not in detail else "",
        ),
        tr(
            "Use /restart or send a prompt to start it again; the conversation resumes where it"
            " was."
        ),
    )


RUN_LOST = Failure(
    "session_lost",
    tr("The run ended because the agent process exited."),
    tr("Send the prompt again."),
)
"""The message of a run whose process was lost; the loss itself has already been reported."""

_DEBRIS = "Check stderr output"
"""Part of the SDK's message if it only knows an exit code."""


def turn_failure(detail: str) -> Failure:
    """Return the failure for a turn that ended for a reason of its own."""
    return Failure(
        "turn_failed",
        tr("The run ended early: {why}.", why=detail or tr("no reason was given")),
        tr("Send the prompt again."),
    )


def not_compacted(detail: str) -> Failure:
    """Return the failure for a conversation that could not be compacted."""
    return Failure(
        "not_compacted",
        tr("The conversation could not be compacted: {error}", error=one_line(detail)),
        tr("Use /new to start with an empty context."),
    )


def budget_spent(limit_usd: float) -> Failure:
    """Return the failure of a run ended by the budget of its conversation."""
    return Failure(
        BUDGET_SPENT,
        tr("The budget of ${limit:.2f} for this conversation is used up.", limit=limit_usd),
        tr("/usage DOLLARS sets another for this conversation, /usage off none."),
    )
