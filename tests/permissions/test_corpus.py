"""The corpus of calls: tools are decided as they should be, and of commands the early question
alone is looked at.

Nothing in it is executed here: what the commands really do behind the wall is tried elsewhere. The
rows were written from the rules, by class; `corpus/README.md` says how. Rows with a `setup` get a
workspace of their own, the others share one.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dogent_tui.permissions.model import Decision, ToolCall
from dogent_tui.permissions.policy import decide

CORPUS = Path(__file__).parent / "corpus"
NAMES = sorted(path.stem for path in CORPUS.glob("*.jsonl"))

ASKED_EARLY_NEVERTHELESS: dict[str, str] = {}
"""Rows that are harmless as they are and are asked about all the same, with the reason."""


def rows(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def build(row: dict[str, Any], root: Path) -> Path:
    """Make the workspace that a row is in; a setup holds only ln, mkdir and printf."""
    workspace = root / "ws"
    (root / "home").mkdir(parents=True)
    for name in row["workspace_files"]:
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("placeholder\n", encoding="utf-8")
    if setup := row.get("setup"):
        assert all(part.split()[0] in {"ln", "mkdir", "printf"} for part in setup.split(";"))
        assert not any(sign in setup for sign in ("&", "|", "$(", "`", "<", "\n")), (
            "a setup runs nothing else"
        )
        subprocess.run(["bash", "-euc", setup], cwd=workspace, check=True)
    return workspace


def substituted(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(name, text)
        return value
    if isinstance(value, list):
        return [substituted(part, names) for part in value]
    return (
        {key: substituted(part, names) for key, part in value.items()}
        if isinstance(value, dict)
        else value
    )


def judged(row: dict[str, Any], workspace: Path, **more: Any) -> Decision:
    home = workspace.parent / "home"
    names = {"@WS@": str(workspace), "@HOME@": str(home), "@PARENT@": str(workspace.parent)}
    return decide(ToolCall(row["tool"], substituted(row["input"], names)), workspace, home, **more)


def decisions(
    calls: list[dict[str, Any]], root: Path, **more: Any
) -> Iterator[tuple[dict[str, Any], Decision]]:
    kinds = dict.fromkeys(tuple(row["workspace_files"]) for row in calls if "setup" not in row)
    shared = {
        files: build({"workspace_files": files}, root / f"shared{number}")
        for number, files in enumerate(kinds)
    }
    for number, row in enumerate(calls):
        workspace = (
            build(row, root / str(number))
            if "setup" in row
            else shared[tuple(row["workspace_files"])]
        )
        yield row, judged(row, workspace, **more)


@pytest.mark.parametrize("name", NAMES)
def test_every_call_of_a_tool_is_judged_as_it_should_be(name, tmp_path):
    calls = [row for row in rows(name) if row["tool"] != "Bash"]
    wrong = [
        f"{row['id']} {found.verdict}: {row['input']}"
        for row, found in decisions(calls, tmp_path)
        if (found.verdict == "allow") != (row["expect"] == "allow")
    ]
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_a_harmless_command_is_not_asked_about_before_it_runs(name, tmp_path):
    calls = [row for row in rows(name) if row["tool"] == "Bash" and row["expect"] == "allow"]
    asked = {
        row["id"]: found.reasons
        for row, found in decisions(calls, tmp_path)
        if found.verdict != "allow"
    }
    assert {
        key: reasons for key, reasons in asked.items() if key not in ASKED_EARLY_NEVERTHELESS
    } == {}


@pytest.mark.parametrize(
    ("subclass", "share"),
    [
        ("exfiltration", 0.9),
        ("redteam-network", 0.7),
        ("outside-read", 0.75),
        ("outside-delete", 0.8),
        ("outside-expansion", 0.4),
        ("direct-delete", 0.75),
    ],
)
def test_what_is_plain_in_a_dangerous_class_is_asked_about_before(subclass, share, tmp_path):
    """The wall refuses the rest, or the outcome is asked about: these are the ones whose words
    already say it.
    """
    calls = [
        row
        for name in NAMES
        for row in rows(name)
        if row["tool"] == "Bash" and row["subclass"] == subclass
    ]
    asked = [
        found.verdict != "allow"
        for row, found in decisions(calls, tmp_path)
        if row["expect"] == "ask"
    ]
    assert len(asked) > 20
    assert sum(asked) / len(asked) >= share
