"""What a benchmark found: rows that print as a table and are written as JSON."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path(".bench")


@dataclass(frozen=True)
class Row:
    """One number. `target` is the most it may be, None if there is no target; `beside` says what it
    was compared with.
    """

    name: str
    value: float
    unit: str = "ms"
    target: float | None = None
    beside: str = ""

    @property
    def verdict(self) -> str:
        """Whether the target was reached."""
        return "" if self.target is None else "ok" if self.value <= self.target else "MISSED"


def show(subject: str, rows: Sequence[Row]) -> None:
    """Print `rows` under the name of their subject."""
    print(f"\n{subject}")
    for row in rows:
        target = "" if row.target is None else f"≤ {row.target:g}"
        print(
            f"  {row.name:<58} {row.value:>9,.2f} {row.unit:<3} {target:>8} {row.verdict:<7}"
            f" {row.beside}".rstrip()
        )


def write(subject: str, rows: Iterable[Row]) -> None:
    """Write `rows` to ``.bench/SUBJECT.json``."""
    FOLDER.mkdir(exist_ok=True)
    data = [{**asdict(row), "verdict": row.verdict} for row in rows]
    (FOLDER / f"{subject}.json").write_text(
        json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
