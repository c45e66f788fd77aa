"""Documents, and proposals for them, that are as alike as a manuscript and its revision."""

import random

from hypothesis import strategies as st

LINES = st.sampled_from(
    [
        "",
        "",
        "# Tea",
        "## Green 绿茶",
        "- a point",
        "A paragraph. It has two sentences.",
        "今天天气很好，我们去公园散步。晚上下雨了。",
        "x",
        "x",
        "```",
        "\t",
        "…",
    ]
) | st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=6)
TEXTS = st.lists(LINES, max_size=14)


@st.composite
def revised(draw: st.DrawFn, text: list[str]) -> list[str]:
    """Return `text` with some lines changed, taken out or put in."""
    lines: list[str] = []
    for line in text:
        kind = draw(st.integers(0, 7))
        if kind == 0:
            continue
        if kind == 1:
            lines.append(draw(LINES))
        lines.append(f"{line} Now." if kind == 2 else line)
    return lines + draw(st.lists(LINES, max_size=2))


@st.composite
def versions(draw: st.DrawFn, count: int) -> list[list[str]]:
    """Return a text and `count - 1` revisions of it."""
    first = draw(TEXTS)
    return [first, *(draw(revised(first) | TEXTS) for _ in range(count - 1))]


def manuscript(size: int = 1_000_000) -> list[str]:
    """Return the lines of a manuscript of `size` characters."""
    chance = random.Random(7)
    words = [
        "the",
        "quick",
        "brown",
        "fox",
        "jumps",
        "over",
        "lazy",
        "dogs",
        "while",
        "rain",
        "falls",
        "on",
        "quiet",
        "houses",
        "and",
        "people",
        "read",
    ]
    lines: list[str] = []
    length = 0
    while length < size:
        lines += [f"## Chapter {len(lines)}", ""]
        for _ in range(8):
            lines += [" ".join(chance.choice(words) for _ in range(90)).capitalize() + ".", ""]
            length += len(lines[-2])
    return lines
