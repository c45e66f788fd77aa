"""The policy: a tool call in, a decision out."""

from collections.abc import Sequence
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.disk import Disk, OverlayDisk, RealDisk
from dogent_tui.permissions.judgement import decide_effects
from dogent_tui.permissions.model import Decision, Effect, EffectKind, ToolCall
from dogent_tui.permissions.paths import PathRule
from dogent_tui.permissions.shell.parser import ParserMissingError, ShellSyntaxError
from dogent_tui.permissions.shell.recorder import Recorder
from dogent_tui.permissions.shell.state import State
from dogent_tui.permissions.shell.text import deceptive_character
from dogent_tui.permissions.shell.walk import TooMuchError, Walk
from dogent_tui.permissions.tools import LeadsInside, Unjudged, tool_effects

__all__ = ["NO_PARSER", "Decision", "ToolCall", "decide"]

NO_PARSER = tr("The program shfmt is not installed, so commands cannot be looked into: each one is asked about.")
"""The notice for a session without shfmt (it comes with the package `shfmt-py`)."""


def decide(
    call: ToolCall,
    workspace: Path,
    home: Path | None = None,
    disk: Disk | None = None,
    private: Sequence[Path] = (),
    leads_inside: LeadsInside | None = None,
) -> Decision:
    """Return whether a call may run, must be asked about, or must not run. Never raises: what goes wrong is asked about.

    `home` is the user's home folder, the real one by default; `disk` is what the decision sees of the file system; `private`
    are the application's own folders (see `PathRule`). `leads_inside` knows more of addresses that our tool fetches.
    """
    try:
        overlay = OverlayDisk(disk or RealDisk())
        rule = PathRule(workspace, home or Path.home(), overlay, tuple(private))
        return decide_effects(_effects(call, rule, overlay, leads_inside), rule)
    except Exception as error:
        effect = Effect(
            EffectKind.UNKNOWN,
            None,
            "",
            None,
            call.tool,
            tr("It could not be judged ({error}).").format(error=type(error).__name__),
        )
        return Decision("ask", (effect.note,), (), (effect,), (effect,))


def _effects(call: ToolCall, rule: PathRule, disk: OverlayDisk, leads_inside: LeadsInside | None) -> tuple[Effect, ...]:
    if call.tool != "Bash":
        try:
            return tool_effects(call, rule, leads_inside)
        except Unjudged as holds:
            return (*holds.effects, *_shell_effects(holds.command, call, rule, disk))
    command = call.input.get("command")
    if not isinstance(command, str):
        return (Effect(EffectKind.UNKNOWN, program="Bash", note=tr("There is no command in the call.")),)
    effects = _shell_effects(command, call, rule, disk)
    if call.input.get("dangerouslyDisableSandbox"):
        effects = (*effects, Effect(EffectKind.UNKNOWN, program="Bash", note=tr("It asks to run outside the sandbox.")))
    return effects


def _shell_effects(command: str, call: ToolCall, rule: PathRule, disk: OverlayDisk) -> tuple[Effect, ...]:
    """Return what a shell command does; a doubt stands in for what cannot be understood."""
    recorder = Recorder(rule, disk)
    note = deceptive_character(command)
    try:
        if not note:
            Walk(recorder, str(rule.home)).command(command, State(str(call.cwd or rule.workspace), stdin=()))
    except ShellSyntaxError:
        note = tr("It is not a shell command that can be understood.")
    except ParserMissingError:
        note = NO_PARSER
    except (TooMuchError, RecursionError):
        note = tr("It does more, or is nested deeper, than can be looked at.")
    if not note:
        return recorder.effects
    return (*recorder.effects, Effect(EffectKind.UNKNOWN, None, "", (0, len(command)), "Bash", note))
