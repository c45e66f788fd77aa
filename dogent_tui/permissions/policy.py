"""The policy: takes a tool call, returns a decision."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.judgement import decide_effects
from dogent_tui.permissions.model import Decision, Effect, EffectKind, ToolCall
from dogent_tui.permissions.paths import PathRule
from dogent_tui.permissions.shell.early_effects import early_effects
from dogent_tui.permissions.shell.harmless import only_reads
from dogent_tui.permissions.tools import Fetching, tool_effects
from dogent_tui.wall.probe import WallLevel

_NO_WALL = tr("There is no wall around this command: only your answer protects you.")


def decide(
    call: ToolCall,
    workspace: Path,
    home: Path | None = None,
    private: Sequence[Path] = (),
    fetching: Fetching | None = None,
    *,
    wall: WallLevel = "full",
    visible: Sequence[Path] = (),
    readable: Sequence[Path] = (),
    consent: bool = False,
) -> Decision:
    """Return whether a call may run, must be asked about, or must not run. Never raises: errors
    lead to a question.

    For a command this is only the early decision: what it does is judged by `judge_outcome` when it
    has ended.

    Args:
        call: The call as the model made it.
        workspace: The folder that the agent works in.
        home: The user's home folder, the real one by default.
        private: The application's own folders (see `PathRule`).
        fetching: What is known about fetched addresses.
        wall: Which wall commands run behind. With ``partial``, what they do in the workspace is
            taken back instead of held back; with ``none``, only those known to do nothing but read
            run without asking.
        visible: Further places that commands see behind the wall.
        readable: Folders outside the workspace that may be read without asking.
        consent: Whether every access to a document requires a question.
    """
    try:
        rule = PathRule(workspace, home or Path.home(), tuple(private), tuple(readable))
        if call.tool == "Bash":
            return decide_effects(_command_effects(call, rule, visible, wall), rule)
        effects = tool_effects(call, rule, fetching or Fetching(), consent=consent)
        return decide_effects(effects, rule)
    except Exception as error:
        note = tr("It could not be judged ({error}).", error=type(error).__name__)
        effect = _doubt(note, call.tool)
        return Decision("ask", (note,), (), (effect,), (effect,))


def _command_effects(
    call: ToolCall, rule: PathRule, visible: Sequence[Path], wall: WallLevel
) -> tuple[Effect, ...]:
    command, cwd = call.input.get("command"), str(call.cwd or rule.workspace)
    if not isinstance(command, str):
        return (_doubt(tr("The call contains no command.")),)
    effects = list(early_effects(command, rule, cwd, visible, wall != "full"))
    if wall == "none":
        whole = replace(_doubt(_NO_WALL), span=(0, len(command)))
        effects = [] if only_reads(command, rule, cwd) else [*effects, whole]
    if call.input.get("dangerouslyDisableSandbox"):
        effects.append(_doubt(tr("It asks to run without the wall.")))
    return tuple(effects)


def _doubt(note: str, tool: str = "Bash") -> Effect:
    return Effect(EffectKind.UNKNOWN, program=tool, note=note)
