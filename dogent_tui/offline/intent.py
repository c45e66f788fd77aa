"""What a prompt asks for, as far as rules can tell: a draft, a change of the last draft, an answer, or a word of greeting."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dogent_tui.offline.conversation import REFERENCE, Run, Source
from dogent_tui.offline.form import Form, count_of, form_of, name_of, wants_lines, without_form
from dogent_tui.offline.formats import EXPORT, NO_EXPORT, PRODUCT, formats_asked
from dogent_tui.offline.language import Language, language_of
from dogent_tui.offline.relevance import terms
from dogent_tui.offline.sentences import CJK

Kind: TypeAlias = Literal[
    "chat", "thanks", "unable", "by_hand", "question", "lines", "draft", "shorter", "longer", "section", "export", "revise"
]
"""`unable`: what takes a model, such as a translation. `by_hand`: what the person does better themselves, such as deleting
a file. `lines` is a summary so short that it is an answer.

`shorter`, `longer` and `section` change the draft of an earlier prompt; `export` makes a
pdf or docx of it, or of a Markdown file that is named; `revise` proposes a change of one that is named."""

_FILE = rf"[\w{CJK}./\\~-]{{1,200}}\.(?:md|markdown|txt)"
_QUOTED_FILE = re.compile(r"[`\"“'](?P<path>[^`\"”'\n]{1,200}\.(?:md|markdown|txt))[`\"”']")
_OUTPUT = re.compile(
    r"(?:\b(?:to|into|as|called|named)|[到为入成存]|保存至|叫|命名为)"
    rf"\s*[:：]?\s*(?P<path>{_FILE})(?!\w)",
    re.IGNORECASE,
)
_MENTIONED = re.compile(rf"(?<![\w@./])(?P<path>{_FILE})(?!\w)")

_GREETING = re.compile(
    r"(?:(?:hello|hi|hey|yo|good (?:morning|afternoon|evening|day)|greetings)(?:\s+(?:there|dogent|all))?|test|ping|help(?: me)?"
    r"|(?:what|which things) (?:can|do) you (?:do|know).*|what are you|who are you"
    r"|how do (?:you|i|we) (?:work|start|use (?:you|this|it)).*"
    r"|are you (?:an? )?(?:ai|llm|model|language model|bot|robot|claude|human|real|there).*"
    r"|(?:你好|您好|嗨|哈喽|早上好|晚上好|下午好|在吗)[呀啊吗]*|帮助|你是谁|你是什么"
    r"|你(?:能|会|可以)(?:做|干|帮我做)?(?:什么|啥|些什么)|怎么(?:用|使用)|你是(?:人工智能|AI|模型|机器人)吗?)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:many )?thanks?(?: you)?(?: (?:so|very) much| a lot)?"
    r"|ok(?:ay)?|great|good|fine|perfect|nice|cool|bye|goodbye|yes|no|谢谢你?|多谢|好的?|再见|不用了?",
    re.IGNORECASE,
)
_UNABLE = re.compile(
    r"\b(?:translat\w+|rewrit\w+|rephras\w+|paraphras\w+|proof-?read\w*|spell-?check\w*|polish\w*"
    r"|(?:correct|fix) the (?:spelling|grammar))\b"
    r"|\b(?:make|sound)\b.{0,30}\b(?:friendlier|formal|funnier|simpler|professional|casual)\b|翻译|改写|润色|校对|译成"
    r"|^(?:please\s+|now\s+|(?:can|could) you\s+)*(?:write|tell|make|compose|create|give)\s+(?:(?:me|us)\s+)?"
    r"(?:an?|some)\s+(?:\w+\s+){0,2}"
    r"(?:poems?|haikus?|limericks?|songs?|lyrics|jokes?|stor(?:y|ies)|fairy tales?)\b"
    r"|(?:写|作|讲|编)(?:一?[首个篇段])?.{0,12}(?:诗|歌词|笑话|故事|童话)[。！\s]*$",
    re.IGNORECASE,
)
_BY_HAND = re.compile(
    r"^(?:please\s+|now\s+|then\s+|(?:can|could|would) you\s+(?:please\s+)?)*(?:delete|remove|erase|trash|rename|move|replace)\b"
    r"|^[请帮我你能可以麻烦，,\s]{0,8}(?:(?:把|将)[^，,。；;\n]{1,40}?)?(?:删除|删掉|删了|移动到|移到|重命名|改名|替换)",
    re.IGNORECASE,
)
_REVISE = re.compile(
    r"^(?:please\s+|now\s+|then\s+|(?:can|could|would) you\s+)*"
    r"(?:revise|fix|tidy|clean|proof-?read|spell-?check|correct|improve|polish|edit|shorten|tighten|trim)\b"
    r"|^(?:please\s+)?check\b.*\b(?:mistakes?|errors?|typos?|spelling|grammar)\b|检查.{0,12}错|校对|修订|修正|修改|改正|纠正|更正|错别字|拼写|润色|精简|缩短|改进",
    re.IGNORECASE,
)
_REWORD = re.compile(r"\b(?:translat\w+|re-?writ\w+|rephras\w+|paraphras\w+)\b|翻译|改写|译成", re.IGNORECASE)
_WRITE = re.compile(
    r"\b(?:write|draft|compose|summari[sz]e|summary|create|prepare|produce|generate|outline|report|compile|collect|essay|article"
    r"|document|brief(?:ing)?|memo|overview|minutes)\b"
    r"|写|撰|起草|总结|摘要|概述|整理|汇总|归纳|报告|草稿|生成|文档|文章",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:explain|describe|what|which|who|whose|when|where|why|how|is|are|was|were|does|do|did|has|have|can|could|should|will|would)\b|[?？]\s*$"
    r"|^(?:什么|谁|哪|为什么|怎么|怎样|如何|多少|几|是否|有没有)|[吗呢]\s*[。.]?$",
    re.IGNORECASE,
)
_SHORTER = re.compile(
    r"\b(?:shorter|shorten|condense|trim|cut (?:it )?down|fewer|less text|more concise|tighten)\b|短|精简|缩|简洁|压缩",
    re.IGNORECASE,
)
_LONGER = re.compile(
    r"\b(?:longer|lengthen|expand|extend|continue|go on|keep going|more(?: detail\w*)?|elaborate|add more|fuller)\b"
    r"|继续|更长|加长|长一点|扩|详细|再多|补充",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"^(?:please\s+|now\s+|then\s+|(?:can|could) you\s+)*(?:write|draft|compose|summari[sz]e|create|prepare|produce|generate)\b"
    r"(?!\s+(?:it|more|longer|shorter)\b)|(?:写|起草|撰|生成|总结|整理|做)出?[一个篇份]|^(?:请|帮我|再|麻烦)*(?:总结|整理|起草|归纳)",
    re.IGNORECASE,
)
"""A prompt that wants another document, whatever else it says."""
_POLITE = re.compile(r"^(?:can|could|would|will) you\b", re.IGNORECASE)
"""Beginning like a question, this asks for a deed."""
_SECTION = re.compile(
    r"\b(?:add|insert|append|include|write)\b.{0,24}?\b(?:section|chapter|part|paragraph|bit|something|sentences?|words?|points?)\b"
    r".{0,16}?\b(?:on|about|for|regarding|covering|called|named|titled)\b\s*(?P<topic>.+)"
    r"|(?:加|增加|添加|补充|写|插入)(?:上|入)?.{0,6}?(?:关于|有关|讲)(?P<topic_zh>.+?)"
    r"的?(?:一节|一段|章节|小节|部分|内容|段落|章|节)?[。.！!]?$",
    re.IGNORECASE | re.DOTALL,
)
_ABOUT = re.compile(
    r"\b(?:about|on|regarding|concerning|covering)\s+(?P<topic>[^.!?\n;:]{3,})"
    r"|(?:关于|有关|对于|围绕)(?P<topic_zh>[^。！？，,\n]{2,40})",
    re.IGNORECASE,
)
_TOPIC_END = re.compile(
    r"\s*(?:[,，;；(（]|\b(?:from|using|based on|with|for|in(?:to)?|to|as|by|please|out of|that|which"
    r"|and (?:also )?(?:save|write|put|export|convert|make|give|produce|create|send|print))\b"
    r"|的?(?:写|保存|存|撰写|起草|生成|整理|做)(?:到|入|为|成|一|出|个|篇|份)).*$",
    re.IGNORECASE | re.DOTALL,
)
_PREAMBLE = re.compile(
    r"^(?:(?:pdf|word|docx)(?=\s+(?:report|document|file|article|essay|memo|summary|brief|overview|version)|\s*$)\s*"
    r"|(?:please|kindly|now|then|also|could you|can you|would you|i (?:want|need|would like)(?: you)?(?: to)?|let us|let's"
    r"|help me(?: to)?|write|draft|compose|create|prepare|produce|generate|make|give|turn|convert|compile|collect|list|extract"
    r"|add"
    r"|summari[sz]e|summary|me|us|the|this|these|those|all|everything|use|it|a|an|and|of|on|short|brief|long|detailed|one-?page|two-?page|report|document"
    r"|article|essay|text|note|memo|overview|version|files?|notes|folder|directory|workspace|here|what is|in)\b[\s,:]*"
    r"|请|帮我|麻烦|列出|用(?=\s)|为(?=[^什了何])|介绍(?:一下)?|一下|这个|把|将|给我|写|撰写|起草|总结|整理|汇总|归纳|概述|生成|编写|一[份篇个下段]"
    r"|[和与](?=\s|$)|简短的?|详细的?|这些|所有|全部|这几个|文件夹|目录|文件|资料|笔记|关于|有关|根据|基于|这[份个篇]|里面?的|中的"
    r"|(?:PDF|Word|docx)(?=$|写|文件|文档|里|中)|[，,：:\s])+",
    re.IGNORECASE,
)
"""What stands before the subject of a request, also between the files that it named."""
_SOURCES = re.compile(
    r"^[请帮我麻烦你，,\s]*(?:根据|基于|按照|参考|利用|依据)[^，,。；;\n]{0,30}?"
    r"(?:资料|文件|文档|笔记|材料|内容|数据|记录)(?:[中里]的?)?[，,、\s]*(?=[帮给]?[我你]?(?:写|撰|起草|总结|整理|汇总|归纳|概述|生成|编写|做))"
)
"""What a Chinese request may begin with: the material, before the deed and its subject."""

_GIST = re.compile(
    r"\b(?:main|key|central|most important) (?:points?|ideas?|messages?|contents?|findings?)\b|\bgist\b|^(?:explain|describe)\b"
    r"|\b(?:tells?|says?|said)(?: (?:me|us))?\b|主要(?:内容|观点|意思)|要点|重点|[讲说写]了?(?:些)?什么|解释(?:一下)?",
    re.IGNORECASE,
)
"""What asks for the whole of a file, and names nothing in it."""
_REVISABLE = ("draft", "unable", "question")
"""What a prompt that names a file and begins with "fix" is taken for otherwise."""
_NOT_ONLY_EXPORT = (_REVISE, _ANEW, _SHORTER, _LONGER, _SECTION, _UNABLE)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A prompt is of this `kind` where all of `signs` are in it and none of `unless`.

    `whole`: the sign is all that it says. `changes`: only where there is a draft to change.
    """

    kind: Kind
    signs: tuple[re.Pattern[str], ...]
    unless: tuple[re.Pattern[str], ...] = ()
    whole: bool = False
    changes: bool = False

    def fits(self, plain: str, said: str) -> bool:
        """Whether it holds for a prompt, `plain` without its files, and `said` without the punctuation around it."""
        if self.whole:
            return all(sign.fullmatch(said) for sign in self.signs)
        return all(sign.search(plain) for sign in self.signs) and not any(sign.search(plain) for sign in self.unless)


