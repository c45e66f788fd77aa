"""How much of the workbooks of the corpus is read: `python -m tests.documents.corpus.xlsx_score
FOLDER [dev|held]`.

A cell counts as read if its text is in a cell of the Markdown, or a number that rounds to what is
shown; hidden rows and columns are expected to be left out, so their cells are taken from what is
expected where the facts name them.
"""

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dogent_tui.documents.model import Block, DocumentError, ReadOptions
from dogent_tui.documents.workbook.reader import open_workbook

_HIDDEN = {
    "own_features": {
        ("HiddenRows", row, column)
        for row in range(1, 6)
        for column in (1, 2)
        if row == 3 or column == 2
    }
}
"""Cells of hidden rows and columns: (sheet, row, column), by the name of the file."""


class Score(NamedTuple):
    """Of one workbook: cells that were expected and found, what was not found, seconds, and an
    error that was not expected.
    """

    expected: int
    found: int
    missing: list[str]
    seconds: float
    error: str = ""


def entries(folder: Path, split: str) -> list[dict[str, Any]]:
    """Return what the manifest says about the workbooks of `split`."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return [
        entry
        for entry in manifest["entries"]
        if entry["kind"] == "xlsx" and entry["split"] == split
    ]


def score(folder: Path, entry: dict[str, Any]) -> Score:
    """Read the workbook of `entry` and compare."""
    began = time.process_time()
    try:
        return _compared(folder, entry, began)
    except DocumentError as error:
        right = entry["expected"]["type"] in {"error", "bounded"}
        expected = entry["expected"].get("error", error.code)
        problem = "" if right and error.code == expected else f"{error.code}: {error}"
        return Score(0, 0, [], time.process_time() - began, problem)


def _compared(folder: Path, entry: dict[str, Any], began: float) -> Score:
    path, expected = folder / entry["path"], entry["expected"]
    if expected["type"] in {"error", "bounded"}:
        blocks = sum(1 for _block in _blocks(path, ""))
        seconds = time.process_time() - began
        late = expected["type"] == "bounded" and seconds > expected["max_s"]
        return Score(
            0,
            0,
            [],
            seconds,
            "took too long"
            if late
            else ""
            if expected["type"] == "bounded"
            else f"{blocks} blocks, no error",
        )
    total, missing = 0, []
    for sheet, texts in _expected_texts(folder, entry):
        read = Counter(text for block in _blocks(path, sheet) for text in cells(block))
        total += len(texts)
        missing += [f"{sheet}: {text}" for text in texts if not _take(read, text)]
    return Score(total, total - len(missing), missing, time.process_time() - began)


def _blocks(path: Path, sheet: str) -> Iterator[Block]:
    yield from open_workbook(path, ReadOptions(sheet=sheet), lambda *_: None).blocks


def _expected_texts(folder: Path, entry: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    expected = entry["expected"]
    if expected["type"] == "docling-md":
        markdown = (folder / expected["md"]).read_text(encoding="utf-8")
        for part in re.split(r"(?m)^## ", markdown)[1:]:
            sheet, _, body = part.partition("\n")
            # the data that a chart keeps for itself
            body = re.sub(r"(?m)^[A-Z][a-z]+ chart\n\n(?:\|.*\n?)+", "", body)
            texts = (
                text for line in body.splitlines() if line.startswith("|") for text in _row(line)
            )
            # each once: it repeats the value of merged cells
            yield (sheet.strip(), list(dict.fromkeys(texts)))
        return
    sheets = (
        json.loads((folder / expected["file"]).read_text(encoding="utf-8"))
        if "file" in expected
        else expected["sheets"]
    )
    hidden = _HIDDEN.get(Path(entry["path"]).stem, set())
    for sheet, content in sheets.get("sheets", sheets).items():
        wanted = []
        for place, text in content["cells"].items():
            row, column = (int(number) for number in place.split(","))
            if (sheet, row, column) not in hidden and str(text).strip():
                wanted.append(str(text))
        yield sheet, wanted


def cells(block: Block) -> list[str]:
    """Return the texts of the cells in `block`, as they were before they became Markdown."""
    lines = block.markdown.split("\n")
    if not lines[0].startswith("|"):
        return [_plain(block.markdown)]
    return [text for line in lines for text in _row(line)]


def _row(line: str) -> list[str]:
    texts = [text.strip() for text in re.split(r"(?<!\\)\|", line)[1:-1]]
    if all(re.fullmatch(r"-+", text) for text in texts):
        return []
    return [_plain(text) for text in texts if text]


def _plain(text: str) -> str:
    text = re.sub(
        r"\\([!-/:-@\[-`{-~])",
        r"\1",
        text.replace("\\\n", "\n").replace("<br>", "\n").replace("&#124;", "|"),
    )
    return " ".join(text.split())


def _take(read: "Counter[str]", text: str) -> bool:
    """Find `text` among what was read, and take it away."""
    plain = " ".join(text.split())
    if plain not in read:
        number = _number(plain)
        found = next(
            (shown for shown in read if number is not None and _rounds_to(number, shown)), None
        )
        if found is None:
            return False
        plain = found
    read[plain] -= 1
    if not read[plain]:
        del read[plain]
    return True


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _rounds_to(number: float, shown: str) -> bool:
    digits = re.sub(r"[^0-9.eE+-]", "", shown.replace("(", "-"))
    value = _number(digits)
    if value is None:
        return False
    unit = 10.0 ** -len(digits.partition(".")[2])
    if "%" in shown:
        value, unit = value / 100, unit / 100
    # twelve digits are expected
    return abs(value - number) <= max(unit * 0.5001, abs(number) * 1e-11)


def main(arguments: list[str]) -> None:
    """Print the score of each workbook and of all."""
    folder, split = Path(arguments[0]), (arguments[1:] or ["dev"])[0]
    total = found = 0
    for entry in entries(folder, split):
        result = score(folder, entry)
        total, found = total + result.expected, found + result.found
        told = f"{result.seconds:6.2f} s  {entry['id']} {result.error} {result.missing[:6] or ''}"
        print(f"{result.found:5}/{result.expected:<5} {told}")
    print(f"{found}/{total} cells")


if __name__ == "__main__":
    main(sys.argv[1:])
