"""``python -m tests.faults``: play rows of the fault matrix, and print what broke.

Run it again with the same seed, and it plays only what is not in its file yet. It enters a mount
namespace, so that its small disks are nobody else's.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.faults.disk import can_mount
from tests.faults.rows import QUICK, Row, named, rows
from tests.faults.stage import play

_ROOT = Path(__file__).parents[2]
_IN_NAMESPACE = "DOGENT_FAULTS_IN_NAMESPACE"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults", description="Play rows of the fault matrix."
    )
    parser.add_argument(
        "rows", nargs="*", help="state/victim/fault, or state/victim/fault#SEED: only these"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=int(time.time()) % 100_000,
        help="what all moments are drawn from",
    )
    parser.add_argument("--count", type=int, default=500, help="how many rows")
    parser.add_argument("--quick", action="store_true", help="a row for each victim")
    parser.add_argument("--jobs", type=int, default=2, help="processes that share the rows")
    parser.add_argument("--until", default="", help="HH:MM, UTC: begin no row after that")
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def _chosen(arguments: argparse.Namespace) -> list[Row]:
    if arguments.quick or arguments.rows:
        return named(arguments.rows or QUICK, arguments.seed)
    return rows(arguments.seed, arguments.count)


def main() -> int:
    """Play the rows that are asked for. Returns the exit status: 1 where something broke."""
    arguments = _arguments()
    why_no_disk = can_mount()
    if not why_no_disk and _IN_NAMESPACE not in os.environ:
        os.environ[_IN_NAMESPACE] = "1"
        os.execvp(
            "unshare", ["unshare", "--mount", sys.executable, "-m", "tests.faults", *sys.argv[1:]]
        )
    file = _ROOT / ".faults" / f"{arguments.seed}.jsonl"
    if arguments.part:
        asyncio.run(_play_part(arguments, file, why_no_disk))
        return 0
    file.parent.mkdir(exist_ok=True)
    if arguments.quick or arguments.rows:
        file.unlink(missing_ok=True)
    print(f"seed {arguments.seed}", flush=True)
    if why_no_disk:
        print(f"rows of the disk are left out: {why_no_disk}")
    command = [sys.executable, "-m", "tests.faults", *sys.argv[1:], "--seed", str(arguments.seed)]
    parts = [
        subprocess.Popen([*command, "--part", f"{number}/{arguments.jobs}"])
        for number in range(arguments.jobs)
    ]
    for part in parts:
        part.wait()
    return _print_report(_read(file))


async def _play_part(arguments: argparse.Namespace, file: Path, why_no_disk: str) -> None:
    number, _, count = arguments.part.partition("/")
    played = {tuple(one["row"]) for one in _read(file)}
    for row in _chosen(arguments)[int(number) :: int(count)]:
        if tuple(row) in played or (row.victim == "disk" and why_no_disk):
            continue
        if arguments.until and time.strftime("%H:%M", time.gmtime()) >= arguments.until:
            return
        report = await play(row)
        with file.open("a", encoding="utf-8") as lines:
            lines.write(report.line() + "\n")
        print(
            f"{row.name}#{row.seed}: {'; '.join(report.broke) or 'ok'} {report.figures}", flush=True
        )


def _read(file: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        if file.is_file()
        else []
    )


def _print_report(reports: Iterable[dict[str, Any]]) -> int:
    table = defaultdict(list)
    for report in reports:
        table[tuple(report["row"][:3])].append(report)
    print(
        f"\n{'state':<12}{'victim':<13}{'fault':<11}{'rows':>5}{'broke':>6}{'Esc s':>7}{'alive s':>8}"  # noqa: E501
    )
    failures = 0
    for (state, victim, fault), each in sorted(table.items()):
        broke = [report for report in each if report["broke"]]
        failures += len(broke)
        escape, alive = (
            max((one["figures"].get(key, 0) for one in each), default=0)
            for key in ("esc_s", "alive_s")
        )
        print(
            f"{state:<12}{victim:<13}{fault:<11}{len(each):>5}{len(broke) or '':>6}{escape:>7.2f}{alive:>8.2f}"  # noqa: E501
        )
        for report in broke:
            print(f"    #{report['row'][3]}: {'; '.join(report['broke'])}")
    total = sum(map(len, table.values()))
    print(f"\n{total} rows, {failures} broke")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
