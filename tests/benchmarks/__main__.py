"""`python -m tests.benchmarks [subject …]`: measure, print a table, write
``.bench/SUBJECT.json``.
"""

import importlib
import sys

from tests.benchmarks.table import Row, show, write

SUBJECTS = (
    "start", "session", "transcript", "prompt", "index", "outline", "review", "pane", "docx",
    "printing", "documents", "web",
    "search", "windows", "commands", "quotes", "memory", "request", "faces", "print_mode",
)  # fmt: skip


def main() -> int:
    subjects = sys.argv[1:] or list(SUBJECTS)
    unknown = [subject for subject in subjects if subject not in SUBJECTS]
    if unknown:
        print(
            f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(SUBJECTS)}.",
            file=sys.stderr,
        )
        return 2
    missed = []
    for subject in subjects:
        rows: list[Row] = importlib.import_module(f"tests.benchmarks.bench_{subject}").measure()
        show(subject, rows)
        write(subject, rows)
        missed += [row for row in rows if row.verdict == "MISSED"]
    print(f"\n{len(missed)} targets missed." if missed else "\nAll targets reached.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