_RULES = (
    _Rule("chat", (_GREETING,), whole=True),
    _Rule("thanks", (_THANKS,), whole=True),
    _Rule("unable", (_UNABLE,)),
    _Rule("by_hand", (_BY_HAND,), unless=(_ANEW,)),
    _Rule("section", (_SECTION,), changes=True),
    _Rule("shorter", (_SHORTER,), unless=(_ANEW,), changes=True),
    _Rule("section", (_LONGER, _ABOUT), unless=(_ANEW, _QUESTION), changes=True),
    _Rule("longer", (_LONGER,), unless=(_ANEW, _QUESTION), changes=True),
    _Rule("question", (_QUESTION,), unless=(_POLITE,)),
)
"""The first that fits decides; where none does, the prompt wants a draft."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What a prompt asks for.

    `topic` is in the person's own words, empty where none is named; `output` the file asked for, empty likewise; `count` the
    number of sentences that the draft should quote; `words` the terms of the request.

    `formats` are the kinds of file asked for beside the Markdown (``pdf``, ``docx``), and `export_to` the name of one, empty
    where none is given. `no_export`: it says that none is wanted. `revise` is the file to propose a change of.
    `form` is that of a draft; `name` is what the person calls it (“Letter to the mayor”), `addressed` where that says for whom.
    `about`: it says what it is about, as in “about cats”.
    """

    kind: Kind
    language: Language
    topic: str
    words: tuple[str, ...]
    output: str
    count: int
    formats: tuple[str, ...] = ()
    export_to: str = ""
    no_export: bool = False
    revise: str = ""
    form: Form = "text"
    name: str = ""
    addressed: bool = False
    about: bool = False


