"""The words of messages and docs: none that `docs/style.md` replaces. The table there is what is
tested.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import dogent_tui

PACKAGE = Path(dogent_tui.__file__).parent
ROOT = PACKAGE.parent
STYLE = ROOT / "docs" / "style.md"
TEXTS = sorted(
    {
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *PACKAGE.glob("**/*.md"),
        *PACKAGE.glob("schemas/*.json"),
    }
    - {STYLE}
)


@cache
def replaced() -> dict[str, str]:
    """Return what is not written, as regular expressions of whole words → what is written
    instead, by the table of the guide.
    """
    rows = re.findall(r"^\| (`.+?) \| (.+) \|$", STYLE.read_text("utf-8"), re.MULTILINE)
    return {words: instead for cell, instead in rows for words in re.findall(r"`([^`]+)`", cell)}


def bare(tree: ast.AST) -> set[int]:
    """Return the ids of what nobody is told: docstrings, and the patterns of regular
    expressions.
    """
    quiet = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            quiet.add(id(node.value))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            quiet |= {id(inner) for inner in ast.walk(node)}
    return quiet


def said_in(file: Path) -> Iterator[tuple[int, str]]:
    """Yield every text of a module, with its line: messages, errors, help, words for the agent.
    One word is a key or a name.
    """
    tree = ast.parse(file.read_text("utf-8"))
    quiet = bare(tree)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in quiet
        ):
            yield node.lineno, node.value


def found_in(text: str) -> list[str]:
    """Return what of `text` the guide replaces, each with what is written instead. Code in
    Markdown is no prose.
    """
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return [
        f"“{match[0]}” → {instead}"
        for words, instead in replaced().items()
        for match in re.finditer(rf"\b(?:{words})(?!\w)", prose, re.IGNORECASE)
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How long shall it be?", "shall"),
        ("Download pandoc of some 40 MB", "some 40"),
        ("of some {megabytes} MB", "some {megabytes"),
        ("The conversation goes on.", "goes on"),
        ("Ask the person.", "the person"),
        ("It stands in the file.", "stands"),
        ("Put the history aside, and begin both anew", "history aside"),
    ],
)
def test_what_the_guide_replaces_is_found(text, words):
    assert any(f"“{words}” → " in found for found in found_in(text))
    assert found_in("Choose a model. Code is no prose: `shall`.") == []


@pytest.mark.slow
def test_messages_hold_to_the_guide():
    wrong = [
        f"{file}:{line}: {found}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for line, text in said_in(file)
        for found in found_in(text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_docs_hold_to_the_guide(file):
    assert found_in(file.read_text("utf-8")) == []


def test_the_guide_is_short():
    assert sum(any(map(str.isalnum, word)) for word in STYLE.read_text("utf-8").split()) <= 500


NAMED = re.compile(
    r"(?<![\w/.@~-])(?:[a-z_]+/)+[\w.-]+\.(?:py|md|toml|jsonl?)\b|`[a-z_]+\.py`|`(?:[a-z_]+/){2,}`"
)
"""A file or folder as comments and docs name one: from the root or from the package on, or a module
alone.
"""


def test_the_files_that_comments_and_docs_name_are_there():
    folders = (PACKAGE, ROOT / "tests", ROOT / "docs", ROOT / "styles")
    inside = [path for folder in folders for path in folder.rglob("*")]
    there = {f"/{path.relative_to(ROOT)}{'/' * path.is_dir()}" for path in inside}
    ends = {path[at:] for path in there for at, char in enumerate(path) if char == "/"}
    rooms = {part for path in there for part in path.split("/")[1:-1]}
    sources = {*PACKAGE.rglob("*.py"), *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")}
    gone = []
    for source in sources - {ROOT / "CHANGELOG.md", ROOT / "docs" / "glossary.md"}:
        for named in NAMED.findall(source.read_text("utf-8")):
            path = named.strip("`")
            is_ours = named[0] == "`" or path.partition("/")[0] in rooms
            if is_ours and f"/{path}" not in ends:
                gone.append(f"{source.relative_to(ROOT)}: {path}")
    assert gone == []
