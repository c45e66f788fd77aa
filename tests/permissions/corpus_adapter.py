"""The entrance for `run_corpus.py`: one call judged as the gate would judge it."""

from pathlib import Path
from typing import Any

from dogent_tui.permissions.model import ToolCall, Verdict
from dogent_tui.permissions.policy import decide as decide_call


def decide(tool: str, input: dict[str, Any], workspace: Path, home: Path) -> Verdict:  # noqa: A002 — the scorer's name
    return decide_call(ToolCall(tool, input), workspace, home).verdict
