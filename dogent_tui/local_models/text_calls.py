"""Tool calls that a model wrote into its text.

A model calls a tool by tokens of its own, which its server should turn into a call. Where the
server does not know the model's way, the call arrives as text. What is before the first mark goes
on as it comes. What begins like a call is held until the reply ends, and then read once, so that it
makes no difference in which pieces it came.

What is marked is a call. A fence and bare JSON are one only where they name a tool that was
offered, hold nothing but a call, and nothing but calls follows: a document may well speak of JSON.
A marked call at the beginning of a line that cannot be read becomes one that the tool refuses, so
that the model is asked again.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from dogent_tui.local_models.call_json import (
    ARGUMENT_KEYS,
    NAME_KEYS,
    UNREADABLE,
    Tools,
    calls_in,
    loads,
)
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyThinking, ReplyToolUse

Calls = tuple[ReplyToolUse, ...]

_MARKS = (
    "<tool_call>",  # Hermes, Qwen, GLM
    "<tool_calls>",
    "<function=",  # Llama, Qwen's coders
    "<function_calls>",  # MiniMax, Claude's older form
    "<invoke ",
    "[TOOL_CALLS]",  # Mistral: a list, or NAME[ARGS]{…}
    "<|tool_call|>",  # Granite, Phi
    "<|python_tag|>",  # Llama
    "<|tool_calls_section_begin|>",  # Kimi
    "<|tool_call_begin|>",
    "<｜tool▁calls▁begin｜>",  # DeepSeek
    "<｜tool▁call▁begin｜>",
    "<|start|>assistant<|channel|>commentary to=",  # harmony
    "<|channel|>commentary to=",
    "<|START_ACTION|>",  # Command-R
    "functools[",  # Phi 4 mini, Firefunction
    "<|action_start|>",  # InternLM
    "<start_function_call>",  # Gemma's function models
)
"""What begins a call, and whose it is; as the chat templates of these models have it."""
_THOUGHTS = {
    "<think>": "</think>",
    "[THINK]": "[/THINK]",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|start|>assistant<|channel|>analysis<|message|>": "<|end|>",
}
"""What a reply begins with that thinks aloud, and the end of that."""
_DROPPED = ("</think>", "[/THINK]", "<|channel|>final<|message|>")
"""Marks that are none of the text: of thoughts whose beginning was in the prompt, and of what
follows them.
"""

_ANY_MARK = "|".join(map(re.escape, sorted(_MARKS, key=len, reverse=True)))
_OPENER = re.compile(
    rf"(?<!`)(?:(?P<mark>{_ANY_MARK})|(?P<drop>{'|'.join(map(re.escape, _DROPPED))}))"
    r"|(?:^|(?<=\n))["
    r" \t]{0,3}(?:(?P<fence>`{3,}|~{3,})|(?P<bare>\{|\[(?=\s*\{)|\[?(?=[\w.]{1,80}\()))"
)
_LINE = re.compile(r"(?:^|\n)[ \t]{0,3}(?:[`~]{0,2}|\[\s*|\[?[\w.]{0,80})$")
"""The end of a text that the next piece may make an unmarked opener."""
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\n]*)\n")
_CALL_LANGUAGES = frozenset({"", "json", "tool_call", "tool_code", "tool_use", "tool"})
_FIRST_KEY = re.compile(r"""\s*\[?\s*\{\s*["']([a-z_]{1,12})["']""")
_PERHAPS_KEY = re.compile(r"""\s*\[?\s*(?:\{\s*(?:["'][a-z_]{0,12})?)?""")
_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, "id", "type"})

_SPECIAL = r"<[|｜][a-z_▁]{1,40}[|｜]>|\[ARGS\]|\[CALL_ID\]\w*|```json|<tool_sep>|call:"
_BLANK = re.compile(rf"(?:\s|{_SPECIAL})*")
_HEADER = re.compile(rf"(?:\s|{_SPECIAL}|[\w.:-]){{1,240}}?(?=\{{)")
_CLOSERS = re.compile(
    r"\s*(?:</?(?:tool_calls?|function|function_calls|invoke|end_function_call)>|<end_function_call>|\[/TOOL_CALLS\]"
    r"|<[|｜]/?[A-Za-z_▁]{1,40}[|｜]>|```|[,;\]])"
)
_XML = re.compile(r"""\s*<(?:function=|invoke\s+name=)["']?([^>"'\s]{1,120})["']?\s*>""")
_XML_END = re.compile(r"</(?:function|invoke)>")
_PARAMETER = re.compile(
    r"""<parameter(?:=|\s+name=)["']?([^>"'\s]{1,120})["']?[^>]*>\n?(.*?)\n?</parameter>""",
    re.DOTALL,
)
_PAIRS = re.compile(
    r"\s*([\w.-]{1,120})\s*((?:<arg_key>.*?</arg_key>\s*<arg_value>.*?</arg_value>\s*)+)", re.DOTALL
)
_PAIR = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
_PYTHON = re.compile(r"\s*\[?\s*(?:print\()?([A-Za-z_][\w.]{0,119})\(")
_NAME = re.compile(r"""\[?\s*\{\s*["']name["']\s*:\s*["']([^"'\s]{1,120})["']""")
_QUOTED = {'"': re.compile(r'["\\]'), "'": re.compile(r"['\\]")}
_STRUCTURE = {'"': re.compile(r'["{}()\[\]]'), "'": re.compile(r"""["'{}()\[\]]""")}
_MOST_HELD = 8_000_000
"""Characters of a call: that of a tool which writes a file holds the file."""


class _Body(NamedTuple):
    """What was read of a call: where it ends, and whether there is no doubt that it was meant as
    one.
    """

    calls: Calls
    end: int


class _Span:
    """Finds where the value ends that begins a growing text, by its brackets; looks at each
    character once.
    """

    def __init__(self, start: int, quotes: str = '"') -> None:
        self._at, self._depth, self._in, self._structure = start, 0, "", _STRUCTURE[quotes]

    def end(self, text: str) -> int:
        """Return the position after the value, -1 as long as it has not come."""
        while found := (_QUOTED[self._in] if self._in else self._structure).search(text, self._at):
            sign, self._at = found[0], found.end()
            if sign == "\\":
                if self._at >= len(text):
                    self._at = found.start()
                    return -1
                self._at += 1
            elif sign in "\"'":
                self._in = "" if self._in else sign
            else:
                self._depth += 1 if sign in "{[(" else -1
                if self._depth <= 0:
                    return self._at
        self._at = len(text)
        return -1


# ── The grammars: each reads a body at a place, or nothing
# ────────────────────────────────────────────


def _json_body(text: str, at: int, tools: Tools, *, sure: bool) -> _Body | None:
    """``{"name": …, "arguments": {…}}``, or a list of these. Where it is `sure` to be a call,
    one that is cut off is refused.
    """
    start = _BLANK.match(text, at).end()  # type: ignore[union-attr]  # always matches
    opening = re.compile(r"\{|\[\s*\{").match(text, start)
    if opening is None:
        return None
    end = _Span(start, "'" if re.compile(r"[\[{\s]*'").match(text, start) else '"').end(text)
    written = text[start : end if end >= 0 else len(text)]
    value = loads(written)
    calls = calls_in(value, tools, marked=True)
    if not calls and sure and (value is None or isinstance(value, dict)):
        found = _NAME.match(written)
        calls = (_refused(found[1], written, tools),) if found else ()
    return _Body(calls, start + len(written)) if calls else None


def _xml_body(text: str, at: int, tools: Tools, *, sure: bool) -> _Body | None:
    """``<function=NAME><parameter=KEY>VALUE</parameter></function>``, and the like with
    ``<invoke name="NAME">``.
    """
    found = _XML.match(text, at)
    if found is None:
        return None
    closing = _XML_END.search(text, found.end())
    written = text[found.end() : closing.start() if closing else len(text)]
    given: Sequence[tuple[str, Any]] = _PARAMETER.findall(written)
    whole = closing is not None and len(given) >= len(re.findall(r"<parameter[=\s]", written))
    if whole and not given and isinstance(value := loads(written.strip() or "{}"), dict):
        given = [*value.items()]
    if not whole and not sure:
        return None
    call = tools.call(found[1], dict(given)) if whole else _refused(found[1], written, tools)
    return _Body((call,), closing.end() if closing else len(text))


def _pairs_body(text: str, at: int, tools: Tools, *, sure: bool) -> _Body | None:
    """``NAME <arg_key>KEY</arg_key><arg_value>VALUE</arg_value>``: GLM's."""
    del sure
    found = _PAIRS.match(text, at)
    if found is None:
        return None
    return _Body(
        (tools.call(found[1], {key.strip(): value for key, value in _PAIR.findall(found[2])}),),
        found.end(),
    )


def _named_body(text: str, at: int, tools: Tools, *, sure: bool) -> _Body | None:
    """The name of the tool between tokens of the model's own, then its arguments."""
    header = _HEADER.match(text, at)
    words = re.split(rf"\s+|{_SPECIAL}", header[0]) if header else []
    name = next((word for word in words if tools.named(word)), "")
    if header is None or not name:
        return None
    end = _Span(header.end()).end(text)
    written = text[header.end() : end if end >= 0 else len(text)]
    arguments = loads(written)
    if not isinstance(arguments, dict) and not sure:
        return None
    call = (
        tools.call(name, arguments)
        if isinstance(arguments, dict)
        else _refused(name, written, tools)
    )
    return _Body((call,), header.end() + len(written))


def _python_body(text: str, at: int, tools: Tools, *, sure: bool) -> _Body | None:
    """``[name(key="value"), …]``: Llama's and Gemma's. The names have to be of tools: the code
    is never run.
    """
    del sure
    found = _PYTHON.match(text, at)
    if found is None or not (tools.named(found[1]) or tools.named(found[1].removesuffix(".call"))):
        return None
    start = at + len(text[at:]) - len(text[at:].lstrip())
    end = _Span(start, "'").end(text)
    try:
        tree = ast.parse(text[start:end], mode="eval").body if end >= 0 else None
        items = tree.elts if isinstance(tree, ast.List) else [tree]
        calls = tuple(_python_call(item, tools) for item in items)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return _Body(calls, end)


def _python_call(node: ast.expr | None, tools: Tools) -> ReplyToolUse:
    """Return the call that `node` is. Raises ValueError where it is none, or holds more than
    literals.
    """
    if not isinstance(node, ast.Call) or (node.args and ast.unparse(node.func) != "print"):
        raise ValueError(node)
    if node.args:
        return _python_call(node.args[0], tools)
    name = ast.unparse(node.func).removesuffix(".call")
    if not tools.named(name):
        raise ValueError(name)
    return tools.call(name, {key.arg or "": ast.literal_eval(key.value) for key in node.keywords})


_GRAMMARS = (_json_body, _xml_body, _pairs_body, _named_body, _python_body)
"""What may follow a mark, whosever it is: models mix them."""


def _refused(name: str, written: str, tools: Tools) -> ReplyToolUse:
    return tools.call(name, {UNREADABLE: written[:2000]})


def _marked_body(text: str, found: re.Match[str], tools: Tools) -> _Body | None:
    """Read what follows the mark `found`; between it and the call there may be other marks."""
    mark = found["mark"]
    at = (
        found.start()
        if mark in ("<function=", "<invoke ")
        else found.end() - (mark == "functools[")
    )
    line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    sure = not line.strip() or bool(re.fullmatch(rf"\s*(?:{_ANY_MARK}|\s)*", line))
    for grammar in _GRAMMARS:
        if body := grammar(text, at, tools, sure=sure):
            return body
    return None


def _unmarked_body(text: str, found: re.Match[str], tools: Tools) -> _Body | None:
    """Read a fence of JSON or Python, or bare JSON or Python, which has to be a call and nothing
    else.
    """
    at, fence = found.start(), found["fence"]
    if fence:
        opening = _FENCE.match(text, at)
        if opening is None or opening[2].strip().lower() not in _CALL_LANGUAGES:
            return None
        at = opening.end()
    start = at + len(text[at:]) - len(text[at:].lstrip())
    end = _Span(start, "'" if re.compile(r"[\[{\s]*'").match(text, start) else '"').end(text)
    calls = (
        calls_in(loads(text[start:end]), tools, marked=False)
        if end >= 0 and text[start] in "{["
        else ()
    )
    if not calls:
        body = _python_body(text, at, tools, sure=False)
        calls, end = body or ((), -1)
    if not calls:
        return None
    if fence:
        closing = re.compile(rf"\s*(?:{fence}|$)").match(text, end)
        return _Body(calls, closing.end()) if closing else None
    return _Body(calls, end)


# ── Reading while it comes
# ────────────────────────────────────────────────────────────────────────────


class CallFinder:
    """Takes the pieces of a text with `feed`, and gives back text, thinking, and calls. `finish`
    gives the rest.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._text = ""
        self._mode: Literal["begin", "think", "plain", "code", "held"] = "begin"
        self._end_mark = ""
        self._span: _Span | None = None
        self._trims = False
        self._line_start, self._quoted = True, False
        self._out: list[ReplyBlock] = []

    def feed(self, text: str) -> list[ReplyBlock]:
        """Take the next piece, and return what is known by now."""
        self._text += text
        self._work(ended=False)
        return self._take()

    def finish(self) -> list[ReplyBlock]:
        """Return the rest: nothing more comes."""
        self._work(ended=True)
        return self._take()

    def _take(self) -> list[ReplyBlock]:
        out, self._out = self._out, []
        return out

    def _work(self, *, ended: bool) -> None:
        steps = {
            "begin": self._begin,
            "think": self._think,
            "plain": self._plain,
            "code": self._code,
            "held": self._hold,
        }
        while self._text and steps[self._mode](ended):
            pass

    def _begin(self, ended: bool) -> bool:
        """A text may begin with what the model thinks."""
        text = self._text.lstrip()
        if not ended and any(mark.startswith(text) for mark in _THOUGHTS):
            return False
        mark = next(filter(text.startswith, _THOUGHTS), "")
        self._end_mark = _THOUGHTS.get(mark, "")
        self._mode, self._text, self._trims = (
            ("think", text[len(mark) :], True) if mark else ("plain", self._text, False)
        )
        return True

    def _think(self, ended: bool) -> bool:
        said, mark, rest = self._text.partition(self._end_mark)
        if not mark and not ended:
            kept = next(
                (
                    n
                    for n in range(len(self._end_mark) - 1, 0, -1)
                    if said.endswith(self._end_mark[:n])
                ),
                0,
            )
            said, rest = said[: len(said) - kept], said[len(said) - kept :]
        self._text = rest
        said = said.lstrip() if self._trims else said
        if said:
            self._trims = False
            self._out.append(ReplyThinking(said))
        if mark:
            self._mode, self._trims = "plain", True
        return bool(mark)

    def _plain(self, ended: bool) -> bool:
        """Say what comes before whatever may be a call."""
        for found in _OPENER.finditer(self._text):
            if found.start() == 0 and (
                self._quoted if found["mark"] or found["drop"] else not self._line_start
            ):
                continue
            self._say(self._text[: found.start()])
            if (
                found["drop"]
                and not ended
                and any(mark.startswith(self._text[found.start() :]) for mark in _MARKS)
            ):
                self._text = self._text[found.start() :]
                return False
            if found["drop"]:
                self._text, self._trims = self._text[found.end() :], True
            else:
                self._text, self._mode = self._text[found.start() :], "held"
            return True
        kept = 0 if ended else _unfinished(self._text)
        self._say(self._text[: len(self._text) - kept])
        self._text = self._text[len(self._text) - kept :]
        return False

    def _hold(self, ended: bool) -> bool:
        """Keep what begins like a call until the reply ends, or it turns out to be none."""
        found = _OPENER.match(self._text)
        assert found is not None
        if ended or len(self._text) > _MOST_HELD:
            self._read_held()
            return bool(self._text)
        return not found["mark"] and self._release(found)

    def _release(self, found: re.Match[str]) -> bool:
        """Let an unmarked opener go on as text as soon as it is known to be no call. Returns
        whether it did.
        """
        at = found.start()
        if found["fence"]:
            opening = _FENCE.match(self._text)
            if opening is None:
                return "\n" in self._text and self._as_text(self._text.find("\n") + 1)
            if opening[2].strip().lower() not in _CALL_LANGUAGES:
                return self._as_code(opening)
            at = opening.end()
        key = _FIRST_KEY.match(self._text, at)
        python = None if key else _PYTHON.match(self._text, at)
        waits = len(self._text) - at < 80 and bool(
            _PERHAPS_KEY.fullmatch(self._text, at) or _LINE.search(self._text[at:])
        )
        if key is None and python is None and waits:
            return False
        named = python is not None and bool(
            self._tools.named(python[1]) or self._tools.named(python[1].removesuffix(".call"))
        )
        if (key and key[1] in _KEYS) or named or (python and python[1].startswith("print")):
            self._span = self._span or _Span(at, "'" if python else '"')
            if self._span.end(self._text) < 0 or _unmarked_body(self._text, found, self._tools):
                return False  # nothing but calls may follow, which the end will show
            if (
                found["fence"]
                and self._text[self._span._at :].strip()  # noqa: SLF001
                in (
                    "",
                    *(found["fence"][:n] for n in (1, 2)),
                )
            ):
                return False
        return self._as_code(opening) if found["fence"] else self._as_text(found.end() or 1)

    def _as_text(self, length: int) -> bool:
        self._say(self._text[:length])
        self._text, self._mode, self._span = self._text[length:], "plain", None
        return True

    def _as_code(self, opening: re.Match[str] | None) -> bool:
        assert opening is not None
        self._end_mark = opening[1]
        self._as_text(opening.end())
        self._mode = "code"
        return True

    def _code(self, ended: bool) -> bool:
        """In a fence of something else: all of it is text, up to its end."""
        while "\n" in self._text or ended:
            line, newline, rest = self._text.partition("\n")
            is_whole = self._line_start
            self._say(line + newline)
            self._text = rest
            if is_whole and re.fullmatch(
                rf"[ \t]{{0,3}}{re.escape(self._end_mark)}[`~]*[ \t]*", line
            ):
                self._mode = "plain"
                return True
            if not rest:
                return False
        if not re.match(r"[ \t]{0,3}(?:[`~]|$)", self._text) or not self._line_start:
            self._say(self._text)
            self._text = ""
        return False

    def _read_held(self) -> None:
        """Read all that is held: calls, and between them what is text after all."""
        waiting: list[tuple[str, Calls]] = []
        for raw, calls, marked in _parts(self._text, self._tools):
            if calls and not marked:
                waiting.append((raw, calls))
            elif calls or raw.strip():
                for (
                    held_raw,
                    held,
                ) in waiting:  # text after it: what looked like a call was text as well
                    self._out.extend(held) if calls else self._say(held_raw)
                waiting.clear()
                self._out.extend(calls)
                self._say("" if calls else raw)
            elif waiting:
                waiting.append((raw, ()))
            else:
                self._say(raw)
        for _, held in waiting:
            self._out.extend(held)
        self._text, self._mode, self._span = "", "plain", None

    def _say(self, text: str) -> None:
        if text:
            line = text.rpartition("\n")
            self._quoted = text.endswith("`")
            self._line_start = not line[2].strip() and (bool(line[1]) or self._line_start)
        if text := text.lstrip() if self._trims else text:
            self._trims = False
            self._out.append(ReplyText(text))


def _parts(text: str, tools: Tools) -> Iterator[tuple[str, Calls, bool]]:
    """Yield the parts of `text` from its beginning: as it is written, the calls that it is, and
    whether they are marked.
    """
    at = said = 0
    while found := _OPENER.search(text, at):
        code = _FENCE.match(text, found.start()) if found["fence"] else None
        body = (
            None
            if found["drop"]
            else (_marked_body if found["mark"] else _unmarked_body)(text, found, tools)
        )
        if body is None:
            at = max(found.end(), found.start() + 1)
            if code is not None:
                closing = re.compile(rf"\n[ \t]{{0,3}}{code[1]}[`~]*[ \t]*(?:\n|$)").search(
                    text, code.end() - 1
                )
                at = closing.end() if closing else len(text)
            continue
        yield text[said : found.start()], (), False
        yield text[found.start() : body.end], body.calls, bool(found["mark"])
        said = at = body.end
        if found["mark"]:
            while (closer := _CLOSERS.match(text, at)) and not re.match(
                _ANY_MARK, closer[0].strip()
            ):
                said = at = closer.end()
            said = at = at + len(text[at:]) - len(text[at:].lstrip())
    yield text[said:], (), False


def _unfinished(text: str) -> int:
    """Return how many characters at the end of `text` the next piece may make an opener."""
    for length in range(min(len(text), 60), 0, -1):
        end = text[-length:]
        if any(mark.startswith(end) for mark in (*_MARKS, *_DROPPED)):
            return length
    line = _LINE.search(text)
    return len(text) - line.start() - (line[0].startswith("\n")) if line else 0
