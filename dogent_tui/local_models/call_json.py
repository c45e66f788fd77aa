"""Tool calls as local models write them when their server does not: read leniently, made only of tools that were offered."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from dogent_tui.offline.messages_api import ReplyToolUse

NAME_KEYS = ("name", "tool", "tool_name", "function")
ARGUMENT_KEYS = ("arguments", "parameters", "input", "args")
_CALL_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, "id", "type"})
UNREADABLE = "unreadable_arguments"
"""Holds what a model gave as arguments and is no JSON: the tool refuses it, and the model sees why."""
_DEEPEST = 4
"""How often JSON may lie in a text of JSON; a model that writes a call twice over does so once."""

_FUNCTION = re.compile(r"<function=([^>\s]{1,120})>(.*)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\s]{1,120})>\n?(.*?)\n?</parameter>", re.DOTALL)


class Tools:
    """The tools that a request offers."""

    def __init__(self, tools: Collection[Mapping[str, Any]]) -> None:
        self._schemas: dict[str, Mapping[str, Any]] = {str(tool.get("name", "")): tool for tool in tools}

    def __bool__(self) -> bool:
        return bool(self._schemas)

    def named(self, name: object) -> str:
        """Return the tool that `name` means, empty where there is none: other capitals, or without what an MCP server adds."""
        if not isinstance(name, str) or not name:
            return ""
        if name in self._schemas:
            return name
        lowered = name.lower()
        meant = [tool for tool in self._schemas if tool.lower() in (lowered, f"mcp__dogent__{lowered}")]
        return meant[0] if len(meant) == 1 else ""

    def types(self, tool: str) -> dict[str, object]:
        """Return the JSON type of each parameter of `tool`."""
        schema = self._schemas.get(tool, {}).get("input_schema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        known = properties if isinstance(properties, dict) else {}
        return {name: about.get("type") for name, about in known.items() if isinstance(about, dict)}


def calls_in(value: Any, tools: Tools, *, marked: bool) -> tuple[ReplyToolUse, ...]:
    """Return the calls that the JSON `value` is, one or a list of them; none where it is anything else.

    `marked`: the model said that it is a call. Otherwise it has to look like one and like nothing else.
    """
    if isinstance(value, list):
        calls = [call for item in value for call in calls_in(item, tools, marked=marked)] if len(value) <= 50 else []
        return tuple(calls) if len(calls) == len(value) else ()
    if not isinstance(value, dict):
        return ()
    if isinstance(value.get("function"), dict):  # as chat completions write them
        value = value["function"]
    name = tools.named(next((value[key] for key in NAME_KEYS if key in value), None))
    key = next((key for key in ARGUMENT_KEYS if key in value), None)
    if not name or (key is None and not marked) or (not marked and not value.keys() <= _CALL_KEYS):
        return ()
    arguments = arguments_of(value[key]) if key is not None else {}
    return (ReplyToolUse(name, arguments),) if arguments is not None else ()


def arguments_of(value: object) -> dict[str, Any] | None:
    """Return `value` as the arguments of a call: an object, or the text of one, even twice over. None where it is neither."""
    for _ in range(_DEEPEST):
        if isinstance(value, dict):
            return value
        if not isinstance(value, str):
            return None
        text = value.strip()
        if not text:
            return {}
        value = loads(text)
    return None


def loads(text: str) -> object:
    """Return the JSON that `text` is, None where it is none. Line breaks within texts are taken for what they are."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def function_call(text: str, tools: Tools) -> tuple[ReplyToolUse, ...]:
    """Return the call that ``<function=NAME><parameter=KEY>VALUE</parameter>…`` is, as Qwen's coders write it."""
    found = _FUNCTION.match(text.strip())
    name = tools.named(found[1]) if found else ""
    if not found or not name:
        return ()
    types, given = tools.types(name), _PARAMETER.findall(found[2])
    if len(given) < found[2].count("<parameter="):  # one was cut off
        return ()
    return (ReplyToolUse(name, {key: _typed(value, types.get(key)) for key, value in given}),)


def _typed(value: str, kind: object) -> object:
    """Return `value`, which was written without quotes, as what the tool wants."""
    if kind in (None, "string"):
        return value
    read = loads(value.strip().lower() if kind == "boolean" else value)
    return value if read is None else read
