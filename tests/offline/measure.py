"""Measures the built-in engine on a set of requests or of questions: ``python -m
tests.offline.measure FILE…``.

A set is a file of JSON lines with a folder ``folders`` beside it; ``sets/README.md`` describes
both. ``sample`` is the project's own sample workspace, ``empty`` an empty folder.
"""

import fnmatch
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from dogent_tui.offline.finder import Finder
from dogent_tui.offline.passages import Index, parse
from dogent_tui.offline.words import phrase
from dogent_tui.sample import copy_sample
from tests.offline.simulated_cli import Conversation, Turn

LONGEST_ANSWER = 3_000


@dataclass
class Measured:
    """What was counted. `failed` says of each row that does not hold why."""

    rows: int = 0
    held: int = 0
    unasked: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    kinds_held: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Of the rows that hold, 0 to 1."""
        return self.held / self.rows if self.rows else 1.0

    def count(self, kind: str, why: str, row: str) -> None:
        """Count a row that holds, or fails because of `why`."""
        self.rows += 1
        self.kinds[kind] += 1
        self.held += not why
        self.kinds_held[kind] += not why
        self.failed += [f"{row}: {why}"] if why else []


def normal(text: str) -> str:
    """Return `text` as strings of a set are compared: in lower case, without marks of emphasis,
    and with single spaces.
    """
    return re.sub(r"\s+", " ", re.sub(r"[*_`]", "", text)).lower()


def is_honest(said: str) -> bool:
    """Whether an answer is the engine's refusal, which says what works instead."""
    return any(phrase(language, "works") in said for language in ("en", "zh"))  # type: ignore[arg-type]


def measure_requests(path: Path) -> Measured:
    """Run every request of a set in a fresh copy of its folder."""
    found = Measured()
    for row in _rows(path):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve() / "work"
            _copy(path.parent / "folders" / row["folder"], row["folder"], root)
            conversation = Conversation(root)
            for typed in row.get("before", ()):
                conversation.ask(typed)
            turn = conversation.ask(row["request"])
        expected = row["expect"]
        found.unasked += expected.get("writes") is False and bool(turn.written)
        found.count(
            f"{row['kind']}-{row['lang']}",
            why_not(turn, expected, row["kind"]),
            f"{row['folder']}: {row['request']}",
        )
    return found


def why_not(turn: Turn, expected: Mapping[str, Any], kind: str) -> str:
    """Return why what came of a request is not what is expected, empty where it is."""
    honest = is_honest(turn.said)
    if "writes" in expected and bool(turn.written) != expected["writes"]:
        return f"written: {sorted(turn.written)}; said: {turn.said[:160]!r}"
    said = normal("\n".join([turn.said, *turn.written.values()]))
    if expected.get("honest") and not honest:
        return f"not declined: {turn.said[:160]!r}"
    if honest and expected.get("or_honest"):
        return ""
    if (
        honest
        and not expected.get("honest")
        and not (expected.get("any") and any(normal(one) in said for one in expected["any"]))
    ):
        return f"declined: {turn.said[:80]!r}"
    if kind in ("find", "table", "followup") and len(turn.said) > LONGEST_ANSWER:
        return f"{len(turn.said)} characters"
    missing = _missing(said, expected, "")
    if missing:
        return f"{missing}; said: {turn.said[:300]!r}"
    if not _is_near(turn.said, expected.get("near")):
        return f"not near {expected['near']['values']}: {turn.said[:80]!r}"
    matched = {
        name: [file for file in turn.written if _fits(file, name)]
        for name in expected.get("files", ())
    }
    if lacking := [name for name, files in matched.items() if not files]:
        return f"no file {lacking}, but {sorted(turn.written)}"
    text = "\n".join(turn.written[file] for files in matched.values() for file in files)
    if missing := _missing(normal(text), expected, "file_"):
        return f"in the file: {missing}"
    titles = {
        normal(line.lstrip("# "))
        for line in "\n".join(turn.written.values()).splitlines()
        if line.startswith("#")
    }
    lacking = [title for title in expected.get("headings", ()) if normal(title) not in titles]
    return f"no heading {lacking}" if lacking else ""


def _is_near(said: str, near: Mapping[str, Any] | None) -> bool:
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", said)]
    pairs = [(number, value) for number in numbers for value in near["values"]] if near else []
    return near is None or any(
        abs(number - value) <= near["tolerance"] * value for number, value in pairs
    )


def _missing(text: str, expected: Mapping[str, Any], prefix: str) -> str:
    wanted = {
        name: [normal(one) for one in expected.get(prefix + name, ())]
        for name in ("any", "all", "none")
    }
    if lacking := [one for one in wanted["all"] if one not in text]:
        return f"lacks {lacking}"
    if wanted["any"] and not any(one in text for one in wanted["any"]):
        return f"has none of {wanted['any']}"
    return f"has {unwanted}" if (unwanted := [one for one in wanted["none"] if one in text]) else ""


def _fits(path: str, pattern: str) -> bool:
    return fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path.rpartition("/")[2], pattern)


def measure_questions(path: Path) -> Measured:
    """Ask every question of a set in its whole folder: the first two passages count."""
    found = Measured()
    for row in _rows(path):
        hits = _index(path.parent / "folders" / row["folder"], row["folder"]).search(
            row["question"]
        )[:2]
        held = any(
            normal(row["passage"]) in normal(f"{hit.passage.question} {hit.passage.text}")
            for hit in hits
        )
        why = (
            ""
            if held
            else (
                f"{row['passage']!r} not in"
                f" {[f'{hit.passage.path} {hit.passage.where}' for hit in hits]}"
            )
        )
        found.count(row["set"], why, f"{row['folder']}: {row['question']}")
    return found


@lru_cache(maxsize=8)
def _index(folder: Path, name: str) -> Index:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary).resolve() / "work"
        _copy(folder, name, root)
        conversation = Conversation(root)
        texts: dict[str, str] = {}
        read = Finder.sources

        def remember(finder: Finder, **given: Sequence[str]) -> Any:
            documents = read(finder, **given)
            texts.update({document.path: document.text for document in documents})
            return documents

        Finder.sources = remember  # type: ignore[method-assign]
        try:
            conversation.ask("What was decided?")
        finally:
            Finder.sources = read  # type: ignore[method-assign]
    return Index(passage for path, text in texts.items() for passage in parse(path, text).passages)


def _copy(folder: Path, name: str, root: Path) -> None:
    if name == "sample":
        copy_sample(root)
    elif name == "empty":
        root.mkdir()
    else:
        shutil.copytree(folder, root)


def _rows(path: Path) -> Iterable[dict[str, Any]]:
    return [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]


def main(names: Sequence[str]) -> int:
    """Print what was measured of each set."""
    for name in names:
        path = Path(name).resolve()
        of_questions = bool(rows := _rows(path)) and "question" in next(iter(rows))
        found = measure_questions(path) if of_questions else measure_requests(path)
        print(f"{name}: {found.held} of {found.rows} ({found.share:.1%})")
        print(
            "  "
            + "  ".join(
                f"{kind}: {found.kinds_held[kind]}/{count}"
                for kind, count in sorted(found.kinds.items())
            )
        )
        if not of_questions:
            print(f"  files written without being asked for: {found.unasked}")
        print("".join(f"  ✗ {why}\n" for why in found.failed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
