"""The optional second wall: commands of the agent in the sandbox of the operating system, as the CLI sets it up."""

import shutil
import sys
from typing import Literal, TypeAlias

from dogent_tui.language import listing, tr
from dogent_tui.workspace.settings import ConfigWarning

SandboxState: TypeAlias = Literal["off", "on", "missing"]
"""`missing`: it was asked for, and this machine has not what it needs."""

_PROGRAMS = {"bwrap": "bubblewrap", "socat": "socat"}
"""What the CLI needs on Linux, and the packages that hold it. macOS has all of it."""


def sandbox_state(*, wanted: bool) -> SandboxState:
    """Return whether the sandbox will stand."""
    if not wanted:
        return "off"
    return "missing" if missing_packages() else "on"


def missing_packages() -> tuple[str, ...]:
    """Return what must be installed for the sandbox; empty where there is nothing to install."""
    if not sys.platform.startswith("linux"):
        return ()
    return tuple(package for program, package in _PROGRAMS.items() if shutil.which(program) is None)


def sandbox_warning(state: SandboxState) -> list[ConfigWarning]:
    """Return the warning for a sandbox that was asked for and does not stand."""
    if state != "missing":
        return []
    packages = listing(missing_packages())
    message = tr("The sandbox is switched on, but {packages} is not installed: commands run without this second wall.").format(
        packages=packages
    )
    remedy = tr("Install {packages} and start again. Questions are asked as always.").format(packages=packages)
    return [ConfigWarning(message, remedy, "sandbox_missing")]


def sandbox_words(state: SandboxState) -> str:
    """Return how the sandbox stands, for a person."""
    if state == "on":
        return tr("The agent’s commands run in a sandbox: they write nothing outside the workspace, also where you allowed it.")
    if state == "missing":
        return tr("The sandbox is switched on and cannot stand: its programs are not installed.")
    return ""
