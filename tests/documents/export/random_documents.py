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
_FOREIGN = [
    "{0} 水资源的使用情况有所改善并且村庄的收入也增加了，{1}。",
    "{0} 日本語の文章です。 {1} 한국어 문장입니다.",
    "هذا نص عربي مع كلمات كثيرة في السطر الواحد",
    "זה טקסט בעברית עם מילים רבות",
    "{0} 😀 {1}.",
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
        kinds += [self._callout, self._loose_list, self._merged_table, self._wide_table]
        kinds += [self._foreign, self._marked]
        weights = [4, 3, 3, 2, 1, 3, 2, 1, 1, 2, 2]
        blocks = [self._paragraph()]
        for kind in self._chance.choices(kinds, weights, k=self._chance.randint(1, 3)):
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
        return _quoted("\n\n".join(self._sentences()))

    def _sentences(self) -> list[str]:
        return [f"{self._inline(8, 40)}." for _ in range(self._chance.randint(1, 2))]

    def _blocks(self, least: int = 0) -> str:
        """Return blocks that something else contains."""
        kinds = [self._list, self._table, self._code, self._quote]
        blocks = [f"{self._inline(3, 20)}."]
        for kind in self._chance.sample(kinds, self._chance.randint(least, 2)):
            blocks += [kind(), f"{self._inline(3, 20)}."]
        return "\n\n".join(blocks)

    def _callout(self) -> str:
        kind = self._chance.choice(["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION", ""])
        return f"> [!{kind}]\n{_quoted(self._blocks())}" if kind else _quoted(self._blocks())

    def _loose_list(self) -> str:
        first = self._chance.choice([0, 0, 1, 7])
        marks = [f"{first + at}. " if first else "- " for at in range(self._chance.randint(2, 4))]
        items = []
        for mark in marks:
            first, *lines = self._blocks(least=1).split("\n")
            items.append("\n".join([mark + first, *(" " * len(mark) * bool(o) + o for o in lines)]))
        return "\n\n".join(items)

    def _merged_table(self) -> str:
        words = [self._inline(1, 4) for _ in range(7)]
        rows = [
            f'<th rowspan="2">{words[0]}</th><th colspan="2">{words[1]}</th>',
            f"<th>{words[2]}</th><th>{words[3]}</th>",
            f'<td rowspan="2">{words[4]}</td><td>{words[5]}</td><td></td>',
            f'<td colspan="2"><ul><li>{words[6]}</li><li>1,234</li></ul></td>',
        ]
        return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in rows), "</table>"])

    def _wide_table(self) -> str:
        columns = self._chance.randint(9, 14)
        rows = [[self._words(1, 2) for _ in range(columns)] for _ in range(4)]
        lines = [rows[0], ["---"] * columns, *rows[1:]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _foreign(self) -> str:
        return self._chance.choice(_FOREIGN).format(self._words(1, 3), self._words(2, 4))

    def _marked(self) -> str:
        address = "https://example.org/" + "/".join(self._chance.choices(_WORDS, k=12))
        words = [self._words(1, 3) for _ in range(4)]
        link = f"[{words[2]}](mailto:me@example.org)"
        signs = f"m<sup>2</sup> H<sub>2</sub>O ***{words[1]}***"
        return f"{words[0]} {signs} {link} <{address}> {words[3]}."


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
