"""A decision in words, for a person who wonders why they were asked."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from dogent_tui.language import tr
from dogent_tui.permissions.disk import Disk
from dogent_tui.permissions.model import Decision, Effect, ToolCall
from dogent_tui.permissions.policy import decide

_LATER = tr("  It runs behind the wall. What it does is judged when it has ended, and you are asked about it then if necessary.")


def explain(call: ToolCall, workspace: Path, home: Path | None = None, disk: Disk | None = None) -> dict[str, Any]:
    """Return the policy's decision with everything that led to it, as plain data for printing or JSON."""
    return describe(call, decide(call, workspace, home, disk))


def describe(call: ToolCall, decision: Decision) -> dict[str, Any]:
    """Return a decision with everything that led to it, as plain data."""
    return {
        "tool": call.tool,
        "verdict": decision.verdict,
        "reasons": list(decision.reasons),
        "targets": list(decision.targets),
        "rememberable": decision.rememberable,
        "effects": [_as_data(effect, effect in decision.asked) for effect in decision.effects],
    }


def _as_data(effect: Effect, asked: bool) -> dict[str, Any]:
    path, span = effect.path and str(effect.path), effect.span and list(effect.span)
    data = {**asdict(effect), "kind": effect.kind.value, "path": path, "span": span, "asked": asked}
    return {key: value for key, value in data.items() if value not in ("", None, False)}


def as_text(found: dict[str, Any]) -> str:
    """Return what `describe` found: the verdict, why, a line for each effect and each grant; controls are shown as symbols.

    With `judged_again`, it is the early decision about a command that runs behind a wall.
    """
    lines = [found["verdict"] + (f": {found['question']}" if "question" in found else "")]
    lines += [tr("  because: {reason}").format(reason=reason) for reason in found["reasons"]]
    for effect in found["effects"]:
        mark = "!" if effect.get("asked") else " "
        where = effect.get("path") or effect.get("written") or effect.get("program", "")
        note = f"  ({effect['note']})" if "note" in effect else ""
        lines.append(f"{mark} {effect['kind']:<8} {where}{note}")
    if found.get("judged_again"):
        lines.append(_LATER)
    for grant in found.get("grants", ()):
        words, mark = tr("{mark} allowed before ({origin}): {allows}"), "✓" if grant["used"] else " "
        lines.append(words.format(mark=mark, origin=grant["by"], allows=grant["allows"]))
    return "\n".join(_shown(line) for line in lines)


def _shown(line: str) -> str:
    return "".join(chr(0x2400 + ord(char)) if ord(char) < 32 else "␡" if char == "\x7f" else char for char in line)
