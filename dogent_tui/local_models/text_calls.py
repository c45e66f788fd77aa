"""Tool calls that a model wrote into its text, found while the text streams.

A model calls a tool by tokens of its own, which its server should turn into a call. Where the server does not know the model's
way, the call arrives as text: between ``<tool_call>`` tags, as ``<function=…>``, in a fence of JSON, or as bare JSON. What is
marked is a call. A fence and bare JSON are one only where they name a tool that was offered, hold nothing but a call, and nothing
but calls follows: a document may well speak of JSON. Whatever cannot be a call goes on at once.
"""

import re
from collections.abc import Callable, Mapping
from typing import Literal

from dogent_tui.local_models.call_json import ARGUMENT_KEYS, NAME_KEYS, UNREADABLE, Tools, calls_in, function_call, loads
from dogent_tui.offline.messages_api import ReplyBlock, ReplyText, ReplyThinking, ReplyToolUse

_NAMED_MARKS = (
    "[TOOL_CALLS]",  # Mistral: a list, or NAME[ARGS]{…}
    "<|tool_call|>",  # Granite, Phi
    "<|python_tag|>",  # Llama
    "<|tool_calls_section_begin|>",  # Kimi
    "<|tool_call_begin|>",
    "<｜tool▁calls▁begin｜>",  # DeepSeek
    "<｜tool▁call▁begin｜>",
    "<|start|>assistant<|channel|>commentary to=",  # harmony
    "<|channel|>commentary to=",
)
"""Marks after which the name of the tool may precede the JSON, which then is the arguments only."""
_MARKS = "|".join(map(re.escape, _NAMED_MARKS))
_BEGINNINGS = "|".join(re.escape(mark[:length]) for mark in _NAMED_MARKS for length in range(len(mark) - 1, 0, -1))

_SPECIAL = r"<[|｜][a-z_▁]{1,40}[|｜]>|\[ARGS\]|```json"
_HEADER = re.compile(rf"(?:\s|{_SPECIAL}|[\w.:-])*")
_HEADER_PART = re.compile(rf"\s+|{_SPECIAL}")
_NAME = re.compile(r'\[?\s*\{\s*"name"\s*:\s*"([^"\s]{1,120})"')
_MOST_HEADER = 240
"""Characters between a mark and its JSON: some tokens and the name of a tool."""

_OPENER = re.compile(rf"<tool_call>|<function=|{_MARKS}|(?:^|(?<=\n))[ \t]{{0,3}}(?:```|~~~|\{{|\[(?=\s*\{{))")
_PERHAPS_OPENER = re.compile(rf"(?:<[a-z_]{{0,9}}|{_BEGINNINGS}|(?:^|\n)[ \t]{{0,3}}(?:[`~]{{0,2}}|\[\s*))$")
"""The end of a text that the next piece may make an opener."""

_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\n]*)\n")
_CALL_LANGUAGES = frozenset({"", "json", "tool_call", "tool_code", "tool_use", "tool"})

_FIRST_KEY = re.compile(r'\s*\[?\s*\{\s*"([a-z_]{1,12})"')
_PERHAPS_KEY = re.compile(r'\s*\[?\s*(?:\{\s*(?:"[a-z_]{0,12})?)?')
_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, "id", "type"})

