"""Tool calls that a model wrote into its text.

A model calls a tool with special tokens, which its server should turn into a call. If the server
does not know the model's format, the call arrives as text. Everything before the first mark is
passed on as it arrives. What begins like a call is held until the reply ends and then parsed once,
so that the chunking makes no difference.

Marked text is a call. A fence or bare JSON is one only if it names an offered tool, contains
nothing but a call, and nothing but calls follows: a document may well be about JSON. A marked call
that cannot be parsed becomes one that is refused, so that the model tries again.

The patterns use the package `regex`: its partial matches tell what the next chunk may complete to a
mark, and its recursion finds where a value ends.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

import regex

from dogent_tui.local_models.call_json import (
    ARGUMENT_KEYS,
    HOLDERS,
    NAME_KEYS,
    Tools,
    calls_in,
    loads,
)
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyThinking, ReplyToolUse

Pattern: TypeAlias = regex.Pattern[str]
Match: TypeAlias = regex.Match[str]
Calls: TypeAlias = tuple[ReplyToolUse, ...]
Read: TypeAlias = tuple[Calls, int]
"""Calls, and where they end in the text."""

# ── The shapes of a payload ───────────────────────────────────────────────────────────────────────

_NESTED = (
    r'''(?(DEFINE)(?P<nested>[\[{(](?:"""(?s:.*?)"""|<escape>(?s:.*?)<escape>'''
    r"""|<\|"\|>(?s:.*?)<\|"\|>|[^][{}()"'<]++|<"""
    r"""|"[^"\\]*+(?s:\\.[^"\\]*+)*+"|'[^'\\]*+(?s:\\.[^'\\]*+)*+'|(?&nested))*+[\]})]))"""
)
"""A list, an object, or arguments in parentheses, up to the closing bracket."""
_VALUE = r"(?P<value>(?=[\[{])(?&nested))"
_PREFIX = "(?:[|｜]?[A-Za-z]{2,12}[|｜:])?"
"""Prefixes that some models put before tag names: ``minimax:``, ``｜DSML｜``."""
_SILENT = (
    r"<[|｜]/?[A-Za-z_▁]{1,40}[|｜]>|<[A-Za-z_]{1,40}[|｜]>|\[ARGS\]|\[CALL_ID\]\w*|✿[A-Z]+✿:?"
    r"|```json|<tool_sep>|call:|Action(?: Input)?:"
)
_BLANKS = rf"(?:\s|{_SILENT})*+"
_WORDS = rf"(?:(?:json|code|commentary|analysis)\b{_BLANKS})*+"
"""What harmony and DeepSeek write between the name and its arguments, besides such tokens."""
_NAME = r"(?P<name>[\w.:-]{1,120})"
_TAG_END = rf"</{_PREFIX}(?:function|invoke|tool_call)>"
_PARAMETER = (
    rf"""\s*<{_PREFIX}parameter(?:=|\s+name=)["']?(?P<key>[^>"'\s]{{1,120}})["']?[^>]*>"""
    rf"\n?(?P<text>(?s:.*?))\n?</{_PREFIX}parameter>"
    rf"(?=\s*(?:<{_PREFIX}parameter|{_TAG_END}))"
    r"|\s*<arg_key>\s*(?P<key>[^<]{1,120}?)\s*</arg_key>"
    r"\s*<arg_value>(?P<text>(?s:.*?))</arg_value>"
)
_TAG = rf"<{_PREFIX}(?:function[=\s]|invoke\s)"

_JSON = regex.compile(rf"{_NESTED}{_BLANKS}{_VALUE}")
"""``{"name": …, "arguments": {…}}``, or a list of these."""
_NAMED = regex.compile(
    rf"{_NESTED}{_BLANKS}(?:function{_BLANKS})??{_NAME}{_BLANKS}{_WORDS}{_VALUE}"
)
"""The name of the tool between special tokens, then its arguments."""
_TAGS = regex.compile(
    rf"""{_NESTED}{_BLANKS}(?:function{_BLANKS})??(?:{_TAG})?\s*(?:name=)?["']?{_NAME}["']?\s*>?"""
    rf"(?:(?:{_PARAMETER})++\s*{_TAG_END}|\s*{_VALUE}\s*(?:{_TAG_END}|<function>)?|\s*{_TAG_END})"
)
"""``<function=NAME><parameter=KEY>VALUE</parameter></function>``, and the like with ``<invoke
name="NAME">``, or ``<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>``.
"""
_PYTHON = regex.compile(
    rf"{_NESTED}\s*\[?(?:\s*(?:print\()?(?P<name>[A-Za-z_][\w.]{{0,119}}?)(?:\.call)?"
    r"(?P<value>(?=\()(?&nested))\)?\s*,?)++(?:\s*\])?"
)
"""``[name(key="value"), …]``. It is never run: the arguments must be literals."""
_BEGUN = regex.compile(
    rf"""{_BLANKS}(?:(?P<rest>[\[\s]*\{{\s*["']name["']\s*:\s*["'](?P<name>[^"'\s]{{1,120}})["'])"""
    rf"|(?:function{_BLANKS})??(?:{_TAG})?\s*(?:name=|print\()?"
    r"""["']?(?P<name>[\w.:-]{1,120}?)["']?"""
    rf"(?:{_BLANKS}{_WORDS}>?\s*(?P<rest>(?=[<{{]))|(?:\.call)?(?P<rest>\()))"
)
"""The beginning of any of them, to find the name in a broken one."""


