"""Reading and exporting documents, as the issue has it: beside markitdown and pymupdf4llm on the
same files, in one run.

The peers live in a separate place, ``.bench/peers``, which is made when it is first wanted (the
group `bench` of ``pyproject.toml``). All of us read in a process that has its libraries loaded:
what is measured is the reading.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pymupdf

from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.exporter import Exporter
from dogent_tui.processes import kill_tree, tree_memory
from tests.benchmarks.bench_docx import PAGES as DOCX_PAGES
from tests.benchmarks.bench_docx import make_document
from tests.benchmarks.bench_printing import WARM_MS, report
from tests.benchmarks.peer import MADE_PDF_PAGES, ROWS
from tests.benchmarks.table import FOLDER, Row
from tests.documents.corpus.docx_score import all_scores, shared_documents, totals
from tests.documents.corpus.pdf_score import mean, scores
from tests.documents.corpus.xlsx_score import entries, score
from tests.documents.hostile_files import HOSTILE

ROOT = Path(__file__).parents[2]
PEERS = ROOT / FOLDER / "peers"
PEER_LIMIT_S = 60
HOSTILE_MS = 10_000.0
HOSTILE_MB = 600.0
FIRST_PAGE_MS = 300.0
WARM_ROUNDS = 5
LONG_ROWS = 100_000


class Taken(NamedTuple):
    """What reading a file took; `error` where it could not be read."""

    seconds: float = 0.0
    megabytes: float = 0.0
    chars: int = 0
    error: str = ""


def measure() -> list[Row]:
    """Measure on files that are made here, and on the corpus where it is."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        peers = _peers()
        rows = [*_reading(folder, peers), *asyncio.run(_exporting(folder)), *_hostile(folder)]
    if (shared_documents() / "manifest.json").is_file():
        rows += _corpus()
    else:
        print(
            "The corpus is not here (DOGENT_SHARED names the folder that holds documents/): no"
            " scores."
        )
    return rows


# Beside others


