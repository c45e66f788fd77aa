"""What can go wrong between us and a model, as sentences with a remedy: the one place that words them."""

import msgspec

from dogent_tui.language import tr

REWIND_AT_WORK = tr("The agent is at work."), tr("Stop it with Esc first, or wait.")
REWIND_UNKNOWN = tr("This prompt is not part of the conversation any more."), tr("Nothing was done.")
"""Why the conversation cannot be taken back to a prompt."""

_PROMPT_TOO_LONG = ("prompt is too long", "prompt too long", "context window", "context_length")


class Failure(msgspec.Struct, frozen=True):
    """A failed run: `code` for programs, `message` and `remedy` for people."""

    code: str
    message: str
    remedy: str


def api_failure(status: int, text: str, profile: str) -> Failure:
    """Return the failure for an endpoint's answer. `status` 0 means that no answer came; `text` is what the CLI said of it."""
    lowered = text.lower()
    if any(sign in lowered for sign in _PROMPT_TOO_LONG):
        return Failure(
            "prompt_too_long",
            "The conversation no longer fits into the model's context window.",
            "Start a new session with /new, or refer to fewer files at once.",
        )
    if status == 0:
        return Failure(
            "no_connection",
            f"No connection to the endpoint of profile “{profile}”.",
            "Check the network and the profile's ANTHROPIC_BASE_URL, then send the prompt again.",
        )
    message, remedy = _BY_STATUS.get(status, _by_class(status))
    return Failure(f"api_{status}", message.format(profile=profile), remedy.format(profile=profile))


_BY_STATUS = {
    400: (
        "The endpoint of profile “{profile}” refused the request (400).",
        "Check that the model of the profile can do what was asked, then send the prompt again.",
    ),
    401: (
        "The endpoint did not accept the credential of profile “{profile}” (401).",
        "Put a valid ANTHROPIC_AUTH_TOKEN into this profile in ~/.dogent/claude.json, or choose another profile.",
    ),
    403: (
        "The credential of profile “{profile}” is not allowed to do this (403).",
        "Ask the provider for access to the model, or choose another profile.",
    ),
    404: (
        "The endpoint of profile “{profile}” does not know the model (404).",
        "Correct ANTHROPIC_MODEL of this profile in ~/.dogent/claude.json.",
    ),
    413: (
        "The request was too large for the endpoint of profile “{profile}” (413).",
        "Refer to fewer or smaller files, or start a new session with /new.",
    ),
    429: (
        "The endpoint of profile “{profile}” limits the rate, and several tries did not get through (429).",
        "Wait a little and send the prompt again.",
    ),
    529: (
        "The endpoint of profile “{profile}” is overloaded, and several tries did not get through (529).",
        "Wait a little and send the prompt again.",
    ),
}


def _by_class(status: int) -> tuple[str, str]:
    if status >= 500:
        return (
            f"The endpoint of profile “{{profile}}” failed on its side, and several tries did not get through ({status}).",
            "Send the prompt again later, or choose another profile.",
        )
    return (f"The endpoint of profile “{{profile}}” refused the request ({status}).", "Check the profile, then try again.")


def session_lost(detail: str) -> Failure:
    """Return the failure for an agent process that ended on its own."""
    return Failure(
        "session_lost",
        f"The agent process ended unexpectedly{f' ({detail})' if detail and _DEBRIS not in detail else ''}.",
        "/restart starts it again, and so does the next prompt: the conversation goes on where it was.",
    )


RUN_LOST = Failure("session_lost", "The run ended with the agent process.", "Send the prompt again.")
"""What a run says whose process was lost; the loss itself has been told."""

_DEBRIS = "Check stderr output"
"""In what the SDK says where it knows nothing but an exit code."""


def turn_failure(detail: str) -> Failure:
    """Return the failure for a turn that ended for a reason of its own."""
    return Failure("turn_failed", f"The run ended early: {detail or 'no reason was given'}.", "Send the prompt again.")
