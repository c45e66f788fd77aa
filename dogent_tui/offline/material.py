"""What a long prompt brings along: the text that was pasted, told from the words that say what is wanted of it."""

import re
from collections.abc import Mapping

from dogent_tui.offline.language import Language, language_of

MATERIAL_NAMES: Mapping[Language, str] = {"en": "your prompt", "zh": "你的输入"}
"""What stands for a path where a sentence comes from the prompt itself."""
PIPED = "stdin.txt"
"""What is quoted as the source of what was piped in: named like a file, as every source is."""

_LONG = 1_000
"""Characters: a shorter prompt is a request from end to end."""
_LONGEST_REQUEST = 300
"""Characters: words of a request that stand before or behind a pasted text are no more than these."""
_SURELY_TEXT = 12
"""Lines: a prompt of so many, of which none says what is wanted, is nothing but a text."""
_MOST = 256 * 1024
"""Characters that are looked at: as much as the CLI reads of a file at once."""
_ASKS = re.compile(
    r"(?:please\s+|now\s+|then\s+|and\s+|(?:can|could|would|will) you\s+(?:please\s+)?|i (?:want|need|would like)(?: you)? to\s+"
    r"|help me(?: to)?\s+)*"
    r"(?:summari[sz]e|sum up|tl;?dr|write|draft|compose|create|prepare|produce|generate|make|turn|give me|list|extract|outline"
    r"|compare|revise|fix|tidy|clean|proof-?read|check|correct|improve|polish|edit|shorten|condense|translate|rewrite|rephrase"
    r"|explain|describe)\b"
    r"|(?:what|which|who|whose|when|where|why|how|is|are|was|were|does|do|did|has|have|can|could|should)\b[^\n]*\?\s*$"
    r"|[请帮给我把用你麻烦，,\s]{0,6}(?:根据|基于)?.{0,12}?(?:总结|概括|概述|归纳|摘要|整理|起草|撰写|写[一个份篇出成]|列出|提取|比较|对比|翻译|改写|润色|校对|修改"
    r"|解释)|[^\n]{0,60}[?？吗]\s*$",
    re.IGNORECASE,
)
"""How the words of a request begin, or end."""
_LAST_SENTENCE = re.compile(r"(?:^|[.!:;](?=\s)|[。！：；])\s*(?P<said>[^\n]*)$")
_COLON = re.compile(r"(?P<said>[^\n:：]{1,300})[:：]\s*")


def request_and_material(typed: str) -> tuple[str, str]:
    """Split what was typed into what is wanted and the text that it is wanted of, which is empty in all but long prompts.

    The request stands first or last, as in ``Summarize this: …`` and ``… summarize this``. A prompt of many lines that says
    nothing of the kind is all text.
    """
    typed = typed.strip()
    if len(typed) < _LONG:
        return typed, ""
    lines = typed.split("\n")
    first, last = lines[0].strip(), lines[-1].strip()
    opening = _COLON.match(typed)
    if opening and _ASKS.match(opening["said"].strip()):
        return opening["said"].strip(), typed[opening.end() :][:_MOST].strip()
    if len(lines) > 1 and len(first) <= _LONGEST_REQUEST and _ASKS.match(first):
        return first, "\n".join(lines[1:])[:_MOST].strip()
    closing = _closing(last)
    if closing:
        return closing, typed[: len(typed) - len(closing)].strip()[:_MOST]
    return ("", typed[:_MOST]) if len(lines) >= _SURELY_TEXT else (typed, "")


def material_name(request: str, material: str) -> str:
    """Return what a sentence of `material` is followed by, in the language of the request."""
    return MATERIAL_NAMES[language_of(request or material[:2_000])]


def _closing(line: str) -> str:
    """Return the words at the end of `line` that say what is wanted, empty where there are none."""
    if len(line) <= _LONGEST_REQUEST and _ASKS.match(line):
        return line
    ends = [found.end() for found in re.finditer(r"[.!:;](?=\s)|[。！：；]", line[-_LONGEST_REQUEST:])]
    tail = line[-_LONGEST_REQUEST:]
    return next((said for end in ends if (said := tail[end:].strip()) and _ASKS.match(said)), "")
