"""The commands about what was chosen: the settings, and who answers."""

import asyncio
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dogent_tui.agent.session import endpoint_label
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.commands.table import Command
from dogent_tui.workspace.checking import ConfigWarning, nearest, read_profiles
from dogent_tui.workspace.paths import dogent_home
from dogent_tui.workspace.profiles import profile_endpoint

if TYPE_CHECKING:
    from dogent_tui.tui.app import DogentApp

_OFFLINE = "offline"


class SettingsCommands:
    """The commands of `app` about its settings."""

    def __init__(self, app: "DogentApp") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        yield Command("profile", tr("Show who can answer, and go on with another"), self._profile, "[NAME]")
        yield Command("settings", tr("Choose models, keys, and how the agent works"), self._settings)

    async def _settings(self, _: str) -> str:
        self._app.action_settings()
        return ""

    async def _profile(self, name: str) -> str:
        if self._app.opened.service.state == "running":
            return tr("The agent is at work. Stop it with Esc first, or wait.")
        if name:
            return await self._change(name)
        self._app.run_worker(self._choose(), group="command")  # the palette must not wait for the answer
        return ""

    async def _choose(self) -> None:
        from dogent_tui.tui.screens.choice import choose
        from dogent_tui.tui.settings.catalog import LLM, summary
        from dogent_tui.tui.settings.draft import SettingsDraft

        app = self._app
        draft = SettingsDraft(app.opened.workspace, dogent_home())
        names = await asyncio.to_thread(draft.profiles, draft.home / LLM)
        answers = [f"{name} · {summary(draft, draft.home / LLM, name)}" for name in names]
        folder = tr("What this folder or the environment says")
        now = app.opened.endpoint.name
        values = [*names, _OFFLINE, ""]
        chosen = await choose(
            app,
            tr("Who answers from now on?"),
            tr("Now: {who}. The conversation goes on. /settings adds and changes profiles.").format(who=self._label()),
            [*answers, tr("offline · the built-in engine, no AI model"), folder],
            values.index(now) if now in values else len(values) - 1,
        )
        if chosen is not None:
            app.conversation.prompt.notify_hint(await self._change(values[chosen]))

    async def _change(self, name: str) -> str:
        profiles, _ = await asyncio.to_thread(read_profiles, dogent_home() / "claude.json")
        if name and name != _OFFLINE and name not in profiles:
            near = nearest(name, [*profiles, _OFFLINE])
            return one_line(_unknown(name, near))
        if name in profiles:  # looked at before the session is left
            wrong: list[ConfigWarning] = []
            file = dogent_home() / "claude.json"
            if await asyncio.to_thread(profile_endpoint, name, profiles[name], file, os.environ, wrong) is None:
                return one_line(str(wrong[-1]))
        await self._app.change_profile(name)
        return tr("From now on: {who}.").format(who=self._label())

    def _label(self) -> str:
        endpoint = self._app.opened.endpoint
        return endpoint_label(endpoint.name, endpoint.kind, endpoint.model)


def _unknown(name: str, near: str) -> str:
    """Return the sentence for a profile that is not there."""
    if near:
        return tr("There is no profile {name}. Did you mean {near}?").format(name=name, near=near)
    return tr("There is no profile {name}. /profile lists them.").format(name=name)
