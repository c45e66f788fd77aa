"""Checking a draft of 100 quotations, half of them altered, against 1,000 pages: processor time
of the whole command. And the picker of citations over a large bibliography, key by key.
"""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.table import Row

SOURCES, PAGES, WORDS = 50, 1_000, 320
QUOTES = 100
COLD_S, WARM_S = 3.0, 1.0
ENTRIES, KEY_MS = 10_000, 30.0


def measure() -> list[Row]:
    """Measure with the documents converted and nothing looked through yet, and again."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        draft = _write(folder)
        environment = {**os.environ, "XDG_CACHE_HOME": f"{made}/cache"}
        command = [
            sys.executable,
            "-m",
            "dogent_tui",
            "check",
            str(draft),
            "--sources",
            f"{made}/sources",
            "--json",
        ]
        _cpu_seconds(command, environment)
        for kept in (folder / "cache").rglob("*.words"):
            kept.unlink()
        cold = _cpu_seconds(command, environment)
        warm = min(_cpu_seconds(command, environment) for _ in range(3))
    what = f"{QUOTES} quotes, {PAGES:,} pages"
    return [
        Row(f"{what}, cold from cached Markdown, CPU", 1_000 * cold, "ms", 1_000 * COLD_S),
        Row(f"{what}, warm, CPU", 1_000 * warm, "ms", 1_000 * WARM_S),
        _citations(),
    ]


def _citations() -> Row:
    """Measure the search of the picker for a name, a year and a title, a key at a time."""
    from dogent_tui.tui.prompt.citations import Citations

    rng = random.Random(1)
    names = ["".join(rng.choices("aeiorstnlk", k=7)).title() for _ in range(2_000)]
    with tempfile.TemporaryDirectory() as made:
        entries = []
        for number in range(ENTRIES):
            name, year = rng.choice(names), rng.randrange(1950, 2026)
            title = f"On the {rng.choice(names)} of {rng.choice(names)} and the {rng.choice(names)}"
            author = [{"family": name}, {"family": rng.choice(names)}]
            key, issued = f"{name.lower()}{year}-{number}", {"date-parts": [[year]]}
            entries.append(
                {"id": key, "author": author, "issued": issued, "title": title, "type": "book"}
            )
        folder = Path(made) / ".dogent/sources"
        folder.mkdir(parents=True)
        (folder / "sources.json").write_text(json.dumps(entries))
        found = Citations(Path(made))
        while found.search("", 1)[1]:
            time.sleep(0.01)
        typed = f"{names[0].lower()} 20 {names[1].lower()}"
        took = []
        for end in range(len(typed) + 1):
            began = time.perf_counter()
            found.search(typed[:end], 50)
            took.append(1_000 * (time.perf_counter() - began))
    note = f"worst {max(took):.1f} ms"
    median = statistics.median(took)
    return Row(f"citations, {ENTRIES:,} entries, a key", median, "ms", KEY_MS, note)


def _cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    assert done.returncode == 1, done
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _write(folder: Path) -> Path:
    """Write the sources, whose words are as unevenly frequent as those of a language, and the
    draft.
    """
    rng = random.Random(1)
    letters = "etaoinshrdlucmfw"
    vocabulary = ["".join(rng.choices(letters, k=2 + number % 9)) for number in range(20_000)]
    weights = [1 / (rank + 2) for rank in range(len(vocabulary))]
    (folder / "sources").mkdir()
    quotes = []
    for number in range(SOURCES):
        paragraphs = []
        for _ in range(PAGES // SOURCES * 4):
            words = rng.choices(vocabulary, weights, k=WORDS // 4)
            paragraphs.append(" ".join(words).capitalize() + ".")
            if len(quotes) < QUOTES and rng.random() < 0.05:
                part = words[10:30]
                part[9] = "altogether" if len(quotes) % 2 else part[9]
                quotes.append(f"It says “{' '.join(part)}” (source{number}.md).")
        (folder / f"sources/source{number}.md").write_text(
            "\n\n".join(paragraphs), encoding="utf-8"
        )
    draft = folder / "draft.md"
    draft.write_text("\n\n".join(quotes), encoding="utf-8")
    return draft
