"""The first start in the application: it is offered once, never in the way, and what is chosen
is written and used.
"""

import json
import stat
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from dogent_tui.agent.service import AgentService
from dogent_tui.local_models.model import LocalModel, LocalServer
from dogent_tui.settings.config_check import read_profiles
from dogent_tui.settings.profiles import Endpoint, choose_endpoint
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.key_hints import KeyLine
from dogent_tui.tui.setup.model import choices
from dogent_tui.tui.setup.panel import SetupPanel
from dogent_tui.tui.welcome import Welcome
from tests.agent.fake_conversation import FakeLauncher, opened_session
from tests.tui.idle import until

pytestmark = pytest.mark.slow

SERVERS = (
    LocalServer(
        "ollama", "http://127.0.0.1:11434", (LocalModel("qwen3-coder:30b", 0, 262144, True),)
    ),
    LocalServer(
        "lm-studio",
        "http://127.0.0.1:1234",
        (LocalModel("openai/gpt-oss-20b", 4096, 131072, True, True),),
    ),
)


async def found():
    return choices(SERVERS, None)


@pytest.fixture(autouse=True)
def servers(monkeypatch):
    monkeypatch.setattr("dogent_tui.tui.setup.controller._found", found)


def made(root: Path, endpoint: Endpoint | None = None, offers_setup: bool = True) -> DogentApp:
    root.mkdir(exist_ok=True)
    endpoint = endpoint or Endpoint("offline", "offline")
    service = AgentService(FakeLauncher(), endpoint, cwd=str(root))
    return DogentApp(opened_session(Workspace(root), endpoint, service), offers_setup=offers_setup)


class Started:
    def __init__(self, app: DogentApp, pilot: Pilot[None], home: Path) -> None:
        self.app, self.pilot, self.home = app, pilot, home

    @property
    def panel(self) -> SetupPanel | None:
        return self.app.setup.panel

    @property
    def prompt(self):
        return self.app.conversation.prompt.editor

    @property
    def hint(self) -> str:
        return str(self.app.conversation.query_one("#prompt-hint").render())

    def kept(self, name: str = "dogent.json") -> dict:
        file = self.home / name
        return json.loads(file.read_text()) if file.exists() else {}

    async def until(self, seen) -> None:
        await until(self.pilot, seen)

    async def shown(self) -> SetupPanel:
        await self.until(lambda: self.panel is not None and self.panel.size.height)
        assert self.panel is not None
        return self.panel


@pytest.fixture
def start(home: Path, monkeypatch: pytest.MonkeyPatch):
    """Start the application; a new session in it has the endpoint that the files lead to."""

    def opened(workspace, options):
        endpoint, _ = choose_endpoint(
            WorkspaceSettings(), home / ".dogent", override=options.profile or None
        )
        service = AgentService(FakeLauncher(), endpoint, cwd=str(workspace.root))
        session = opened_session(workspace, endpoint, service)
        return type(session)(
            **{field: getattr(session, field) for field in session.__struct_fields__}
            | {"options": options}
        )

    monkeypatch.setattr("dogent_tui.tui.sessions.current.open_session", opened)

    @asynccontextmanager
    async def started(size=(100, 30), **options):
        app = made(home / "report", **options)
        async with app.run_test(size=size) as pilot:
            s = Started(app, pilot, home / ".dogent")
            await s.until(lambda: app.opened.service.state == "idle")
            yield s

    return started


async def test_it_comes_by_itself_and_the_prompt_keeps_the_keyboard(start):
    async with start() as s:
        await s.shown()
        await s.pilot.press("1", "a")
        assert s.prompt.value == "1a"
        assert s.prompt.has_focus
        assert s.panel is not None


def words_of(panel: SetupPanel) -> str:
    return "\n".join(str(option.prompt) for option in panel.options)


async def test_it_names_the_key_that_the_user_chose_for_it(start):
    async with start() as s:
        await s.shown()
        s.app.use_keys({"setup": "f9"})
        await s.app.setup.hide()
        await s.app.setup.open()
        s.prompt.focus()
        panel = await s.shown()
        await s.until(lambda: not panel.has_focus)
        assert "F9 chooses" in words_of(panel)
        await s.pilot.press("f9")
        await s.until(lambda: panel.has_focus)


