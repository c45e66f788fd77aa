"""The commands about the settings and the provider."""

import asyncio
from typing import cast

from dogent_tui.agent.conversation import EFFORTS, Effort
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.config_check import ConfigWarning, nearest, read_profiles
from dogent_tui.settings.profiles import (
    ENVIRONMENT,
    OFFLINE,
    environment_endpoint,
    profile_endpoint,
)
from dogent_tui.settings.values import load_home_settings, load_settings
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.tui.commands.family import CommandFamily, action, command

_LIST_LIMIT_S = 8.0
"""Seconds an endpoint may take to list its models."""


class SettingsCommands(CommandFamily):
    """The commands of `app` about its settings."""

    @command("profile", "Show the profiles, and switch to another", "[NAME]")
    async def _profile(self, name: str) -> str:
        self._need_idle()
        return await (self._change(name) if name else self._choose())

    async def _choose(self) -> str:
        from dogent_tui.tui.settings.catalog import LLM, chosen_profile, options_of
        from dogent_tui.tui.settings.draft import SettingsDraft

        opened = self._opened
        draft = SettingsDraft(opened.workspace, dogent_home())
        setting = await asyncio.to_thread(chosen_profile, draft, draft.home / LLM)
        _, *options = await asyncio.to_thread(options_of, setting, draft, {})
        options.append(("", await asyncio.to_thread(_without_a_choice, opened.workspace)))
        values, answers = zip(*options, strict=True)
        now = opened.endpoint.name
        chosen = await self._ask(
            tr("Which model from now on?"),
            tr(
                "Current: {who}. The conversation continues. Add or change profiles in /settings.",
                who=self._opened.endpoint.label,
            ),
            answers,
            values.index(now) if now in values else len(values) - 1,
        )
        return "" if chosen is None else await self._change(values[chosen])

    async def _change(self, name: str) -> str:
        profiles, _ = await asyncio.to_thread(read_profiles, dogent_home() / "claude.json")
        if name == ENVIRONMENT and await asyncio.to_thread(environment_endpoint) is None:
            return tr(
                "There is no usable key in the environment. Use /profile to see what is available."
            )
        if name and name not in (OFFLINE, ENVIRONMENT) and name not in profiles:
            return _unknown(name, nearest(name, [*profiles, OFFLINE]))
        if name in profiles:  # checked before leaving the session
            wrong: list[ConfigWarning] = []
            file = dogent_home() / "claude.json"
            if await asyncio.to_thread(profile_endpoint, name, profiles[name], file, wrong) is None:
                return str(wrong[-1])
        await self.app.session.change_profile(name)
        return tr("From now on: {who}.", who=self._opened.endpoint.label)

    @command(
        "model",
        "Switch to another model of this profile, and set the effort",
        "[NAME] [EFFORT]",
    )
    async def _model(self, typed: str) -> str:
        opened = self._opened
        if opened.endpoint.kind == "offline":
            return tr("The built-in engine isn't a model. /setup connects one.")
        self._need_idle()
        await self._need_writable()
        words = typed.split()
        effort = cast("Effort", words.pop()) if words and words[-1] in EFFORTS else ""
        if len(words) > 1:
            return tr(
                "Specify a model, and an effort if you want: /model NAME high. Efforts: {efforts}.",
                efforts=", ".join(EFFORTS),
            )
        if words or effort:
            return await self._use_model(words[0] if words else opened.endpoint.model, effort)
        return await self._choose_model()

    async def _use_model(self, model: str, effort: Effort) -> str:
        opened = self._opened
        await self.app.session.change_profile(opened.options.profile, model, effort)
        words = tr("From now on: {who}, effort {effort}.") if effort else tr("From now on: {who}.")
        return words.format(who=self._opened.endpoint.label, effort=effort)

    async def _choose_model(self) -> str:
        from dogent_tui.agent.unanswered import credential_headers
        from dogent_tui.web.messages_probe import list_models

        endpoint = self._opened.endpoint
        names = await list_models(endpoint.base_url, credential_headers(endpoint), _LIST_LIMIT_S)
        if not names:
            return tr("This endpoint lists no models. /model NAME switches to one that you know.")
        why = tr(
            "The conversation continues. /model NAME high sets the effort as well: {efforts}.",
            efforts=", ".join(EFFORTS),
        )
        at = names.index(endpoint.model) if endpoint.model in names else 0
        title = tr("Which model from now on?")
        chosen = await self._ask(title, why, names, at)
        return "" if chosen is None else await self._use_model(names[chosen], "")

    _settings = command("settings", "Set models, keys, and how the agent works", key="settings")(
        action("app.settings")
    )

    @command("mcp", "Show your MCP servers, and switch or restart them")
    async def _mcp(self, _: str) -> None:
        from dogent_tui.tui.screens.servers import ServersScreen

        await self._need_writable()
        opened = self._opened
        started = opened.endpoint.kind != "offline" and not opened.libraries.consent
        self.app.push_screen(
            ServersScreen(
                opened.workspace, opened.service, trusted=opened.trust.trusted, started=started
            )
        )


def _without_a_choice(workspace: Workspace) -> str:
    """Return who answers when no profile is selected, in order of precedence: folder, home,
    environment.
    """
    here = load_settings(workspace)[0].profile.strip()
    if here:
        return tr("set for this folder: {name}", name=one_line(here))
    everywhere = load_home_settings(dogent_home())[0].profile.strip()
    if everywhere:
        return tr("your choice for all folders: {name}", name=one_line(everywhere))
    endpoint = environment_endpoint()
    if endpoint is None:
        return tr("from the environment, which has no key: the offline engine")
    return tr(
        "from the environment: {who}",
        who=one_line(endpoint.label),
    )


def _unknown(name: str, near: str) -> str:
    """Return the message for a profile that does not exist."""
    if near:
        return tr("There is no profile {name}. Did you mean {near}?", name=name, near=near)
    return tr("There is no profile {name}. Use /profile to list them.", name=name)