_STRUCTURE = re.compile(r'["{}\[\]]')
_IN_TEXT = re.compile(r'["\\]')
_CLOSINGS = (
    "</tool_call>",
    "<|/tool_call|>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "```<｜tool▁call▁end｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
    "<|call|>",
    "<|eom_id|>",
)

_MOST_HELD = 8_000_000
"""Characters of a call: that of a tool which writes a file holds the file."""

Mode = Literal["begin", "think", "plain", "marked", "function", "after", "fence", "bare", "code"]

_MODES: Mapping[str, Mode] = {"<function=": "function", "{": "bare", "[": "bare", "```": "fence", "~~~": "fence"}
"""What an opener begins, where it is no mark."""


class JsonSpan:
    """Finds where the JSON value ends that begins a growing text; looks at each character once."""

    def __init__(self, start: int) -> None:
        self._at = start
        self._depth = 0
        self._in_text = False
        self._end = -1

    def end(self, text: str) -> int:
        """Return the position after the value, -1 as long as it has not come."""
        while self._end < 0 and (found := (_IN_TEXT if self._in_text else _STRUCTURE).search(text, self._at)):
            sign, self._at = found[0], found.end()
            if sign == "\\":
                if self._at >= len(text):
                    self._at = found.start()
                    return -1
                self._at += 1
            elif sign == '"':
                self._in_text = not self._in_text
            else:
                self._depth += 1 if sign in "{[" else -1
                if self._depth <= 0:
                    self._end = self._at
        self._at = len(text)
        return self._end


class CallFinder:
    """Takes the pieces of a text with `feed`, and gives back text, thinking, and calls. `finish` gives the rest."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._rest = ""
        self._mode: Mode = "begin"
        self._span: JsonSpan | None = None
        self._held: list[tuple[str, tuple[ReplyToolUse, ...]]] = []
        self._fence = ""
        self._marker = ""
        self._line_start = True
        self._thought = False
        self._ended = False
        self._out: list[ReplyBlock] = []
        self._steps: dict[Mode, Callable[[], bool]] = {
            "begin": self._begin,
            "think": self._think,
            "plain": self._plain,
            "marked": self._marked,
            "function": self._function,
            "after": self._after,
            "fence": self._fenced,
            "bare": self._bare,
            "code": self._code,
        }

    def feed(self, text: str) -> list[ReplyBlock]:
        """Take the next piece, and return what is known by now."""
        self._rest += text
        if len(self._rest) > _MOST_HELD and self._mode not in ("begin", "think", "plain", "code"):
            self._give_up(len(self._rest), self._marker if self._mode == "marked" else "")
        return self._work()

    def finish(self) -> list[ReplyBlock]:
        """Return the rest: nothing more comes."""
        self._ended = True
        out = self._work()
        if self._mode == "marked" and not self._rest:  # nothing came after the mark
            self._give_up(0, self._marker)
        self._say(self._rest)
        self._rest = ""
        for _, calls in self._held:
            self._out.extend(calls)
        self._held.clear()
        return [*out, *self._take()]

    def _work(self) -> list[ReplyBlock]:
        while self._rest and self._steps[self._mode]():
            pass
        return self._take()

    def _take(self) -> list[ReplyBlock]:
        out, self._out = self._out, []
        return out

    # ── The modes: each returns whether it got any further ────────────────────────────────────────

    def _begin(self) -> bool:
        """A text may begin with what the model thinks."""
        text = self._rest.lstrip()
        if "<think>".startswith(text[:7]) and len(text) < 7 and not self._ended:
            return False
        thinks = text.startswith("<think>")
        self._go("think" if thinks else "plain", text[7:] if thinks else self._rest)
        return True

    def _think(self) -> bool:
        end = self._rest.find("</think>")
        if end < 0:
            kept = 0 if self._ended else max((n for n in range(1, 8) if self._rest.endswith("</think>"[:n])), default=0)
            said, self._rest = self._rest[: len(self._rest) - kept], self._rest[len(self._rest) - kept :]
        else:
            said = self._rest[:end]
            self._go("after", self._rest[end + 8 :])
        said = said if self._thought else said.lstrip()
        if said:
            self._thought = True
            self._out.append(ReplyThinking(said))
        return end >= 0

    def _plain(self) -> bool:
        for found in _OPENER.finditer(self._rest):
            sign = found[0].strip()
            if found.start() == 0 and not self._line_start and sign in ("```", "~~~", "{", "["):
                continue
            self._say(self._rest[: found.start()])
            mode = _MODES.get(sign, "marked")
            self._marker = sign
            self._go(mode, self._rest[found.end() if mode == "marked" else found.start() :])
            return True
        perhaps = None if self._ended else _PERHAPS_OPENER.search(self._rest)
        end = perhaps.start() if perhaps else len(self._rest)
        self._say(self._rest[:end])
        self._rest = self._rest[end:]
        return False

    def _marked(self) -> bool:
        """After ``<tool_call>``: JSON, or a function."""
        blank = len(self._rest) - len(self._rest.lstrip())
        body = self._rest[blank:]
        if not body or (len(body) < 10 and "<function=".startswith(body)):
            return self._give_up(0, self._marker) if self._ended else False
        if body.startswith("<function="):
            self._go("function", body)
            return True
        if body[0] not in "{[":
            return self._named() if self._marker in _NAMED_MARKS else self._give_up(0, self._marker)
        end = self._json_end(blank)
        if end < 0:
            if not self._ended:
                return False
            end = len(self._rest)
        written = self._rest[blank:end]
        calls = calls_in(loads(written), self._tools, marked=True) or self._refused(written)
        if not calls:
            return self._give_up(end, self._marker)
        self._call(calls, self._rest[end:])
        return True

    def _refused(self, written: str) -> tuple[ReplyToolUse, ...]:
        """Return what was to be a call, but is unreadable, as one that the tool refuses; only where it begins a line."""
        found = _NAME.match(written) if self._line_start and loads(written) is None else None
        name = self._tools.named(found[1]) if found else ""
        return (ReplyToolUse(name, {UNREADABLE: written[:2000]}),) if name else ()

    def _named(self) -> bool:
        """After a mark: the name of the tool between tokens of the model's own, then its arguments."""
        start = self._rest.find("{")
        header = self._rest[:start] if start >= 0 else self._rest
        partial = start < 0 and not self._ended and len(header) < _MOST_HEADER
        if partial and _HEADER.fullmatch(re.sub(r"(?:<[|｜]?[a-z_▁]*[|｜]?|\[[A-Z]*|`{1,3}[a-z]*)$", "", header)):
            return False
        parts = _HEADER_PART.split(header) if start >= 0 and _HEADER.fullmatch(header) else []
        named = (self._tools.named(part.removeprefix("functions.").partition(":")[0]) for part in parts)
        name = next(filter(None, named), "")
        if not name or len(header) > _MOST_HEADER:
            return self._give_up(0, self._marker)
        end = self._json_end(start)
        if end < 0:
            if not self._ended:
                return False
            end = len(self._rest)  # cut off: the tool refuses it, and the model calls it again
        written = self._rest[start:end]
        arguments = loads(written)
        if not isinstance(arguments, dict):
            arguments = {UNREADABLE: written[:2000]}
        self._call((ReplyToolUse(name, arguments),), self._rest[end:])
        return True

    def _function(self) -> bool:
        end = self._rest.find("</function>")
        if end < 0 and not self._ended:
            return False
        calls = function_call(self._rest[:end] if end >= 0 else self._rest, self._tools)
        if not calls:
            return self._give_up(end + 11 if end >= 0 else len(self._rest))
        self._call(calls, self._rest[end + 11 :] if end >= 0 else "")
        return True

    def _bare(self) -> bool:
        return self._perhaps_call(0, lambda end: end, lambda: self._give_up(1 + len(self._rest) - len(self._rest.lstrip())))

    def _fenced(self) -> bool:
        opening = _FENCE.match(self._rest)
        if opening is None:
            if "\n" not in self._rest and not self._ended:
                return False
            return self._give_up(self._rest.find("\n") + 1 or len(self._rest))
        self._fence = opening[1]
        if opening[2].strip().lower() not in _CALL_LANGUAGES:
            return self._give_up(opening.end(), mode="code")
        return self._perhaps_call(opening.end(), self._fence_end, lambda: self._give_up(opening.end(), mode="code"))

    def _fence_end(self, end: int) -> int:
        """Return where the fence ends whose JSON ends at `end`: -1 where that has not come, -2 where something else comes."""
        after = self._rest[end:].lstrip()
        if after.startswith(self._fence):
            return len(self._rest) - len(after) + len(self._fence)
        return (len(self._rest) if self._ended else -1) if self._fence.startswith(after) else -2

    def _perhaps_call(self, start: int, close: Callable[[int], int], give_up: Callable[[], bool]) -> bool:
        """Hold what begins at `start` as long as it can become a call; `close` finds the end of all of it."""
        found = _FIRST_KEY.match(self._rest, start)
        if found is None and not self._ended and len(self._rest) - start < 80 and _PERHAPS_KEY.fullmatch(self._rest, start):
            return False
        if found is None or found[1] not in _KEYS:
            return give_up()
        value_at = start + len(self._rest[start:]) - len(self._rest[start:].lstrip())
        end = self._json_end(value_at)
        whole = close(end) if end >= 0 else -1
        if whole == -1 and not self._ended:
            return False
        calls = calls_in(loads(self._rest[value_at:end]), self._tools, marked=False) if whole >= 0 else ()
        if not calls:
            return give_up()
        self._held.append((self._rest[:whole], calls))
        self._go("plain", self._rest[whole:])
        self._line_start = True
        return True

    def _code(self) -> bool:
        """In a fence of something else: all of it is text, up to its end."""
        begin = r"(?:^|\n)" if self._line_start else r"\n"
        end = r"(?:\n|$)" if self._ended else r"\n"
        closing = re.search(rf"{begin}[ \t]{{0,3}}{re.escape(self._fence)}[`~]*[ \t]*{end}", self._rest)
        if closing is None:
            perhaps = None if self._ended else re.search(rf"{begin}[ \t]{{0,3}}[`~]*[ \t]*$", self._rest)
            said = self._rest[: perhaps.start()] if perhaps else self._rest
            self._rest = self._rest[len(said) :]
            self._say(said)
            return False
        self._say(self._rest[: closing.end()])
        self._go("plain", self._rest[closing.end() :])
        self._line_start = True
        return True

    # ── What they share ───────────────────────────────────────────────────────────────────────────

    def _json_end(self, start: int) -> int:
        self._span = self._span or JsonSpan(start)
        return self._span.end(self._rest)

    def _go(self, mode: Mode, rest: str) -> None:
        self._mode, self._rest, self._span = mode, rest, None

    def _call(self, calls: tuple[ReplyToolUse, ...], rest: str) -> None:
        """Give out calls that are surely ones, and what was held before them."""
        for _, held in self._held:
            self._out.extend(held)
        self._held.clear()
        self._out.extend(calls)
        self._go("after", rest)
        self._line_start = True

    def _after(self) -> bool:
        """After a call, or what was thought: the end of its mark is none of the text, nor are the blanks behind it."""
        rest = self._rest.lstrip()
        if closing := next(filter(rest.startswith, _CLOSINGS), ""):
            rest = rest[len(closing) :]
        elif any(closing.startswith(rest) for closing in _CLOSINGS) and not self._ended:
            return False
        elif rest:
            self._go("plain", rest)
            return True
        self._rest = rest
        return bool(rest)

    def _give_up(self, length: int, before: str = "", mode: Mode = "plain") -> bool:
        """It is text: say `length` characters of it, and go on behind them."""
        self._say(before + self._rest[:length])
        self._go(mode, self._rest[length:])
        return True

    def _say(self, text: str) -> None:
        if not text:
            return
        if self._held and not text.strip():
            self._held.append((text, ()))
            return
        whole = "".join(raw for raw, _ in self._held) + text  # what was held is followed by text: it was text as well
        self._held.clear()
        self._out.append(ReplyText(whole))
        line = whole.rpartition("\n")
        self._line_start = not line[2].strip() and (bool(line[1]) or self._line_start)
