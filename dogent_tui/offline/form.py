"""The form that a prompt wants its text in: prose, an outline, a comparison, a few lines; and how many sentences."""

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["text", "outline", "comparison"]

_NUMBERS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        ("one 一", "two 二 两", "three 三", "four 四", "five 五", "six 六", "seven 七", "eight 八", "nine 九", "ten 十"), start=1
    )
    for name in names.split()
} | {"twelve": 12, "fifteen": 15, "twenty": 20}
_NUMBER = r"\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty"
_COUNT = re.compile(
    rf"\b(?:in\s+|as\s+)?(?:the\s+)?(?P<n>{_NUMBER})[\s-]+(?:(?!of\b)[a-z-]+\s+)?(?:sentences?|lines?|points?|bullets?|quotes?|items?)\b"
    r"(?:\s+points?\b)?|\bin (?:a|one)(?: (?:short|single))? (?P<few>paragraph|few (?:lines|sentences|words))\b"
    r"|用?(?:其中|最重要的)?(?:(?<![午上天晚])(?P<zh>\d{1,3})\s*(?:[个条句点行]|句话)(?![钟半开])"
    r"|(?P<word>[二两三四五六七八九十])(?:个要点|[条点行]|句话?)|(?P<one>一句话))(?:话|要点|重点)?",
    re.IGNORECASE,
)
_FEW = 5
"""Sentences of a paragraph, or of “a few lines”."""
_BRIEF = re.compile(r"\b(?:short|brief|concise|one-?page|tl;?dr|quick)\b|简短|简要|简洁|短", re.IGNORECASE)
_LONG = re.compile(r"\b(?:long|detailed|thorough|comprehensive|in depth|full|complete)\b|详细|全面|完整|深入", re.IGNORECASE)
_MOST_LINES = 10
"""A summary of so many sentences is an answer; one of more is a text."""
_SUMMARY = re.compile(
    r"\b(?:summari[sz]e|summary|sum up|tl;?dr|points|bullets|takeaways)\b|总结|概括|归纳|摘要|要点|概述", re.IGNORECASE
)
_MAKES = re.compile(
    r"\b(?:write|draft|compose|create|prepare|produce|generate|report|document|essay|article|memo)\b|写|起草|撰|生成|报告|文档|文章|一[份篇]",
    re.IGNORECASE,
)
_OUTLINE = re.compile(
    r"\boutline\b(?:\s+(?:for|of)\b(?:\s+(?:an?|the|my|our))?"
    r"(?:\s+(?:(?:short|brief|long|detailed)\s+)?(?:report|proposal|letter|talk|speech|article|essay|paper|memo|document|text)"
    r"\s+(?:to|for|on|about)\b)?)?|(?:写|列|拟|做|起草|生成|整理)?(?:成|出)?(?:一?[个份](?:提案|报告)?)?的?(?:大纲|提纲)",
    re.IGNORECASE,
)
_OUTLINE_WANTED = re.compile(
    r"^(?:please\s+|now\s+|then\s+|(?:can|could|would) you\s+)*"
    r"(?:(?:write|draft|make|create|prepare|give\s+(?:me|us)|propose|suggest|generate|i\s+(?:want|need))\s+)?"
    r"(?:(?:an?|the)\s+)?(?:(?:short|brief|long|detailed|rough|first)\s+)?outline\b"
    r"|(?:写|列|拟|做|起草|生成|给).{0,30}(?:大纲|提纲)|(?:大纲|提纲)[。！\s]*$",
    re.IGNORECASE,
)
_ALONG = re.compile(
    r"\b(?:along|from|with|following|per) (?:the|this|that|my|an?) outline\b|(?:按|根据|照|依).{0,8}(?:大纲|提纲)", re.IGNORECASE
)
_COMPARE = re.compile(r"\bcompar(?:e|ing|ison)\b(?:\s+(?:of|between))?|比较一下|对比一下|比较|对比|对照", re.IGNORECASE)
_JOINED = re.compile(r"\s+(?:with|to|against|versus|vs\.?)\s+(?=\S)", re.IGNORECASE)
_LOOSE_ENDS = re.compile(
    r"^(?:\s|\b(?:and|with|to|against)\b|[,，、]|[和与跟](?=\s|$))+|(?:\s|\b(?:and|with|to|against)\b|[,，、]|[和与跟])+$"
)

