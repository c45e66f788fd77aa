"""Runs the corpora behind the wall, within throw-away roots: every command really, whatever the
gate would have said before.

    python -m tests.permissions.run_behind_wall [--each 8] [--all] [corpus.jsonl …]

Without files, all of the project's own rows. What counts is what is left of the folder and of all
around it, and what came out.
"""

import argparse
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.wall.throwaway import HOME, run_inside

CORPUS = Path(__file__).parent / "corpus"
_AT_ONCE = os.cpu_count() or 2
_FOLDER = HOME / "rows"
_SECRETS = (
    "home/.ssh/id_rsa",
    "home/.netrc",
    "home/.config/app/token",
    "neighbour/secret.txt",
    "secret.txt",
)


def rows(paths: list[Path], *, each: int = 1) -> list[dict[str, Any]]:
    """Return every `each`-th Bash row of the corpora, the same ones every time."""
    found = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    return [row for row in found if row["tool"] == "Bash"][::each]


def own_rows(*, each: int = 1) -> list[dict[str, Any]]:
    """Return the rows of the project's own corpus."""
    return rows(sorted(CORPUS.glob("*.jsonl")), each=each)


def judged_in_throwaway_roots(
    chosen: list[dict[str, Any]], at_once: int = _AT_ONCE
) -> list[dict[str, Any]]:
    """Return the outcome of each row, run in as many throw-away roots as there are processors."""
    parts = [chosen[first::at_once] for first in range(at_once)]
    with ThreadPoolExecutor(at_once) as pool:
        results = pool.map(
            lambda part: run_inside(
                "tests.permissions.run_behind_wall:judge_all", part, limit_s=3600.0
            ),
            parts,
        )
    return [result for part in results for result in part]


# ── Inside ───────────────────────────────────────────────────────────────────────────────────────


def judge_all(chosen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run rows one after the other; called within a throw-away root."""
    return [_judged(row) for row in chosen]


def _judged(row: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"id": row["id"], "expect": row["expect"], **_run(row)}
    except Exception:
        return {
            "id": row["id"],
            "expect": row["expect"],
            "verdict": "ask",
            "harm": [f"not run: {traceback.format_exc()[-800:]}"],
        }


def _run(row: dict[str, Any]) -> dict[str, Any]:
    from tests.permissions.corpus_adapter import run_behind_wall
    from tests.wall.world import (
        CANARY,
        SCRATCH,
        World,
        left_running,
        picture,
        processes,
        remove_tree,
        violations,
    )

    for place in (_FOLDER, *(entry for scratch in SCRATCH for entry in scratch.iterdir())):
        (
            remove_tree(place)
            if place.is_dir() and not place.is_symlink()
            else place.unlink(missing_ok=True)
        )
    parent = _FOLDER / "case"
    workspace, home = _build(row, parent, CANARY)
    world = World(parent, home, state=parent / "none", workspace=workspace)
    before, there = picture(world), processes()
    names = {"@WS@": str(workspace), "@HOME@": str(home), "@PARENT@": str(parent)}
    command = row["input"]["command"]
    for name, text in names.items():
        command = command.replace(name, text)
    judged = run_behind_wall(command, workspace, home)
    harm = [*violations(world, _without_state(before, home), _without_state(picture(world), home))]
    harm += left_running(there)
    output = judged.ran.output if judged.ran else ""
    if CANARY in output:
        harm.append("a secret is in the output")
    asked = [*judged.wanted, *(judged.ran.asked if judged.ran else ())]
    return {
        "verdict": judged.verdict,
        "early": judged.early,
        "asked": asked,
        "harm": harm,
        "output": output[-300:],
    }


def _without_state(picture: dict[str, Any], home: Path) -> dict[str, Any]:
    """Leave out where the application itself keeps its state."""
    return {path: entry for path, entry in picture.items() if not path.startswith(f"{home}/.local")}


def _build(row: dict[str, Any], parent: Path, secret: str) -> tuple[Path, Path]:
    """Make the workspace of a row, its home and its neighbours."""
    workspace, home = parent / "ws", parent / "home"
    workspace.mkdir(parents=True)
    for name in _SECRETS:
        path = parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{secret}\n")
    for name in row["workspace_files"]:
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("placeholder\n", encoding="utf-8")
    if setup := row.get("setup"):  # only mkdir, ln and printf
        subprocess.run(["bash", "-euc", setup], cwd=workspace, check=True, capture_output=True)
    return workspace, home


# ── By hand ──────────────────────────────────────────────────────────────────────────────────────


def _lines(results: list[dict[str, Any]]) -> Iterator[str]:
    for result in results:
        yield from (f"HARM   {result['id']}: {harm}" for harm in result["harm"])
        if (result["verdict"] == "allow") != (result["expect"] == "allow"):
            yield (
                f"OTHER  {result['id']}: {result['verdict']}, not {result['expect']}:"
                f" {result.get('asked')}"
            )
    harmed = sum(bool(result["harm"]) for result in results)
    other = sum(
        (result["verdict"] == "allow") != (result["expect"] == "allow") for result in results
    )
    yield f"{len(results)} commands run behind the wall: {harmed} did what nobody was asked about,"
    yield f"{other} were judged otherwise than the row says (what does nothing here is allowed)"


def main() -> int:
    """Run what is asked for and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--each", type=int, default=1, help="only every so many-th row")
    parser.add_argument("--json", type=Path, help="write all results there")
    given = parser.parse_args()
    absent = [path for path in given.files if not path.exists()]
    sys.stdout.writelines(f"{path} is not here\n" for path in absent)
    paths = [path for path in given.files if path.exists()] or sorted(CORPUS.glob("*.jsonl"))
    results = judged_in_throwaway_roots(rows(paths, each=given.each))
    if given.json:
        given.json.write_text(json.dumps(results, ensure_ascii=False, indent=0))
    sys.stdout.writelines(f"{line}\n" for line in _lines(results))
    return 1 if any(result["harm"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
