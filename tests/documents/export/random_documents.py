"""Documents at random, in the Markdown that the readers write: what an export of one is read back
as is the same text.
"""

import random

_WORDS = ["annual", "archive", "board", "budget", "engine", "figure", "harvest", "income", "letter"]
_WORDS += [
    "measure",
    "number",
    "policy",
    "quarter",
    "report",
    "theory",
    "vessel",
    "village",
    "water",
]
_CODE = [
    ["def {0}({1}):", "    for {2} in {1}:", "        yield {2} * 7", "", "    return None"],
    ["+--------+", "| {0} |", "+--------+"],
    ["for {0} in *.csv; do", '    echo "{1}: ${0}"', "done"],
]
_FORMULAS = [r"$x_{1}^{2} + b$", "$y$", r"$\sqrt{a}$"]


def random_document(seed: int) -> str:
    """Return a document of some pages. The same `seed` makes the same one."""
    return _Writer(random.Random(seed)).document()


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._notes: list[str] = []

    def document(self) -> str:
        blocks = [f"# {self._words(2, 5)}"]
        depth = 1
        for _ in range(self._chance.randint(4, 9)):
            depth = self._chance.randint(2, min(4, depth + 1))
            blocks.append(f"{'#' * depth} {self._words(2, 6)}")
            blocks += self._section()
        notes = [f"[^{number}]: {text}" for number, text in enumerate(self._notes, 1)]
        return "\n\n".join(blocks + notes)

    def _section(self) -> list[str]:
        kinds = [self._list, self._table, self._code, self._quote, self._long_table]
        blocks = [self._paragraph()]
        for kind in self._chance.choices(kinds, [4, 3, 3, 2, 1], k=self._chance.randint(1, 3)):
            blocks += [kind(), self._paragraph()]
        return blocks

    def _words(self, least: int, most: int) -> str:
        words = self._chance.choices(_WORDS, k=self._chance.randint(least, most))
        return " ".join(words).capitalize()

    def _inline(self, least: int, most: int) -> str:
        words = self._words(least, most).split()
        for at in range(1, len(words), 2):
            if self._chance.random() < 0.15:
                ways = [f"**{words[at]}**", f"*{words[at]}*", f"`{words[at]}_2`", *_FORMULAS]
                words[at] = self._chance.choice(ways)
        return " ".join(words)

    def _paragraph(self) -> str:
        text = " ".join(f"{self._inline(8, 25)}." for _ in range(self._chance.randint(1, 4)))
        if self._chance.random() < 0.2:
            self._notes.append(f"{self._inline(5, 15)}.")
            text += f"[^{len(self._notes)}]"
        return text

    def _list(self, depth: int = 0) -> str:
        is_ordered = self._chance.random() < 0.5
        lines: list[str] = []
        for number in range(1, self._chance.randint(3, 7)):
            mark = f"{number}. " if is_ordered else "- "
            lines.append(mark + self._inline(2, 30))
            if depth < 2 and self._chance.random() < 0.3:
                nested = self._list(depth + 1).split("\n")
                lines += [" " * len(mark) + line for line in nested]
        return "\n".join(lines)

    def _table(self, most: int = 6) -> str:
        columns = self._chance.randint(2, 5)
        rows = [
            [self._cell() for _ in range(columns)] for _ in range(self._chance.randint(2, most))
        ]
        head = [self._words(1, 2) for _ in range(columns)]
        lines = [head, ["---"] * columns, *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _long_table(self) -> str:
        return self._table(50)

    def _cell(self) -> str:
        number = f"{self._chance.randint(1, 9999):,}"
        return self._chance.choice([number, number, "–", self._inline(1, 4), self._inline(5, 12)])

    def _code(self) -> str:
        names = self._chance.sample(_WORDS, 3)
        lines = [line.format(*names) for line in self._chance.choice(_CODE)]
        lines *= self._chance.choice([1, 1, 8])
        if self._chance.random() < 0.3:
            lines.append(f"# {self._words(15, 40)}")
        return "\n".join(["```", *lines, "```"])

    def _quote(self) -> str:
        paragraphs = [f"{self._inline(8, 40)}." for _ in range(self._chance.randint(1, 2))]
        return "\n>\n".join(f"> {paragraph}" for paragraph in paragraphs)