def _calls(found: Match, tools: Tools) -> Calls:
    """Return the calls in a payload, none if its arguments cannot be parsed."""
    groups = found.capturesdict()
    values = groups["value"]
    if "name" not in groups:
        return calls_in(loads(values[0]), tools, marked=True)
    if groups.get("key"):
        given = [dict(zip(groups["key"], groups["text"], strict=True))]
    else:
        given = [loads(f"{{{value[1:-1]}}}") for value in values] or [{}]
    is_sound = all(isinstance(arguments, dict) for arguments in given)
    return tuple(map(tools.call, groups["name"], given)) if is_sound else ()


_SHAPES = (_JSON, _TAGS, _NAMED, _PYTHON)

# ── The marks ─────────────────────────────────────────────────────────────────────────────────────

_OPENING = (
    # Hermes, Qwen, GLM, Olmo, Gemma; with a prefix MiniMax, Seed, DeepSeek
    rf"<{_PREFIX}(?:start_)?(?i:tool[_-]?calls?|function_?calls?|tool_code)"
    r"(?:>|(?=\s+name=)|\s[^<>]{0,80}>)"
    # Llama, Qwen's coders, Claude's older form
    rf"|<{_PREFIX}(?:function=|(?:function|invoke)\s+(?=name=))"
    # Granite, Llama, Kimi, DeepSeek, Command-R, InternLM, Gemma, LFM, Apertus
    r"|<[|｜](?!/|[\w▁]*(?i:end|sep|suffix|argument|respon|output|result|declar))"
    r"[\w▁]*(?i:tool|function|action|python_tag)[\w▁]*[|｜]?>"
    r"|(?:<\|channel\|>\w+\s+|<\|start\|>assistant\s*|^ ?)to=(?=functions[.:])"  # harmony
    r"|\[TOOL_CALLS?\]|functools(?=\[)|✿FUNCTION✿:"  # Mistral; Phi 4 mini; Qwen's agents
)
"""How models mark a call, according to their chat templates."""
_CLOSING = (
    rf"</{_PREFIX}(?i:tool[_-]?calls?|function_?calls?|tool_code|function|invoke)(?:>|\Z)"
    r"|<end_function_call>"
    r"|<[|｜](?:/[\w▁]+|[\w▁]*(?i:end|eo[mt]_id|suffix)[\w▁]*|call)[|｜]>|<tool_call[|｜]>"
    r"|\[/TOOL_CALLS?\]|✿RESULT✿:?|</s>"
)
_THOUGHTS = {
    "<think>": "</think>",
    "[THINK]": "[/THINK]",
    "<|channel|>analysis<|message|>": "<|end|>",
}
"""The beginning of a reply that thinks aloud, and the end of the thinking."""
_STARTED = r"(?:<\|start\|>assistant)?"
"""What harmony may write before any of its marks."""
_DROP = (
    r"</think>|\[/THINK\]|<\|channel\|>(?:final|commentary)<\|message\|>|<\|(?:end|return)\|>"
    r"|<\|(?:eot_id|eom_id|im_end)\|>|<end_of_turn>"
)
"""Marks that are not part of the text: the end of thinking that began in the prompt, what follows
it, and the end of a reply.
"""


_OPENINGS = regex.compile(rf"(?:\s*+(?:{_OPENING}))*+\s*", regex.MULTILINE)
_CLOSERS = regex.compile(
    rf"(?:\s*+(?:(?:{_OPENING})\s*+\Z|(?!{_STARTED}(?:{_OPENING}|<\|channel\|>))"
    rf"(?:{_CLOSING}|{_SILENT}|```|[,;\])}}])))*+\s*",
    regex.MULTILINE,
)
"""What may follow a call without meaning, also the mark of another that never comes."""
_BETWEEN = regex.compile(r"[\s,;]*")
"""What separates the calls after one mark."""
_FENCE = r"(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\n]*)\n"
_UNFENCED = r"(?<!^[ \t]{0,3}(?:`{3,}|~{3,})[^\n]*)"
"""The first line of a fence is its language, even before the rest of it has arrived."""
_CALL_LANGUAGES = frozenset({"", "json", "tool_call", "tool_code", "tool_use", "tool"})
_UNNAMED = "unreadable_call"
"""The name used if a model wrote none; there is no such tool."""