async def test_esc_takes_it_away_for_good(start):
    async with start() as s:
        await s.shown()
        await s.pilot.press("escape")
        await s.until(lambda: s.panel is None and s.kept() == {"offer_setup": False})
    async with start() as s:
        await s.until(lambda: not s.app._offers_setup)
        await s.pilot.pause(0.1)
        assert s.panel is None


async def test_sending_a_prompt_is_an_answer_too(start):
    async with start() as s:
        await s.shown()
        s.prompt.insert("go")
        await s.pilot.press("enter")
        await s.until(lambda: s.panel is None and s.kept() == {"offer_setup": False})


@pytest.mark.parametrize(
    "keys", [("f5", "1"), ("f5", "down", "up", "enter")], ids=["number", "arrows"]
)
async def test_a_local_model_is_written_and_used_at_once(start, keys):
    async with start() as s:
        await s.shown()
        s.prompt.insert("half a thought")
        before = s.app.opened.service
        await s.pilot.press(*keys)
        await s.until(lambda: s.app.opened.service is not before and s.hint)
        assert s.app.opened.endpoint.kind == "local"
        assert s.app.opened.endpoint.model == "qwen3-coder:30b"
        assert s.kept() == {"offer_setup": False, "profile": "ollama"}
        assert s.kept("claude.json")["profiles"]["ollama"]["DOGENT_LOCAL_SERVER"] == "ollama"
        assert stat.S_IMODE((s.home / "claude.json").stat().st_mode) == 0o600
        assert s.panel is None
        assert s.prompt.has_focus
        assert s.prompt.value == "half a thought"
        assert "Ollama · qwen3-coder:30b" in s.hint
        assert "qwen3-coder:30b" in str(s.app.conversation.query_one("#welcome").render())
        assert "qwen3-coder:30b" in s.app.conversation.status_bar.status.endpoint
        assert before.state == "closed"


async def test_what_else_stands_in_the_files_stays(start, home):
    (home / ".dogent").mkdir(mode=0o700)
    (home / ".dogent" / "claude.json").write_text(
        '{"profiles": {"mine": {"ANTHROPIC_API_KEY": "k", "x": 1}}, "note": "中"}'
    )
    async with start() as s:
        await s.shown()
        await s.pilot.press("f5", "2")
        await s.until(lambda: s.kept().get("profile"))
        kept = s.kept("claude.json")
        assert kept["profiles"]["mine"] == {"ANTHROPIC_API_KEY": "k", "x": 1}
        assert kept["note"] == "中"
        assert kept["profiles"]["lm-studio"]["ANTHROPIC_MODEL"] == "openai/gpt-oss-20b"


async def test_staying_offline_is_a_choice(start):
    async with start() as s:
        await s.shown()
        await s.pilot.press("f5", "4")
        await s.until(lambda: s.kept() == {"offer_setup": False, "profile": "offline"})
        await s.until(lambda: s.panel is None and s.prompt.has_focus)


async def test_typing_continues_in_the_prompt(start):
    async with start() as s:
        panel = await s.shown()
        await s.pilot.press("f5")
        await s.until(lambda: panel.has_focus)
        await s.pilot.press("H", "i")
        await s.until(lambda: s.prompt.value == "Hi" and s.prompt.has_focus)
        await s.pilot.press("f5", "9")
        await s.pilot.pause()
        assert s.panel is panel, "there is no ninth choice"


async def test_a_click_chooses(start):
    async with start() as s:
        panel = await s.shown()
        await s.pilot.click(panel, offset=(10, 4))
        await s.until(lambda: s.kept() == {"offer_setup": False, "profile": "offline"})


async def test_it_is_not_offered_where_somebody_is_chosen(start):
    for endpoint in (
        Endpoint("environment", "anthropic", api_key="k"),
        Endpoint("glm", "custom", "https://x.example", token="t"),
    ):
        async with start(endpoint=endpoint) as s:
            await s.until(lambda: not s.app._offers_setup)
            await s.pilot.pause(0.1)
            assert s.panel is None


