"""Suggested prompts for an empty conversation: about files that exist, and possible with every
engine.
"""

from collections.abc import Sequence

from dogent_tui.language import tr
from dogent_tui.references.lookup import format_reference

_OF_THE_SAMPLE = (
    (("meeting-notes.md",), "What was decided in @meeting-notes.md?"),
    (("visits-2025.csv",), "Which month had the most Sunday visits? @visits-2025.csv"),
    (
        ("meeting-notes.md", "interview-okafor.txt"),
        "Draft a report from @meeting-notes.md and @interview-okafor.txt",
    ),
)
"""Suggestions for the sample workspace, and the files they require."""

_TEXTS = (".md", ".markdown", ".txt", ".docx", ".pdf", ".odt", ".rtf")
_TABLES = (".csv", ".tsv", ".xlsx")
_MOST = 3
_LONGEST = 60
"""The maximum length of a path in a suggestion; longer ones do not help a reader."""


def requests_for(paths: Sequence[str]) -> tuple[str, ...]:
    """Return at most three suggestions for a folder that contains `paths`, for the most relevant
    files first.
    """
    if all(name in paths for names, _ in _OF_THE_SAMPLE for name in names):
        return tuple(request for _, request in _OF_THE_SAMPLE)
    named = [path for path in paths if len(path) <= _LONGEST and not path.startswith(".")]
    texts = [format_reference(path) for path in named if path.lower().endswith(_TEXTS)]
    tables = [format_reference(path) for path in named if path.lower().endswith(_TABLES)]
    markdown = [
        reference for reference in texts if reference.strip('@"').lower().endswith(_TEXTS[:2])
    ]
    found = [
        *(tr("Show the outline of {file}", file=reference) for reference in markdown[:1]),
        *(tr("What is the largest value in {file}?", file=reference) for reference in tables[:1]),
        *([tr("Draft a report from {files}", files=_listed(texts[:2]))] if texts else []),
        *([tr("Which files are here?")] if named else []),
        *(tr("How many words does {file} have?", file=reference) for reference in texts[:1]),
    ]
    return tuple(found[:_MOST])


def _listed(texts: Sequence[str]) -> str:
    # not `language.listing`: a reference ends at a blank, which Chinese lists do without
    return tr("{file} and {other}", file=texts[0], other=texts[1]) if texts[1:] else texts[0]
