"""What a user installs: the wheel, in an empty environment, outside of the checkout.

The environment holds the wheel and what the wheel says that it needs, with all that this needs in
turn, and nothing else of what is installed here. The packages are links to those of this
environment, which `make setup` had pip find by the same list.
"""

import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.e2e.terminal import TAB, Terminal, plain_environment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_has_everything_the_application_reads(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    styles = [file for file in (ROOT / "styles").rglob("*") if file.is_file()]
    assert {f"dogent_tui/styles/{file.relative_to(ROOT / 'styles')}" for file in styles} <= names
    assert {f"dogent_tui/agent/prompts/{name}.md" for name in ("system", "user")} <= names
    assert {
        f"dogent_tui/schemas/{name}.schema.json"
        for name in ("claude", "web", "vision", "dogent", "home")
    } <= names
    assert any(name.startswith("dogent_tui/sample/files/") for name in names)
    assert {
        f"dogent_tui/faces/page/{name}" for name in ("index.html", "page.css", "page.js")
    } <= names
    assert {
        f"dogent_tui/documents/export/reference/{name}"
        for name in ("_rels/.rels", "word/document.xml", "word/styles.xml", "word/header1.xml")
    } <= names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


@pytest.mark.thorough
async def test_it_starts_from_an_empty_environment(wheel, tmp_path, home):
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    metadata = PathDistribution(
        zipfile.Path(wheel, f"dogent_tui-{wheel.name.split('-')[1]}.dist-info/")
    )
    for needed in all_needed(metadata.requires or []):
        link(needed, environment)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(environment)]
    subprocess.run(
        [*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel)],
        check=True,
        cwd=tmp_path,
    )
    # each is there, in a version that will do
    subprocess.run([*pip, "check"], check=True, cwd=tmp_path)
    program = environment / "bin" / "dogent-tui"
    version = subprocess.run(
        [str(program), "--version"], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert version.stdout.startswith("dogent-tui ")
    async with Terminal.open(
        [str(program), "--sample"], cwd=tmp_path, env=plain_environment(home, PYTHONPATH="")
    ) as terminal:
        question = "Folder for the sample documents [~/dogent-sample]:"
        await terminal.wait_for(question)
        terminal.type("\x1b[A\r")
        await terminal.until(lambda: terminal.text().count(question) == 2, "the question again")
        terminal.type("\r")
        await terminal.wait_for("What would you like to write?", "offline engine")
        await terminal.wait_for("ready")
        terminal.type("Write a short report from @meeting-notes.md and @inter")
        await terminal.wait_for("interview-okafor.txt")
        terminal.type(f"{TAB} ")
        terminal.type("\r")
        await terminal.wait_for("I wrote drafts/report.md", "done in")
    assert list((home / "dogent-sample").rglob("drafts/*.md"))


def all_needed(requirements: Iterable[str]) -> list[Distribution]:
    """The installed distributions that `requirements` name, and those that these name."""
    found: dict[tuple[str, frozenset[str]], Distribution] = {}
    wanted = [(Requirement(text), frozenset[str]()) for text in requirements]
    while wanted:
        requirement, extras_of_whoever_asks = wanted.pop()
        key = (requirement.name, frozenset(requirement.extras))
        marker = requirement.marker
        if key in found or (
            marker
            and not any(
                marker.evaluate({"extra": extra}) for extra in {"", *extras_of_whoever_asks}
            )
        ):
            continue
        found[key] = distribution(requirement.name)
        wanted += [(Requirement(text), key[1]) for text in found[key].requires or []]
    return list(found.values())


def link(installed: Distribution, environment: Path) -> None:
    """Put `installed` into `environment`: its packages and modules, and its programs."""
    site_packages = Path(
        sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)})
    )
    for name in {
        file.parts[0]
        for file in installed.files or []
        if file.parts[0] not in ("..", "__pycache__")
    }:
        if not (site_packages / name).exists():
            (site_packages / name).symlink_to(installed.locate_file(name))
    for file in installed.files or []:
        if file.parts[-2:-1] == ("bin",) and not (environment / "bin" / file.name).exists():
            (environment / "bin" / file.name).symlink_to(installed.locate_file(file).resolve())
