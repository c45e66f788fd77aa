"""From effects to a decision: a small table. Everything clever happens before, in finding the effects."""

from collections.abc import Callable
from dataclasses import dataclass

from dogent_tui.language import tr
from dogent_tui.permissions.model import Decision, Effect, EffectKind, Verdict
from dogent_tui.permissions.paths import Guard, PathRule, Place


@dataclass(frozen=True)
class _Finding:
    verdict: Verdict
    reason: str = ""
    rememberable: bool = True


_ALLOW = _Finding("allow")
_CHANGES = {EffectKind.WRITE, EffectKind.CREATE, EffectKind.DELETE, EffectKind.MOVE}


def decide_effects(effects: tuple[Effect, ...], rule: PathRule) -> Decision:
    """Return the decision on a call with these effects: the strictest that any of them calls for."""
    findings = [(effect, _judge(effect, rule)) for effect in effects]
    order: tuple[Verdict, ...] = ("deny", "ask")
    for verdict in order:
        chosen = [(effect, finding) for effect, finding in findings if finding.verdict == verdict]
        if chosen:
            reasons = tuple(dict.fromkeys(finding.reason for _, finding in chosen))
            rememberable = verdict == "ask" and all(finding.rememberable for _, finding in chosen)
            targets = tuple(dict.fromkeys(str(effect.path) for effect, _ in chosen if effect.path is not None))
            return Decision(verdict, reasons, targets, tuple(effect for effect, _ in chosen), effects, rememberable)
    return Decision("allow", effects=effects)


def _judge(effect: Effect, rule: PathRule) -> _Finding:
    if effect.kind in _CHANGES and (forbidden := _forbidden(effect, rule)):
        return _Finding("deny", forbidden, rememberable=False)
    return _TABLE[effect.kind](effect, rule)


def _forbidden(effect: Effect, rule: PathRule) -> str:
    """What no question should offer."""
    path = effect.path
    if path is None:
        return ""
    guard = rule.guard(path)
    if guard is Guard.ROOT and effect.kind in {EffectKind.DELETE, EffectKind.MOVE}:
        return tr("It would delete or move {path}, which holds everything.").format(path=path)
    if guard is Guard.STORE:
        return tr("It would change which permissions are remembered.")
    if rule.place(path) is Place.DEVICE:
        return tr("It would write to the device {path}.").format(path=path)
    return ""


def _ask(reason: str, sure: bool = True) -> _Finding:
    return _Finding("ask", reason, sure)


def _read(effect: Effect, rule: PathRule) -> _Finding:
    path = effect.path
    if path is None:
        return _ask(effect.note or tr("It reads a file that cannot be named beforehand."), sure=False)
    if effect.program == "Grep" and rule.holds_private(path):
        note = tr("{path} holds the files of dogent-tui itself, with your keys and conversations.")
        return _ask(note.format(path=path))
    if rule.place(path) in {Place.INSIDE, Place.STREAM}:
        return _ALLOW
    return _ask(tr("It reads outside the workspace: {path}").format(path=path))


def _write(effect: Effect, rule: PathRule) -> _Finding:
    path = effect.path
    if path is None:
        return _ask(effect.note or tr("It writes a file that cannot be named beforehand."), sure=False)
    guard, name = rule.guard(path), _name(effect, rule)
    if not rule.inside(path):
        return _ask(tr("It writes outside the workspace: {path}").format(path=path))
    if effect.note:
        return _ask(effect.note, guard is Guard.NONE and effect.kind is EffectKind.WRITE and not effect.wildcard)
    if guard is Guard.PRIVILEGED:
        return _ask(tr("{path} decides what programs or the agent may do.").format(path=name), sure=False)
    if guard is Guard.PROTECTED and effect.kind is EffectKind.WRITE:
        return _ask(tr("It changes {path}, which only you change.").format(path=name), sure=False)
    if effect.replaces and guard is not Guard.SCRATCH:
        return _ask(tr("It replaces all of {path}.").format(path=name), not effect.wildcard)
    return _ALLOW


def _delete(effect: Effect, rule: PathRule) -> _Finding:
    moves = effect.kind is EffectKind.MOVE
    path = effect.path
    if path is None:
        return _ask(effect.note or tr("It deletes something."), sure=False)
    guard, inside = rule.guard(path), rule.inside(path)
    if not moves and guard is Guard.SCRATCH and inside:
        return _ALLOW
    if inside:
        reason = tr("It moves away {path}.") if moves else tr("It deletes {path}.")
    else:
        reason = tr("It moves away {path}, outside the workspace.") if moves else tr("It deletes {path}, outside the workspace.")
    sure = not effect.wildcard and guard not in {Guard.PROTECTED, Guard.PRIVILEGED}
    return _ask(reason.format(path=_name(effect, rule)), sure)


def _execute(effect: Effect, _rule: PathRule) -> _Finding:
    return _ask(tr("It runs a program outside the workspace: {path}").format(path=effect.path))


def _use(effect: Effect, _rule: PathRule) -> _Finding:
    """One of our tools that consult the documents. A note says why the tool would refuse the call itself."""
    return _Finding("deny", effect.note) if effect.note else _ask(tr("The agent asks to look through your documents."))


def _noted(effect: Effect, _rule: PathRule) -> _Finding:
    """The network, where a machine without a name is never remembered, and what is not known at all."""
    return _ask(effect.note, sure=effect.kind is EffectKind.NETWORK and bool(effect.written))


def _name(effect: Effect, rule: PathRule) -> str:
    """Return a place as the user knows it: from the workspace on where it lies inside."""
    return str(effect.path).removeprefix(rule.root + "/")


_TABLE: dict[EffectKind, Callable[[Effect, PathRule], _Finding]] = {
    EffectKind.READ: _read,
    EffectKind.WRITE: _write,
    EffectKind.CREATE: _write,
    EffectKind.DELETE: _delete,
    EffectKind.MOVE: _delete,
    EffectKind.EXECUTE: _execute,
    EffectKind.NETWORK: _noted,
    EffectKind.USE: _use,
    EffectKind.UNKNOWN: _noted,
}
