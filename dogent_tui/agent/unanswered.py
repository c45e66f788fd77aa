"""Why an endpoint did not answer: it is asked again with a minimal request, and judged by its
actual answer.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from dogent_tui.agent.failures import Failure, api_failure, who_answers
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.secrets import redact
from dogent_tui.web.messages_probe import Answered, probe_messages, probe_presence

CHEAP_MODEL = "claude-haiku-4-5"
"""The model to ask if a profile names none, as with Anthropic's own endpoint."""
_AGAIN_LIMIT_S = 5.0
"""The time limit for repeating a request that was just refused."""
_SAID = 200


def credential_headers(endpoint: Endpoint) -> dict[str, str]:
    """Return the headers with the key, as the CLI sends them."""
    bearer = {"Authorization": f"Bearer {endpoint.token}"} if endpoint.token else {}
    return bearer | ({"x-api-key": endpoint.api_key} if endpoint.api_key else {})


async def asked_again(endpoint: Endpoint) -> Answered | None:
    """Ask `endpoint` for one token; None if that would not be informative: a server of our own is
    in between, or a login is used.
    """
    if endpoint.kind not in ("anthropic", "custom") or endpoint.oauth_token:
        return None
    model = endpoint.model or CHEAP_MODEL
    return await probe_messages(
        endpoint.base_url, credential_headers(endpoint), model, _AGAIN_LIMIT_S
    )


async def given_up(
    endpoint: Endpoint, silent_s: float, most_s: float, check_s: float
) -> Failure | None:
    """Return the failure of a run that heard nothing for `silent_s` seconds, None if it may still
    wait.

    A reachable endpoint may take up to `most_s` seconds: a model may think for long. One that does
    not even accept a connection within `check_s` seconds is not waited for. Our own servers for
    local models and the offline engine are reachable as long as we run.
    """
    if silent_s >= most_s:
        remedy = tr("Send the prompt again. API_TIMEOUT_MS of a profile sets how long to wait.")
        return _failure("no_answer", _SILENT, remedy, endpoint, seconds=round(silent_s))
    if endpoint.kind not in ("anthropic", "custom"):
        return None
    if (await probe_presence(endpoint.base_url, check_s)).is_there:
        return None
    check = tr("Check that {url} is right and that its server works, then send the prompt again.")
    return _failure("no_answer", _SILENT, check, endpoint, seconds=round(silent_s + check_s))


_SILENT = tr("{who}, {address}, has not answered for {seconds} s.")
_SIGN_IN = tr("If this network has a sign-in page, sign in with a browser. Otherwise check {url}.")
_CHECK = tr("Check the network and {url}, then send the prompt again.")
_CUT_AGAIN = tr(
    "Send the prompt again. If it happens each time, something between here and there cuts long"
    " connections."
)
_NO_CONNECTION = tr("There is no connection to {who}, {address}: {said}.")
_WHY: Mapping[str, tuple[str, str, str]] = {
    "page": (
        "not_the_api",
        tr("{who}, {address}, answered with a web page{title}, not with the Messages API."),
        _SIGN_IN,
    ),
    "moved": ("redirected", tr("{who}, {address}, redirects to {said}."), _SIGN_IN),
    "other": (
        "not_the_api",
        tr("{who}, {address}, responds, but not with the Messages API."),
        tr("Fix {url}: it is the address without /v1/messages."),
    ),
    "cut": ("cut_off", tr("The answer of {who}, {address}, broke off."), _CUT_AGAIN),
    "message": (
        "cut_off",
        tr("The connection to {who}, {address}, was lost; it works again."),
        _CUT_AGAIN,
    ),
    "silence": ("no_answer", _SILENT, _CHECK),
    "untrusted": (
        "no_connection",
        tr("The certificate of {who}, {address}, is not trusted: {said}."),
        tr(
            "Check {url} and the date of this computer. If a proxy here inspects connections, set"
            " NODE_EXTRA_CA_CERTS to the file of its certificate."
        ),
    ),
    "proxy": (
        "no_connection",
        _NO_CONNECTION,
        tr("Check HTTPS_PROXY and NO_PROXY, then send the prompt again."),
    ),
    "nothing": ("no_connection", _NO_CONNECTION, _CHECK),
}
"""What came, `Answered.came` → the code of the failure, what happened, and what to do."""


def unanswered_failure(
    endpoint: Endpoint, answered: Answered, *, had_begun: bool = False
) -> Failure:
    """Return the failure indicated by the answer of `endpoint`. `had_begun`: an answer had begun to
    arrive.
    """
    said = redact(answered.said, endpoint.secrets)[:_SAID]
    if answered.came == "error":
        return api_failure(answered.status, "", endpoint, said)
    came = "cut" if had_begun and answered.came == "message" else answered.came
    title = tr(" (“{title}”)", title=said) if said else ""
    return _failure(*_WHY[came], endpoint, said=said, title=title, seconds=round(answered.waited_s))


def _failure(code: str, words: str, remedy: str, endpoint: Endpoint, **values: object) -> Failure:
    sentence = words.format(who=who_answers(endpoint), address=_address(endpoint), **values)
    remedy = remedy.format(url=endpoint.place_of("ANTHROPIC_BASE_URL"))
    return Failure(code, sentence[0].upper() + sentence[1:], remedy)


def _address(endpoint: Endpoint) -> str:
    """Return the address of the endpoint without user name and password."""
    parts = urlsplit(endpoint.base_url)
    return one_line(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")
