"""The formats that a request, or the standing wishes of a workspace, name for what shall come out."""

import re
from collections.abc import Iterable

from dogent_tui.offline.sentences import CJK

_PRODUCT = rf"[\w{CJK}./\\~-]{{1,200}}\.(?:pdf|docx)"
PRODUCT = re.compile(rf"(?<![\w@./]){_PRODUCT}(?!\w)", re.IGNORECASE)
"""A pdf or docx that is named without a reference."""
_EXPORTED_TO = re.compile(
    r"(?:\b(?:to|into|as|called|named)|[到为入成存]|保存至|叫|命名为)"
    rf"\s*[:：]?\s*[`\"“'「]?(?P<path>{_PRODUCT})(?!\w)",
    re.IGNORECASE,
)
_FORMAT = (
    r"(?:PDF|pdf|Pdf|docx|DOCX|Docx|(?:[Mm]icrosoft |MS |ms )?Word(?![A-Za-z0-9])"
    r"|word (?=document|file|format|version|doc\b))"
)
_BETWEEN = r"(?:(?!(?:of|about|on|from|the|with|for|in|this|that)\b)[\w-]+\s+){0,3}?"
_END = r"(?![A-Za-z0-9])"
_ASKED_FORMAT = re.compile(
    rf"\b(?:[Aa]s|[Tt]o|[Ii]nto|[Ii]n)\s+(?:both\s+)?(?:an?\s+)?{_BETWEEN}({_FORMAT}){_END}"
    r"|\b(?:[Ww]rite|[Cc]reate|[Mm]ake|[Pp]roduce|[Gg]enerate|[Pp]repare|[Dd]raft|[Cc]ompose|[Gg]ive|[Ss]end|[Ww]ant|[Nn]eed|[Aa]nd"
    rf"|[Pp]lus)\b(?:\s+(?:me|us|it|also))?\s+(?:both\s+)?an?\s+{_BETWEEN}({_FORMAT}){_END}"
    rf"|\b(?:[Ee]xport|[Rr]ender|[Cc]onvert|[Ss]ave)\w*\b[^.!?\n]{{0,60}}?\b({_FORMAT})"
    r"(?=\s*(?:$|[.!?,;]|please|file|document|format|and\b))"
    rf"|(?:导出|输出|另存|转换?|保存|存)[^。！？\n]{{0,16}}?({_FORMAT}){_END}"
    rf"|(?:以|用|为|成|做|写|生成|制作|要)(?:一?[份个篇])?\s*({_FORMAT}){_END}(?!\s*(?:的|里|中))"
    rf"|(?:写|做|生成|制作|起草|准备|整理|要)[^。！？\n]{{0,8}}?一[份个篇][^。！？，,\n]{{0,30}}?({_FORMAT})\s*"
    r"(?:格式|版|文档|文件|报告)(?!里|中|的内容)",
)
"""A format named where a request says what shall come out. A source is named otherwise (“the pdf”, “in the pdf”)."""
_ALSO_FORMAT = re.compile(
    r"\s*(?:file|document|format|格式|文档|文件)?\s*(?:and|or|plus|as well as|&|,|，|、|和|与|及|以及)\s*"
    rf"(?:also\s+)?(?:as\s+)?(?:an?\s+)?({_FORMAT}){_END}"
)
NO_EXPORT = re.compile(
    rf"\b(?:no|not|without|never|don['’]?t|do not)\b[^.!?\n]{{0,24}}?(?:{_FORMAT}|\bexport)"
    r"|\b(?:only|just) (?:as |in )?(?:markdown|md)\b"
    rf"|\b(?:markdown|md) only\b|(?:不要|不用|无需|别)[^。！？\n]{{0,8}}(?:导出|{_FORMAT})|只要 ?(?:markdown|md)",
    re.IGNORECASE,
)
EXPORT = re.compile(
    r"^(?:please\s+|now\s+|then\s+|also\s+|and\s+|ok(?:ay)?,?\s+|(?:can|could|would) you\s+(?:please\s+)?)*"
    r"(?:(?:export|convert)\b|(?:save|turn|render|make|give(?:\s+me)?|send(?:\s+me)?|i\s+(?:want|need)|print|put)\s+"
    r"(?:it|this|that|them|the\s+(?:draft|report|document|text|file|article|paper|memo|summary|result))\b"
    r"|(?:make|create|i\s+(?:want|need)|give me)\s+an?\s+\w+\s+(?:\w+\s+)?(?:of|from|out of)\s+(?:it|this|that|the)\b"
    r"|(?:as|to|in)\s+(?:an?\s+)?(?:pdf|word|docx)\b)"
    r"|^(?:请|再|也|帮我|麻烦|现在|然后)*(?:把|将)?.{0,16}?(?:导出|转换?[为成]|转存|另存)",
    re.IGNORECASE,
)
"""A prompt that wants nothing but an export."""
_WISH = re.compile(
    r"^(?P<mark>[\s>*_#\-+•\d.]*)(?:(?:output|export|document)[ _-]?formats?|(?:输出|导出|文档)的?格式)"
    r"[\s*_]*[:：]?(?P<value>.*)$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^\s*#{1,6}\s")
_ONLY_SOMETIMES = re.compile(
    r"\b(?:when|if|unless|only (?:on|when|if|for)|on (?:request|demand)|not|no|never|don't|optional\w*|ask(?:ed)?)\b"
    r"|要求时|需要时|如果|除非|不要|不用|不需|可选",
    re.IGNORECASE,
)
"""Words of a wish that rules cannot weigh: then nothing is exported unasked."""
_MOST_WISH_LINES = 6


def formats_asked(typed: str, plain: str) -> tuple[tuple[str, ...], str]:
    """Return the formats asked for, and the file that one of them shall be written to, empty where none is named.

    `typed` is a request without its references, `plain` the same without any names of files.
    """
    named = _EXPORTED_TO.search(typed)
    found = [named["path"].rpartition(".")[2]] if named else []
    for asked in _ASKED_FORMAT.finditer(plain):
        found += [name for name in asked.groups() if name]
        end = asked.end()
        while also := _ALSO_FORMAT.match(plain, end):
            found.append(also[1])
            end = also.end()
    return formats_named(" ".join(found)), named["path"] if named else ""


def formats_named(text: str) -> tuple[str, ...]:
    """Return the formats that are named anywhere in `text`, in order."""
    found = re.findall(r"pdf|docx|(?<![a-z])word(?![a-z])", text, re.IGNORECASE)
    return tuple(dict.fromkeys("pdf" if name.lower() == "pdf" else "docx" for name in found))


def wished_formats(wishes: str) -> tuple[str, ...]:
    """Return the formats under “Output Format” in the standing wishes of a workspace, in which each document is wanted."""
    lines = wishes.splitlines()
    for number, line in enumerate(lines):
        found = _WISH.match(line)
        if found is None:
            continue
        value = found["value"].strip(" *_`")
        if not value:
            value = " ".join(_following(lines[number + 1 :]))
        return () if _ONLY_SOMETIMES.search(value) else formats_named(value)
    return ()


def _following(lines: Iterable[str]) -> Iterable[str]:
    """Yield what stands under a heading or a label, up to the next heading or the end of its paragraph."""
    kept: list[str] = []
    for line in lines:
        if _HEADING.match(line) or (kept and not line.strip()) or len(kept) == _MOST_WISH_LINES:
            break
        kept += [line] if line.strip() else []
    return kept
