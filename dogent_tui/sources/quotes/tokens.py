"""The words of a Markdown text with their positions, normalized: texts that differ only in
typography have the same words.

Words are found in the text that is read, without its markup: wherever emphasis, a link or a tag
begins, also within a number, it says the same. Punctuation is not a word. Whatever changes the
meaning of a number is: its sign, a comparison, a currency, per cent, an exponent.
"""

import html
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from dogent_tui.permissions.text import names

HAN = (
    "\u0e01-\u0e4e\u0e81-\u0ecf\u1000-\u103f\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Characters that are words of their own: scripts without spaces between words."""
_RAISED = "¹²³⁰⁴-⁹①-⑳"
_FRACTIONS = "¼-¾⅐-⅞"
_COMBINING = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f"
    "\u0962\u0963\u0981-\u0dff\u20d0-\u20f0"
)
_LETTER = rf"[^\W_{HAN}{_RAISED}{_FRACTIONS}]"
_RUN = rf"{_LETTER}+(?:[{_COMBINING}]{_LETTER}*)*"
_LOWER = "a-zß-öø-ÿ\u0101-\u024f\u03ac-\u03ce\u0430-\u045f"
_BREAKS = (
    "br|p|table|thead|tbody|tr|td|th|ul|ol|li|div|hr|blockquote|pre|h[1-6]|caption|col|colgroup|dl|dt"
    "|dd|details|summary|figure|figcaption"
)
_NUMBERS = r"\d{1,3}(?:[-–,;]\s?\d{1,3})*"
_TARGET = r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)"
_MARKUP = re.compile(
    # a word split at the end of a line or page
    rf"[-‐\u00ad][ \t]*\n\s*(?:>\s*)*(?:<!--[^>]*-->\s*)?(?=[{_LOWER}])"
    r"|<!--.*?-->|!\[[^\]\n]*\]\([^)\n]*\)"
    # the mark of a note that is a link; a number that is one is text unless it hangs on a word
    rf"|(?:(?=\[\\?\[)|(?<=[^\s(]))\[(?:\\?\[)?(?P<note>{_NUMBERS})(?:\\?\])?\]\([^()\s]*#[^()\s]*\)"
    rf"|\[(?=[^\[\]]*\]\()|\]{_TARGET}"
    r"|(?<=\S)(?:(?:<sup>|\^)(?P<raised>[^\^<>\s\[\]]{1,8})(?:</sup>|\^)|(?<=\d)\^(?P<power>[-−]?\d+))"
    rf"|(?P<space></?(?:{_BREAKS})(?:\s[^<>\n]*)?/?>)"
    r"|</?(?:sup|sub|u|b|i|em|strong|del|s|code|kbd|mark|small|span|a|img|q|cite|abbr|ins)(?:\s[^<>\n]*)?/?>"
    r"|(?P<entity>&(?:[A-Za-z]{2,8}\d{0,2}|#\d{1,6}|#x[0-9A-Fa-f]{1,5});)"
    r"|\\(?=[!-/:-@\[-`{-~\n])|[\u00ad\u200b-\u200d\u2060\ufeff`~]"
    rf"|\*{{2,}}|(?<!\d)(?<!\d\\)\*|\*(?!\d)|(?<![^\W_])(?<!\\)_+|_+(?![^\W_{_RAISED}])",
    re.DOTALL,
)
"""What Markdown and HTML add to the text that is read."""
_RAISING = str.maketrans("0123456789-−+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺")
_TOKEN = re.compile(
    rf"(?P<word>{_RUN}(?:(?:['’ʼ＇]|(?<=\d)[.,:/](?=\d)|(?<=\d) ?[-‐‑–—−] ?(?=\d)){_RUN})*"
    rf"|[{HAN}{_FRACTIONS}])"
    rf"|(?P<mark>\[\^[^\]\s]+\]:?|\[\[?{_NUMBERS}\]?\]|\^[^\^\s]{{1,8}}\^|(?<=\S)(?:[⁻⁺]?[{_RAISED}]+|[†‡]))"
    r"|(?P<sign>[&＆%％‰§€¢£¥￥₠-⃏℃℉°\u3300-\u33ff×÷←-⇿∈-⋿]|(?<=[^\W_])(?:\+{1,2}|#)(?!\w)|\$(?=\s?\d)|(?<=\d)\$|(?<=\d"
    r" )\$|[≤≥≠±≈+＋](?=\s*[-−.\d])"
    r"|(?:(?<![^\s\w)=])<|(?:(?<=[^\s>][^\S\n])|(?<=[\w)=]))[>=])(?=\s*[-−.\d]|\s+[^\W_])"
    rf"|(?<![^\W{HAN}])(?<![)\]%.-])[-−–](?=[.,]?\d))"
)
_EXPONENT = re.compile(
    r"(?:\d\s?[^\W\d_]{1,3}|(?<![^\W_])(?:[^\W\d_]|[cdkmnµμ]m|ft|in|yd|mi)|(?<![\d.,])\d{1,3}(?:[.,]\d)?|[-+−*/=×·]\s?\w{1,3}\))$"
)
"""What precedes a raised number that is an exponent and thus part of the text, like the raised
letters of “5th”; otherwise it is the mark of a note.
"""
_SPACE = re.compile(r"\s*\n\s*(?:>\s*)*")