def intent_of(run: Run, *, has_draft: bool) -> Intent:
    """Tell what the prompt of `run` asks for. `has_draft`: an earlier prompt made one, which this one may want changed."""
    typed = run.request[:20_000]
    output = _output(typed, {source.path for source in run.sources})
    plain = _without_files(typed, run.sources)
    no_export = NO_EXPORT.search(plain) is not None
    formats, export_to = ((), "") if no_export else formats_asked(REFERENCE.sub(" ", typed), plain)
    kind = _kind(plain, has_draft=has_draft, bare=not (run.sources or run.material or output or formats))
    named = next((source.path for source in run.sources if source.type in ("md", "markdown")), output)
    has_markdown = has_draft or bool(named)
    revise = named if kind in _REVISABLE and _REVISE.search(plain) and not _REWORD.search(plain) else ""
    kind = "revise" if revise else kind
    if formats and has_markdown and EXPORT.search(plain) and not any(other.search(plain) for other in _NOT_ONLY_EXPORT):
        kind = "export"
    form = form_of(plain) if kind == "draft" else "text"
    if kind == "draft" and form == "text" and not output and not formats and wants_lines(plain):
        kind = "lines"
    # What follows the first sentence of a request says how: “Begin with a recommendation.” A question may come after others.
    said = plain if kind == "question" else re.split(r"(?<=[.!。！])\s", plain, maxsplit=1)[0]
    topic = _topic(without_form(plain, form), without_form(said, form), kind)
    words = (terms(topic) if kind != "question" else []) or [
        term for term in terms(_GIST.sub(" ", _PREAMBLE.sub("", without_form(said, form)))) if not _WRITE.search(term)
    ]
    if export_to and not output and kind == "draft":
        output = f"{export_to.rpartition('.')[0]}.md"
    language = language_of(plain or run.material[:2_000])
    return Intent(
        kind,
        language,
        topic,
        tuple(dict.fromkeys(words)),
        output,
        count_of(plain),
        formats,
        export_to,
        no_export,
        revise,
        form,
        *name_of(plain),
        about=_ABOUT.search(plain) is not None,
    )