async def test_the_command_brings_it_back_and_does_not_stop_the_agent(start):
    async with start(offers_setup=False) as s:
        s.prompt.insert("go")
        await s.pilot.press("enter")
        await s.until(lambda: s.app.opened.service.begun)
        service = s.app.opened.service
        s.prompt.insert("/setup")
        await s.pilot.press("enter")
        panel = await s.shown()
        await s.until(lambda: panel.has_focus)
        await s.pilot.press("1")
        await s.until(lambda: "/profile ollama" in s.hint)
        assert s.app.opened.service is service
        s.app.opened.review_mode.on = True
        await s.app.session.change_profile("ollama")
        assert s.app.opened.review_mode.on  # it is the same conversation
        assert s.app.opened.endpoint.model == "qwen3-coder:30b"


async def test_an_endpoint_of_ones_own_is_tried_and_written(start, monkeypatch):
    tried = []

    async def probe(_file, _name, data):
        from dogent_tui.agent.profile_check import ProbeResult

        tried.append(dict(data))
        return ProbeResult(len(tried) > 1, "It is not responding.")

    monkeypatch.setattr("dogent_tui.agent.profile_check.probe", probe)
    async with start() as s:
        await s.shown()
        await s.pilot.press("f5", "3")
        await s.until(lambda: len(s.app.screen_stack) == 2)
        form = s.app.screen

        def words():
            return str(form.query_one("#endpoint-words").render())

        address, key, model = (
            form.query_one(f"#endpoint-{name}") for name in ("address", "key", "model")
        )
        for wrong, said in (
            ("ftp://x", "http"),
            ("http://gateway.example.com", "https"),
            ("https://user:pw@x.example", "password"),
        ):
            address.value = wrong
            await s.pilot.press("enter")
            assert said in words()
            assert address.has_focus
        address.value = "https://gateway.example.com/v1/"
        await s.pilot.press("enter")
        await s.until(lambda: key.has_focus)
        await s.pilot.press("enter")
        assert "key" in words()
        key.value = "sk-[b]secret"
        await s.pilot.press("enter")
        await s.until(lambda: model.has_focus)
        await s.pilot.press("enter")
        assert "Specify the model" in words()
        model.value = "big-model"
        await s.pilot.press("enter")
        keys = form.query_one(KeyLine)
        await s.until(lambda: "Keep it anyway" in str(keys.render()))
        model.value = "bigger-model"  # another one: it would be tried again, and the line says so
        await s.until(lambda: "test it" in str(keys.render()) and not words())
        model.value = "big-model"
        await s.until(lambda: "Keep it anyway" in str(keys.render()))
        assert not s.kept("claude.json").get("profiles", {}).get("example")
        await s.pilot.press("enter")
        await s.until(lambda: s.kept().get("profile") == "example")
        assert s.kept("claude.json")["profiles"]["example"] == {
            "ANTHROPIC_BASE_URL": "https://gateway.example.com",
            "ANTHROPIC_AUTH_TOKEN": "sk-[b]secret",
            "ANTHROPIC_MODEL": "big-model",
            "ANTHROPIC_SMALL_FAST_MODEL": "big-model",
        }
        assert tried == [s.kept("claude.json")["profiles"]["example"]]
        await s.until(lambda: s.app.opened.endpoint.kind == "custom")
        assert "secret" not in s.hint