def _peers() -> Path | None:
    """Return the interpreter that has the peers, which are installed first; None, with a
    sentence, where they cannot be had.
    """
    python = PEERS / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = PEERS / ".ready"
    if not ready.exists():
        print(f"Installing markitdown and pymupdf4llm into {PEERS.relative_to(ROOT)}…", flush=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for command in (
            [sys.executable, "-m", "venv", PEERS],
            [*pip, "--upgrade", "pip>=25.1"],
            [*pip, "--group", "bench"],
        ):
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                print(
                    "The peers cannot be had, so we are measured alone:"
                    f" {(done.stderr.strip().splitlines() or ['?'])[-1]}"
                )
                return None
        ready.touch()
    return python


def _take(python: Path | str, who: str, path: Path) -> Taken:
    """Have `who` read `path` in a separate process. Seconds do not count the import, megabytes are
    those of the whole tree.
    """
    command = [python, "-m", "tests.benchmarks.peer", who, path]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYMUPDF_SUGGEST_LAYOUT_ANALYZER": "0"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        begun, peak = time.monotonic(), 0
        while process.poll() is None:
            peak = max(peak, tree_memory(process.pid))
            if time.monotonic() - begun > PEER_LIMIT_S:
                kill_tree(process.pid)
                return Taken(error=f"more than {PEER_LIMIT_S} s")
            time.sleep(0.02)
        said = process.stdout.read() if process.stdout else b""
    try:
        found = json.loads(said.splitlines()[-1])
    except (IndexError, ValueError):
        return Taken(error="failed")
    return Taken(found["seconds"], peak / (1 << 20), found["chars"])


def _reading(folder: Path, peers: Path | None) -> list[Row]:
    docx, pdf, xlsx = folder / "pages.docx", folder / "pages.pdf", folder / "rows.xlsx"
    make_document(docx)
    _make_pdf(pdf)
    _make_xlsx(xlsx, ROWS)
    long = folder / "long.xlsx"
    _make_xlsx(long, LONG_ROWS)
    jobs = (
        ("docx", docx, DOCX_PAGES, "ms a page of docx", ("markitdown",), None),
        ("pdf", pdf, MADE_PDF_PAGES, "ms a page of pdf", ("markitdown", "pymupdf4llm"), 100.0),
        ("xlsx", xlsx, ROWS, "ms a thousand rows of xlsx", ("markitdown",), None),
    )
    rows = []
    for kind, path, units, name, others, target in jobs:
        ours = _take(sys.executable, f"dogent-{kind}", path)
        theirs = {who: _take(peers, who, path) for who in others} if peers else {}
        per = 1000 if kind == "xlsx" else 1
        rows.append(
            Row(
                f"reading: {name}, of {units:,}",
                1000 * per * ours.seconds / units,
                "ms",
                target,
                _beside(
                    theirs, lambda found, u=units, p=per: f"{1000 * p * found.seconds / u:,.1f} ms"
                ),
            )
        )
        rows.append(
            Row(
                f"memory for it, {kind}",
                ours.megabytes,
                "MB",
                600,
                _beside(theirs, lambda f: f"{f.megabytes:,.0f} MB"),
            )
        )
    rows.append(
        Row(
            f"first 200 rows of {LONG_ROWS:,} without <dimension>",
            1000 * _first_page(long),
            "ms",
            FIRST_PAGE_MS,
        )
    )
    return rows


def _beside(theirs: dict[str, Taken], shown: Callable[[Taken], str]) -> str:
    return (
        ", ".join(f"{who} {found.error or shown(found)}" for who, found in theirs.items())
        or "no peers here"
    )


def _first_page(path: Path) -> float:
    return _take(sys.executable, "dogent-xlsx-first", path).seconds


def _make_pdf(path: Path) -> None:
    """Headings, two paragraphs and a ruled table on each page."""
    words = random.Random(1)
    with pymupdf.open() as document:
        for number in range(MADE_PDF_PAGES):
            page = document.new_page()
            page.insert_text((72, 80), f"Chapter {number + 1}", fontsize=20)
            text = " ".join(f"word{words.randrange(999)}" for _ in range(220))
            page.insert_textbox((72, 100, 520, 420), text, fontsize=10)
            for line in range(7):
                page.draw_line((72, 450 + 20 * line), (520, 450 + 20 * line))
                page.draw_line((72 + 74.6 * line, 450), (72 + 74.6 * line, 570))
            for cell in range(36):
                page.insert_text(
                    (76 + 74.6 * (cell % 6), 464 + 20 * (cell // 6)),
                    f"{cell}.{words.randrange(99)}",
                    fontsize=9,
                )
        document.save(path)


def _make_xlsx(path: Path, rows: int) -> None:
    """A sheet of so many rows that does not say how large it is, as programs write them that do
    not know it in advance.
    """
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Rows")
    for number in range(rows):
        sheet.append(
            [
                number,
                f"name {number % 977}",
                number / 7,
                number % 2 == 0,
                "a longer text in the last column",
            ]
        )
    book.save(path)


# Exporting


async def _exporting(folder: Path) -> list[Row]:
    markdown = folder / "report.md"
    markdown.write_text(report(), encoding="utf-8")
    seconds: dict[str, list[float]] = {"pdf": [], "docx": []}
    async with Exporter() as exporter:
        for kind in ("pdf", "docx"):
            for _ in range(1 + WARM_ROUNDS):
                request = ExportRequest(
                    kind=kind,
                    markdown=markdown,
                    target=folder / f"report.{kind}",
                    root=folder,
                    home=folder,
                )
                begun = time.perf_counter()
                result = await exporter.export(request)
                seconds[kind].append((time.perf_counter() - begun) * 1000)
            if kind == "pdf":
                engine, pages = result.engine, result.pages
    warm = f"median of {WARM_ROUNDS}"
    return [
        Row(f"exporting: first pdf of a session, {pages} pages", seconds["pdf"][0], beside=engine),
        Row(
            f"warm pdf, {pages} pages, {warm}",
            statistics.median(seconds["pdf"][1:]),
            target=WARM_MS,
            beside=engine,
        ),
        Row(f"docx of the same text, {warm}", statistics.median(seconds["docx"][1:])),
    ]


# Hostile files


def _hostile(folder: Path) -> list[Row]:
    """Read every hostile file by hand, as a user would, and watch all processes of it."""
    files = []
    for name, write in HOSTILE.items():
        write(folder / name)
        files.append(folder / name)
    if (shared_documents() / "manifest.json").is_file():
        listed = json.loads((shared_documents() / "manifest.json").read_text(encoding="utf-8"))[
            "entries"
        ]
        files += [
            shared_documents() / entry["path"]
            for entry in listed
            if entry["expected"]["type"] in {"error", "bounded"}
        ]
    taken = {path.name: read_by_hand(path, folder / "cache") for path in files}
    slowest = max(taken, key=lambda name: taken[name].seconds)
    largest = max(taken, key=lambda name: taken[name].megabytes)
    silent = [name for name, found in taken.items() if found.error]
    return [
        Row(
            f"hostile: the slowest of {len(taken)} files",
            1000 * taken[slowest].seconds,
            "ms",
            HOSTILE_MS,
            slowest,
        ),
        Row("the most memory for one of them", taken[largest].megabytes, "MB", HOSTILE_MB, largest),
        Row("of them without text or a sentence", len(silent), "", 0, ", ".join(silent)),
    ]


def read_by_hand(path: Path, cache: Path) -> Taken:
    """Run ``dogent-tui read`` on `path`. `error` says what is wrong with the way it ended."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(cache),
        "DOGENT_HOME": str(cache / "home"),
    }
    command = [sys.executable, "-m", "dogent_tui", "read", path]
    begun, peak = time.monotonic(), 0
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as sentence:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=said,
            stderr=sentence,
            stdin=subprocess.DEVNULL,
        )
        while process.poll() is None:
            peak = max(peak, tree_memory(process.pid))
            if time.monotonic() - begun > 4 * HOSTILE_MS / 1000:
                kill_tree(process.pid)
                process.wait()
                break
            time.sleep(0.02)
        seconds = time.monotonic() - begun
        chars, words = said.seek(0, 2), sentence.seek(0, 2)
        sentence.seek(0)
        crashed = b"Traceback" in sentence.read()
    ended_well = not crashed and (
        (process.returncode == 0 and chars > 1) or (process.returncode in {0, 1} and words > 1)
    )
    return Taken(
        seconds, peak / (1 << 20), chars, "" if ended_well else f"status {process.returncode}"
    )


# The corpus


def _corpus() -> list[Row]:
    documents = shared_documents()
    word = all_scores(documents)
    found, of = (sum(numbers) for numbers in zip(*totals(word).values(), strict=True))
    by_kind = {kind: 100 * (1 - numbers[0] / numbers[1]) for kind, numbers in totals(word).items()}
    worst = max(by_kind, key=by_kind.__getitem__)
    portable = scores(documents)
    pages = sum(one.pages for one in portable)
    headings, cells = (
        mean([one.headings for one in portable]),
        mean([one.cells for one in portable]),
    )
    sheets = [score(documents, entry) for entry in entries(documents, "dev")]
    wanted = sum(one.expected for one in sheets)
    return [
        Row(
            f"corpus: docx, text lost of {len(word)} files",
            100 * (1 - sum(s.f1 for s in word) / len(word)),
            "%",
            1,
            "macro-F1",
        ),
        Row(f"docx, structural facts lost, of {of}", 100 * (1 - found / of), "%", 2),
        Row("docx, lost of the kind of fact that fares worst", by_kind[worst], "%", 2, worst),
        Row("pdf, headings lost", 100 * (1 - headings), "%", 30, f"recall {headings:.3f}"),
        Row("pdf, cells lost", 100 * (1 - cells), "%", 45, f"recall {cells:.3f}"),
        Row(
            f"pdf, a page, of {pages}",
            1000 * sum(one.cpu_s for one in portable) / pages,
            "ms",
            100,
            "CPU",
        ),
        Row(f"xlsx, cells lost, of {wanted}", wanted - sum(one.found for one in sheets), "", 0),
        Row(
            f"xlsx, files of {len(sheets)} that end otherwise than expected",
            sum(bool(one.error) for one in sheets),
            "",
            0,
        ),
    ]
