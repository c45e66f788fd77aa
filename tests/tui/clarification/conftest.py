"""The form in an application of its own."""

from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import ClassVar

import pytest

from dogent_tui.storage.paths import shipped
from dogent_tui.tui.clarification.model import ClarificationForm
from dogent_tui.tui.screens.clarification import ClarificationScreen
from dogent_tui.tui.textual_fixes.keys_in_turn import KeysInTurn
from dogent_tui.tui.themes import DEFAULT_THEME, THEMES
from tests.tui.clarification.examples import REPORT
from tests.tui.idle import until


class Host(KeysInTurn):
    """Shows one form and keeps how it was left."""

    CSS_PATH: ClassVar = [shipped("app.tcss")]

    def __init__(self, request=REPORT, theme: str = DEFAULT_THEME, **options) -> None:
        super().__init__()
        for each in THEMES:
            self.register_theme(each)
        self.theme = theme
        self.request = request
        self.options = options

    def on_mount(self) -> None:
        self.ask()

    def ask(self) -> None:
        self.results: list = []
        self.drafts: list[dict] = []
        self.form = ClarificationScreen(self.request, on_draft=self.drafts.append, **self.options)
        self.push_screen(self.form, self.results.append)


class Person:
    """Someone at the form."""

    def __init__(self, app: Host, pilot) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> ClarificationScreen:
        return self.app.form

    @property
    def form(self) -> ClarificationForm:
        return self.screen.form

    async def shown_first(self, *, opened: bool) -> None:
        await self.until(lambda: self.screen.guard._opens is not None)
        if opened:
            self.screen.guard.clock = lambda: float("inf")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, seen: Callable[[], object]) -> None:
        await until(self.pilot, seen)

    @property
    def note(self) -> str:
        return str(self.screen.query_one("#form-note").content)

    @property
    def result(self):
        return self.app.results[-1] if self.app.results else None

    def shown(self) -> str:
        return "\n".join(
            "".join(segment.text for segment in strip)
            for strip in self.app.screen._compositor.render_strips()
        )

    def row_of(self, words: str) -> int:
        return next(y for y, line in enumerate(self.shown().splitlines()) if words in line)


@pytest.fixture
def person() -> Callable:
    @asynccontextmanager
    async def at(request=REPORT, size: tuple[int, int] = (100, 40), opened: bool = True, **options):
        app = Host(request, **options)
        async with app.run_test(size=size) as pilot:
            one = Person(app, pilot)
            await one.shown_first(opened=opened)
            yield one

    return at
