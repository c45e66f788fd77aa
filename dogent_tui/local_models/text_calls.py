"""Tool calls that a model wrote into its text.

A model calls a tool by tokens of its own, which its server should turn into a call. Where the
server does not know the model's way, the call arrives as text. What is before the first mark goes
on as it comes. What begins like a call is held until the reply ends, and then read once, so that it
makes no difference in which pieces it came.

What is marked is a call. A fence and bare JSON are one only where they name a tool that was
offered, hold nothing but a call, and nothing but calls follows: a document may well speak of JSON.
A marked call that cannot be read becomes one that is refused, so that the model is asked again.

The patterns are of the package `regex`: its partial matches tell what the next piece may make a
mark, and its recursion finds where a value ends.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

import regex

from dogent_tui.local_models.call_json import ARGUMENT_KEYS, NAME_KEYS, Tools, calls_in, loads
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyThinking, ReplyToolUse

Pattern: TypeAlias = regex.Pattern[str]
Match: TypeAlias = regex.Match[str]
Calls: TypeAlias = tuple[ReplyToolUse, ...]
Read: TypeAlias = tuple[Calls, int]
"""Calls, and where they end in the text."""

# ── The shapes of a payload ───────────────────────────────────────────────────────────────────────

_NESTED = (
    r'''(?(DEFINE)(?P<nested>[\[{(](?:"""(?s:.*?)"""|<escape>(?s:.*?)<escape>|[^][{}()"'<]++|<'''
    r"""|"[^"\\]*+(?s:\\.[^"\\]*+)*+"|'[^'\\]*+(?s:\\.[^'\\]*+)*+'|(?&nested))*+[\]})]))"""
)
"""A list, an object, or arguments in parentheses: up to the bracket that closes it."""
_VALUE = r"(?P<value>(?=[\[{])(?&nested))"
_SILENT = r"<[|｜]/?[A-Za-z_▁]{1,40}[|｜]>|\[ARGS\]|\[CALL_ID\]\w*|```json|<tool_sep>|call:"
_BLANKS = rf"(?:\s|{_SILENT})*+"
_NAME = r"(?P<name>[\w.:-]{1,120})"
_PARAMETER = (
    r"""\s*<parameter(?:=|\s+name=)["']?(?P<key>[^>"'\s]{1,120})["']?[^>]*>"""
    r"\n?(?P<text>(?s:.*?))\n?</parameter>"
    r"|\s*<arg_key>\s*(?P<key>[^<]{1,120}?)\s*</arg_key>"
    r"\s*<arg_value>(?P<text>(?s:.*?))</arg_value>"
)

_JSON = regex.compile(rf"{_NESTED}{_BLANKS}{_VALUE}")
"""``{"name": …, "arguments": {…}}``, or a list of these."""
_NAMED = regex.compile(
    rf"{_NESTED}{_BLANKS}(?:function{_BLANKS})??{_NAME}{_BLANKS}(?:json{_BLANKS})?{_VALUE}"
)
"""The name of the tool between tokens of the model's own, then its arguments."""
_TAGS = regex.compile(
    rf"""{_NESTED}\s*(?:<function=|<invoke\s)?\s*(?:name=)?["']?{_NAME}["']?\s*>?"""
    rf"(?:(?:{_PARAMETER})++|\s*{_VALUE})?+\s*</(?:function|invoke|tool_call)>"
)
"""``<function=NAME><parameter=KEY>VALUE</parameter></function>``, and the like with ``<invoke
name="NAME">``, or ``<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>``.
"""
_PYTHON = regex.compile(
    rf"{_NESTED}\s*\[?(?:\s*(?:print\()?(?P<name>[A-Za-z_][\w.]{{0,119}}?)(?:\.call)?"
    r"(?P<value>(?=\()(?&nested))\)?\s*,?)++(?:\s*\])?"
)
"""``[name(key="value"), …]``. It is never run: its arguments have to be literals."""
_BEGUN = regex.compile(
    rf"""{_BLANKS}(?:(?P<rest>[\[\s]*\{{\s*["']name["']\s*:\s*["'](?P<name>[^"'\s]{{1,120}})["'])"""
    rf"|(?:function{_BLANKS})??(?:<function=|<invoke\s)?\s*(?:name=|print\()?"
    r"""["']?(?P<name>[\w.:-]{1,120}?)["']?"""
    rf"(?:{_BLANKS}(?:json{_BLANKS})?>?\s*(?P<rest>(?=[<{{]))|(?:\.call)?(?P<rest>\()))"
)
"""How any of them begins, to tell the name of one that is broken."""


def _calls(found: Match, tools: Tools) -> Calls:
    """Return the calls that a payload is, none where its arguments cannot be read."""
    groups = found.capturesdict()
    values = groups["value"]
    if "name" not in groups:
        return calls_in(loads(values[0]), tools, marked=True)
    if groups.get("key"):
        given = [dict(zip(groups["key"], groups["text"], strict=True))]
    else:
        given = [loads(f"{{{value[1:-1]}}}") for value in values] or [{}]
    if not all(isinstance(arguments, dict) for arguments in given):
        return ()
    return tuple(map(tools.call, groups["name"], given))