class _Patterns(NamedTuple):
    """What may begin within a text; `first` at its beginning, `head` for a call without a mark."""

    first: Pattern
    any: Pattern
    head: Pattern


@cache
def _patterns(names: str) -> _Patterns:
    """Return the patterns; `names` matches the names of the tools."""

    def entry(keys: Iterable[str], value: str) -> str:
        return rf"""["'](?:{"|".join(keys)})["']\s*:\s*{value}"""

    identity = entry(("id", "type", "tool_call_id"), r"""["'][\w.:-]{0,80}["']\s*,\s*""")
    name = entry(NAME_KEYS, rf"""["']{names}["']""")
    function = entry(("function",), r"\{\s*")
    arguments = entry(ARGUMENT_KEYS, r"""[{"']""")
    holder = entry(HOLDERS, r"(?:\[\s*)?\{\s*")
    head = (
        rf"(?:\[\s*)?(?:\{{\s*(?:{holder})?(?:{identity})*(?:(?:{function})?{name}|{arguments})"
        rf"|(?:print\()?{names}(?:\.call)?\("
        rf"|(?:Action:\s*)?{names}[ \t]*\n[ \t]*(?:Action Input:\s*)?\{{)"
    )
    found = (
        rf"(?<!`){_STARTED}(?:(?P<mark>{_OPENING})|(?P<drop>{_DROP})){_UNFENCED}"
        rf"|^[ \t]{{0,3}}(?:>>>)?(?:(?P<head>{head})|{_FENCE})"
    )
    thought = rf"\A\s*{_STARTED}(?P<thought>{'|'.join(map(regex.escape, _THOUGHTS))})|{found}"
    first, anywhere = (regex.compile(each, regex.MULTILINE) for each in (thought, found))
    return _Patterns(first, anywhere, regex.compile(rf"\s*{head}"))


# ── Reading a whole text ──────────────────────────────────────────────────────────────────────────


def _marked(text: str, found: Match, line: str, tools: Tools) -> Read | None:
    """Parse what follows the mark `found`. `line` is the text before it on its line: after a
    sentence, the mark may just be mentioned, so the tool must be an offered one.
    """
    sure = _OPENINGS.fullmatch(line) is not None
    at = _end_of(_OPENINGS, text, found.end())
    for shape in _SHAPES:
        if (read := _read(shape, text, at, tools)) and (sure or _are_offered(read[0], tools)):
            while (more := _read(shape, text, _end_of(_BETWEEN, text, read[1]), tools)) and (
                _are_offered(more[0], tools)
            ):
                read = read[0] + more[0], more[1]
            return read
    return _unreadable(text, at, sure=sure, tools=tools)


def _read(shape: Pattern, text: str, at: int, tools: Tools) -> Read | None:
    payload = shape.match(text, at)
    calls = _calls(payload, tools) if payload else ()
    return (calls, payload.end()) if payload and calls else None


def _are_offered(calls: Calls, tools: Tools) -> bool:
    return all(tools.named(call.name) for call in calls)


def _unreadable(text: str, at: int, *, sure: bool, tools: Tools) -> Read | None:
    """Return a call that will be refused for marked text. Without a name, and within a line, it
    must be the end of the reply: otherwise the mark is just mentioned.
    """
    closing = regex.compile(_CLOSING).search(text, at)
    stop, end = closing.span() if closing else (len(text), len(text))
    # closing marks that models forget
    for missing in ("}", "}}", "}]") if closing and sure else ():
        if calls := calls_in(loads(text[at:stop] + missing), tools, marked=True):
            return calls, end
    begun = _BEGUN.match(text, at, stop)
    name = begun["name"] if begun else _UNNAMED
    written = text[begun.start("rest") if begun else at : stop]
    is_call = sure if begun else closing is not None or written.lstrip().startswith("{")
    if not (begun and sure) and _end_of(_CLOSERS, text, end) < len(text):
        return None
    if not written.strip() or not (is_call or tools.named(name)):
        return None
    return (tools.refused(name, written),), end


def _end_of(pattern: Pattern, text: str, at: int) -> int:
    return found.end() if (found := pattern.match(text, at)) else at


