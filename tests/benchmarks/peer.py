"""`python -m tests.benchmarks.peer WHO FILE`: read a file whole, and print the seconds and the
characters as JSON.

It runs in an interpreter that has `WHO` and need have nothing else, so nothing of ours is imported
before it is wanted. What `WHO` imports before it reads is not measured.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

MADE_PDF_PAGES = 30
ROWS = 5_000
_FIRST_ROWS = 200


def _markitdown() -> Callable[[Path], int]:
    converter = importlib.import_module("markitdown").MarkItDown()
    return lambda path: len(converter.convert(path).text_content)


def _pymupdf4llm() -> Callable[[Path], int]:
    to_markdown = importlib.import_module("pymupdf4llm").to_markdown
    return lambda path: len(to_markdown(str(path), show_progress=False))


def _ours(module: str, name: str, rows: int = 0) -> Callable[[Path], int]:
    from dogent_tui.documents.model import ReadOptions

    open_document = getattr(importlib.import_module(module), name)

    def read(path: Path) -> int:
        chars = lines = 0
        for block in open_document(path, ReadOptions(), lambda *_: None).blocks:
            chars += len(block.markdown)
            lines += block.markdown.count("\n")
            if rows and lines >= rows:
                break
        return chars

    return read


_READERS: dict[str, Callable[[], Callable[[Path], int]]] = {
    "markitdown": _markitdown,
    "pymupdf4llm": _pymupdf4llm,
    "dogent-docx": lambda: _ours("dogent_tui.documents.pandoc.reader", "open_document"),
    "dogent-pdf": lambda: _ours("dogent_tui.documents.pdf.reader", "open_pdf"),
    "dogent-xlsx": lambda: _ours("dogent_tui.documents.workbook.reader", "open_workbook"),
    "dogent-xlsx-first": lambda: _ours(
        "dogent_tui.documents.workbook.reader", "open_workbook", _FIRST_ROWS
    ),
}


def main() -> None:
    who, path = sys.argv[1], Path(sys.argv[2])
    read = _READERS[who]()
    begun = time.perf_counter()
    chars = read(path)
    print(json.dumps({"seconds": time.perf_counter() - begun, "chars": chars}))


if __name__ == "__main__":
    main()