# ── The grammars ──────────────────────────────────────────────────────────────────────────────────


class _Grammar(NamedTuple):
    """How some models mark a call, as their chat templates have it."""

    opening: str
    closing: str
    shapes: tuple[Pattern, ...]


_GRAMMARS = (
    _Grammar("<tool_call>", "</tool_call>", (_JSON, _TAGS)),  # Hermes, Qwen, GLM
    _Grammar("<tool_calls>", "</tool_calls>", (_JSON, _TAGS)),  # Hermes
    _Grammar("<function=", "</function>", (_TAGS,)),  # Llama, Qwen's coders
    _Grammar("<function_calls>", "</function_calls>", (_TAGS, _JSON)),  # MiniMax
    _Grammar("<invoke ", "</invoke>", (_TAGS,)),  # Claude's older form
    _Grammar("[TOOL_CALLS]", "[/TOOL_CALLS]", (_JSON, _NAMED)),  # Mistral
    _Grammar("<|tool_call|>", "<|/tool_call|>", (_JSON,)),  # Granite, Phi
    _Grammar("<|python_tag|>", "<|eom_id|>", (_JSON, _PYTHON)),  # Llama
    _Grammar("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", (_NAMED, _JSON)),  # Kimi
    _Grammar("<|tool_call_begin|>", "<|tool_call_end|>", (_NAMED, _JSON)),  # Kimi
    _Grammar("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", (_NAMED, _JSON)),  # DeepSeek
    _Grammar("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", (_NAMED, _JSON)),  # DeepSeek
    _Grammar("<|channel|>commentary to=", "<|call|>", (_NAMED, _JSON)),  # harmony
    _Grammar("<|START_ACTION|>", "<|END_ACTION|>", (_JSON,)),  # Command-R
    _Grammar("functools[", "]", (_JSON,)),  # Phi 4 mini, Firefunction
    _Grammar("<|action_start|>", "<|action_end|>", (_JSON,)),  # InternLM
    _Grammar("<start_function_call>", "<end_function_call>", (_NAMED, _JSON)),  # Gemma
)
_BY_OPENING = {grammar.opening: grammar for grammar in _GRAMMARS}
_THOUGHTS = {
    "<think>": "</think>",
    "[THINK]": "[/THINK]",
    "<|channel|>analysis<|message|>": "<|end|>",
}
"""What a reply begins with that thinks aloud, and the end of that."""
_STARTED = r"(?:<\|start\|>assistant)?"
"""What harmony may write before any of its marks."""
_DROPPED = ("</think>", "[/THINK]", "<|channel|>final<|message|>")
"""Marks that are none of the text: of thoughts whose beginning was in the prompt, and of what
follows them.
"""


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(regex.escape, words))


_OPENINGS = _any_of(_BY_OPENING)
_CLOSERS = regex.compile(
    rf"(?:\s*+(?!{_OPENINGS})(?:{_any_of(grammar.closing for grammar in _GRAMMARS)}|{_SILENT}"
    r"|```|[,;\])]))*+\s*"
)
"""What may follow a call and says nothing."""
_FENCE = r"(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\n]*)\n"
_CALL_LANGUAGES = frozenset({"", "json", "tool_call", "tool_code", "tool_use", "tool"})
_UNNAMED = "unreadable_call"
"""Goes out as the name of a tool where a model wrote none; there is no such tool."""


class _Patterns(NamedTuple):
    """What may begin within a text; `first` at its beginning, `head` of a call without a mark."""

    first: Pattern
    any: Pattern
    head: Pattern


@cache
def _patterns(names: str) -> _Patterns:
    """Return the patterns where `names` matches the names of the tools."""

    def entry(keys: Iterable[str], value: str) -> str:
        return rf"""["'](?:{"|".join(keys)})["']\s*:\s*{value}"""

    identity = entry(("id", "type", "tool_call_id"), r"""["'][\w.:-]{0,80}["']\s*,\s*""")
    name = entry(NAME_KEYS, rf"""["']{names}["']""")
    function = entry(("function",), r"\{\s*")
    arguments = entry(ARGUMENT_KEYS, r"""[{"']""")
    head = (
        rf"(?:\[\s*)?(?:\{{\s*(?:{identity})*(?:(?:{function})?{name}|{arguments})"
        rf"|(?:print\()?{names}(?:\.call)?\()"
    )
    found = (
        rf"(?<!`){_STARTED}(?:(?P<mark>{_OPENINGS})|(?P<drop>{_any_of(_DROPPED)}))"
        rf"|^[ \t]{{0,3}}(?:(?P<head>{head})|{_FENCE})"
    )
    thought = rf"\A\s*{_STARTED}(?P<thought>{_any_of(_THOUGHTS)})|{found}"
    first, anywhere = (regex.compile(each, regex.MULTILINE) for each in (thought, found))
    return _Patterns(first, anywhere, regex.compile(rf"\s*{head}"))


# ── Reading a whole text ──────────────────────────────────────────────────────────────────────────