async def test_a_provider_needs_its_key_and_nothing_else(start, monkeypatch, home):
    from dogent_tui.settings.config_check import read_profiles
    from dogent_tui.settings.home_files import STUBS, ensure_home_files

    ensure_home_files(home / ".dogent")
    tried = []

    async def probe(_file, _name, data):
        from dogent_tui.agent.profile_check import ProbeResult

        tried.append(dict(data))
        return ProbeResult(
            len(tried) > 1,
            "The key is not valid. Change it in claude.json.",
            "The key is not valid.",
        )

    monkeypatch.setattr("dogent_tui.agent.profile_check.probe", probe)
    async with start(size=(80, 24)) as s:
        monkeypatch.setattr("dogent_tui.tui.setup.controller._found", lambda: provided(s))
        await s.until(lambda: s.panel is not None)
        await s.app.setup.open()
        await s.until(lambda: "DeepSeek" in words_of(s.panel))
        await s.pilot.press("2")
        await s.until(lambda: len(s.app.screen_stack) == 2)
        form = s.app.screen
        key = form.query_one("#endpoint-key")
        await s.until(lambda: key.has_focus)
        assert "DeepSeek" in str(form.query_one("#endpoint").border_title)
        await s.pilot.press("enter")
        assert "needs a key" in str(form.query_one("#endpoint-words").render())
        key.value = "sk-wrong"
        await s.pilot.press("enter")
        await s.until(
            lambda: "The key is not valid." in str(form.query_one("#endpoint-words").render())
        )
        assert "claude.json" not in str(form.query_one("#endpoint-words").render())
        key.value = "sk-right"
        await s.pilot.press("enter")
        await s.until(lambda: s.kept().get("profile") == "deepseek")
        stub = read_profiles(STUBS / "claude.json")[0]["deepseek"]
        assert s.kept("claude.json")["profiles"]["deepseek"] == {
            **stub,
            "ANTHROPIC_AUTH_TOKEN": "sk-right",
        }
        assert [one["ANTHROPIC_AUTH_TOKEN"] for one in tried] == ["sk-wrong", "sk-right"]
        await s.until(lambda: s.app.opened.endpoint.kind == "custom")


async def provided(s):
    profiles, _ = read_profiles(s.home / "claude.json")
    return choices((), None, profiles)


async def test_the_form_can_be_left(start):
    async with start() as s:
        panel = await s.shown()
        await s.pilot.press("f5", "3")
        await s.until(lambda: len(s.app.screen_stack) == 2)
        await s.pilot.press("escape")
        await s.until(lambda: len(s.app.screen_stack) == 1)
        assert s.panel is panel
        assert s.kept() == {}


async def test_a_home_that_cannot_be_written_is_said(start, home):
    (home / ".dogent").write_text("not a folder")
    async with start() as s:
        await s.shown()
        await s.pilot.press("f5", "1")
        await s.until(lambda: "could not be saved" in s.hint)


async def test_in_a_low_window_it_is_one_line_until_one_goes_there(start):
    async with start(size=(80, 15)) as s:
        panel = await s.shown()
        assert panel.size.height == 1
        await s.pilot.press("f5")
        await s.until(lambda: panel.size.height == 6)
        await s.pilot.resize_terminal(80, 24)
        await s.until(lambda: panel.size.height == 6)
        await s.pilot.press("x")
        await s.until(lambda: s.prompt.has_focus)
        assert panel.size.height == 6


SIZES = [(80, 24), (120, 40)]


def pictured(*keys: str):
    async def run_before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, DogentApp)
        app.conversation.prompt.editor.cursor_blink = False
        await until(pilot, lambda: app.setup.panel is not None and app.setup.panel.size.height)
        await until(
            pilot,
            lambda: (
                app.opened.service.state == "idle" and app.conversation.query_one(Welcome).settled
            ),
        )
        app.conversation.status_bar.status.workspace = "~/report"
        await pilot.press(*keys)
        if "3" in keys:
            await until(pilot, lambda: isinstance(app.focused, Input))  # it opens the form
        for line in app.screen.query(Input):
            line.cursor_blink = False
        await pilot.pause(0.3)

    return run_before


@pytest.mark.parametrize("size", SIZES)
def test_the_panel(home, snap_compare, size):
    assert snap_compare(made(home / "report"), terminal_size=size, run_before=pictured())


def test_the_panel_with_the_keyboard(home, snap_compare):
    assert snap_compare(
        made(home / "report"), terminal_size=SIZES[0], run_before=pictured("f5", "down")
    )


@pytest.mark.parametrize("size", SIZES)
def test_the_form(home, snap_compare, size):
    assert snap_compare(made(home / "report"), terminal_size=size, run_before=pictured("f5", "3"))
