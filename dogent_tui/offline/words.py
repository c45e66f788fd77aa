"""Text as comparable terms, and the engine's own words: `words.toml`, in English and Chinese."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

Language: TypeAlias = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u9fff]")
_MONTH_ZH = re.compile(r"(十?[一二三四五六七八九十])月")
_TOKEN = re.compile(
    r"(?P<date>(?P<year>\d{4})-(?P<month>\d\d)(?!\d))|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)(?P<in>月)?"
    r"|(?P<cjk>[\u3400-\u9fff]+)|(?P<word>[^\W\d_]+)"
)


@cache
def words() -> Mapping[str, Any]:
    """Return the content of `words.toml`."""
    found = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    stop = sorted(found["stop"].split(), key=len, reverse=True)
    chinese = re.compile("|".join(word for word in stop if _HAN.match(word)))
    return found | {"stop": frozenset(stop), "stop_zh": chinese}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return one of its regular expressions, matching any of its alternatives."""
    known = words()["verbs"] | words()["patterns"] | words()["operations"]
    return re.compile("|".join(known[name]), re.IGNORECASE | re.DOTALL)


def language_of(text: str) -> Language:
    """Return the language to answer in: Chinese if at least a fifth of the letters are Chinese."""
    letters = re.findall(r"[^\W\d_]", text)
    chinese = sum("\u3400" <= sign <= "\u9fff" for sign in letters)
    return "zh" if 5 * chinese > len(letters) else "en"


def terms(text: str) -> list[str]:
    """Return the terms of `text` in order, without stop words."""
    return [term for term in _terms(text) if term not in words()["stop"]]


def _terms(text: str) -> Iterator[str]:
    plain = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))
    for found in _TOKEN.finditer(re.sub(r"\b(in|since|until|and|to) may\b", r"\1 May", plain)):
        word = (found["word"] or "").casefold()
        if found["date"]:
            yield from (found["date"], found["year"], f"month{int(found['month'])}")
        elif found["number"]:
            yield ("month" if found["in"] else "") + found["number"].replace(",", "")
        elif found["cjk"]:
            yield from _chinese(found["cjk"])
        else:
            yield word if word in words()["stop"] and found["word"] != "May" else _stem(word)


def _chinese(run: str) -> Iterator[str]:
    """Yield the months named in Chinese, and the pairs of characters between stop words."""
    yield from (f"month{number_of(found)}" for found in _MONTH_ZH.findall(run))
    for part in words()["stop_zh"].split(run):
        yield from (part[at : at + 2] for at in range(max(len(part) - 1, bool(part))))


def number_of(numeral: str) -> int:
    """Return the value of a Chinese numeral: 二十三 is 23, 一九六三 is 1963."""
    total = digits = 0
    for value in (int(unicodedata.numeric(sign)) for sign in numeral.replace("两", "二")):
        if value < 10:
            digits = 10 * digits + value
        elif value < 10_000:
            total, digits = total + (digits or 1) * value, 0
        else:
            total, digits = (total + digits) * value, 0
    return total + digits


def figures(text: str) -> list[float]:
    """Return the numbers in `text`, in digits or in words."""
    found, names = pattern("figure").findall(text.replace("−", "-")), words()["numerals"]
    return [
        float(digits.replace(",", "") or (names.index(name) if name else number_of(numeral)))
        for digits, numeral, name in found
    ]


@cache
def _stem(word: str) -> str:
    """Return the month that a word is or begins, otherwise its stem."""
    import snowballstemmer

    for number, name in enumerate(words()["months"], 1):
        if len(word) > 2 and name.startswith(word):
            return f"month{number}"
    return str(snowballstemmer.stemmer("english").stemWord(word))


@cache
def related() -> Mapping[str, frozenset[str]]:
    """Return term → its synonyms."""
    groups = [frozenset(terms(line)) for line in words()["related"].strip().splitlines()]
    alike = {term: [one for one in groups if term in one] for group in groups for term in group}
    return {term: frozenset().union(*of) - {term} for term, of in alike.items()}


def phrase(language: Language, name: str, /, **slots: object) -> str:
    """Return a phrase with its slots filled in."""
    return str(words()["says"][name][language == "zh"]).format(**slots)


def suggest(language: Language, paths: Sequence[str]) -> list[str]:
    """Return three requests that work with the existing files."""
    last = sorted(paths, key=lambda path: path.casefold().endswith("readme.md"))
    made = list[str]()
    for kinds, least, *said in words()["suggests"]:
        files = [path for path in last if extension(path) in kinds.split()]
        made += [said[language == "zh"].format(*files)] if len(files) >= least else []
    return made[:3]


def extension(path: str) -> str:
    """Return the extension of a file's name, in lower case and without the dot."""
    return path.rpartition("/")[2].rpartition(".")[2].lower()
