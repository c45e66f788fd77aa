"""The commands in the command palette: in table order, and searchable by name and description."""

from functools import partial
from typing import cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.ports import AppPort

_HELP_COUNTS = 0.5
"""The weight of a match in the description relative to one in the name."""
_LAST = 0.01


class CommandProvider(Provider):
    """Offers every command, with the key that does the same."""

    @property
    def _app(self) -> AppPort:
        return cast("AppPort", self.app)

    async def discover(self) -> Hits:
        """Yield all commands: harmless ones first, those that archive or delete last."""
        for command in self._app.commands:
            choose = partial(self._app.choose_command, command)
            yield DiscoveryHit(command.usage, choose, help=_described(command))

    async def search(self, query: str) -> Hits:
        """Yield the commands matching `query`, with a score from 0 to 1."""
        matcher = self.matcher(query)
        for place, command in enumerate(self._app.commands):
            score = max(matcher.match(command.usage), matcher.match(command.help) * _HELP_COUNTS)
            if score <= 0:
                continue
            starts = command.name.startswith(query.strip().removeprefix("/").lower())
            fit = _LAST if command.forgets and not starts else score + starts
            shown = matcher.highlight(command.usage)
            choose = partial(self._app.choose_command, command)
            yield Hit(fit - place * 1e-6, shown, choose, command.usage, _described(command))


def _described(command: Command) -> str:
    return " · ".join(filter(None, (command.help, command.key())))
