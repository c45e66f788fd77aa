"""Why a connection failed or was lost, in the same words for all clients."""

import ssl
from typing import NamedTuple

import aiohttp

from dogent_tui.language import tr
from dogent_tui.plain import one_line


class Trouble(NamedTuple):
    """What went wrong: ``tls``, ``proxy``, ``dns``, ``connect`` or ``lost``, and the sentence."""

    kind: str
    message: str

    @property
    def code(self) -> str:
        """The code of the `WebError`."""
        return self.kind if self.kind in ("tls", "dns") else "connect"


def trouble_of(error: Exception, host: str) -> Trouble:
    """Return the failure for `error`, of aiohttp or of the system, of the connection to `host`. The
    library's own message is left out: it contains the address, which may contain a key.
    """
    match error:
        case aiohttp.ClientSSLError() | ssl.SSLError():
            said = getattr(getattr(error, "certificate_error", error), "verify_message", "")
            why = one_line(str(said)) or tr("a secure connection could not be established")
            message = tr("The connection to {host} is not secure: {why}.")
            return Trouble("tls", message.format(host=host, why=why))
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            return Trouble("proxy", tr("The proxy in the settings can't be used."))
        case aiohttp.ClientConnectorDNSError():
            message = tr("The host {host} does not exist, or no name server responds.")
            return Trouble("dns", message.format(host=host))
        case aiohttp.ClientConnectorError():
            why = one_line(error.os_error.strerror or tr("it is not responding"))
            return Trouble("connect", tr("{host} cannot be reached: {why}.", host=host, why=why))
    message = tr("The connection to {host} was lost ({error}).")
    return Trouble("lost", message.format(host=host, error=type(error).__name__))
