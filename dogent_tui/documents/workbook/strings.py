"""The texts that the cells of a workbook share, read only as far as they are asked for."""

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.workbook.package import Package, shown_text
from dogent_tui.language import tr

_MOST_MEMORY = 200_000_000
"""Bytes of shared texts that are held. The largest workbook that Excel saves with a million
different texts needs half of it.
"""


class SharedStrings:
    """The texts by their number. Cells mostly number them in the order in which they come, so the
    first rows need only the first.

    Raises DocumentError `too_large` when they take too much memory, and what `Package` raises.
    """

    def __init__(self, package: Package, part: str) -> None:
        self._texts: list[str] = []
        self._memory = 0
        self._name = package.name
        self._rest = (shown_text(node) for node in package.nodes(part, ["si"]))

    def __getitem__(self, number: int) -> str:
        """Return the text `number`, "" if there are not so many."""
        while number >= len(self._texts) and (text := next(self._rest, None)) is not None:
            self._texts.append(text)
            self._memory += text.__sizeof__() + 8
            if self._memory > _MOST_MEMORY:
                raise DocumentError(
                    tr("The text in {name} exceeds {size} MB.").format(
                        name=self._name, size=_MOST_MEMORY // 1000000
                    ),
                    tr("Save the sheet you need as its own workbook, or as csv."),
                    code="too_large",
                )
        return self._texts[number] if 0 <= number < len(self._texts) else ""

    def close(self) -> None:
        """Read no further."""
        self._rest.close()
