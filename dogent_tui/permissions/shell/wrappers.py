"""Commands that run the command which is given to them."""

import re
import shlex
from dataclasses import replace

from dogent_tui.language import tr
from dogent_tui.permissions.shell import assignments
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.state import State
from dogent_tui.permissions.shell.text import DYNAMIC
from dogent_tui.permissions.shell.words import Field

_WRAPPERS: dict[str, tuple[set[str], int]] = {
    "nice": ({"-n", "--adjustment"}, 0),
    "ionice": ({"-c", "-n", "-p", "--class", "--classdata"}, 0),
    "timeout": ({"-k", "-s", "--kill-after", "--signal"}, 1),
    "gtimeout": ({"-k", "-s", "--kill-after", "--signal"}, 1),
    "stdbuf": ({"-i", "-o", "-e", "--input", "--output", "--error"}, 0),
    "chrt": ({"-T", "-P", "-D"}, 1),
    "taskset": (set(), 1),
    "setarch": (set(), 1),
    "caffeinate": ({"-t", "-w"}, 0),
    "proxychains": ({"-f"}, 0),
    "rlwrap": ({"-a", "-f", "-H", "-s"}, 0),
    "cpulimit": ({"-l", "-p", "-e"}, 0),
    "xvfb-run": ({"-n", "-s", "-e", "-f", "-p", "-w"}, 0),
    "ltrace": ({"-o", "-e", "-p", "-s"}, 0),
    "strace": ({"-o", "-e", "-p", "-s", "-E"}, 0),
    **dict.fromkeys(
        ("nohup", "setsid", "chronic", "eatmydata", "fakeroot", "firejail", "winpty", "linux32", "linux64", "busybox", "toybox",
         "dbus-run-session", "prlimit", "valgrind", "entr", "unbuffer"),
        (set(), 0),
    ),
}  # fmt: skip
"""name → options with a value, and how many operands come before the command."""


def _plain(call: Call) -> list[State]:
    call.printed = True
    call.execute()
    valued, skipped = _WRAPPERS[call.name]
    parsed = parse(call.args, valued, stop_at_operand=True)
    for name, value in parsed.options:
        if value is not None and (
            name in {"--output", "--log-file", "--error-file"} or (name == "-o" and call.name.endswith("trace"))
        ):
            _record(call, value)
    for start in {skipped, 0} if call.name == "setarch" else {skipped}:  # it may be given no architecture
        if parsed.operands[start:]:
            call.runner.run_fields(parsed.operands[start:], call.state.copy())
    return [call.state]


def _record(call: Call, value: Field) -> None:
    if call.name == "stdbuf":
        return
    if value.text.startswith(("|", "!")):
        call.doubt(tr("It runs another program."), value)
    else:
        call.output(value)


def _time(call: Call) -> list[State]:
    call.printed = True
    parsed = parse(call.args, {"-o", "--output", "-f", "--format"}, stop_at_operand=True)
    for value in parsed.values("-o", "--output"):
        call.output(value, append=parsed.has("-a"))
    call.runner.run_fields(parsed.operands, call.state.copy())
    return [call.state]


def _env(call: Call) -> list[State]:
    call.printed = True
    call.execute()
    _environment(call, call.args, call.state.copy())
    return [call.state]


def _environment(call: Call, args: list[Field], state: State) -> None:
    parsed = parse(args, {"-u", "-C", "-S", "--unset", "--chdir", "--split-string", "--argv0", "-a", "-P"}, stop_at_operand=True)
    for folder in parsed.values("-C", "--chdir"):
        path = call.recorder.resolve(folder, state, call.name)
        call.read(folder)
        state.cwd = None if path is None else str(path)
    for name in parsed.values("-u", "--unset"):
        state.variables[name.text] = ""
    if parsed.has("-i", "--ignore-environment"):
        state.variables = {}
    if parsed.has("-P"):
        call.doubt(tr("It changes which program a name stands for."))
    rest = list(parsed.operands)
    for text in parsed.values("-S", "--split-string"):
        words = _words(text)
        if words is None:
            call.doubt(tr("The command is only known when it runs."), text)
        else:
            _environment(call, [*(replace(text, text=word) for word in words), *rest], state)
        return
    while rest and re.match(r"[A-Za-z_]\w*=", rest[0].text):
        _assign(call, rest.pop(0), state)
    if rest:
        call.runner.run_fields(rest, state)


def _words(text: Field) -> list[str] | None:
    try:
        return None if text.dynamic else shlex.split(text.text)
    except ValueError:
        return None


def _assign(call: Call, field: Field, state: State) -> None:
    name, _, value = field.text.partition("=")
    state.put(name, value)
    state.options |= {f"export {name}"}
    if warning := assignments.warning(name, value, exported=True):
        call.doubt(warning, field)


