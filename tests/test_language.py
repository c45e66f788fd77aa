"""The language of the interface: which one is spoken, and that every message is translated and
can still be filled in.
"""

import ast
import os
import re
import string
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

import dogent_tui
from dogent_tui.language import listing, sentences, spoken

PACKAGE = Path(dogent_tui.__file__).parent
SLOT = re.compile(r"\{[^}]*\}")
CATALOG = PACKAGE / "locale" / "zh_CN" / "LC_MESSAGES" / "dogent_tui"


KEYWORDS = {
    "tr": None,
    "ngettext": (1, 2),
    "bound": (3,),
    "hidden": (3,),
    "command": (2,),
}
"""What translates which of its arguments, as `make messages` collects them."""


@cache
def collected() -> dict[str | tuple[str, ...], str]:
    """Return every message of the code, and where it is."""
    found = extract_from_dir(
        str(PACKAGE), method_map=[("**.py", "python")], keywords=dict(KEYWORDS)
    )
    return {message: f"{file}:{line}" for file, line, message, *_ in found}


@pytest.fixture(scope="module")
def chinese() -> Catalog:
    with CATALOG.with_suffix(".po").open("rb") as file:
        return read_po(file)


def plain(message: Message) -> tuple[list[str], list[str]]:
    """Return a message and its translation, in the singular and the plural where it has both."""
    return tuple(
        [found] if isinstance(found, str) else list(found) for found in (message.id, message.string)
    )  # type: ignore[return-value]


def slots(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize(
    ("environ", "chosen", "language"),
    [
        ({}, "", "en"),
        ({"LANG": "zh_CN.UTF-8"}, "", "zh_CN"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "de_DE.UTF-8"}, "", "en"),
        ({"LANG": "C.UTF-8"}, "zh_CN", "zh_CN"),
        ({"LANG": "zh_CN.UTF-8"}, "en", "en"),
        ({"DOGENT_LANGUAGE": "zh-Hans"}, "en", "zh_CN"),
        ({"LANG": "zh_TW.UTF-8"}, "", "en"),
        ({"DOGENT_LANGUAGE": "xx"}, "zh_CN", "en"),
    ],
)
def test_which_language_is_spoken(environ, chosen, language):
    assert spoken(environ, chosen) == language


@pytest.mark.parametrize(
    ("words", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_a_list_in_a_sentence(words, said):
    assert listing(words) == said


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """Return the syntax of each file."""
    return {
        file: list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        for file in sorted(PACKAGE.rglob("*.py"))
    }


def test_sentences_stand_after_each_other_as_their_script_has_it():
    assert sentences("One.", "", "Two.") == "One. Two."
    assert sentences("一。", "二。", "Three.") == "一。二。Three."
    assert sentences() == ""


@pytest.mark.slow
def test_no_message_hides_where_it_is_not_collected():
    """What is collected does not look into f-strings."""
    for file, found in nodes().items():
        inside = [
            node
            for string in found
            if isinstance(string, ast.JoinedStr)
            for node in ast.walk(string)
        ]
        calls = [
            node
            for node in inside
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        assert not [call.lineno for call in calls if call.func.id in KEYWORDS], file


@pytest.mark.slow
def test_every_message_is_translated(chinese):
    missing = [
        f"{place}: {message}"
        for message, place in collected().items()
        if (found := chinese.get(message)) is None
        or not (all(found.string) if isinstance(found.string, tuple) else found.string)
    ]
    assert not missing, "Run make messages, and translate:\n" + "\n".join(missing)


SAID_BY = {"Notice", "ConfigWarning", "Finding", "Failed", "print", "doubt", "lose", "add_argument"}
"""Calls beside those of errors that say something to a user."""


def said_by() -> set[str]:
    """Return the names of all calls that say something to a user. `RequestError` answers the
    agent, which wrote the request.
    """
    code = "\n".join(file.read_text("utf-8") for file in PACKAGE.rglob("*.py"))
    bases = dict(re.findall(r"^class (\w+)\((\w+Error)\):", code, re.MULTILINE))
    errors = {name for name in bases if "DogentError" in lineage(name, bases)} | {"DogentError"}
    return SAID_BY | errors - {"RequestError"}


def lineage(name: str, bases: dict[str, str]) -> list[str]:
    return [name, *lineage(bases[name], bases)] if name in bases else [name]


def untranslated(call: ast.Call) -> list[str]:
    """Return the words that a call is given as they are: no name of something, and no key."""
    words = call.args[2:] if ast.unparse(call.func) == "Finding" else call.args
    given = [
        *words,
        *(
            keyword.value
            for keyword in call.keywords
            if keyword.arg not in {"group", "name", "metavar", "code"}
        ),
    ]
    texts = [
        argument.value
        if isinstance(argument, ast.Constant)
        else "".join(part.value for part in argument.values if isinstance(part, ast.Constant))
        for argument in given
        if isinstance(argument, ast.JoinedStr)
        or (isinstance(argument, ast.Constant) and isinstance(argument.value, str))
    ]
    return [text for text in texts if re.search(r"[a-z]{2} [a-z]{2}", text)]


@pytest.mark.slow
def test_whatever_is_said_to_a_user_can_be_translated():
    names = said_by()
    for file, found in nodes().items():
        says = [
            node
            for node in found
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names
        ]
        assert [words for call in says for words in untranslated(call)] == [], file


@pytest.mark.slow
def test_nothing_is_translated_that_is_not_said_any_more(chinese):
    said = {message if isinstance(message, str) else message[0] for message in collected()}
    kept = {
        message.id if isinstance(message.id, str) else message.id[0]
        for message in chinese
        if message.id
    }
    assert kept <= said


def test_translations_are_filled_in_like_the_messages(chinese):
    for message in chinese:
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        for translated in strings:
            assert slots(translated) <= slots(ids[-1]) | slots(ids[0]), ids
            assert slots(ids[0]) <= slots(translated) | {"count"}, ids


def test_translations_are_chinese(chinese):
    """Or hold no words at all, or one that stays as it is, such as the name of a key."""
    texts = [(message.id, text) for message in chinese if message.id for text in plain(message)[1]]
    english = [
        text
        for text in texts
        if not re.search("[\u4e00-\u9fff]", text[1])
        and re.search("[a-z]{2}", SLOT.sub("", text[1]))
    ]
    assert [text for message, text in english if message != text or " " in text] == []


def test_what_is_shipped_is_what_was_translated(chinese):
    with CATALOG.with_suffix(".mo").open("rb") as file:
        shipped = read_mo(file)
    assert [plain(message) for message in shipped if message.id] == [
        plain(message) for message in chinese if message.id
    ]


def test_the_interface_speaks_chinese_from_its_first_message_on():
    """In a process of its own: messages are in constants, and are settled when these are
    imported.
    """
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "from dogent_tui.tui.prompt.hints import HINTS; print(HINTS['prompt'])",
        ],
        env={**os.environ, "DOGENT_LANGUAGE": "zh_CN", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    ).stdout.decode()
    assert "发送" in said
