"""The SDK is imported without what it does not need."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {ROOT!r})\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_neither_mcp_nor_jsonschema_is_imported_with_it():
    loaded = run(
        "import dogent_tui.agent.claude\nprint(*{name.partition('.')[0] for name in sys.modules})"
    )
    assert "claude_agent_sdk" in loaded
    assert not {"mcp", "mcp_types", "jsonschema", "starlette", "pydantic"} & set(loaded)


@pytest.mark.slow
def test_whoever_needs_them_later_gets_the_real_ones():
    said = run(
        "import dogent_tui.agent.sdk\n"
        "import jsonschema, mcp.types\n"
        "print(mcp.types.Tool(name='a', inputSchema={}).name, jsonschema.__version__)"
    )
    assert said[0] == "a"
    assert len(said) == 2


@pytest.mark.slow
def test_other_threads_may_import_meanwhile():
    said = run(
        "import threading, types\n"
        "over = threading.Event()\n"
        "def import_more():\n"
        "    while not over.is_set():\n"
        "        sys.modules[f'more{len(sys.modules)}'] = types.ModuleType('more')\n"
        "        over.wait(0.00001)\n"
        "thread = threading.Thread(target=import_more, daemon=True)\n"
        "thread.start()\n"
        "sys.setswitchinterval(0.000001)\n"
        "import dogent_tui.agent.sdk\n"
        "over.set()\n"
        "thread.join()\n"
        "import jsonschema\n"
        "print(issubclass(jsonschema.ValidationError, Exception))"
    )
    assert said == ["True"]


@pytest.mark.thorough
@pytest.mark.slow
def test_it_takes_the_sdk_that_is_imported_already():
    said = run(
        "import claude_agent_sdk\n"
        "from dogent_tui.agent import sdk\n"
        "print(sdk.ClaudeSDKClient is claude_agent_sdk.ClaudeSDKClient)"
    )
    assert said == ["True"]
