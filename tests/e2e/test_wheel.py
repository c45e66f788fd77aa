"""What a user installs: the wheel, in an empty environment, outside of the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal, plain_environment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_has_everything_the_application_reads(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"dogent_tui/styles/{style.name}" for style in (ROOT / "styles").glob("*.tcss")} <= names
    assert {f"dogent_tui/agent/prompts/{name}.md" for name in ("system", "user")} <= names
    assert any(name.startswith("dogent_tui/sample/files/") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


async def test_it_starts_from_an_empty_environment(wheel, tmp_path, home):
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    install = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    subprocess.run(install, check=True, cwd=tmp_path)
    program = environment / "bin" / "dogent-tui"
    version = subprocess.run([str(program), "--version"], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert version.stdout.startswith("dogent-tui ")
    async with Terminal.open([str(program), "--sample"], cwd=tmp_path, env=plain_environment(home, PYTHONPATH="")) as terminal:
        await terminal.wait_for("What shall we write?", "offline engine")
        await terminal.wait_for("ready")
        terminal.type("Write a short report from @meeting-notes.md ")
        terminal.type("\r")
        await terminal.wait_for("done in")
    assert list((home / ".dogent" / "state" / "sample").rglob("drafts/*.md"))
