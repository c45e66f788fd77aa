"""Maps the findings of a check to a text that may have changed since: for the margin of an open
document, and for the review of a change to it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dogent_tui.sources.quotes.verdicts import Finding, Verdict

_AROUND = 20
"""How many lines above and below a change a quotation affected by it may begin and end."""


class CheckedDraft(NamedTuple):
    """A text as it was checked."""

    lines: Sequence[str]
    findings: Sequence[Finding]

    def verdicts(self, lines: Sequence[str]) -> Mapping[int, Verdict]:
        """Return the verdicts on the unchanged ones of `lines`, by number from 0. Of several on one
        line, the first that is not verbatim.
        """
        places: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            places.setdefault(line, []).append(number)
        found: dict[int, Verdict] = {}
        for finding in self.findings:
            for number in range(finding.line - 1, min(finding.end_line, len(self.lines))):
                now = places.get(self.lines[number], [])
                place = min(now, key=lambda at: abs(at - number), default=None)
                if place is not None and found.get(place, "verbatim") == "verbatim":
                    found[place] = finding.verdict
        return found

    def loses_quote(self, base: Sequence[str], start: int, end: int, new: Sequence[str]) -> bool:
        """Return whether a verbatim quotation disappears when lines `start` to `end` of `base`
        become `new`.
        """
        above, below = base[max(0, start - _AROUND) : start], base[end : end + _AROUND]
        before = _joined([*above, *base[start:end], *below])
        after = _joined([*above, *new, *below])
        return any(
            (text := _joined([finding.text])) in before and text not in after
            for finding in self.findings
            if finding.kind == "quote" and finding.verdict == "verbatim"
        )


def _joined(lines: Sequence[str]) -> str:
    """Join lines, without block quote prefixes."""
    return " ".join(" ".join(line.lstrip(" \t>") for line in "\n".join(lines).split("\n")).split())
