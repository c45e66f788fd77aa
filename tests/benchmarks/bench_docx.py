"""Reading docx: how much of the corpus arrives, how fast pages do, in how much memory; beside
markitdown where it is.
"""

import importlib.util
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.pandoc.program import pandoc_path, run_pandoc
from dogent_tui.documents.pandoc.reader import open_document
from tests.benchmarks.table import Row
from tests.documents.corpus.docx_score import all_scores, shared_documents, totals

PAGES = 100
WORDS_A_PAGE = 450


def make_document(path: Path) -> None:
    """Write a docx of so many pages, with headings, lists, notes and tables."""
    parts = []
    for page in range(PAGES):
        words = " ".join(f"word{(page * 7 + number) % 997}" for number in range(WORDS_A_PAGE // 3))
        parts.append(
            f"# Chapter {page}\n\n{words}\n\n**Bold** words with a note.[^{page}]\n\n[^{page}]:"
            f" Note {page}.\n\n{words}\n"
        )
        parts.append("- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" + words + "\n")
    subprocess.run([pandoc_path(), "--output", path], input="\n".join(parts).encode(), check=True)


def _beside(path: Path) -> str:
    if importlib.util.find_spec("markitdown") is None:
        return "markitdown is not installed"
    code = (
        "import sys, time; from markitdown import MarkItDown; begun = time.time(); "
        "MarkItDown().convert(sys.argv[1]); print(time.time() - begun)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=False
    )
    return (
        f"markitdown {1000 * float(done.stdout or 'nan') / PAGES:.1f} ms"
        if done.returncode == 0
        else "markitdown failed"
    )


def _hostile() -> Row:
    """A table of a few bytes that fills all the memory that pandoc may have."""
    table = b'<table><tr><td colspan="100000000" rowspan="100000000">x</td></tr></table>'
    begun = time.perf_counter()
    try:
        run_pandoc(["--from", "html", "--to", "json"], table, name="hostile")
    except DocumentError as error:
        return Row(
            "a hostile table, until refused",
            (time.perf_counter() - begun) * 1000,
            "ms",
            10_000,
            error.code,
        )
    return Row("a hostile table, not refused", float("inf"), "ms", 10_000)


def measure() -> list[Row]:
    """Measure on a made document, and on the corpus where it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pages.docx"
        make_document(path)
        begun = time.perf_counter()
        opened = open_document(path, ReadOptions(), lambda *_: None)
        next(opened.blocks)
        first = time.perf_counter() - begun
        for _ in opened.blocks:
            pass
        whole = time.perf_counter() - begun
        rows = [
            Row(f"first block of {PAGES} pages", first * 1000),
            Row("a page of them", whole * 1000 / PAGES, "ms", None, _beside(path)),
        ]
    if (shared_documents() / "manifest.json").is_file():
        scores = all_scores(shared_documents())
        found, of = (sum(numbers) for numbers in zip(*totals(scores).values(), strict=True))
        rows.append(
            Row(
                f"text lost, of {len(scores)} files (1 - macro-F1)",
                100 * (1 - sum(s.f1 for s in scores) / len(scores)),
                "%",
                1,
            )
        )
        rows.append(Row(f"structural facts lost, of {of}", 100 * (1 - found / of), "%", 2))
    rows.append(_hostile())
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    rows.append(Row("memory of pandoc, at most", peak, "MB", 600))
    return rows
