"""What a program can check of a piece of writing. Each check knows how a typical bad model fails
it.

A check returns why an outcome fails it, empty where it passes.
"""

import asyncio
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.sources.quotes.quote_checker import QuoteChecker
from dogent_tui.sources.quotes.verdicts import Finding
from tests.writing.outcome import READS, WRITES, Outcome, words_of
from tests.writing.script import (
    CHECK_QUOTES,
    PROPOSE,
    Script,
    Spoil,
    Step,
    ask,
    begun_with,
    ended_with,
    last_words,
    read,
    rewritten,
    without,
    write,
)

Language = Literal["en", "de", "fr", "zh"]

_COMMON: dict[Language, str] = {
    "en": "the and of to in is that for with was on are by this be as it from at which",
    "de": (
        "der die das und in zu den von mit ist für auf im dem nicht eine ein wir wird sind des"
        " sie als"
    ),
    "fr": "le la les et des de du en un une est pour dans que qui sur au avec par plus nous",
    "zh": "的 了 在 是 和 有 为 这 我 们 不 一 与 中 将",
}
_FOREIGN: dict[Language, str] = {
    "en": (
        "Dies ist der Text, und er ist in der Sprache, die nicht gewünscht war, mit allen Wörtern."
    ),
    "de": "This is the text, and it is in the language that was not wanted, with all of the words.",
    "fr": "This is the text, and it is in the language that was not wanted, with all of the words.",
    "zh": "This is the text, and it is in the language that was not wanted, with all of the words.",
}
_HEADING = re.compile(r"^#{1,6}\s+(?:[\d.]+\s+)?(.+?)\s*#*$", re.MULTILINE)
_QUOTED = re.compile(r"[“\"„]([^”\"“\n]{15,})[”\"“]")


@dataclass(frozen=True)
class Check:
    """`judge` says why an outcome fails, `spoil` makes a good scripted model fail."""

    name: str
    judge: Callable[[Outcome], str]
    spoil: Spoil


def wrote(*paths: str) -> Check:
    """These files were written, and no other was made, changed or deleted."""

    def judge(outcome: Outcome) -> str:
        others, missing = outcome.written - {*paths}, {*paths} - outcome.written
        return _joined(
            others and f"also wrote {sorted(others)}",
            missing and f"did not write {sorted(missing)}",
        )

    return Check("files", judge, ended_with(write("summary-of-changes.md", "What I did.\n")))


