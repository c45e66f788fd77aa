"""The commands about what was chosen: the settings, and who answers."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from dogent_tui.agent.conversation import EFFORTS
from dogent_tui.agent.session import endpoint_label
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
from dogent_tui.tui.commands.table import Command, shown_key
from dogent_tui.tui.prompt.controller import READ_ONLY

if TYPE_CHECKING:
    from dogent_tui.agent.conversation import Effort
    from dogent_tui.tui.ports import AppPort


_LIST_LIMIT_S = 8.0
"""How long an endpoint may take to list its models."""


class SettingsCommands:
    """The commands of `app` about its settings."""

    def __init__(self, app: "AppPort") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        yield Command(
            "profile", tr("Show the profiles, and switch to another"), self._profile, "[NAME]"
        )
        yield Command(
            "model",
            tr("Switch to another model of this profile, and set the effort"),
            self._model,
            "[NAME] [EFFORT]",
        )
        yield Command("mcp", tr("Show your MCP servers, and switch or restart them"), self._mcp)
        yield Command(
            "settings",
            tr("Set models, keys, and how the agent works"),
            self._settings,
            key=shown_key(self._app, "settings"),
        )

    async def _settings(self, _: str) -> str:
        self._app.action_settings()
        return ""

    async def _model(self, typed: str) -> str:
        opened = self._app.opened
        if opened.endpoint.kind == "offline":
            return tr("The built-in engine isn't a model. /setup connects one.")
        if opened.service.state == "running":
            return tr("The agent is working. Wait, or stop it first with Esc.")
        if not await self._app.session.ensure_writable():
            return READ_ONLY
        words = typed.split()
        effort = cast("Effort", words.pop()) if words and words[-1] in EFFORTS else ""
        if len(words) > 1:
            return tr(
                "Specify a model, and an effort if you want: /model NAME high. Efforts: {efforts}."
            ).format(efforts=", ".join(EFFORTS))
        if words or effort:
            return await self._use_model(words[0] if words else opened.endpoint.model, effort)
        self._app.run_worker(
            self._choose_model(), group="command"
        )  # the palette must not wait for the answer
        return ""

    async def _use_model(self, model: str, effort: "Effort") -> str:
        opened = self._app.opened
        await self._app.session.change_profile(opened.options.profile, model, effort)
        words = tr("From now on: {who}, effort {effort}.") if effort else tr("From now on: {who}.")
        return one_line(words.format(who=self._label(), effort=effort))

    async def _choose_model(self) -> None:
        from dogent_tui.agent.unanswered import credential_headers
        from dogent_tui.tui.screens.choice import choose
        from dogent_tui.web.messages_probe import list_models

        app, endpoint = self._app, self._app.opened.endpoint
        names = await list_models(endpoint.base_url, credential_headers(endpoint), _LIST_LIMIT_S)
        if not names:
            app.conversation.prompt.notify_hint(
                tr("This endpoint lists no models. /model NAME switches to one that you know.")
            )
            return
        why = tr("The conversation continues. /model NAME high sets the effort as well: {efforts}.")
        at = names.index(endpoint.model) if endpoint.model in names else 0
        title = tr("Which model from now on?")
        chosen = await choose(app, title, why.format(efforts=", ".join(EFFORTS)), names, at)
        if chosen is not None:
            app.conversation.prompt.notify_hint(await self._use_model(names[chosen], ""))

    async def _mcp(self, _: str) -> str:
        from dogent_tui.tui.screens.servers import ServersScreen

        opened = self._app.opened
        if opened.read_only:
            return READ_ONLY
        started = opened.endpoint.kind != "offline" and not opened.libraries.consent
        self._app.push_screen(
            ServersScreen(
                opened.workspace, opened.service, trusted=opened.trust.trusted, started=started
            )
        )
        return ""

    async def _profile(self, name: str) -> str:
        if self._app.opened.service.state == "running":
            return tr("The agent is working. Wait, or stop it first with Esc.")
        if name:
            return await self._change(name)
        self._app.run_worker(
            self._choose(), group="command"
        )  # the palette must not wait for the answer
        return ""

    async def _choose(self) -> None:
        from dogent_tui.tui.screens.choice import choose
        from dogent_tui.tui.settings.catalog import LLM, summary
        from dogent_tui.tui.settings.draft import SettingsDraft

        app = self._app
        draft = SettingsDraft(app.opened.workspace, dogent_home())
        names = await asyncio.to_thread(draft.profiles, draft.home / LLM)
        answers = [f"{name} · {summary(draft, draft.home / LLM, name)}" for name in names]
        if await asyncio.to_thread(environment_endpoint) is not None:
            names.append(ENVIRONMENT)
            answers.append(tr("environment · the key in your environment"))
        otherwise = await asyncio.to_thread(_without_a_choice, app.opened.workspace)
        now = app.opened.endpoint.name
        values = [*names, OFFLINE, ""]
        chosen = await choose(
            app,
            tr("Which model from now on?"),
            tr(
                "Current: {who}. The conversation continues. Add or change profiles in /settings."
            ).format(who=self._label()),
            [*answers, tr("offline · the built-in engine, no AI model"), otherwise],
            values.index(now) if now in values else len(values) - 1,
        )
        if chosen is not None:
            app.conversation.prompt.notify_hint(await self._change(values[chosen]))

    async def _change(self, name: str) -> str:
        profiles, _ = await asyncio.to_thread(read_profiles, dogent_home() / "claude.json")
        if name == ENVIRONMENT and await asyncio.to_thread(environment_endpoint) is None:
            return tr(
                "There is no usable key in the environment. Use /profile to see what is available."
            )
        if name and name not in (OFFLINE, ENVIRONMENT) and name not in profiles:
            near = nearest(name, [*profiles, OFFLINE])
            return one_line(_unknown(name, near))
        if name in profiles:  # looked at before the session is left
            wrong: list[ConfigWarning] = []
            file = dogent_home() / "claude.json"
            if await asyncio.to_thread(profile_endpoint, name, profiles[name], file, wrong) is None:
                return one_line(str(wrong[-1]))
        await self._app.session.change_profile(name)
        return tr("From now on: {who}.").format(who=self._label())

    def _label(self) -> str:
        endpoint = self._app.opened.endpoint
        return endpoint_label(endpoint.name, endpoint.kind, endpoint.model)


def _without_a_choice(workspace: Workspace) -> str:
    """Return who answers in the folder where nobody is chosen by name, in the order that holds:
    folder, home, environment.
    """
    here = load_settings(workspace)[0].profile.strip()
    if here:
        return tr("set for this folder: {name}").format(name=one_line(here))
    everywhere = load_home_settings(dogent_home())[0].profile.strip()
    if everywhere:
        return tr("your choice for all folders: {name}").format(name=one_line(everywhere))
    endpoint = environment_endpoint()
    if endpoint is None:
        return tr("from the environment, which has no key: the offline engine")
    return tr("from the environment: {who}").format(
        who=one_line(endpoint_label(endpoint.name, endpoint.kind, endpoint.model))
    )


def _unknown(name: str, near: str) -> str:
    """Return the sentence for a profile that is not there."""
    if near:
        return tr("There is no profile {name}. Did you mean {near}?").format(name=name, near=near)
    return tr("There is no profile {name}. Use /profile to list them.").format(name=name)