_NOUN = (
    r"report|letter|e-?mail|memo|briefing|brief|speech|talk|article|essay|proposal|press release|blog post|post|paper|newsletter"
    r"|statement|minutes|overview|summary|document|text|introduction|abstract|flyer|(?:thank-you )?note|invitation"
    r"|application|page"
)
_LIKE = r"(?:(?:short|brief|long|detailed|formal|friendly|polite|quick|first|new|full|public|final|\w+-page|pdf|word)\s+){0,2}"
_WHO = (
    r"(?P<way>to|for)\s+(?P<who>(?:(?:the|our|my|an?)\s+)?[\w'’-]+(?:\s+[\w'’-]+){0,3}?)"
    r"(?=\s+(?:from|about|on|with|using|based|in|into|and|that|which|regarding|by|as|out|to|for|at)\b|\s*[.,;:!?]|\s*$)"
)
_OPENING = re.compile(
    r"^(?:please\s+|now\s+|then\s+|(?:can|could|would) you\s+|help me\s+)*"
    r"(?:write|draft|compose|create|prepare|produce|generate|make|give|i (?:want|need))\s+(?:(?:me|us)\s+)?"
    rf"(?:(?:an?|the|my|our)\s+)?{_LIKE}(?P<what>{_NOUN})\b(?:\s+{_WHO})?",
    re.IGNORECASE,
)
"""“Write a short letter to the mayor”: what shall come out, and for whom, which is not what it is about."""
_WHAT_ZH = "信|邮件|报告|新闻稿|讲话稿|演讲稿|发言稿|通知|邀请函|备忘录|文章|提案|建议书|简报|会议纪要|纪要"
_OPENING_ZH = re.compile(
    r"^[请帮我麻烦你]*(?:[^，,。；;\n]{0,30}?[\s，,])?(?:写?给(?P<before>[^我你，,。写做]{1,12}?))?"
    r"(?:写|撰写|起草|做|拟|准备|生成)(?:一?[封份篇个])?(?:给(?P<inside>[^，,。写做的]{1,12})的)?"
    rf"(?:简短的?|详细的?|正式的?)?(?P<what>{_WHAT_ZH})(?:给(?P<after>[^，,。；;！\s]{{1,12}}))?(?=$|[，,。；;！\s])"
)
_GENERIC = ("document", "text", "summary", "overview", "page", "brief")
"""What says nothing as a title, unless it says for whom."""


def name_of(plain: str) -> tuple[str, bool]:
    """Return what a request calls the text that it wants (“Letter to the mayor”), and whether it says for whom.

    Empty where it gives no name that would do as a title.
    """
    if found := _OPENING_ZH.search(plain):
        who = next((found[place].strip() for place in ("before", "inside", "after") if found[place]), "")
        return (f"给{who}的{found['what']}", True) if who else (found["what"], False)
    found = _OPENING.search(plain)
    if found is None:
        return "", False
    what = found["what"][:1].upper() + found["what"][1:].lower()
    if found["who"]:
        return f"{what} {found['way'].lower()} {found['who']}", True
    return ("" if what.lower() in _GENERIC else what), False


def form_of(plain: str) -> Form:
    """Return the form that the request `plain`, without its files, wants of a draft."""
    if _OUTLINE_WANTED.search(plain) and not _ALONG.search(plain):
        return "outline"
    return "comparison" if re.match(rf"(?:please\s+|请|帮我)*(?:{_COMPARE.pattern})", plain.strip(), re.IGNORECASE) else "text"


def wants_lines(plain: str) -> bool:
    """Whether a request asks for a few lines, which are an answer, and not for a text in a file."""
    number = _said(plain)
    return 0 < number <= _MOST_LINES and _SUMMARY.search(plain) is not None and not _MAKES.search(plain)


def without_form(plain: str, form: Form) -> str:
    """Return a request without the words that say its form and length, so that its subject is left."""
    text = _COUNT.sub(" ", plain)
    text = _OUTLINE.sub(" ", text) if form == "outline" else _OPENING_ZH.sub(" ", _OPENING.sub(" ", text))
    if form == "comparison":
        text = _LOOSE_ENDS.sub("", _JOINED.sub(" and ", _COMPARE.sub(" ", text).strip()))
    return " ".join(text.split())


def count_of(plain: str) -> int:
    """Return how many sentences a draft should quote, 1 to 100."""
    number = _said(plain)
    if number:
        return number
    if _BRIEF.search(plain):
        return 7
    return 32 if _LONG.search(plain) else 15


def _said(plain: str) -> int:
    """Return the number of sentences that is asked for, 0 where none is."""
    found = _COUNT.search(plain)
    if found is None:
        return 0
    if found["few"] or found["one"]:
        return _FEW if found["few"] else 1
    said = (found["n"] or found["zh"] or found["word"]).lower()
    return min(100, max(1, _NUMBERS.get(said) or int(said)))