def _unmarked(text: str, found: Match, tools: Tools) -> Read | None:
    """Parse a fence of JSON or Python, or bare JSON or Python, which must be a call and nothing
    else.
    """
    fence = found["fence"]
    if fence and found["language"].strip().lower() not in _CALL_LANGUAGES:
        return None
    at = found.end() if fence else found.start("head")
    value = _JSON.match(text, at)
    calls = calls_in(loads(value["value"]), tools, marked=False) if value else ()
    read = (calls, value.end()) if value and calls else None
    read = read or _read(_PYTHON, text, at, tools) or _read(_NAMED, text, at, tools)
    if not read or not _are_offered(read[0], tools):
        return None
    closing = regex.compile(rf"\s*(?:{fence}|$)" if fence else "").match(text, read[1])
    return (read[0], closing.end()) if closing else None


def _code_end(fence: str) -> regex.Pattern[str]:
    return regex.compile(rf"^[ \t]{{0,3}}(?P<code>{fence})[`~]*[ \t]*\n", regex.MULTILINE)


def _parts(text: str, at: int, tools: Tools) -> Iterator[tuple[str, Calls, bool]]:
    """Yield the parts of `text` from `at` on: the text as written, its calls, and whether they are
    marked.
    """
    said = at
    while found := _patterns(tools.pattern).any.search(text, at):
        start, at, read = found.start(), found.end(), None
        if found["mark"]:
            read = _marked(text, found, text[text.rfind("\n", 0, start) + 1 : start], tools)
        elif found["head"] or found["fence"]:
            read = _unmarked(text, found, tools)
        if read:
            calls, end = read
            yield text[said:start], (), False
            yield text[start:end], calls, bool(found["mark"])
            text = text[_end_of(_CLOSERS, text, end) if found["mark"] else end :]
            said = at = 0  # what follows a call is read as from a new line
        elif found["drop"]:
            yield text[said:start], (), False
            said = at
        elif found["fence"]:
            closing = _code_end(found["fence"]).search(text, at)
            at = closing.end() if closing else len(text)
    yield text[said:], (), False


# ── Reading while it comes ────────────────────────────────────────────────────────────────────────


class CallFinder:
    """Takes chunks of text with `feed`, and returns text, thinking, and calls. `finish` returns the
    rest.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._patterns = _patterns(tools.pattern)
        self._awaited = self._patterns.first
        self._kind: type[ReplyText | ReplyThinking] = ReplyText
        self._text, self._at = "", 0  # from the beginning of a line; how much of it was passed on
        self._held: list[str] = []
        self._trims = False
        self._out: list[ReplyBlock] = []

    def feed(self, text: str, *, ended: bool = False) -> list[ReplyBlock]:
        """Process the next chunk, and return what is known by now."""
        self._out = []
        if self._held:
            self._held.append(text)
        else:
            line = self._text.rfind("\n", 0, self._at) + 1
            self._text, self._at = self._text[line:] + text, self._at - line
            while self._step(partial=not ended):
                pass
        if ended and self._held:
            self._read_held()
        return self._out

    def finish(self) -> list[ReplyBlock]:
        """Return the rest at the end of the text."""
        return self.feed("", ended=True)

    def _step(self, *, partial: bool) -> bool:
        """Pass on the text before the next mark, and handle the mark. Return whether another may
        follow.
        """
        found = self._awaited.search(self._text, self._at, partial=partial)
        self._say(found.start() if found else len(self._text))
        if found is None or found.partial:
            return False
        groups = found.groupdict()
        is_call, language = groups.get("mark") or groups.get("head"), groups.get("language")
        if language is not None and language.strip().lower() in _CALL_LANGUAGES:
            head = self._patterns.head.match(self._text, found.end(), partial=partial)
            if head and head.partial:
                return False
            is_call = head
        if is_call:
            self._held = [self._text]
            return False
        if groups.get("fence") or groups.get("code"):
            self._say(found.end())
        else:  # the marks of thinking and the blanks after them are not passed on
            self._at, self._trims = found.end(), True
        self._kind, self._awaited = ReplyText, self._patterns.any
        if fence := groups.get("fence"):
            self._awaited = _code_end(fence)
        elif thought := groups.get("thought"):
            self._kind, self._awaited = (
                ReplyThinking,
                regex.compile(regex.escape(_THOUGHTS[thought])),
            )
        return True

    def _say(self, end: int) -> None:
        text, self._at = self._text[self._at : end], end
        if text and self._awaited is self._patterns.first:
            self._awaited = self._patterns.any
        if text := text.lstrip() if self._trims else text:
            self._trims = False
            self._out.append(self._kind(text))

    def _read_held(self) -> None:
        """Return everything that is held: unmarked text is a call only if nothing but calls
        follows.
        """
        out, only_calls = list[ReplyBlock](), True
        for raw, calls, marked in reversed([*_parts("".join(self._held), self._at, self._tools)]):
            only_calls = marked or (only_calls and bool(calls or not raw.strip()))
            if calls and only_calls:
                out += reversed(calls)
            elif raw:
                out.append(ReplyText(raw))
        self._out += reversed(out)
