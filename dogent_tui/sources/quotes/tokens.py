"""The words of a Markdown text with their positions, normalized: texts that differ only in
typography have the same words.

Pure markup (emphasis, link targets, comments, HTML tags) is not a word, and neither is punctuation.
Whatever changes the meaning of a number is: its sign, a comparison, a currency, per cent, an
exponent.
"""

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
_CUT = rf"[-‐\u00ad][ \t]*\n\s*(?:>\s*)*(?:<!--[^>]*-->\s*)?(?=[{_LOWER}])"
"""A word split at the end of a line or page."""
_INSIDE = "\u00ad\u200b-\u200d\u2060\ufeff"
_JOINT = (
    rf"(?:{_CUT}|[{_INSIDE}]+|[{_INSIDE}]*['’ʼ＇][*_`]{{0,3}}|(?<=[^\W\d_])\*{{1,3}}(?=[^\W\d_])|~"
    r"|\*{0,3}</?(?:sub|b|i|em|strong|u|mark|small)>\*{0,3}|(?<=\d)\\?[.,:/](?=\d)"
    r"|(?<=\d) ?[-‐‑–—−] ?(?=\d))"
)
_TAGS = (
    "sup|sub|u|b|i|em|strong|del|s|code|kbd|mark|small|br|p|table|thead|tbody|tr|td|th|ul|ol|li|span|div|a|img|hr|blockquote"
    "|pre|h[1-6]|caption|col|colgroup|q|cite|abbr|ins|dl|dt|dd|details|summary|figure|figcaption"
)
_TOKEN = re.compile(
    rf"(?P<word>{_RUN}(?:{_JOINT}{_RUN})*|[{HAN}{_FRACTIONS}])"
    r"|(?P<mark>\[\^[^\]\s]+\]:?"
    r"|(?:<sup>)?\[(?:\\?\[)?\d{1,3}(?:[-–,;]\s?\d{1,3})*(?:\\?\])?\]"
    r"(?:\([^()\s]*#[^()\s]*\)|(?!\())(?:</sup>)?"
    rf"|(?<=\S)(?:\^[^\^\s]{{1,4}}\^|<sup>[^<\n]{{1,8}}</sup>|⁻?[{_RAISED}]+|[†‡]))"
    r"|(?P<skip><!--.*?-->|!\[[^\]\n]*\]\([^)\n]*\)|\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)"
    rf"|</?(?:{_TAGS})(?:\s[^<>\n]*)?/?>)"
    r"|(?P<sign>[%％‰§€¢£¥￥₠-⃏℃℉°\u3300-\u33ff×÷←-⇿∈-⋿]|(?<=[^\W\d_])\\?(?:\+{1,2}|#)(?!\w)|\\?\$(?=\s?\d)|(?<=\d)\\?\$|(?<=\d"
    r" )\\?\$|[≤≥≠±≈+＋](?=\s?[-−.\d])"
    r"|(?:(?<![^\s\w)=])(?:\\[<>=]|<|&[lg]t;)|(?:(?<=[^\s>] )|(?<=[\w)=]))[>=])"
    r"(?=\s?[-−.\d]|\s[^\W_])"
    rf"|(?<![^\W{HAN}])(?<![)\]%.-])\\?[-−–](?=[.,]?\d))"
    r"|(?P<entity>&(?:[A-Za-z]{2,8}|#\d{1,6}|#x[0-9A-Fa-f]{1,5});)",
    re.DOTALL,
)
_BETWEEN = re.compile(rf"{_CUT}|[{_INSIDE}*~_`\\ ]|<[^>]*>")
_EXPONENT = re.compile(
    r"(?:\d\s?[^\W\d_]{1,3}|(?<![^\W_])(?:[^\W\d_]|[cdkmnµμ]m|ft|in|yd|mi)|(?<![\d.,])\d{1,3}(?:[.,]\d)?|[-+−*/=×·]\s?\w{1,3}\))$"
)
"""What precedes a raised number that is an exponent and thus part of the text, like the raised
letters of “5th”; otherwise it is the mark of a note.
"""
_MARKUP = re.compile(
    r"<!--.*?-->|\]\([^()\s]*\)|!?\[(?=[^\]]*\]\()|\*\*|__|`|(?<!\w)[*_]|[*_](?!\w)|\\(?=\W)|</?\w+>",
    re.DOTALL,
)
_SPACE = re.compile(r"\s*\n\s*(?:>\s*)*")


class Words(NamedTuple):
    """The words of a text, their starts and ends, and the marks of notes: (number of preceding
    words, mark).
    """

    words: list[str]
    starts: list[int]
    ends: list[int]
    marks: list[tuple[int, str]]


_PLAIN = str.maketrans("’ʼ−–—‐⁄", "''----/", "\\")
_MOST_LEVELS = 500_000


def words_of(text: str, begin: int = 0, end: int | None = None) -> Words:
    """Return the words of `text` from character `begin` to `end`; their positions refer to
    `text`.
    """
    words, starts, ends, marks = found_words = Words([], [], [], [])
    for found in _TOKEN.finditer(text, begin, len(text) if end is None else end):
        kind, raw = found.lastgroup, found[0]
        if kind in {"skip", "entity"}:
            continue
        level = _level(raw)
        if kind == "mark":
            mark = _mark(raw)
            before = text[max(0, found.start() - 12) : found.start()]
            is_number = mark.lstrip("-").isdigit()
            if is_number:
                is_text = "[" not in raw and _EXPONENT.search(before) is not None
            else:
                is_text = mark.isalpha() and (len(mark) > 1 or before[-1:].isdigit())
            if raw.startswith("[^") or not is_text:
                marks.append((len(words), mark))
                continue
            level = f"^{mark}" if is_number else mark
        words.append(level)
        starts.append(found.start())
        ends.append(found.end())
    return found_words


@lru_cache(_MOST_LEVELS)
def _level(raw: str) -> str:
    text = unicodedata.normalize("NFKC", _BETWEEN.sub("", raw)).replace("ẞ", "ß")
    # “in Maßen” and “in Massen” are different words.
    text = "ß".join(map(str.casefold, text.split("ß"))).translate(_PLAIN)
    return text.replace("&lt;", "<").replace("&gt;", ">")


def _mark(raw: str) -> str:
    bare = re.sub(r"</?sup>|\(.*\)|[\[\]\\^:]", "", raw)
    return unicodedata.normalize("NFKC", bare).replace("−", "-").casefold()


def run_together(words: list[str]) -> str:
    """Return the words joined without spaces. Numbers separated by a space stay separate."""
    return re.sub(r"(?<!\d) | (?!\d)", "", " ".join(words))


def readable(markdown: str) -> str:
    """Return a piece of Markdown as plain text on one line."""
    return _SPACE.sub(" ", _MARKUP.sub("", markdown))


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
    return word in _NEGATIONS or word.endswith("n't") or word.startswith("n'")
