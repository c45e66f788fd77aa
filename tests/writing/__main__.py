"""``python -m tests.writing --profile NAME``: have a model do the tasks of writing, and print what
came of each check.

What is done is kept in ``.writing/NAME.jsonl``: run it again, and it does only what is left.
``--record`` makes the traces of the scripted models again, by which the tests prove that each check
can pass and fail.
"""

import argparse
import asyncio
import gzip
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from tests.writing.outcome import Outcome
from tests.writing.playing import own_home, play, scripted
from tests.writing.tasks import TASKS, Task, named, spoiled

_ROOT = Path(__file__).parents[2]
RESULTS = _ROOT / ".writing"
TRACES = Path(__file__).parent / "traces.jsonl.gz"
GOOD = "good"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.writing", description="Have a model do tasks of writing."
    )
    parser.add_argument("tasks", nargs="*", help="only these, by how their names begin")
    parser.add_argument("--profile", default="", help="a profile of ~/.dogent/claude.json")
    parser.add_argument("--anew", action="store_true", help="do what is done already once more")
    parser.add_argument("--record", action="store_true", help="record the scripted models")
    return parser.parse_args()


def main() -> int:
    """Do what is asked for. Returns the exit status: 1 where a check failed, 2 for wrong usage."""
    arguments = _arguments()
    tasks = named(tuple(arguments.tasks))
    if arguments.record:
        asyncio.run(_record(tasks))
        return 0
    if not arguments.profile or not tasks:
        print(
            "Name a profile with --profile, and tasks that there are: "
            + ", ".join(task.name for task in TASKS),
            file=sys.stderr,
        )
        return 2
    file = RESULTS / f"{arguments.profile}.jsonl"
    file.parent.mkdir(exist_ok=True)
    if arguments.anew:
        file.unlink(missing_ok=True)
    asyncio.run(evaluate(tasks, arguments.profile, file))
    return show(tasks, read_outcomes(file.read_bytes().splitlines() if file.exists() else ()))


async def evaluate(tasks: Sequence[Task], profile: str, file: Path) -> None:
    """Play what is not in `file` yet, and add it there."""
    done = {
        outcome.task
        for outcome in read_outcomes(file.read_bytes().splitlines() if file.exists() else ())
    }
    with own_home():
        for task in tasks:
            if task.name in done:
                continue
            outcome = await play(task, profile, profile)
            print(f"{task.name}: {outcome.status}, {outcome.seconds:g} s", flush=True)
            with file.open("ab") as stream:
                stream.write(msgspec.json.encode(outcome) + b"\n")


async def _record(tasks: Sequence[Task]) -> None:
    """Record the good and the spoiled models of `tasks` in place of what is recorded of them."""
    kept = [outcome for outcome in traces() if outcome.task not in {task.name for task in tasks}]
    with own_home() as home:
        async with scripted(home) as models:
            for task in tasks:
                for model, script in {GOOD: task.good, **spoiled(task)}.items():
                    outcome = await models.play(task, model, script)
                    kept.append(msgspec.structs.replace(outcome, seconds=0.0))
                print(task.name, flush=True)
                _save(kept)


def _save(outcomes: Iterable[Outcome]) -> None:
    order = {task.name: at for at, task in enumerate(TASKS)}
    lines = [
        msgspec.json.encode(outcome)
        for outcome in sorted(outcomes, key=lambda one: order.get(one.task, 0))
    ]
    TRACES.write_bytes(gzip.compress(b"\n".join(lines) + b"\n", mtime=0))


def traces() -> list[Outcome]:
    """Return what the scripted models did."""
    return (
        read_outcomes(gzip.decompress(TRACES.read_bytes()).splitlines()) if TRACES.exists() else []
    )


def read_outcomes(lines: Iterable[bytes]) -> list[Outcome]:
    """Return the outcomes in JSON, one a line."""
    return [msgspec.json.decode(line, type=Outcome) for line in lines]


def show(tasks: Sequence[Task], outcomes: Iterable[Outcome]) -> int:
    """Print a table of tasks and one of checks. Returns 1 where something failed or is missing."""
    by_task = {outcome.task: outcome for outcome in outcomes}
    counted: dict[str, list[bool]] = defaultdict(list)
    failed = 0
    print(f"\n{'task':<30} {'cost':>9} {'time':>8} {'context':>8} {'checks':>7}")
    for task in tasks:
        outcome = by_task.get(task.name)
        if outcome is None:
            print(f"{task.name:<30} not done")
            failed += 1
            continue
        reasons = {check.name: check.judge(outcome) for check in task.checks}
        for name, reason in reasons.items():
            counted[name].append(not reason)
        wrong = {name: reason for name, reason in reasons.items() if reason}
        failed += bool(wrong)
        cost = "unknown" if outcome.cost_usd is None else f"{outcome.cost_usd:.4f} $"
        passed = f"{len(reasons) - len(wrong)}/{len(reasons)}"
        print(
            f"{task.name:<30} {cost:>9} {outcome.seconds:>6.0f} s {outcome.tokens:>8,} {passed:>7}"
        )
        for name, reason in wrong.items():
            print(f"    {name}: {reason}")
    print(f"\n{'check':<30} {'passed':>8}")
    for name, results in sorted(counted.items()):
        print(f"{name:<30} {f'{sum(results)}/{len(results)}':>8}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