def _marked(text: str, found: Match, line: str, tools: Tools) -> Read | None:
    """Read what follows the mark `found`. `line` is what is before it in its line: after a
    sentence, a mark may be what is spoken of, so that the tool has to be one that was offered.
    """
    grammar = _BY_OPENING[found["mark"]]
    sure = regex.fullmatch(rf"(?:\s|{_OPENINGS})*+", line) is not None
    at = found.end() - grammar.opening.endswith("[")
    for shape in grammar.shapes:
        payload = shape.match(text, at)
        calls = _calls(payload, tools) if payload else ()
        if payload and calls and (sure or all(tools.named(call.name) for call in calls)):
            return calls, payload.end()
    return _unreadable(text, at, grammar, sure=sure, tools=tools)


def _unreadable(text: str, at: int, grammar: _Grammar, *, sure: bool, tools: Tools) -> Read | None:
    """Return a call that will be refused for what is marked as one. Without a name, and within a
    line, it has to be the last of the reply: otherwise the mark is spoken of.
    """
    closing = text.find(grammar.closing, at)
    stop, end = (closing, closing + len(grammar.closing)) if closing >= 0 else (len(text),) * 2
    begun = _BEGUN.match(text, at, stop)
    name = begun["name"] if begun else _UNNAMED
    written = text[begun.start("rest") if begun else at : stop]
    is_call = sure if begun else closing >= 0 or written.lstrip().startswith("{")
    if not (begun and sure) and _after_closers(text, end) < len(text):
        return None
    if not written.strip() or not (is_call or tools.named(name)):
        return None
    return (tools.refused(name, written),), end


def _after_closers(text: str, at: int) -> int:
    return found.end() if (found := _CLOSERS.match(text, at)) else at


def _unmarked(text: str, found: Match, tools: Tools) -> Read | None:
    """Read a fence of JSON or Python, or bare JSON or Python, which has to be a call and nothing
    else.
    """
    fence = found["fence"]
    if fence and found["language"].strip().lower() not in _CALL_LANGUAGES:
        return None
    at = found.end() if fence else found.start()
    value = _JSON.match(text, at)
    calls = calls_in(loads(value["value"]), tools, marked=False) if value else ()
    if not calls and (value := _PYTHON.match(text, at)):
        calls = _calls(value, tools)
    if not value or not calls or not all(tools.named(call.name) for call in calls):
        return None
    if not fence:
        return calls, value.end()
    closing = regex.compile(rf"\s*(?:{fence}|$)").match(text, value.end())
    return (calls, closing.end()) if closing else None


def _code_end(fence: str) -> regex.Pattern[str]:
    return regex.compile(rf"^[ \t]{{0,3}}(?P<code>{fence})[`~]*[ \t]*\n", regex.MULTILINE)


def _parts(text: str, at: int, tools: Tools) -> Iterator[tuple[str, Calls, bool]]:
    """Yield the parts of `text` from `at` on: as it is written, the calls that it is, and whether
    they are marked.
    """
    said, edge = at, 0
    while found := _patterns(tools.pattern).any.search(text, at):
        start, at, read = found.start(), found.end(), None
        if found["mark"]:
            line = max(edge, text.rfind("\n", 0, start) + 1)
            read = _marked(text, found, text[line:start], tools)
        elif found["head"] or found["fence"]:
            read = _unmarked(text, found, tools)
        if read:
            calls, end = read
            yield text[said:start], (), False
            yield text[start:end], calls, bool(found["mark"])
            said = at = edge = _after_closers(text, end) if found["mark"] else end
        elif found["fence"]:
            closing = _code_end(found["fence"]).search(text, at)
            at = closing.end() if closing else len(text)
    yield text[said:], (), False


# ── Reading while it comes ────────────────────────────────────────────────────────────────────────


class CallFinder:
    """Takes the pieces of a text with `feed`, and gives back text, thinking, and calls. `finish`
    gives the rest.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._patterns = _patterns(tools.pattern)
        self._awaited = self._patterns.first
        self._kind: type[ReplyText | ReplyThinking] = ReplyText
        self._text, self._at = "", 0  # from the beginning of a line; how much of it was said
        self._held: list[str] = []
        self._trims = False
        self._out: list[ReplyBlock] = []

    def feed(self, text: str, *, ended: bool = False) -> list[ReplyBlock]:
        """Take the next piece, and return what is known by now."""
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
        """Return the rest: nothing more comes."""
        return self.feed("", ended=True)

    def _step(self, *, partial: bool) -> bool:
        """Say what comes before the next mark, and do what that one asks for. Returns whether
        another may follow.
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
        else:  # the marks of thoughts are not said, and neither are the blanks after them
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
        """Say all that is held: what is not marked is a call only where nothing but calls
        follows.
        """
        out: list[ReplyBlock] = []
        only_calls = True
        for raw, calls, marked in reversed([*_parts("".join(self._held), self._at, self._tools)]):
            only_calls = marked or (only_calls and bool(calls or not raw.strip()))
            if calls and only_calls:
                out += reversed(calls)
            elif raw:
                out.append(ReplyText(raw))
        self._out += reversed(out)
