"""JSON of local servers and models, read leniently: what is in it, and tool calls as models write
them when their server does not, given the types that the tool wants.
"""

import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any, TypeVar

import regex

from dogent_tui.offline.messages_api import UNREADABLE, ReplyToolUse

Kind = TypeVar("Kind")
NAME_KEYS = ("name", "tool", "tool_name", "function")
ARGUMENT_KEYS = ("arguments", "parameters", "input", "args")
_CALL_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, "id", "type", "tool_call_id"})
_LOOSE = regex.compile(
    r'''"""(?P<long>.*?)"""|<escape>(?P<long>.*?)<escape>|<\|"\|>(?P<long>.*?)<\|"\|>'''
    r"""|"(?:[^"\\]|\\.)*"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<comma>,(?=\s*[}\]]))"""
    r"|(?P<key>\b[A-Za-z_][\w-]*)\s*[:=]|\b(?P<word>True|False|None)\b",
    regex.DOTALL,
)
"""What JSON has not: texts of Python and Gemma, its words, commas too many, and bare keys."""
_WORDS = {"True": "true", "False": "false", "None": "null"}
_BARE = regex.compile(r"(?:functions[.:]|tool\.)?([\w.-]+?)(?::\d+)?")


class Tools:
    """The tools that a request offers."""

    def __init__(self, tools: Collection[Mapping[str, Any]]) -> None:
        self._schemas = {str(tool.get("name", "")): tool.get("input_schema") for tool in tools}
        shorts = {name.removeprefix("mcp__dogent__").lower(): name for name in self._schemas}
        self._names = shorts | {name.lower(): name for name in self._schemas}

    def __bool__(self) -> bool:
        return bool(self._schemas)

    @cached_property
    def pattern(self) -> str:
        """What matches the names that `named` knows, whatever their capitals."""
        written = "|".join(map(regex.escape, sorted(self._names, key=len, reverse=True)))
        return rf"(?:functions[.:]|tool\.)?(?i:{written})(?::\d+)?"

    def named(self, name: object) -> str:
        """Return the tool that `name` means, empty where there is none: other capitals, or
        without what a server adds to it.
        """
        bare = _BARE.fullmatch(name.strip()) if isinstance(name, str) else None
        return self._names.get(bare[1].lower(), "") if bare else ""

    def call(self, name: str, arguments: Mapping[str, Any], identity: str = "") -> ReplyToolUse:
        """Return a call of the tool that `name` means. Where there is none, the call goes out by
        that name: it is refused.
        """
        tool = self.named(name)
        known = at(self._schemas, dict, tool, "properties")
        typed = {key: _typed(value, known.get(key)) for key, value in arguments.items()}
        return ReplyToolUse(tool or name, typed, identity)

    def refused(self, name: str, written: str) -> ReplyToolUse:
        """Return a call that will be refused: of what was `written`, nothing can be done."""
        return ReplyToolUse(self.named(name) or name, {UNREADABLE: written[:2000]})


def calls_in(value: Any, tools: Tools, *, marked: bool) -> tuple[ReplyToolUse, ...]:
    """Return the calls that the JSON `value` is, one or a list of them; none where it is anything
    else.

    `marked`: the model said that it is a call. Otherwise it has to look like one and like nothing
    else.
    """
    calls = [
        _call_in(item, tools, marked) for item in (value if isinstance(value, list) else [value])
    ]
    return tuple(call for call in calls if call) if all(calls) else ()


def _call_in(value: Any, tools: Tools, marked: bool) -> ReplyToolUse | None:
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):  # as chat completions write them
        value = value["function"]
    if marked and len(value) == 1 and tools.named(only := next(iter(value))):
        value = {"name": only, "arguments": value[only]}
    name = next((value[key] for key in NAME_KEYS if key in value), None)
    key = next((key for key in ARGUMENT_KEYS if key in value), None)
    is_plain = key is not None and tools.named(name) and value.keys() <= _CALL_KEYS
    if not isinstance(name, str) or not name or not (marked or is_plain):
        return None
    arguments = arguments_of(value[key]) if key is not None else {}
    return None if arguments is None else tools.call(name, arguments)


def arguments_of(value: object) -> dict[str, Any] | None:
    """Return `value` as the arguments of a call: an object, or the text of one, even twice over.
    None where it is neither.
    """
    for _ in range(4):  # a model that writes a call twice over has JSON in a text of JSON once
        if isinstance(value, dict):
            return value
        if not isinstance(value, str):
            return None
        value = loads(value) if value.strip() else {}
    return None


def at(value: Any, kind: type[Kind], *path: str | int) -> Kind:
    """Return what is at `path` in the JSON `value`, an empty `kind` where there is none."""
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return kind()
    return value if isinstance(value, kind) else kind()


def loads(text: str) -> Any:
    """Return the JSON that `text` is, None where it is none.

    Also with line breaks within texts, and what else `_LOOSE` knows.
    """
    text = text[1:-1] if text.startswith("{{") else text  # as in the template of a prompt
    for strict in (True, False):
        try:
            return json.loads(text if strict else _LOOSE.sub(_as_json, text), strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _as_json(found: regex.Match[str]) -> str:
    if (long := found["long"]) is not None:
        return json.dumps(long)
    if (single := found["single"]) is not None:
        return json.dumps(regex.sub(r"\\(['\"])", r"\1", single).replace("\\n", "\n"))
    if key := found["key"]:
        return f'"{key}":'
    return "" if found["comma"] else _WORDS.get(found[0], found[0])


def _typed(value: Any, schema: object) -> Any:
    """Return `value` as what the tool wants, where it is written as something else: ``"7"`` for
    an integer.
    """
    kinds = {at(each, str, "type") for each in (schema, *at(schema, list, "anyOf"))} - {""}
    if not kinds or "string" in kinds:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return str(value) if is_number and kinds == {"string"} else value
    if not isinstance(value, str):
        return value
    read = loads(value.strip().lower() if "boolean" in kinds else value)
    return value if read is None else read