def length(path: str, words: int, within: float = 0.1) -> Check:
    """The text has so many words (Chinese: characters), give or take a tenth."""

    def judge(outcome: Outcome) -> str:
        count = len(words_of(outcome.after.get(path, "")))
        return "" if abs(count - words) <= words * within else f"{count} words instead of {words}"

    more = (
        "\n\nIn short, all of this is worth saying once more, at greater length and in other words."
        * max(1, words // 40)
    )
    return Check("length", judge, rewritten(path, lambda text: text + more))


def at_most(path: str, words: int) -> Check:
    """The text has at most so many words."""

    def judge(outcome: Outcome) -> str:
        count = len(words_of(outcome.after.get(path, "")))
        return "" if 0 < count <= words else f"{count} words, at most {words}"

    more = (
        "\n\nIn short, all of this is worth saying once more, at greater length and in other words."
        * max(1, words // 8)
    )
    return Check("length", judge, rewritten(path, lambda text: text + more))


def sections(path: str, *titles: str) -> Check:
    """These headings are there, in this order."""

    def judge(outcome: Outcome) -> str:
        found = [
            title.strip("*_ ").casefold() for title in _HEADING.findall(outcome.after.get(path, ""))
        ]
        rest = iter(found)
        missing = [title for title in titles if not any(title.casefold() in one for one in rest)]
        return f"no heading {missing[0]!r} in its place" if missing else ""

    def spoil(text: str) -> str:
        return re.sub(
            rf"^#+ (.*{re.escape(titles[-1])}.*)$",
            r"**\1**",
            text,
            flags=re.MULTILINE | re.IGNORECASE,
        )

    return Check("sections", judge, rewritten(path, spoil))


def quotes(path: str, least: int = 1) -> Check:
    """There are quotations, and each is in a source word for word."""

    def judge(outcome: Outcome) -> str:
        found = [one for one in _findings(outcome, path) if one.kind == "quote"]
        wrong = [one.text for one in found if one.verdict != "verbatim"]
        return (
            f"not verbatim: {wrong[0][:80]!r}"
            if wrong
            else ""
            if len(found) >= least
            else f"{len(found)} quotations"
        )

    def spoil(text: str) -> str:
        quoted = _QUOTED.search(text)
        assert quoted is not None
        first, *rest = quoted[1].split(" ")
        return text.replace(quoted[1], " ".join([first, "certainly", "never", *rest]), 1)

    return Check("quotes", judge, rewritten(path, spoil))


def numbers(path: str) -> Check:
    """Every number is in a source, in its context."""

    def judge(outcome: Outcome) -> str:
        wrong = [
            one.text
            for one in _findings(outcome, path)
            if one.kind == "number" and one.verdict == "not_found"
        ]
        return f"not in any source: {wrong[:3]}" if wrong else ""

    return Check(
        "numbers",
        judge,
        rewritten(path, lambda text: f"{text}\n\nIn all, 98,765 kettles were sent back.\n"),
    )


def citations(path: str, least: int = 1) -> Check:
    """There are citations, and each leads to a file that is there."""

    def judge(outcome: Outcome) -> str:
        found = [one for one in _findings(outcome, path) if one.kind == "citation"]
        wrong = [one.text for one in found if one.verdict not in ("verbatim", "found_elsewhere")]
        return (
            f"leads nowhere: {wrong[0]!r}"
            if wrong
            else ""
            if len(found) >= least
            else f"{len(found)} citations"
        )

    return Check(
        "citations",
        judge,
        rewritten(path, lambda text: f"{text}\n\nMore is known (missing-study.pdf, p. 9).\n"),
    )


def language(path: str, wanted: Language) -> Check:
    """The text is in this language, by its commonest words."""

    def judge(outcome: Outcome) -> str:
        words = [word.casefold() for word in words_of(outcome.after.get(path, ""))]
        counted = {
            code: sum(word in common.split() for word in words) for code, common in _COMMON.items()
        }
        best = max(counted, key=lambda code: counted[code])
        return "" if words and best == wanted else f"the language looks like {best}"

    return Check(
        "language", judge, rewritten(path, lambda _text: (_FOREIGN[wanted] + " ") * 8, every=True)
    )


def read_first(*paths: str) -> Check:
    """Each source is read before the first word is written."""

    def judge(outcome: Outcome) -> str:
        begun = next(
            (at for at, one in enumerate(outcome.calls) if one.tool in WRITES), len(outcome.calls)
        )
        seen = {one.path for one in outcome.calls[:begun] if one.tool in READS and not one.is_error}
        unread = [path for path in paths if path not in seen]
        return f"did not read {unread[0]} first" if unread else ""

    return Check("read first", judge, without("Read", "mcp__dogent__read_document"))


def checked_quotes(path: str) -> Check:
    """The quotations were checked after the last word was written."""

    def judge(outcome: Outcome) -> str:
        last = max(
            (at for at, one in enumerate(outcome.calls) if one.tool in WRITES and one.path == path),
            default=0,
        )
        checks = [
            at
            for at, one in enumerate(outcome.calls)
            if one.tool == "check_quotes" and one.path == path
        ]
        return (
            ""
            if checks and checks[-1] > last
            else "the quotations of the last text were not checked"
        )

    return Check("checked", judge, without(CHECK_QUOTES))


def used(tool: str, about: str = "") -> Check:
    """A tool was used, about this."""
    own = tool.rpartition("__")[2]

    def judge(outcome: Outcome) -> str:
        return (
            ""
            if any(one.tool == own and about in one.about for one in outcome.calls)
            else f"{own} was not used"
        )

    return Check(f"used {own}", judge, without(tool))


def in_pieces(path: str, least: int) -> Check:
    """A long text came piece by piece, and not in one."""

    def judge(outcome: Outcome) -> str:
        count = sum(
            one.tool in WRITES and one.path == path and not one.is_error for one in outcome.calls
        )
        return "" if count >= least else f"written in {count} pieces"

    return Check("in pieces", judge, without("Edit"))


def asked(most: int = 1, least: int = 0) -> Check:
    """The user was asked at most so often."""

    def judge(outcome: Outcome) -> str:
        return "" if least <= outcome.questions <= most else f"asked {outcome.questions} times"

    again = [ask(f"Question {number}") for number in range(most + 1)]
    return Check("asked", judge, begun_with(*again))


def contains(path: str, *phrases: str) -> Check:
    """These words are in the text."""

    def judge(outcome: Outcome) -> str:
        text = _flat(outcome.after.get(path, ""))
        missing = [phrase for phrase in phrases if _flat(phrase) not in text]
        return f"lacks {missing[0]!r}" if missing else ""

    def spoil(text: str) -> str:
        return re.sub(re.escape(phrases[-1]), "something else", text, flags=re.IGNORECASE)

    return Check("contains", judge, rewritten(path, spoil))


def lacks(path: str, *phrases: str) -> Check:
    """None of these words are in the text, nor in what was said."""

    def judge(outcome: Outcome) -> str:
        text = _flat(f"{outcome.after.get(path, '')} {outcome.said}")
        there = [phrase for phrase in phrases if _flat(phrase) in text]
        return f"has {there[0]!r}" if there else ""

    return Check("lacks", judge, rewritten(path, lambda text: f"{text}\n\n{phrases[0]}\n"))


def kept(path: str, *passages: str) -> Check:
    """These passages of a file are exactly as they were."""

    def judge(outcome: Outcome) -> str:
        lost = [passage for passage in passages if passage not in outcome.after.get(path, "")]
        return f"changed: {lost[0][:60]!r}" if lost else ""

    return Check(
        "kept",
        judge,
        ended_with(Step(calls=(*read(path).calls, *write(path, "All of it is new.\n").calls))),
    )


def table(path: str, rows: int, columns: int) -> Check:
    """There is a table with so many rows, without its head, and columns."""

    def judge(outcome: Outcome) -> str:
        lines = [
            line.strip()
            for line in outcome.after.get(path, "").splitlines()
            if line.strip().startswith("|")
        ]
        body = [line for line in lines if not re.fullmatch(r"[|:\- ]+", line)]
        wide = {len(re.split(r"(?<!\\)\|", line.strip("|"))) for line in body}
        found = max(0, len(body) - 1)
        return (
            ""
            if (found, wide) == (rows, {columns})
            else f"{found} rows with {sorted(wide)} columns"
        )

    def spoil(text: str) -> str:
        lines = text.splitlines()
        last = max(at for at, line in enumerate(lines) if line.strip().startswith("|"))
        return "\n".join(lines[:last] + lines[last + 1 :])

    return Check("table", judge, rewritten(path, spoil))


def told(*words: str) -> Check:
    """The last words to the user name one of these."""

    def judge(outcome: Outcome) -> str:
        said = outcome.said.casefold()
        return "" if any(word.casefold() in said for word in words) else f"did not say {words[0]!r}"

    return Check("told", judge, last_words("Done."))


def not_again(phrase: str) -> Check:
    """What the user rejected is not proposed or written again."""

    def judge(outcome: Outcome) -> str:
        return (
            "proposed again what was rejected"
            if any(phrase in text for text in outcome.proposed)
            else ""
        )

    def spoil(script: Script) -> Script:
        proposing = [step for step in script if any(tool == PROPOSE for tool, _ in step.calls)]
        return (*script[:-1], proposing[0], script[-1])

    return Check("not again", judge, spoil)


def finished() -> Check:
    """The run ended as completed."""

    def judge(outcome: Outcome) -> str:
        return "" if outcome.status == "completed" else f"the run ended as {outcome.status}"

    return Check("finished", judge, lambda _script: (ask(),) * 12)


def _joined(*reasons: object) -> str:
    return "; ".join(str(reason) for reason in reasons if reason)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


_FOUND: dict[tuple[int, str], list[Finding]] = {}


def _findings(outcome: Outcome, path: str) -> Sequence[Finding]:
    """Hold the text against the files that were there, as `dogent-tui check` does; once for each
    outcome.
    """
    key = (id(outcome), path)
    if key not in _FOUND:
        _FOUND.clear()
        _FOUND[key] = asyncio.run(_checked(outcome, path)) if path in outcome.after else []
    return _FOUND[key]


async def _checked(outcome: Outcome, path: str) -> list[Finding]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place, text in [*outcome.before.items(), (path, outcome.after[path])]:
            if not place.endswith((".md", ".txt", ".csv")):
                continue
            file = folder / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        async with DocumentLibrary() as documents:
            report = await QuoteChecker(documents).check(folder / path, folder)
    return report.findings
