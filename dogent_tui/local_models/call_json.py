"""Tool calls as local models write them when their server does not: read leniently, and given
the types that the tool wants.
"""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from dogent_tui.offline.messages_api import ReplyToolUse

NAME_KEYS = ("name", "tool", "tool_name", "function")
ARGUMENT_KEYS = ("arguments", "parameters", "input", "args")
_CALL_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, "id", "type", "tool_call_id"})
UNREADABLE = "unreadable_arguments"
"""Holds what a model gave as arguments and is no JSON: the tool refuses it, and the model sees
why.
"""
_DEEPEST = 4
"""How often JSON may lie in a text of JSON; a model that writes a call twice over does so once."""

_LOOSE = re.compile(
    r""""(?:[^"\\]|\\.)*"|(?P<single>'(?:[^'\\]|\\.)*')|(?P<comma>,(?=\s*[}\]]))|(?P<word>\b(?:True|False|None)\b)""",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_BARE = re.compile(r"(?:functions\.|functions:|tool\.)?([\w.-]+?)(?::\d+)?")


class Tools:
    """The tools that a request offers."""

    def __init__(self, tools: Collection[Mapping[str, Any]]) -> None:
        self._schemas: dict[str, Mapping[str, Any]] = {
            str(tool.get("name", "")): tool for tool in tools
        }

    def __bool__(self) -> bool:
        return bool(self._schemas)

    def named(self, name: object) -> str:
        """Return the tool that `name` means, empty where there is none: other capitals, or
        without what a server adds to it.
        """
        bare = _BARE.fullmatch(name.strip()) if isinstance(name, str) else None
        if bare is None:
            return ""
        if bare[1] in self._schemas:
            return bare[1]
        lowered = bare[1].lower()
        meant = [
            tool for tool in self._schemas if tool.lower() in (lowered, f"mcp__dogent__{lowered}")
        ]
        return meant[0] if len(meant) == 1 else ""

    def call(self, name: str, arguments: Mapping[str, Any]) -> ReplyToolUse:
        """Return a call of the tool that `name` means. Where there is none, the call goes out by
        that name: it is refused.
        """
        tool = self.named(name)
        schema = self._schemas.get(tool, {}).get("input_schema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        known = properties if isinstance(properties, dict) else {}
        kinds = {key: about.get("type") for key, about in known.items() if isinstance(about, dict)}
        return ReplyToolUse(
            tool or name, {key: _typed(value, kinds.get(key)) for key, value in arguments.items()}
        )


def calls_in(value: Any, tools: Tools, *, marked: bool) -> tuple[ReplyToolUse, ...]:
    """Return the calls that the JSON `value` is, one or a list of them; none where it is anything
    else.

    `marked`: the model said that it is a call. Otherwise it has to look like one and like nothing
    else.
    """
    if isinstance(value, list):
        calls = (
            [call for item in value for call in calls_in(item, tools, marked=marked)]
            if len(value) <= 50
            else []
        )
        return tuple(calls) if len(calls) == len(value) else ()
    if not isinstance(value, dict):
        return ()
    if isinstance(value.get("function"), dict):  # as chat completions write them
        value = value["function"]
    name = next((value[key] for key in NAME_KEYS if key in value), None)
    key = next((key for key in ARGUMENT_KEYS if key in value), None)
    if not isinstance(name, str) or not name:
        return ()
    if not marked and (key is None or not tools.named(name) or not value.keys() <= _CALL_KEYS):
        return ()
    arguments = arguments_of(value[key]) if key is not None else {}
    return (tools.call(name, arguments),) if arguments is not None else ()


def arguments_of(value: object) -> dict[str, Any] | None:
    """Return `value` as the arguments of a call: an object, or the text of one, even twice over.
    None where it is neither.
    """
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


def loads(text: str) -> Any:
    """Return the JSON that `text` is, None where it is none.

    Also with line breaks within texts, single quotes, commas before a bracket, and Python's words.
    """
    for written in (text, _LOOSE.sub(_strict, text)):
        try:
            return json.loads(written, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _strict(found: re.Match[str]) -> str:
    """Return what JSON has for something that only Python, or nobody, writes."""
    if single := found["single"]:
        return json.dumps(re.sub(r"\\(['\"])", r"\1", single[1:-1]).replace("\\n", "\n"))
    return "" if found["comma"] else _WORDS.get(found[0], found[0])


def _typed(value: Any, kind: object) -> Any:
    """Return `value` as what the tool wants, where it is written as something else: ``"7"`` for
    an integer.
    """
    if kind in (None, "string"):
        return (
            str(value)
            if kind and isinstance(value, int | float) and not isinstance(value, bool)
            else value
        )
    if not isinstance(value, str):
        return value
    read = loads(value.strip().lower() if kind == "boolean" else value)
    return value if read is None else read
