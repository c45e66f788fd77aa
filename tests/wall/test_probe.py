"""Which wall is available is found out by going behind it."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dogent_tui.wall import probe as probe_module
from dogent_tui.wall.probe import WallStatus, probe
from tests.wall.users import as_ordinary_user

_ROOT = Path(__file__).parents[2]
_PROBE = """
import json, sys
from pathlib import Path
from dogent_tui.wall.probe import probe
found = probe(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
print(json.dumps([found.level, found.reason, found.remedy, str(found.folder), found.namespaces]))
"""


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A workspace, a folder for layers and a home."""
    workspace, state, home = tmp_path / "a work, space: é", tmp_path / "state", tmp_path / "home"
    workspace.mkdir()
    home.mkdir()
    (workspace / "file").write_text("x")
    return workspace, state, home


def _probe_in(setup: str, places: tuple[Path, Path, Path]) -> WallStatus:
    """Probe in a mount namespace of its own, after `setup` was run there as root of a user
    namespace.
    """
    script = f'{setup}; exec "$@"'
    program = [sys.executable, "-c", _PROBE, *map(str, places)]
    command = ["unshare", "-Urm", "bash", "-ec", script, "bash", *program]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    done = subprocess.run(
        command, cwd=places[0], capture_output=True, text=True, check=True, env=environment
    )
    level, reason, remedy, folder, namespaces = json.loads(done.stdout)
    return WallStatus(level, reason, remedy, Path(folder), namespaces)


def test_the_full_wall_stands_where_namespaces_are_allowed(places: tuple[Path, Path, Path]) -> None:
    found = probe(*places)

    assert found == WallStatus("full", folder=places[1])
    assert [each.name for each in places[0].iterdir()] == ["file"]
    assert not list(places[1].iterdir())


def test_as_an_ordinary_user_too() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace, state, home = (Path(folder, name) for name in ("workspace", "state", "home"))
        workspace.mkdir()
        home.mkdir()

        assert as_ordinary_user(Path(folder), lambda: probe(workspace, state, home).level) == "full"


def test_where_namespaces_are_refused_the_wall_is_partial_and_says_why(
    places: tuple[Path, Path, Path],
) -> None:
    found = _probe_in("echo 0 > /proc/sys/user/max_user_namespaces", places)

    assert found.level == "partial"
    assert not found.namespaces
    assert "does not allow user namespaces" in found.reason
    assert "max_user_namespaces" in found.remedy


def test_a_mount_in_the_workspace_is_named(places: tuple[Path, Path, Path]) -> None:
    found = _probe_in("mkdir 'with space'; mount -t tmpfs none 'with space'", places)

    assert found.level == "partial"
    assert found.namespaces
    assert str(places[0] / "with space") in found.reason


def test_layers_go_elsewhere_where_the_state_folder_cannot_hold_them(
    places: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, _, home = places
    inside = workspace / "state"
    squatted, ours = tmp_path / "squatted", tmp_path / "ours"
    squatted.mkdir()
    ours.mkdir()
    (squatted / f"dogent-{os.geteuid()}").symlink_to(workspace)
    monkeypatch.setattr(probe_module, "_SHARED", (str(squatted), str(ours)))

    found = probe(workspace, inside, home)

    assert found == WallStatus("full", folder=ours / f"dogent-{os.geteuid()}")
    assert found.folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_enter_is_not_used(
    places: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, _, home = places
    (tmp_path / f"dogent-{os.geteuid()}").mkdir(mode=0o755)
    monkeypatch.setattr(probe_module, "_SHARED", (str(tmp_path),))

    assert probe(workspace, workspace / "state", home).level == "none"


def test_a_home_that_is_the_workspace_needs_namespaces(places: tuple[Path, Path, Path]) -> None:
    """Without them its keys could not be hidden."""
    workspace, state, _ = places

    assert probe(workspace, state, workspace).level == "full"
    assert (
        _probe_in(
            "echo 0 > /proc/sys/user/max_user_namespaces", (workspace, state, workspace)
        ).level
        == "none"
    )
