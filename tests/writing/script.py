"""A scripted model: what it answers to one request after the other. Good ones do a task well,
spoiled ones badly in one way.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

ROOT = "{root}"
"""What stands for the workspace in the input of a call: the CLI's tools take absolute paths."""

UI_REQUEST = "mcp__dogent__ui_request"
CHECK_QUOTES = "mcp__dogent__check_quotes"
PROPOSE = "mcp__dogent__propose_document_change"
PLAN = "mcp__dogent__plan"
_TEXTS = ("content", "new_string", "new_content")


@dataclass(frozen=True)
class Step:
    """One reply: calls, or the text that ends a turn."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()


Script: TypeAlias = tuple[Step, ...]
Spoil: TypeAlias = Callable[[Script], Script]


def said(text: str) -> Step:
    """End the turn with a text."""
    return Step(text)


def call(tool: str, **values: Any) -> Step:
    """Make one call."""
    return Step(calls=((tool, values),))


def read(*paths: str) -> Step:
    """Read files, all at once: documents by our reader, everything else by the CLI's."""
    return Step(calls=tuple(_read(path) for path in paths))


def _read(path: str) -> tuple[str, Mapping[str, Any]]:
    if path.endswith((".xlsx", ".docx", ".pdf")):
        return "mcp__dogent__read_document", {"path": path}
    return "Read", {"file_path": f"{ROOT}/{path}"}


def write(path: str, content: str) -> Step:
    """Write a file."""
    return call("Write", file_path=f"{ROOT}/{path}", content=content)


def edit(path: str, old: str, new: str) -> Step:
    """Edit a file that was read."""
    return call("Edit", file_path=f"{ROOT}/{path}", old_string=old, new_string=new)


def ask(title: str = "Before I write") -> Step:
    """Ask a question on a screen."""
    question = {
        "id": "reader",
        "question": "Who reads it?",
        "options": [{"label": "Everybody"}],
        "recommended": "Everybody",
    }
    return call(UI_REQUEST, type="clarification", title=title, questions=[question])


@dataclass(frozen=True)
class _Change:
    function: Callable[[str], str]
    path: str
    every: bool
    done: list[bool] = field(default_factory=list)

    def of(self, step: Step) -> Step:
        calls = tuple((tool, self._changed(values)) for tool, values in step.calls)
        return replace(step, calls=calls)

    def _changed(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        path = str(values.get("file_path") or values.get("path") or "").removeprefix(f"{ROOT}/")
        key = next((key for key in _TEXTS if key in values), "")
        if path != self.path or not key or not values[key] or (self.done and not self.every):
            return values
        self.done.append(True)
        return {**values, key: self.function(str(values[key]))}


def rewritten(path: str, function: Callable[[str], str], *, every: bool = False) -> Spoil:
    """Return what changes the last text that is written to `path`, or `every` one."""

    def spoil(script: Script) -> Script:
        change = _Change(function, path, every)
        return tuple(reversed([change.of(step) for step in reversed(script)]))

    return spoil


def without(*tools: str) -> Spoil:
    """Return what leaves out the calls of `tools`."""

    def spoil(script: Script) -> Script:
        kept = (
            replace(step, calls=tuple(one for one in step.calls if one[0] not in tools))
            for step in script
        )
        return tuple(step for step in kept if step.calls or step.text)

    return spoil


def begun_with(*steps: Step) -> Spoil:
    """Return what does `steps` before anything else."""
    return lambda script: (*steps, *script)


def ended_with(step: Step) -> Spoil:
    """Return what does `step` before the last reply."""
    return lambda script: (*script[:-1], step, script[-1])


def last_words(text: str) -> Spoil:
    """Return what says `text` in the end."""
    return lambda script: (*script[:-1], said(text))
