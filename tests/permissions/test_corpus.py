"""The corpus of calls: what must be asked is asked, what is harmless is not. Nothing in it is ever executed.

The rows were written from the rules, by class; `corpus/README.md` says how. Rows with a `setup` get a workspace of their own,
the others share one with the same files.
"""

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dogent_tui.permissions.model import ToolCall
from dogent_tui.permissions.policy import decide
from dogent_tui.permissions.shell import parser
from tests.permissions.parsed_together import Parsed, parsed_together

CORPUS = Path(__file__).parent / "corpus"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def build(row: dict[str, Any], root: Path) -> Path:
    """Make the workspace that a row stands in; a setup holds only ln, mkdir and printf."""
    workspace = root / "ws"
    (root / "home").mkdir(parents=True)
    for name in row["workspace_files"]:
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("placeholder\n", encoding="utf-8")
    if setup := row.get("setup"):
        assert all(part.split()[0] in {"ln", "mkdir", "printf"} for part in setup.split(";"))
        assert not any(sign in setup for sign in ("&", "|", "$(", "`", "<", "\n")), "a setup runs nothing else"
        subprocess.run(["bash", "-euc", setup], cwd=workspace, check=True)
    return workspace


def substituted(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(name, text)
        return value
    if isinstance(value, list):
        return [substituted(part, names) for part in value]
    return {key: substituted(part, names) for key, part in value.items()} if isinstance(value, dict) else value


def judged(row: dict[str, Any], workspace: Path) -> str:
    home = workspace.parent / "home"
    names = {"@WS@": str(workspace), "@HOME@": str(home), "@PARENT@": str(workspace.parent)}
    return decide(ToolCall(row["tool"], substituted(row["input"], names)), workspace, home).verdict


def wrong(path: Path, root: Path) -> Iterator[str]:
    calls = rows(path)
    kinds = dict.fromkeys(tuple(row["workspace_files"]) for row in calls if "setup" not in row)
    shared = {files: build({"workspace_files": files}, root / f"shared{number}") for number, files in enumerate(kinds)}

    def one(numbered: tuple[int, dict[str, Any]]) -> str:
        number, row = numbered
        verdict = judged(row, build(row, root / str(number)) if "setup" in row else shared[tuple(row["workspace_files"])])
        return "" if (verdict == "allow") == (row["expect"] == "allow") else f"{row['id']} {verdict}: {row['input']}"

    with ThreadPoolExecutor(4) as pool:
        yield from filter(None, pool.map(one, enumerate(calls)))


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    calls = [row for path in sorted(CORPUS.glob("*.jsonl")) for row in rows(path)]
    return parsed_together([row["input"]["command"] for row in calls if row["tool"] == "Bash"])


@pytest.mark.slow
def test_commands_parsed_together_are_parsed_as_each_of_them_alone(parsed):
    assert len(parsed) > 4000
    for command in list(parsed)[::40]:
        assert parsed[command] == parser.parse(command)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in CORPUS.glob("*.jsonl")))
def test_every_call_of_a_class_is_judged_as_it_should_be(name, tmp_path, parsed, monkeypatch):
    """What a row has with the names of its places in it, and what stands in strings of others, is parsed for itself."""
    alone = parser._parse
    monkeypatch.setattr(parser, "_parse", lambda program, text: parsed[text] if text in parsed else alone(program, text))
    assert list(wrong(CORPUS / f"{name}.jsonl", tmp_path)) == []
