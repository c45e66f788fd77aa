"""What can go wrong between us and a model, as sentences with a remedy: the one place that words them."""

import msgspec

from dogent_tui.language import tr

REWIND_AT_WORK = tr("The agent is working."), tr("Wait, or stop it first with Esc.")
REWIND_UNKNOWN = tr("This prompt is no longer part of the conversation."), tr("Nothing was done.")
"""Why the conversation cannot be taken back to a prompt."""

_PROMPT_TOO_LONG = ("prompt is too long", "prompt too long", "context window", "context_length")


_RELAYED = "API Error: 400 "
"""What the CLI puts before the words of an error that it does not try again (measured)."""


class Failure(msgspec.Struct, frozen=True):
    """A failed run: `code` for programs, `message` and `remedy` for people."""

    code: str
    message: str
    remedy: str


def api_failure(status: int, text: str, profile: str, *, relayed: bool = False) -> Failure:
    """Return the failure for an endpoint's answer. `status` 0 means that no answer came; `text` is what the CLI said of it.

    `relayed`: the answer is our relay's, whose errors are a sentence and, in the next line, a remedy.
    """
    if relayed and text.startswith(_RELAYED):
        message, _, remedy = text.removeprefix(_RELAYED).partition("\n")
        return Failure("local_model", message.strip(), remedy.strip() or tr("Send the prompt again."))
    lowered = text.lower()
    if any(sign in lowered for sign in _PROMPT_TOO_LONG):
        larger = tr(", or give the model a larger window on the server") if relayed else ""
        return Failure(
            "prompt_too_long",
            tr("The conversation no longer fits into the model's context window."),
            tr("Start a new session with /new, or refer to fewer files at once{larger}.").format(larger=larger),
        )
    if status == 0:
        return Failure(
            "no_connection",
            tr("No connection to the endpoint of profile “{profile}”.").format(profile=profile),
            tr("Check the network and the profile's ANTHROPIC_BASE_URL, then send the prompt again."),
        )
    message, remedy = _BY_STATUS.get(status, _by_class(status))
    return Failure(f"api_{status}", message.format(profile=profile), remedy.format(profile=profile))


_BY_STATUS = {
    400: (
        tr("The endpoint of profile “{profile}” refused the request (400)."),
        tr("Check that the profile's model supports this request, then send the prompt again."),
    ),
    401: (
        tr("The endpoint rejected the credential of profile “{profile}” (401)."),
        tr("Set a valid ANTHROPIC_AUTH_TOKEN for this profile in ~/.dogent/claude.json, or choose another profile."),
    ),
    403: (
        tr("The credential of profile “{profile}” is not allowed to do this (403)."),
        tr("Ask the provider for access to the model, or choose another profile."),
    ),
    404: (
        tr("The endpoint of profile “{profile}” does not have the model (404)."),
        tr("Fix ANTHROPIC_MODEL of this profile in ~/.dogent/claude.json."),
    ),
    413: (
        tr("The request was too large for the endpoint of profile “{profile}” (413)."),
        tr("Refer to fewer or smaller files, or start a new session with /new."),
    ),
    429: (
        tr("The endpoint of profile “{profile}” is rate limited; retries failed (429)."),
        tr("Wait a moment, then send the prompt again."),
    ),
    529: (
        tr("The endpoint of profile “{profile}” is overloaded; retries failed (529)."),
        tr("Wait a moment, then send the prompt again."),
    ),
}


def _by_class(status: int) -> tuple[str, str]:
    if status >= 500:
        return (
            tr("The endpoint of profile “{{profile}}” had a server error; retries failed ({status}).").format(status=status),
            tr("Try again later, or choose another profile."),
        )
    return (
        tr("The endpoint of profile “{{profile}}” refused the request ({status}).").format(status=status),
        tr("Check the profile, then try again."),
    )


def session_lost(detail: str) -> Failure:
    """Return the failure for an agent process that ended on its own."""
    return Failure(
        "session_lost",
        tr("The agent process exited unexpectedly{why}.").format(why=f" ({detail})" if detail and _DEBRIS not in detail else ""),
        tr("Use /restart or send a prompt to start it again; the conversation resumes where it was."),
    )


RUN_LOST = Failure("session_lost", tr("The run ended because the agent process exited."), tr("Send the prompt again."))
"""What a run says whose process was lost; the loss itself has been told."""

_DEBRIS = "Check stderr output"
"""In what the SDK says where it knows nothing but an exit code."""


def turn_failure(detail: str) -> Failure:
    """Return the failure for a turn that ended for a reason of its own."""
    return Failure(
        "turn_failed",
        tr("The run ended early: {why}.").format(why=detail or tr("no reason was given")),
        tr("Send the prompt again."),
    )