def _kind(plain: str, *, has_draft: bool, bare: bool) -> Kind:
    said = plain.strip(" \t\n.!?。！？,，~…")
    if bare and not said:
        return "chat"
    return next((rule.kind for rule in _RULES if (has_draft or not rule.changes) and rule.fits(plain, said)), "draft")


def _topic(plain: str, said: str, kind: Kind) -> str:
    """Return what a request is about, as it says anywhere; else what its first sentence `said` leaves of its subject."""
    found = (_SECTION.search(plain) if kind == "section" else None) or _ABOUT.search(plain)
    raw = (found["topic"] or found["topic_zh"] or "") if found else ""
    topic = _tidy(_PREAMBLE.sub("", raw.strip()) or raw)
    if topic or kind == "question":
        return topic
    said = _GIST.sub(" ", said) if kind == "lines" else said
    rest = _PREAMBLE.sub("", _SOURCES.sub("", said.strip().split("\n", 1)[0]))
    return _tidy(rest)


def _tidy(topic: str) -> str:
    """Cut a topic before where it goes on about files or form, and to the length of a title."""
    words = " ".join(_TOPIC_END.sub("", topic.strip()).split())
    words = re.sub(r"的?\s*(?:PDF|Word|docx)\s*(?:格式的?|文档|文件|报告|版本?)+$", "", words, flags=re.IGNORECASE)
    words = re.sub(
        r"(?:的(?:报告|总结|文章|文档|草稿|摘要|大纲|提纲|邮件|信|通知|提案)(?:给.{1,12})?|的)$",
        "",
        words.strip(" .,:;!?。，：；！？\"'`“”").removeprefix("的"),
    )
    return words if len(words) <= 80 else words[:80].rsplit(" ", 1)[0]


def _without_files(typed: str, sources: Iterable[Source]) -> str:
    paths = sorted((source.path for source in sources), key=len, reverse=True)

    def rest(found: re.Match[str]) -> str:
        """Return what follows the file in a reference that goes on without a space, as in Chinese."""
        named = next((path for path in paths if found["path"].startswith(path)), found["path"])
        return f" {found['path'][len(named) :]} "

    text = REFERENCE.sub(rest, typed)
    text = _QUOTED_FILE.sub(" ", text)
    text = PRODUCT.sub(" ", text)
    return " ".join(_MENTIONED.sub(" ", text).split())


def _output(typed: str, referenced: set[str]) -> str:
    text = REFERENCE.sub(" ", typed)
    asked = _OUTPUT.search(text)
    if asked:
        return asked["path"]
    named = (found["path"] for pattern in (_QUOTED_FILE, _MENTIONED) for found in pattern.finditer(text))
    return next((path for path in named if path not in referenced), "")
