"""What of a local server reaches the CLI, and how its failures are worded."""

from pathlib import Path

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.cli_process import environment
from dogent_tui.agent.failures import api_failure
from dogent_tui.agent.launch import ClaudeLauncher
from dogent_tui.agent.session import session_copies
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from tests.local_models.stand_ins import LLAMA_CPP, LM_STUDIO, StandIn


def test_the_cli_is_told_of_a_window_and_lets_no_proxy_come_between(monkeypatch):
    monkeypatch.setenv("no_proxy", "wiki.corp")
    told = environment(Endpoint("llama", "local", "http://127.0.0.1:1", window=24_000), Path("/c"))
    assert told["CLAUDE_CODE_MAX_CONTEXT_TOKENS"] == "24000"
    assert told["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "6000"
    assert told["DISABLE_AUTO_COMPACT"] == "1"
    gateway = environment(Endpoint("gateway", "custom", "http://127.0.0.1:1"), Path("/c"))
    for variables in (told, gateway):
        assert variables["NO_PROXY"] == variables["no_proxy"] == "wiki.corp,127.0.0.1,localhost"
    assert "DISABLE_AUTO_COMPACT" not in environment(
        Endpoint("llama", "local", "http://127.0.0.1:1"), Path("/c")
    )


@pytest.mark.parametrize("probes", [LLAMA_CPP, LM_STUDIO], ids=["room enough", "too small"])
async def test_the_relay_stands_between_and_the_servers_key_stays_with_it(
    tmp_path, monkeypatch, probes
):
    kind, model, window = (
        ("llama.cpp", "gpt-oss-20b-mxfp4.gguf", 65536)
        if probes is LLAMA_CPP
        else ("lm-studio", "openai/gpt-oss-20b", 4096)
    )
    workspace = Workspace(tmp_path)
    async with StandIn(probes) as server:
        asked = Endpoint(
            "mine", "local", server.base_url, token="sk-mine", model=model, server=kind
        )
        libraries = Libraries(workspace, WorkspaceSettings())
        launcher = ClaudeLauncher(
            workspace,
            asked,
            Authority(workspace),
            FolderTrust(workspace),
            libraries,
            session_copies(workspace, "s"),
        )
        reached = await launcher._reach()
        assert await launcher._reach() is reached, "the relay is started once"
        await launcher.close()
    assert reached.base_url not in ("", server.base_url)
    assert "sk-mine" not in (reached.token, reached.api_key)
    assert (reached.model, reached.window) == ("claude-haiku-4-5", window)
    assert bool(launcher._untold) is (window == 4096)


def test_the_words_of_the_relay_are_what_the_user_reads():
    relay, other = Endpoint("mine", "local"), Endpoint("mine", "custom")
    failure = api_failure(
        400, "API Error: 400 Ollama does not answer at http://x.\nStart it.", relay
    )
    assert (failure.code, failure.message, failure.remedy) == (
        "local_model",
        "Ollama does not answer at http://x.",
        "Start it.",
    )
    assert api_failure(400, "API Error: 400 Something.", relay).remedy
    assert api_failure(400, "API Error: 400 Something.\nElse.", other).code == "api_400", (
        "of another endpoint they are its own"
    )
    assert "larger window" in api_failure(400, "Prompt is too long", relay).remedy
