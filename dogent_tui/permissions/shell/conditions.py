"""`[[ … ]]`, `[ … ]` and `test`: what they look at on the disk."""

from typing import TYPE_CHECKING

from dogent_tui.language import tr
from dogent_tui.permissions.model import EffectKind
from dogent_tui.permissions.shell.call import Call
from dogent_tui.permissions.shell.parser import Node
from dogent_tui.permissions.shell.state import State
from dogent_tui.permissions.shell.words import Field

if TYPE_CHECKING:
    from dogent_tui.permissions.shell.walk import Walk

_FILE_TESTS = {"-" + letter for letter in "abcdefghkprsuwxGLNOS"}
_FILE_COMPARISONS = {"-nt", "-ot", "-ef"}
_NUMBER_COMPARISONS = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}


def test_clause(walk: "Walk", node: Node, state: State) -> None:
    """Walk the expression of `[[ … ]]`."""
    operator = str(node.get("Op", ""))
    if "Parts" in node:
        walk.expander.text(node, state)
        return
    for side in [side for key in ("X", "Y") if isinstance(side := node.get(key), dict)]:
        if "Parts" not in side:
            test_clause(walk, side, state)
        elif operator in _NUMBER_COMPARISONS or operator in {"-v", "-R"}:
            walk.expander.arithmetic(side, state)
        else:
            text = walk.expander.text(side, state)
            if operator in _FILE_COMPARISONS or (operator in _FILE_TESTS and node.get("Type") == "UnaryTest"):
                walk.recorder.touch(EffectKind.READ, Field(text, walk.span(side)), state, "[[")


def test_command(call: Call) -> None:
    """Judge `test …` and `[ … ]`."""
    args = call.args[:-1] if call.name == "[" else call.args
    for index, arg in enumerate(args):
        before = args[index - 1].text if index else ""
        after = args[index + 1].text if index + 1 < len(args) else ""
        if arg.text == "-a":
            continue
        if (before in _FILE_TESTS - {"-a"} and len(args) > 1) or before in _FILE_COMPARISONS or after in _FILE_COMPARISONS:
            call.touch(EffectKind.READ, arg)
        elif before == "-v" and ("$(" in arg.text or "`" in arg.text or arg.dynamic):
            call.doubt(tr("Looking up this name would run the text in it."), arg)
    call.printed = ()
