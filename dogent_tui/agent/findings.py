"""What the doctor says of one thing that it looked for."""

import re
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from dogent_tui.settings.secrets import redact

_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
"""What stands before the host of an address: a name and a password."""

State: TypeAlias = Literal["ok", "warning", "missing", "optional", "broken"]
"""`optional`: it is not here, and most work goes on without it. `broken`: it is here and cannot be
used. `warning`: it is used, and something about it is not right.
"""


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked for. `detail` is a version, or what was found; `remedy` says what
    to do where it is not `ok`.

    `problems` are sentences about what is not right in it, each with its remedy.
    """

    group: str
    name: str
    state: State
    detail: str = ""
    path: str = ""
    remedy: str = ""
    problems: tuple[str, ...] = ()

    def without(self, secrets: tuple[str, ...]) -> "Finding":
        """Return the finding without any of `secrets`."""

        def safe(text: str) -> str:
            return _USERINFO.sub("••••@", redact(text, secrets))

        return replace(
            self,
            name=safe(self.name),
            detail=safe(self.detail),
            path=safe(self.path),
            remedy=safe(self.remedy),
            problems=tuple(map(safe, self.problems)),
        )
