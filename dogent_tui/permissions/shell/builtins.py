"""The shell's own commands: those that change its state, and those that run other text."""

import os
import re
from dataclasses import replace

from dogent_tui.language import tr
from dogent_tui.permissions.model import Effect, EffectKind
from dogent_tui.permissions.paths import Place
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.conditions import test_command
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.outputs import formatted
from dogent_tui.permissions.shell.state import State
from dogent_tui.permissions.shell.text import ANY, DYNAMIC
from dogent_tui.permissions.shell.words import Field


def _cd(call: Call) -> list[State]:
    parsed = parse(call.args)
    call.printed = ()
    target = parsed.operands[0] if parsed.operands else Field(_text(call, "HOME", call.recorder.rule.home.as_posix()), call.span)
    if target.text == "-":
        target = Field(_text(call, "OLDPWD", DYNAMIC), target.span)
    before = call.state.copy()
    after = _enter(call, target, physical=parsed.has("-P"))
    sure = len(parsed.operands) < 2 and all(name in {"-L", "-P", "-e", "-@"} for name, _ in parsed.options)
    return after if sure else [*after, before]


def _text(call: Call, name: str, otherwise: str) -> str:
    value = call.state.variables.get(name, otherwise)
    return value if isinstance(value, str) else DYNAMIC


def _enter(call: Call, target: Field, physical: bool = False) -> list[State]:
    """Go to a folder. If it may not be there, the shell may also stay where it is."""
    before = call.state.copy()
    state = call.state
    path = call.recorder.resolve(target, state, call.name)
    if path is None:
        state.cwd = None
        return [state]
    if call.recorder.rule.place(path) is not Place.INSIDE:
        call.touch(EffectKind.READ, target)
    state.put("OLDPWD", state.cwd if state.cwd is not None else DYNAMIC)
    state.variables.pop("PWD", None)
    joined = target.text if target.text.startswith("/") else f"{state.cwd}/{target.text}"
    state.cwd = str(path) if physical else os.path.normpath(joined)
    entry = call.recorder.disk.entry(str(path))
    if entry is not None and entry.kind == "folder":
        state.status = True
        return [state]
    state.status, before.status = None, False
    return [state, before]


def _pushd(call: Call) -> list[State]:
    call.printed = ()
    parsed = parse(call.args)
    if not parsed.operands or parsed.options or parsed.operands[0].text.startswith("+"):
        call.doubt(tr("The folder it goes to is only known when it runs."))
        call.state.cwd = None
        return [call.state]
    here = call.state.cwd
    after = _enter(call, parsed.operands[0])
    for state in after:
        state.folders = (*state.folders, here)
    return after


def _popd(call: Call) -> list[State]:
    call.printed = ()
    state = call.state
    state.variables.pop("PWD", None)
    if call.args:
        state.cwd = None
    elif state.folders:
        state.cwd, state.folders = state.folders[-1], state.folders[:-1]
    return [state]


def _dirs(call: Call) -> list[State]:
    if any("c" in arg.text for arg in call.args):
        call.state.folders = ()
    return [call.state]


def _leave(call: Call) -> list[State]:
    """`break`, `continue` and `return`: what follows is looked at as well, since they may not be reached."""
    call.printed = ()
    if call.name == "return":
        call.runner.leave_function(call.state)
    else:
        count = call.args[0].text if call.args else "1"
        call.runner.leave_loops(call.state, int(count) if count.isdigit() and int(count) else 99)
    return [call.state]


def _jobs(call: Call) -> None:
    if call.args and call.args[0].text.startswith("-x"):
        call.runner.run_fields(call.args[1:], call.state.copy())


def _wait(call: Call) -> None:
    if any("$(" in arg.text or "`" in arg.text or (arg.text.startswith("-") and arg.dynamic) for arg in call.args):
        call.doubt(tr("It would run the text in an array index."))


def _eval(call: Call) -> list[State]:
    call.printed = True
    text = " ".join(arg.text for arg in call.args)
    if DYNAMIC in text or ANY in text:
        call.doubt(tr("It runs text that is only known when it runs."))
        return [call.state]
    return call.runner.run_text(text, call.state, call.args[0].span if call.args else call.span)


def _source(call: Call) -> list[State]:
    if not call.args:
        return [call.state]
    file, state = call.args[0], call.state
    path = call.recorder.resolve(file, state, call.name)
    state.options |= {"foreign"}
    if path is None:
        return [state]
    if call.recorder.rule.place(path) is Place.STREAM:
        if state.script is not None and file.text == "/dev/stdin":
            return call.runner.run_text(state.script, state, file.span)
        call.doubt(tr("It runs text that is only known when it runs."), file)
        return [state]
    call.recorder.add(Effect(EffectKind.EXECUTE, path, file.text, file.span, call.name))
    if not call.recorder.rule.inside(path):
        return [state]
    return call.runner.run_script(file, path, call.args[1:], state)


