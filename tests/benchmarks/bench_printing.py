"""A pdf of a report of 18 pages: the first of a session, those after it, with a table of
contents, and without a browser.
"""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from dogent_tui.documents.export.model import ExportRequest, ExportResult
from dogent_tui.documents.exporter import Exporter
from tests.benchmarks.table import Row

PAGES = 18
WARM_MS = 500.0
ROUNDS = 7

_CHAPTER = """
## Chapter {number}

{prose}

### Figures of chapter {number}

| Quarter | Revenue | Share |
| --- | ---: | ---: |
| one | 1,234.50 | 12 % |
| two | 2,345.60 | 23 % |

{prose}

- [x] a task with *emphasis* and `code`
- another, with a [link](#chapter-{number}) and $x_{number}^2$

```python
def chapter() -> int:
    return {number}
```

<!-- pagebreak -->
"""
_PROSE = (
    "A report has sentences of middling length, which say a little more than a heading could, and"
    " break at the margin. " * 6
)


def report() -> str:
    """Return Markdown that fills so many pages."""
    return "# Report\n" + "".join(
        _CHAPTER.format(number=number, prose=_PROSE) for number in range(1, PAGES + 1)
    )


async def _export(exporter: Exporter, folder: Path, toc: bool) -> tuple[float, ExportResult]:
    request = ExportRequest(
        kind="pdf",
        markdown=folder / "report.md",
        target=folder / "report.pdf",
        root=folder,
        home=folder,
        toc=toc,
    )
    start = time.perf_counter()
    result = await exporter.export(request)
    return (time.perf_counter() - start) * 1000, result


async def _measure(folder: Path) -> list[Row]:
    (folder / "report.md").write_text(report(), encoding="utf-8")
    async with Exporter() as exporter:
        cold, result = await _export(exporter, folder, False)
        warm = [(await _export(exporter, folder, False))[0] for _ in range(ROUNDS)]
        contents = [(await _export(exporter, folder, True))[0] for _ in range(ROUNDS)]
    async with Exporter(list) as exporter:
        bare, typeset = await _export(exporter, folder, False)
    pages = f"{result.pages} pages"
    return [
        Row(f"first pdf of a session, {pages}", cold, beside=result.engine),
        Row(
            f"warm pdf, {pages}, median of {ROUNDS}",
            statistics.median(warm),
            target=WARM_MS,
            beside=result.engine,
        ),
        Row(f"warm pdf, {pages}, best", min(warm), beside=result.engine),
        Row(
            "warm pdf with a table of contents, printed twice, median",
            statistics.median(contents),
            beside=result.engine,
        ),
        Row(f"pdf without a browser, {typeset.pages} pages", bare, beside=typeset.engine),
    ]


def measure() -> list[Row]:
    """Measure in a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder).resolve()))