class Words(NamedTuple):
    """The words of a text, their starts and ends, and the marks of notes: (number of preceding
    words, mark).
    """

    words: list[str]
    starts: list[int]
    ends: list[int]
    marks: list[tuple[int, str]]


_PLAIN = str.maketrans("’ʼ−–—‐⁄", "''----/", " ")
_MOST_LEVELS = 500_000


def read_text(markdown: str, begin: int = 0, end: int | None = None) -> tuple[str, list[int]]:
    """Return the text that is read of Markdown from character `begin` to `end`, and where each of
    its characters is in `markdown`.
    """
    pieces, places, last = [], list[int](), begin
    end = len(markdown) if end is None else end
    for found in _MARKUP.finditer(markdown, begin, end):
        put = _read(found) if found.lastgroup else ""
        pieces += [markdown[last : found.start()], put]
        places += range(last, found.start())
        places += [found.start(), *[found.end() - 1] * (len(put) - 1)] if put else []
        last = found.end()
    return "".join([*pieces, markdown[last:end]]), [*places, *range(last, end)]


def _read(found: re.Match[str]) -> str:
    kind, said = found.lastgroup or "", found[found.lastgroup or 0]
    if kind in {"raised", "power"}:
        if said.isalpha() and (len(said) > 1 or found.string[found.start() - 1].isdigit()):
            return said
        raised = said.translate(_RAISING)
        return raised if raised.strip("⁻⁺").isdigit() else f"^{said}^"
    return {"note": f"[{said}]", "space": " "}.get(kind) or html.unescape(said)


def words_of(text: str, begin: int = 0, end: int | None = None) -> Words:
    """Return the words of `text` from character `begin` to `end`; their positions refer to
    `text`.
    """
    words, starts, ends, marks = found_words = Words([], [], [], [])
    shown, places = read_text(text, begin, end)
    for found in _TOKEN.finditer(shown):
        raw = found[0]
        level = _level(raw)
        if found.lastgroup == "mark":
            mark = re.sub(r"[\[\]^:]", "", level)
            is_power = mark.lstrip("-+").isdigit() and "[" not in raw
            before = shown[max(0, found.start() - 12) : found.start()]
            if not is_power or not _EXPONENT.search(before):
                marks.append((len(words), mark))
                continue
            level = f"^{mark}"
        words.append(level)
        starts.append(places[found.start()])
        ends.append(places[found.end() - 1] + 1)
    return found_words


@lru_cache(_MOST_LEVELS)
def _level(raw: str) -> str:
    text = unicodedata.normalize("NFKC", raw).replace("ẞ", "ß")
    # “in Maßen” and “in Massen” are different words.
    return "ß".join(map(str.casefold, text.split("ß"))).translate(_PLAIN)


def run_together(words: list[str]) -> str:
    """Return the words joined without spaces. Numbers separated by a space stay separate."""
    return re.sub(r"(?<!\d) | (?!\d)", "", " ".join(words))


def readable(markdown: str) -> str:
    """Return a piece of Markdown as plain text on one line."""
    return _SPACE.sub(" ", read_text(markdown)[0])


def is_han(word: str) -> bool:
    """Return whether a word is a character of a script without spaces."""
    return len(word) == 1 and _HAN.match(word) is not None


_HAN = re.compile(f"[{HAN}]")

_NEGATIONS = names(
    "not no never none nobody nothing neither nor cannot nowhere hardly only rarely seldom nicht"
    " kein keine keinen keinem keiner keines nie niemals weder niemand nichts kaum nirgends nur"
    " ne pas jamais aucun aucune ni rien personne seulement non nunca nada nadie ningún ninguna"
    " mai nessun nessuno nessuna não nenhum nenhuma niet geen nooit ikke inte aldrig nie nigdy"
    " не нет ни никогда никто ничего нельзя только لا لم لن ليس ليست 不 没 沒 无 無 未 非 勿 莫 别"
)
"""Words without which a sentence says another thing: negations, and what limits it like one."""


def negates(word: str) -> bool:
    """Return whether a normalized word is a negation."""
    # in Arabic, “and” is written together with it
    return word.lstrip("وف") in _NEGATIONS or word.endswith("n't") or word.startswith("n'")
