"""From effects to a decision: a small table. All analysis happens earlier, when the effects are
determined.
"""

from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.model import Decision, Effect, EffectKind, Verdict
from dogent_tui.permissions.paths import Guard, PathRule, Place

_UNNAMED = {
    EffectKind.READ: tr("It reads a file that can't be known in advance."),
    EffectKind.WRITE: tr("It writes a file that can't be known in advance."),
    EffectKind.CREATE: tr("It writes a file that can't be known in advance."),
    EffectKind.DELETE: tr("It deletes something."),
    EffectKind.MOVE: tr("It deletes something."),
}
"""The text for an unknown place."""


def decide_effects(effects: tuple[Effect, ...], rule: PathRule) -> Decision:
    """Return the decision on a call with these effects: the strictest one that any of them
    requires.
    """
    findings = [(effect, *_judged(effect, rule)) for effect in effects]
    order: tuple[Verdict, ...] = ("deny", "ask")
    for verdict in order:
        if chosen := [finding for finding in findings if finding[1] == verdict]:
            asked = tuple(effect for effect, _, _, _ in chosen)
            reasons = tuple(dict.fromkeys(reason for _, _, reason, _ in chosen))
            rememberable = verdict == "ask" and all(sure for _, _, _, sure in chosen)
            targets = dict.fromkeys(str(effect.path) for effect in asked if effect.path)
            return Decision(verdict, reasons, tuple(targets), asked, effects, rememberable)
    return Decision("allow", effects=effects)


def _judged(effect: Effect, rule: PathRule) -> tuple[Verdict, str, bool]:
    """Return the verdict on one effect, the reason, and whether an answer to it can be
    remembered.
    """
    if forbidden := _forbidden(effect, rule):
        return "deny", forbidden, False
    reason, sure = _asked(effect, rule)
    return ("ask" if reason else "allow"), reason, sure


def _forbidden(effect: Effect, rule: PathRule) -> str:
    """Return why an effect must be denied without a question, "" if it need not."""
    path = effect.path
    if effect.kind is EffectKind.USE:
        return effect.note  # why the tool itself would refuse the call
    if path is None or not effect.kind.changes:
        return ""
    guard = rule.guard(path)
    if guard is Guard.ROOT and effect.kind.removes:
        return tr("It would delete or move {path}, which contains everything.", path=path)
    if guard is Guard.STORE:
        return tr("It would change your saved permissions.")
    if rule.place(path) is Place.DEVICE:
        return tr("It would write to the device {path}.", path=path)
    return ""


def _asked(effect: Effect, rule: PathRule) -> tuple[str, bool]:
    """Return why an effect requires a question ("" if it does not), and whether the answer can be
    remembered.
    """
    path, kind = effect.path, effect.kind
    if kind is EffectKind.USE:
        return tr("The agent wants to search your documents."), True
    if kind is EffectKind.TOOL:
        words = tr(
            "The MCP server {server} runs outside the wall: nothing holds back what its tools do."
        )
        return words.format(server=effect.program.split("__")[1]), True
    if kind is EffectKind.EXECUTE:
        return tr("It runs a program outside the workspace: {path}", path=path), True
    if kind is EffectKind.UNKNOWN:
        return effect.note, False
    if kind is EffectKind.NETWORK:
        return effect.note, bool(effect.written)  # an unnamed host is never remembered
    if path is None:
        return effect.note or _UNNAMED[kind], False
    if kind is EffectKind.READ:
        return _read(effect, path, rule), True
    return _gone(effect, path, rule) if kind.removes else _written(effect, path, rule)


def _read(effect: Effect, path: Path, rule: PathRule) -> str:
    if effect.program == "Grep" and rule.holds_private(path):
        note = tr("{path} contains dogent-tui's own files, with your keys and conversations.")
        return note.format(path=path)
    inside = rule.place(path) in {Place.INSIDE, Place.STREAM} or any(
        path.is_relative_to(each) for each in rule.readable
    )
    return "" if inside else tr("It reads outside the workspace: {path}", path=path)


def _written(effect: Effect, path: Path, rule: PathRule) -> tuple[str, bool]:
    guard, name = rule.guard(path), _name(path, rule)
    if not rule.inside(path):
        return tr("It writes outside the workspace: {path}", path=path), True
    if effect.note:
        sure = guard is Guard.NONE and effect.kind is EffectKind.WRITE and not effect.wildcard
        return effect.note, sure
    if guard is Guard.PRIVILEGED:
        return tr("{path} controls which programs run or what the agent may do.", path=name), False
    if guard is Guard.PROTECTED and effect.kind is EffectKind.WRITE:
        return tr("It changes {path}, which only you may change.", path=name), False
    if effect.replaces and guard is not Guard.SCRATCH:
        return tr("It replaces all of {path}.", path=name), not effect.wildcard
    return "", True


def _gone(effect: Effect, path: Path, rule: PathRule) -> tuple[str, bool]:
    guard, moves, inside = rule.guard(path), effect.kind is EffectKind.MOVE, rule.inside(path)
    if guard is Guard.SCRATCH and not moves and inside:
        return "", True
    reason = tr("It moves away {path}.") if moves else tr("It deletes {path}.")
    if not inside:
        deletes = tr("It deletes {path}, outside the workspace.")
        reason = tr("It moves away {path}, outside the workspace.") if moves else deletes
    sure = not effect.wildcard and guard not in {Guard.PROTECTED, Guard.PRIVILEGED}
    return reason.format(path=_name(path, rule)), sure


def _name(path: Path, rule: PathRule) -> str:
    """Return a place as displayed to the user: relative to the workspace if it is inside."""
    return str(path).removeprefix(rule.root + "/")
