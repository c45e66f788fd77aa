"""What is imported when: the price of a start is paid in imports. Who may import whom is checked
by `lint-imports`.
"""

import ast
import subprocess
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]

HEAVY = (
    "claude_agent_sdk",
    "mcp",
    "anyio",
    "pydantic",
    "aiohttp",
    "PIL",
    "httpx",
    "numpy",
    "pygments",
    "markdown_it",
    "frizbee",
    "ignore",
    "psutil",
    "rich.markdown",
    "rich.syntax",
    "textual.widgets._markdown",
    "multiprocessing",
    "http.client",
    "sqlite3",
    "dogent_tui.agent.claude",
    "dogent_tui.agent.gate",
    "dogent_tui.documents",
    "dogent_tui.offline",
    "dogent_tui.print_mode",
    "dogent_tui.vision",
    "dogent_tui.permissions.shell",
    "dogent_tui.tui.attachments.sidebar",
    "dogent_tui.tui.questions",
    "dogent_tui.tui.screens.help",
    "dogent_tui.tui.screens.history",
    "dogent_tui.tui.screens.permission",
    "dogent_tui.tui.transcript",
)
"""Not before someone can type. Prefixes of module names."""

SHOW = """
import sys
sys.path.insert(0, {root!r})
{setup}
print(*sorted(sys.modules), sep="\\n")
"""


def imported_by(setup: str, cwd: Path) -> set[str]:
    code = SHOW.format(root=str(ROOT), setup=setup)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("\n"))


def among(modules: set[str], prefixes: tuple[str, ...]) -> list[str]:
    return sorted(
        name
        for name in modules
        if any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)
    )


def test_the_version_needs_next_to_nothing(tmp_path):
    modules = imported_by("from dogent_tui.cli import main; main(['--version'])", tmp_path)
    assert among(modules, ("argparse", "asyncio", "pathlib", "textual", "rich", *HEAVY)) == []
    assert {name for name in modules if name.startswith("dogent_tui")} == {
        "dogent_tui",
        "dogent_tui.cli",
        "dogent_tui.language",
    }


def test_the_help_needs_argparse_alone(tmp_path):
    modules = imported_by("from dogent_tui.cli import _parser; _parser().format_help()", tmp_path)
    assert (
        among(
            modules,
            (
                "textual",
                "rich",
                "asyncio",
                "dogent_tui.tui",
                "dogent_tui.agent",
                "dogent_tui.settings",
                "dogent_tui.storage",
                "dogent_tui.undo",
                "dogent_tui.references",
                *HEAVY,
            ),
        )
        == []
    )


FIRST_PAINT = """
import os
from pathlib import Path
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.tui.app import DogentApp
from dogent_tui.storage.paths import Workspace

class Painted(DogentApp):
    def _begin(self):
        self.painted = set(sys.modules)
        self.exit()

import asyncio
app = Painted(open_session(Workspace(Path(".")), SessionOptions()))
async def show():
    async with app.run_test() as pilot:
        await pilot.pause()
asyncio.run(show())
assert app.painted
for name in set(sys.modules) - app.painted:
    del sys.modules[name]
"""


def test_nothing_heavy_before_the_first_paint(tmp_path):
    modules = imported_by(FIRST_PAINT, tmp_path)
    assert "dogent_tui.tui.screens.conversation" in modules
    assert among(modules, HEAVY) == []


def test_no_module_imports_itself_by_way_of_others():
    """Counts what is imported on use and for the type checker, too: a circle of those is a
    design that cannot be cut.
    """
    graph = grimp.build_graph("dogent_tui", cache_dir=None)
    left = {
        module: set(graph.find_modules_directly_imported_by(module)) & graph.modules
        for module in graph.modules
    }
    while free := {module for module, imported in left.items() if not imported & left.keys()}:
        left = {module: imported for module, imported in left.items() if module not in free}
    while unused := left.keys() - {one for imported in left.values() for one in imported}:
        left = {module: imported for module, imported in left.items() if module not in unused}
    assert not sorted(left)


def test_the_rooms_of_the_interface_import_nothing_of_theirs():
    """Modules are imported in a thread while keys are handled: a room whose `__init__` imports its
    modules, which import the room, could be seen half imported.
    """
    for init in (ROOT / "dogent_tui/tui").rglob("__init__.py"):
        found = [node for node in ast.walk(ast.parse(init.read_text("utf-8"))) if _imports(node)]
        assert not found, init


def _imports(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)