def _exec(call: Call) -> list[State]:
    call.printed = True
    parsed = parse(call.args, {"-a"}, stop_at_operand=True)
    if parsed.operands:
        call.runner.run_fields(parsed.operands, call.state.copy())
    return [call.state]


def _command(call: Call) -> list[State]:
    call.printed = True
    parsed = parse(call.args, stop_at_operand=True)
    if parsed.has("-v", "-V"):
        call.printed = None
        return [call.state]
    inner = call.state
    functions, aliases = inner.functions, inner.aliases
    inner.functions, inner.aliases = {}, {}
    after = call.runner.run_fields(parsed.operands, inner)
    for state in after:
        state.functions, state.aliases = {**functions, **state.functions}, {**aliases, **state.aliases}
    return after


def _trap(call: Call) -> list[State]:
    call.printed = ()
    parsed = parse(call.args, stop_at_operand=True)
    if len(parsed.operands) > 1 and parsed.operands[0].text not in {"", "-"} and not parsed.has("-l", "-p"):
        action = parsed.operands[0]
        if action.dynamic:
            call.doubt(tr("It runs text that is only known when it runs."), action)
        else:
            later = replace(call.state.copy(), cwd=None, arguments=(DYNAMIC,), stdin=None, script=None)
            later.variables = dict.fromkeys(later.variables, DYNAMIC)
            later.options |= {"foreign"}
            call.runner.run_text(action.text, later, action.span)
    return [call.state]


def _alias(call: Call) -> list[State]:
    call.printed = ()
    for arg in call.args:
        name, equals, value = arg.text.partition("=")
        if arg.dynamic:
            call.doubt(tr("What the alias stands for is only known when it runs."), arg)
        elif equals:
            call.state.aliases[name] = value
    return [call.state]


def _unalias(call: Call) -> list[State]:
    call.printed = ()
    names = [arg.text for arg in call.args]
    call.state.aliases = {} if "-a" in names else {k: v for k, v in call.state.aliases.items() if k not in names}
    return [call.state]


def _read(call: Call) -> list[State]:
    call.printed = ()
    parsed = parse(call.args, {"-p", "-n", "-N", "-d", "-t", "-u", "-i", "-a"})
    ends = {value.text for value in parsed.values("-d")} - {"", "\n"}
    partly = parsed.has("-u", "-a", "-n", "-N", "-i") or bool(ends)
    state, names = call.state, [field.text for field in parsed.operands] or ["REPLY"]
    for array in parsed.values("-a"):
        state.put(array.text, (DYNAMIC,))
    line = state.stdin[0] if state.stdin is not None and len(state.stdin) == 1 and not partly else None
    if line is not None and "\\" in line and not parsed.has("-r"):
        line = None
    for name, value in zip(names, _pieces(line, len(names), state), strict=True):
        state.put(re.sub(r"\[.*", "", name), value)
        _check_number(call, name, value)
        if "[" in name:
            call.doubt(tr("It would run the text in an array index."))
    return [state]


def _check_number(call: Call, name: str, value: str) -> None:
    """Doubt what an integer variable is given: the shell evaluates it, and runs the substitutions in it."""
    if f"integer {name}" in call.state.options and ("$(" in value or "`" in value):
        call.doubt(tr("It would run the text that a number variable is given."))


def _pieces(line: str | None, count: int, state: State) -> list[str]:
    if line is None or DYNAMIC in line:
        return [DYNAMIC] * count
    separators = state.variables.get("IFS")
    if separators is not None and (count > 1 or any(char in line for char in separators) or DYNAMIC in separators):
        return [DYNAMIC] * count
    if count == 1:
        return [line if separators is not None else line.strip()]
    parts = line.split(None, count - 1)
    return parts + [""] * (count - len(parts))


def _mapfile(call: Call) -> list[State]:
    call.printed = ()
    parsed = parse(call.args, {"-n", "-c", "-C", "-d", "-O", "-s", "-u"})
    if parsed.has("-C"):
        call.doubt(tr("It runs a command for each line."))
    name = parsed.operands[0].text if parsed.operands else "MAPFILE"
    ends = {value.text for value in parsed.values("-d")} - {"", "\n"}
    partly = call.state.stdin is None or bool(ends) or parsed.has("-n", "-s", "-O", "-u")
    call.state.put(name, (DYNAMIC,) if partly or call.state.stdin is None else call.state.stdin)
    return [call.state]


def _printf(call: Call) -> list[State] | None:
    args = call.args
    to_variable = len(args) > 1 and args[0].text == "-v"
    lines = formatted(args[2:] if to_variable else args)
    if not to_variable:
        call.printed = lines
        return None
    name = args[1].text
    if not re.fullmatch(r"\w+", name):
        call.doubt(tr("It would run the text in an array index."))
    value = DYNAMIC if lines is None else "\n".join(lines)
    call.state.put(name, value)
    _check_number(call, name, value)
    call.printed = ()
    return [call.state]


