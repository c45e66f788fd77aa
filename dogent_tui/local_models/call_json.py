"""JSON from local servers and models, parsed leniently: its content, and tool calls that models
write when their server does not, converted to the types that the tool expects.
"""

import json
from collections.abc import Collection
from functools import cached_property
from typing import Any

import regex

from dogent_tui.offline.messages_api import UNREADABLE, ReplyToolUse
from dogent_tui.records import Json, JsonDict, at

NAME_KEYS = ("name", "tool", "tool_name", "function", "action")
ARGUMENT_KEYS = ("arguments", "parameters", "input", "args", "action_input", "tool_input")
HOLDERS = ("tool_calls", "tool_call", "function_call")
"""Keys of an object around the calls, as in chat completions."""
_CALL_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, "id", "type", "tool_call_id"})
_LOOSE = regex.compile(
    r'''"""(?P<long>.*?)"""|<escape>(?P<long>.*?)<escape>|<\|"\|>(?P<long>.*?)<\|"\|>'''
    r"""|"(?P<string>(?:[^"\\]|\\.)*)"|'(?P<string>(?:[^'\\]|\\.)*)'|(?P<comma>,(?=\s*[}\]]))"""
    r"|(?P<key>-?\b[A-Za-z_][\w-]*)\s*[:=]|\b(?P<word>True|False|None)\b",
    regex.DOTALL,
)
"""Extensions of JSON: string literals of Python and Gemma, Python's constants, trailing commas, and
bare keys.
"""
_ESCAPE = regex.compile(
    r"""(?P<same>\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))|\\x(?P<byte>[0-9a-fA-F]{2})|\\(?P<same>')|[\\"]"""
)
"""What a string literal of Python may contain, or a model may write, that JSON has otherwise."""
_WORDS = {"True": "true", "False": "false", "None": "null"}
_SPACE = r"(?:(?:functions|default_api)[.:]|tool\.)?"
_BARE = regex.compile(rf"{_SPACE}([\w.-]+?)(?::\d+)?")


class Tools:
    """The tools that a request offers."""

    def __init__(self, tools: Collection[Json]) -> None:
        self._schemas = {str(tool.get("name", "")): tool.get("input_schema") for tool in tools}
        shorts = {name.removeprefix("mcp__dogent__").lower(): name for name in self._schemas}
        self._names = shorts | {name.lower(): name for name in self._schemas}

    def __bool__(self) -> bool:
        return bool(self._schemas)

    @cached_property
    def pattern(self) -> str:
        """The pattern for names that `named` knows, in any case."""
        written = "|".join(map(regex.escape, sorted(self._names, key=len, reverse=True)))
        return rf"{_SPACE}(?i:{written})(?::\d+)?"

    def named(self, name: object) -> str:
        """Return the tool meant by `name`, empty if there is none: in any case, or without a
        server's prefix.
        """
        bare = _BARE.fullmatch(name.strip()) if isinstance(name, str) else None
        return self._names.get(bare[1].lower(), "") if bare else ""

    def call(self, name: str, arguments: Json, identity: str = "") -> ReplyToolUse:
        """Return a call of the tool meant by `name`. If there is none, the call uses that name and
        is refused.
        """
        tool = self.named(name)
        known = at(self._schemas, dict, tool, "properties")
        typed = {key: _typed(value, known.get(key)) for key, value in arguments.items()}
        return ReplyToolUse(tool or name, typed, identity)

    def refused(self, name: str, written: str) -> ReplyToolUse:
        """Return a call that will be refused, because `written` cannot be parsed."""
        return ReplyToolUse(self.named(name) or name, {UNREADABLE: written[:2000]})


def calls_in(value: Any, tools: Tools, *, marked: bool) -> tuple[ReplyToolUse, ...]:
    """Return the calls in the JSON `value`, one or a list; empty if it is anything else.

    `marked`: the model marked it as a call. Otherwise it must look like a call and nothing else.
    """
    if isinstance(value, dict) and len(value) == 1 and (held := {*value}.intersection(HOLDERS)):
        value = value[held.pop()]
    calls = [
        _call_in(item, tools, marked) for item in (value if isinstance(value, list) else [value])
    ]
    return tuple(call for call in calls if call) if all(calls) else ()


def _call_in(value: Any, tools: Tools, marked: bool) -> ReplyToolUse | None:
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):  # as in chat completions
        value = value["function"]
    if marked and len(value) == 1 and tools.named(only := next(iter(value))):
        value = {"name": only, "arguments": value[only]}
    name = next((value[key] for key in NAME_KEYS if key in value), None)
    key = next((key for key in ARGUMENT_KEYS if key in value), None)
    is_plain = key is not None and tools.named(name) and value.keys() <= _CALL_KEYS
    if not isinstance(name, str) or not name or not (marked or is_plain):
        return None
    if key is None:  # beside the name, or below a key of the model's own
        rest = {each: value[each] for each in value.keys() - _CALL_KEYS}
        inner = next(iter(rest.values()), None)
        given = inner if len(rest) == 1 and isinstance(inner, dict) else rest
    else:
        given = value[key]
    arguments = arguments_of(given)
    return None if arguments is None else tools.call(name, arguments)


def arguments_of(value: object) -> JsonDict | None:
    """Return `value` as the arguments of a call: an object, or its text, even encoded twice. None
    if it is neither.
    """
    for _ in range(4):  # a model that encodes a call twice has JSON within a JSON string
        if isinstance(value, dict):
            return value
        if not isinstance(value, str):
            return None
        value = loads(value) if value.strip() else {}
    return None


def loads(text: str) -> Any:
    """Parse `text` as JSON, None if it is not.

    Also accepts line breaks within strings and the extensions of `_LOOSE`.
    """
    text = text[1:-1] if text.startswith("{{") else text  # as in prompt templates
    for strict in (True, False):
        try:
            return json.loads(text if strict else _LOOSE.sub(_as_json, text), strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _as_json(found: regex.Match[str]) -> str:
    if (long := found["long"]) is not None:
        return json.dumps(long)
    if (string := found["string"]) is not None:
        return f'"{_ESCAPE.sub(_escaped, string)}"'
    if key := found["key"]:
        return f'"{key}":'
    return "" if found["comma"] else _WORDS.get(found[0], found[0])


def _escaped(found: regex.Match[str]) -> str:
    return found["same"] or (f"\\u00{found['byte']}" if found["byte"] else f"\\{found[0]}")


def _typed(value: Any, schema: object) -> Any:
    """Convert `value` to the type that the tool expects: ``"7"`` to an integer."""
    kinds = {at(each, str, "type") for each in (schema, *at(schema, list, "anyOf"))} - {""}
    if not kinds or "string" in kinds:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return str(value) if is_number and kinds == {"string"} else value
    if not isinstance(value, str):
        return value
    read = loads(value.strip().lower() if "boolean" in kinds else value)
    return value if read is None else read