def _sudo(call: Call) -> list[State]:
    call.doubt(tr("It runs a command with another user's rights."))
    valued = {
        "-u",
        "-g",
        "-h",
        "-p",
        "-C",
        "-r",
        "-t",
        "-T",
        "-U",
        "-D",
        "-R",
        "--user",
        "--group",
        "--host",
        "--prompt",
        "--chdir",
    }
    _environment(call, parse(call.args, valued, stop_at_operand=True).operands, call.state.copy())
    return [call.state]


def _joined(call: Call) -> list[State]:
    """`watch` and its like hand their arguments to a shell as one text."""
    parsed = parse(call.args, {"-n", "--interval", "-q", "--equexit", "-w", "-r", "-p"}, stop_at_operand=True)
    text = " ".join(operand.text for operand in parsed.operands)
    if DYNAMIC in text:
        call.doubt(tr("The command is only known when it runs."))
    elif text:
        call.runner.run_text(text, call.state.copy(), parsed.operands[0].span)
    return [call.state]


_BENCHMARK_RUNS = {"-p", "--prepare", "-s", "--setup", "-c", "--cleanup", "--conclude", "-C", "--shell", "-S"}


def _benchmark(call: Call) -> list[State]:
    """hyperfine: each operand is a command of its own."""
    files = {"--export-json", "--export-csv", "--export-markdown", "--export-asciidoc", "--export-orgmode", "--output", "--input"}
    valued = (
        _BENCHMARK_RUNS
        | files
        | {"-w", "--warmup", "-r", "--runs", "-m", "--min-runs", "-M", "--max-runs", "-n", "-P", "-L", "-u"}
    )
    parsed = parse(call.args, valued)
    for value in parsed.values(*files):
        call.output(value)
    for command in [*parsed.operands, *parsed.values(*_BENCHMARK_RUNS)]:
        if command.dynamic or parsed.has("-L", "-P", "--parameter-list", "--parameter-scan"):
            call.doubt(tr("The command is only known when it runs."), command)
        else:
            call.runner.run_text(command.text, call.state.outside(), command.span)
    return [call.state]


def _coreutils(call: Call) -> list[State]:
    """All of coreutils in one program: the name of the one that is meant comes in an option, or first."""
    name, equals, value = call.args[0].text.partition("=") if call.args else ("", "", "")
    first = [replace(call.args[0], text=value)] if equals and name.startswith("--coreutils-prog") else call.args[:1]
    call.runner.run_fields([*first, *call.args[1:]], call.state.copy())
    return [call.state]


def _script(call: Call) -> list[State]:
    parsed = parse(call.args, {"-c", "--command", "-o", "-O", "-I", "-B", "-T", "-t", "-m", "-E"})
    for command in parsed.values("-c", "--command"):
        if command.dynamic:
            call.doubt(tr("The command is only known when it runs."), command)
        else:
            call.runner.run_text(command.text, call.state.copy(), command.span)
    for file in parsed.operands[:1]:
        call.output(file)
    if not parsed.has("-c", "--command"):
        call.doubt(tr("It starts a shell."))
    return [call.state]


def _flock(call: Call) -> list[State]:
    parsed = parse(call.args, {"-w", "--timeout", "-E", "-c", "--command"}, stop_at_operand=True)
    if parsed.operands and not parsed.operands[0].text.isdigit():
        call.edit(parsed.operands[0])
    rest = parsed.operands[1:]
    if len(rest) > 1 and rest[0].text in {"-c", "--command"}:
        call.runner.run_text(rest[1].text, call.state.copy(), call.span)
    elif rest:
        call.runner.run_fields(rest, call.state.copy())
    return [call.state]


def _parallel(call: Call) -> list[State]:
    call.doubt(tr("It runs commands that are put together when it runs."))
    return [call.state]


def _run_in_project(call: Call) -> list[State]:
    """`uv run`, `poetry run`, `pipenv run` …: a program in an environment that the project names."""
    call.execute()
    words = [arg for arg in call.args if not arg.text.startswith("-")]
    if words and words[0].text == "run":
        rest = call.args[call.args.index(words[0]) + 1 :]
        parsed = parse(rest, {"--with", "--python", "-p", "--extra", "--group", "-m"}, stop_at_operand=True)
        if parsed.has("--with"):
            call.network(tr("It installs a package first."))
        module = [field for one in parsed.values("-m") for field in (replace(one, text="python"), replace(one, text="-m"), one)]
        call.runner.run_fields([*module, *parsed.operands], call.state.copy())
    elif words and words[0].text not in {"show", "list", "tree", "version", "check", "env", "help", "info"}:
        call.network(tr("It installs packages, or asks a server about them."))
    return [call.state]


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_WRAPPERS, _plain),
    "time": _time,
    "gtime": _time,
    "env": _env,
    "genv": _env,
    "sudo": _sudo,
    "doas": _sudo,
    "watch": _joined,
    "hyperfine": _benchmark,
    "coreutils": _coreutils,
    "script": _script,
    "flock": _flock,
    "parallel": _parallel,
    "sem": _parallel,
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye"), _run_in_project),
}