def _set(call: Call) -> list[State]:
    call.printed = ()
    words, state = [arg.text for arg in call.args], call.state
    letters = ""
    while words and words[0][:1] in {"-", "+"} and words[0] not in {"-", "--"}:
        option = words.pop(0)
        letters += option[1:] + "".join(words.pop(0) for letter in option if letter == "o" and words)
    state.status = True if letters.isalpha() or not letters else None
    if DYNAMIC in letters or "k" in letters:  # -k: assignments anywhere among the arguments count
        call.doubt(tr("The shell construct cannot be followed."))
    if "a" in letters:
        state.options |= {"export all"}
    if words[:1] in (["-"], ["--"]):
        ends = words.pop(0) == "--"
        state.arguments = tuple(words) if words or ends else state.arguments
    elif words:
        state.arguments = tuple(words)
    return [state]


def _shift(call: Call) -> list[State]:
    call.printed = ()
    count = call.args[0].text if call.args else "1"
    call.state.arguments = call.state.arguments[int(count) :] if count.isdigit() else (DYNAMIC,)
    return [call.state]


def _unset(call: Call) -> list[State]:
    call.printed = ()
    for arg in call.args:
        if "$(" in arg.text or "`" in arg.text or arg.dynamic:
            call.doubt(tr("It would run the text in an array index."), arg)
        elif not arg.text.startswith("-"):
            _forget(call.state, arg.text, [other.text for other in call.args])
    return [call.state]


def _forget(state: State, name: str, options: list[str]) -> None:
    """Take away a variable, or a function: without an option the function only where there is no such variable."""
    if "-f" in options or (name not in state.variables and "-v" not in options):
        state.functions.pop(name, None)
    if "-f" in options or f"readonly {name}" in state.options:
        return
    if name == "IFS":
        state.variables.pop(name, None)
    else:
        state.variables[name] = ""


def _getopts(call: Call) -> list[State]:
    call.printed = ()
    for name in ("OPTARG", "OPTIND", call.args[1].text if len(call.args) > 1 else "REPLY"):
        call.state.put(name, DYNAMIC)
    return [call.state]


def _shopt(call: Call) -> list[State]:
    call.printed = ()
    names = {arg.text for arg in call.args if not arg.text.startswith("-")}
    if "-s" not in [arg.text for arg in call.args] and call.name == "shopt":
        call.state.options -= names & {"nullglob"}
        return [call.state]
    call.state.options |= names & _FOLLOWED
    if names - _FOLLOWED - _HARMLESS:
        call.doubt(tr("The shell construct cannot be followed."))
    return [call.state]


_FOLLOWED = {"dotglob", "globstar", "nocaseglob", "nocasematch", "nullglob", "lastpipe"}
_HARMLESS = {
    "extglob", "failglob", "expand_aliases", "inherit_errexit", "xpg_echo", "checkwinsize", "cmdhist", "histappend",
    "login_shell",    "globskipdots", "globasciiranges", "interactive_comments", "huponexit", "patsub_replacement",
    "progcomp", "extendedglob",
}  # fmt: skip


def _renames_programs(call: Call) -> None:
    """`enable` and `hash` can change which program a name stands for."""
    if parse(call.args, {"-f", "-p"}).has("-f", "-n", "-p"):
        call.doubt(tr("It changes which program a name stands for."))


def _kill(call: Call) -> None:
    targets = [arg for arg in call.args if not arg.text.startswith("-")]
    if not all(arg.text.startswith("%") or arg.text == ANY for arg in targets):
        call.doubt(tr("It ends a process that this command did not start."))


def _export(call: Call) -> None:
    """`export` in a place where it is not the shell's keyword, as after `command`."""
    if any("=" in arg.text for arg in call.args):
        call.doubt(tr("It changes what other programs do."))


def _let(call: Call) -> None:
    call.doubt(tr("It evaluates text as arithmetic."))


HANDLERS: dict[str, Handler] = {
    "cd": _cd,
    "dirs": _dirs,
    **dict.fromkeys(("break", "continue", "return"), _leave),
    "jobs": _jobs,
    "wait": _wait,
    "chdir": _cd,
    "pushd": _pushd,
    "popd": _popd,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "exec": _exec,
    "command": _command,
    "builtin": _command,
    "noglob": _exec,
    "trap": _trap,
    "alias": _alias,
    "unalias": _unalias,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "printf": _printf,
    "set": _set,
    "shift": _shift,
    "unset": _unset,
    "getopts": _getopts,
    "shopt": _shopt,
    "setopt": _shopt,
    "enable": _renames_programs,
    "hash": _renames_programs,
    "kill": _kill,
    "test": test_command,
    "[": test_command,
    **dict.fromkeys(("export", "declare", "typeset", "readonly", "local"), _export),
    "let": _let,
}
