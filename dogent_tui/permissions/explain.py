"""A decision in words, for users who wonder why they were asked."""

from dataclasses import asdict

from dogent_tui.language import tr
from dogent_tui.permissions.model import Decision, Effect, ToolCall
from dogent_tui.records import JsonDict

_SYMBOLS = {**{code: 0x2400 + code for code in range(32)}, 0x7F: "␡"}
"""Control character → its visible symbol."""
_LATER = tr(
    "  It runs behind the wall. What it does is judged once it has ended; you're asked then if"
    " necessary."
)


def describe(call: ToolCall, decision: Decision) -> JsonDict:
    """Return a decision and everything that led to it, as plain data."""
    return {
        "tool": call.tool,
        "verdict": decision.verdict,
        "reasons": list(decision.reasons),
        "targets": list(decision.targets),
        "rememberable": decision.rememberable,
        "effects": [_as_data(effect, effect in decision.asked) for effect in decision.effects],
    }


def _as_data(effect: Effect, asked: bool) -> JsonDict:
    path, span = effect.path and str(effect.path), effect.span and list(effect.span)
    data = {**asdict(effect), "kind": effect.kind.value, "path": path, "span": span, "asked": asked}
    return {key: value for key, value in data.items() if value not in ("", None, False)}


def as_text(found: JsonDict) -> str:
    """Return the lines for `describe`'s result: the verdict, the reasons, and a line for each
    effect and each grant, with control characters as symbols.

    `judged_again`: it is the early decision about a command that runs behind a wall.
    """
    lines = [found["verdict"] + (f": {found['question']}" if "question" in found else "")]
    lines += [tr("  because: {reason}", reason=reason) for reason in found["reasons"]]
    for effect in found["effects"]:
        mark = "!" if effect.get("asked") else " "
        where = effect.get("path") or effect.get("written") or effect.get("program", "")
        note = f"  ({effect['note']})" if "note" in effect else ""
        lines.append(f"{mark} {effect['kind']:<8} {where}{note}")
    if found.get("judged_again"):
        lines.append(_LATER)
    for grant in found.get("grants", ()):
        mark = "✓" if grant["used"] else " "
        words = tr("{mark} allowed before ({origin}): {allows}")
        lines.append(words.format(mark=mark, origin=grant["by"], allows=grant["allows"]))
    return "\n".join(line.translate(_SYMBOLS) for line in lines)
