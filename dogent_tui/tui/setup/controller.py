"""The setup: when it is offered, what it writes, and how the choice takes effect."""

import asyncio
from collections.abc import Sequence
from typing import Any

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.config_check import read_profiles
from dogent_tui.settings.config_writer import write_home_values
from dogent_tui.settings.profiles import ENVIRONMENT, OFFLINE, environment_endpoint
from dogent_tui.settings.values import load_home_settings
from dogent_tui.storage.json_lines import KeyPath
from dogent_tui.storage.paths import dogent_home
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.setup.model import (
    Choice,
    choices,
    local_profile,
    provider_profile,
)
from dogent_tui.tui.setup.panel import SetupPanel

_NEVER_AGAIN: dict[KeyPath, Any] = {("offer_setup",): False}
"""The user setting that records that the setup was offered and answered."""


class Setup:
    """The setup of `app`."""

    def __init__(self, app: AppPort) -> None:
        self._app = app
        self._home = dogent_home()
        self.panel: SetupPanel | None = None

    # ── Showing it ────────────────────────────────────────────────────────────────────────────────

    async def offer(self) -> None:
        """Show it at the first start, if no provider is configured and the user has not dismissed
        it.
        """
        opened = self._app.opened
        if opened.endpoint.kind != "offline" or opened.options.profile or opened.settings.profile:
            return
        own, _ = await asyncio.to_thread(load_home_settings, self._home)
        if own.offer_setup and not own.profile:
            await self._show(unless_begun=True)

    async def open(self) -> None:
        """Show it at the user's request."""
        await self._show()
        if self.panel is not None:
            self.panel.focus()

    async def _show(self, *, unless_begun: bool = False) -> None:
        found = await _found()
        service = self._app.opened.service
        if unless_begun and (service.begun or service.queued or not self._app.is_running):
            return
        app = self._app

        def choose(choice: Choice) -> None:
            app.run_worker(self.choose(choice), group="setup", exclusive=True)

        self.panel = SetupPanel(
            found, self._now(), app.keys.shown("setup"), choose, app.dismiss_setup
        )
        await self._app.conversation.conversation_layout.show_setup(self.panel)

    def _now(self) -> str:
        endpoint = self._app.opened.endpoint
        if endpoint.kind == "offline":
            return tr("No AI model is set up; the offline engine is used.")
        return tr("Current: {name}.", name=one_line(endpoint.label))

    async def hide(self) -> None:
        """Close it for now."""
        self.panel = None
        await self._app.conversation.conversation_layout.show_setup(None)

    async def dismiss(self) -> None:
        """Close it for good: it is offered once."""
        await self.hide()
        await self._write_home(_NEVER_AGAIN)

    # ── What is chosen ────────────────────────────────────────────────────────────────────────────

    async def choose(self, choice: Choice) -> None:
        """Carry out what was chosen. Must not be awaited in a message handler, because it may show
        a form.
        """
        match choice.kind:
            case "environment":
                await self._use(ENVIRONMENT, tr("the key in your environment"))
            case "offline":
                await self._use(OFFLINE, tr("the offline engine"))
            case _:
                await self._make_profile(choice)

    async def _make_profile(self, choice: Choice) -> None:
        """Save and use a profile, of a local model or of the endpoint that the user enters."""
        from dogent_tui.tui.screens.endpoint import EndpointScreen
        from dogent_tui.tui.screens.withdrawable import answer_of

        file, answer = self._home / "claude.json", ("", "", "")
        if choice.kind != "local":
            entered = await answer_of(self._app, EndpointScreen(choice))
            if entered is None:
                return
            answer = entered
        profiles, _ = await asyncio.to_thread(read_profiles, file)
        if choice.kind == "local":
            saved, who = local_profile(choice, profiles), choice.label
        else:
            saved = provider_profile(choice, *answer, profiles)
            who = saved.name
        values: dict[KeyPath, Any] = {
            ("profiles", saved.name, key): value for key, value in saved.values.items()
        }
        try:
            await asyncio.to_thread(write_home_values, file, values)
        except (OSError, DogentError) as error:
            self._say(tr("The profile could not be saved: {error}", error=error))
        else:
            await self._use(saved.name, who)

    async def _use(self, profile: str, who: str) -> None:
        """Use `profile` from now on, in every folder that does not select one itself."""
        kept = await self._write_home({**_NEVER_AGAIN, ("profile",): profile})
        await self.hide()
        here = self._app.opened.settings.profile
        if here and here != profile:
            kept = tr(
                " This folder sets {here} in .dogent/dogent.json, which applies again at the next"
                " start.",
                here=here,
            )
        service = self._app.opened.service
        if service.state == "running" or service.queued:
            self._say(
                tr(
                    "The agent is working. When it is done, /profile {profile} switches to"
                    " {who}.{kept}",
                    profile=profile,
                    who=who,
                    kept=kept,
                )
            )
            return
        await self._app.session.change_profile(profile)
        self._say(tr("From now on: {who}.{kept}", who=who, kept=kept))

    async def _write_home(self, changes: dict[KeyPath, Any]) -> str:
        """Save `changes` in the user's own settings. Returns a message preceded by a blank, or an
        empty string.
        """
        try:
            await asyncio.to_thread(write_home_values, self._home / "dogent.json", changes)
        except (OSError, DogentError) as error:
            return tr(" It could not be saved for the next start: {error}", error=error)
        return ""

    def _say(self, sentence: str) -> None:
        self._app.conversation.prompt.notify_hint(one_line(sentence))


async def _found() -> Sequence[Choice]:
    """Detect the available choices: takes milliseconds if nothing is listening, a moment
    otherwise.
    """

    from dogent_tui.local_models.discovery import find_servers

    profiles, _ = await asyncio.to_thread(read_profiles, dogent_home() / "claude.json")
    return choices(await find_servers(), environment_endpoint(), profiles)
