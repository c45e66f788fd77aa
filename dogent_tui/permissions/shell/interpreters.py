"""Shells and interpreters: code given to them is looked at where it can be, and asked about where it cannot."""

import re
import sys
from dataclasses import replace
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.model import Effect, EffectKind
from dogent_tui.permissions.paths import Place
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.python_code import judge_code
from dogent_tui.permissions.shell.state import State
from dogent_tui.permissions.shell.table import attached, commands_within, maybe, says
from dogent_tui.permissions.shell.text import DYNAMIC
from dogent_tui.permissions.shell.words import Field

_LARGEST_SCRIPT = 200_000
_COMPUTED = tr("It runs code that is only known when it runs.")


def _child(state: State) -> State:
    """Return the state of a shell started from this one: it may or may not know our functions."""
    inner = replace(state.outside(), arguments=())
    inner.variables = {
        name: value if {f"export {name}", "export all"} & state.options or name in {"PWD", "OLDPWD"} else DYNAMIC
        for name, value in state.variables.items()
        if {f"export {name}", "export all"} & state.options or name.isupper()
    }
    inner.variables.pop("IFS", None)
    return inner


def _shell(call: Call) -> list[State]:
    call.execute()
    code, operands = _shell_arguments(call)
    state = _child(call.state)
    if code and operands:
        call.printed = True
        state.arguments = tuple(arg.text for arg in operands[2:])
        state.variables["0"] = operands[1].text if len(operands) > 1 else call.name
        if operands[0].dynamic:
            call.doubt(_COMPUTED, operands[0])
        else:
            call.runner.run_text(operands[0].text, state, operands[0].span)
    elif operands and operands[0].text != "-":
        _shell_file(call, operands[0], operands[1:], state)
    else:
        state.arguments = tuple(arg.text for arg in operands[1:])
        _shell_input(call, state)
    return [call.state]


def _shell_arguments(call: Call) -> tuple[bool, list[Field]]:
    """Return whether the first operand is code, and the operands. A shell's options end at the first operand."""
    code = False
    args = list(call.args)
    while args and args[0].text[:1] in {"-", "+"} and args[0].text not in {"-", "--"}:
        option = args.pop(0)
        if option.dynamic:
            call.doubt(tr("An option of a shell is only known when it runs."), option)
        if option.text in {"--rcfile", "--init-file"} and args:
            _shell_file(call, args.pop(0), [], _child(call.state))
        elif not option.text.startswith("--"):
            code = code or "c" in option.text
            if "s" in option.text and not code:
                rest = args[1:] if args and args[0].text == "--" else args
                return False, [replace(option, text="-"), *rest]
            args = args[option.text.count("o") + option.text.count("O") :]
    return code, args[1:] if args and args[0].text == "--" else args


def _shell_file(call: Call, file: Field, args: list[Field], state: State) -> None:
    path = call.recorder.resolve(file, state, call.name)
    if path is None:
        return
    state.arguments = tuple(arg.text for arg in args)
    state.variables["0"] = file.text
    if call.recorder.rule.place(path) is Place.STREAM:
        _shell_input(call, state, from_substitution=file.text != "/dev/stdin")
        return
    call.recorder.add(Effect(EffectKind.EXECUTE, path, file.text, file.span, call.name))
    _arguments(call, args)
    if call.recorder.rule.inside(path):
        call.runner.run_script(file, path, args, state)


def _shell_input(call: Call, state: State, from_substitution: bool = False) -> None:
    if state.script is not None and not from_substitution:
        call.runner.run_text(state.script, replace(state, script=None, stdin=None), call.span)
    elif state.stdin != () or from_substitution:
        call.doubt(_COMPUTED)


def _python(call: Call) -> list[State]:
    call.execute()
    args = list(call.args)
    while args:
        arg = args.pop(0)
        text = arg.text
        letters = text[1:] if text.startswith("-") and not text.startswith("--") else ""
        if text in {"-W", "-X", "--check-hash-based-pycs"}:
            args = args[1:]
        elif text.startswith("-c") or letters.endswith("c"):
            _python_code(call, arg, args)
            return [call.state]
        elif text.startswith("-m") or letters.endswith("m"):
            _python_module(call, arg, args)
            return [call.state]
        elif text == "-" or not text.startswith("-"):
            _python_file(call, arg, args)
            return [call.state]
        elif text in {"--version", "-V", "-VV", "--help", "-h"}:
            return [call.state]
        elif arg.dynamic:
            call.doubt(tr("An option is only known when it runs."), arg)
    _python_input(call, [])
    return [call.state]


def _value(arg: Field, letter: str, args: list[Field]) -> Field:
    attached = arg.text[2:] if arg.text.startswith(letter) else ""
    return replace(arg, text=attached) if attached else (args.pop(0) if args else replace(arg, text=""))


def _python_code(call: Call, arg: Field, args: list[Field]) -> None:
    code = _value(arg, "-c", args)
    judge_code(call, code.text, code, args)


def _python_input(call: Call, args: list[Field]) -> None:
    if call.state.script is not None:
        judge_code(call, call.state.script, Field("", call.span), args)
    elif call.state.stdin != ():
        call.doubt(_COMPUTED)


def _arguments(call: Call, args: list[Field]) -> None:
    for arg in args:
        if arg.text.startswith("-"):
            attached(call, arg)
        else:
            maybe(call, arg)
    commands_within(replace(call, args=args))


def _python_file(call: Call, file: Field, args: list[Field]) -> None:
    if file.text == "-":
        _python_input(call, args)
        return
    path = call.recorder.resolve(file, call.state, call.name)
    _arguments(call, args)
    if path is None:
        return
    if call.recorder.rule.place(path) is Place.STREAM:
        call.doubt(_COMPUTED, file)
        return
    call.recorder.add(Effect(EffectKind.EXECUTE, path, file.text, file.span, call.name))
    if call.recorder.rule.inside(path):
        _python_script(call, path, file, args)


def _python_script(call: Call, path: Path, file: Field, args: list[Field]) -> None:
    mine = call.recorder.disk.written(str(path))
    text = call.recorder.disk.text(str(path), _LARGEST_SCRIPT)
    if text is None:
        if mine:
            call.doubt(tr("It runs a file that the same command writes."), file)
        return
    call.recorder.lenient += not mine
    judge_code(call, text, Field("", file.span), args)
    call.recorder.lenient -= not mine


_MODULES = {
    "json.tool", "pytest", "unittest", "doctest", "this", "calendar", "tokenize", "ast", "dis", "compileall", "py_compile",
    "tabnanny",
    "pyclbr", "sysconfig", "platform", "site", "mypy", "ruff", "black", "flake8", "pylint", "isort", "mkdocs", "sphinx",
    "markdown", "venv", "textwrap", "pydoc", "base64", "coverage",
}  # fmt: skip


def _python_module(call: Call, arg: Field, args: list[Field]) -> None:
    module = _value(arg, "-m", args)
    name = module.text
    if name == "json.tool":
        operands = parse(args, {"--indent"}).operands
        for operand in operands[:1]:
            call.read(operand)
        for operand in operands[1:2]:
            call.output(operand)
    elif name == "pip":
        call.runner.run_fields([replace(module, text="pip"), *args], call.state.copy())
    elif name in _MODULES:
        says(replace(call, name=name, args=args))
        if name == "venv" and any(arg.text == "--clear" for arg in args):
            call.lose(tr("It deletes files."))
        _arguments(call, args)
    elif module.dynamic or call.state.cwd is None or name.partition(".")[0] in sys.stdlib_module_names or _is_ours(call, name):
        call.doubt(tr("What this module does cannot be judged from here."), module)
    else:
        call.runner.run_fields([replace(module, text=name), *args], call.state.copy())


def _is_ours(call: Call, name: str) -> bool:
    """Return whether the command itself wrote the module."""
    base = f"{call.state.cwd}/{name.replace('.', '/')}"
    return any(call.recorder.disk.written(base + ending) for ending in (".py", "/__main__.py", "/__init__.py"))


_CODE_OPTIONS: dict[str, set[str]] = {
    "perl": set("eEnpiIMmdF"),
    "ruby": set("enpirI"),
    **{
        name: {"e", "p", "r", "--eval", "--print", "--require", "--import", "--loader", "--experimental-loader"}
        for name in ("node", "nodejs")
    },
    "php": set("rBRFEdScz") | {"--run", "--define", "--server", "--php-ini"},
    "lua": set("el"),
    "luajit": set("el"),
    "rscript": {"e"},
    "r": {"e"},
    "tclsh": set(),
    "wish": set(),
    "texlua": {"e", "l"},
    "raku": {"e", "n", "p", "I", "M"},
    **{name: {"-e", "-c", "--eval", "--command", "--include"} for name in ("qjs", "gjs", "ocaml", "hy", "bb", "jimsh")},
    **{name: {"c", "m"} for name in ("micropython", "xonsh", "nu", "elvish", "rc", "es", "coconut", "bpython", "ptpython")},
    **{
        name: {"-e", "--eval", "--expr"}
        for name in ("gnuplot", "octave", "clojure", "clj", "runghc", "ghc", "iex", "kotlin", "gp")
    },
    **{
        name: {"-e", "-x", "-r", "-s", "-run", "-eval", "-load", "-b", "-l", "--eval", "--load", "--batch", "--batch-string"}
        for name in ("erl", "sbcl", "ecl", "clisp", "ccl", "maxima")
    },
    "julia": {"e", "E", "--eval", "--print"},
    "groovy": {"e"},
    "scala": {"e"},
    "ghci": {"e"},
    "guile": {"c"},
    "racket": {"e"},
    "elixir": {"e"},
    "swift": {"e"},
    "bun": {"e", "p", "--eval"},
    "pwsh": set("cCeE") | {"-Command", "--command", "-EncodedCommand"},
    "powershell": set("cCeE") | {"-Command"},
}
"""Options that give an interpreter code, or have it load or rewrite something: letters of a cluster, or whole options."""


def _interpreter(call: Call) -> list[State]:
    call.execute()
    if [arg.text for arg in call.args] in (["--version"], ["-v"], ["--help"]):
        return [call.state]
    codes = _CODE_OPTIONS[call.name]
    for index, arg in enumerate(call.args):
        if arg.text == "-":
            break
        if not arg.text.startswith("-"):
            _script_file(call, arg, call.args[index + 1 :])
            return [call.state]
        whole = arg.text.partition("=")[0]
        if arg.dynamic or whole in codes or (not whole.startswith("--") and set(whole[1:]) & codes):
            call.doubt(tr("Inline code of this language cannot be judged."), arg)
            return [call.state]
    if call.state.stdin != () or call.state.script is not None:
        call.doubt(_COMPUTED)
    return [call.state]


def _script_file(call: Call, file: Field, args: list[Field]) -> None:
    path = call.recorder.resolve(file, call.state, call.name)
    if path is None:
        return
    if call.recorder.rule.place(path) is Place.STREAM:
        call.doubt(_COMPUTED, file)
    elif call.recorder.disk.written(str(path)):
        call.doubt(tr("It runs a file that the same command writes."), file)
    call.recorder.add(Effect(EffectKind.EXECUTE, path, file.text, file.span, call.name))
    _arguments(call, args)


_RECIPES = ("Makefile", "makefile", "GNUmakefile", "justfile", "Taskfile.yml")


def _make(call: Call) -> list[State]:
    """make and its like run recipes that lie in the workspace; what they are told on the command line counts."""
    call.execute()
    parsed = parse(
        call.args, {"-f", "-C", "-I", "-j", "-l", "-o", "-W", "--file", "--directory", "--makefile", "--eval", "--justfile", "-d"}
    )
    if parsed.has("--eval", "-E") or (call.name == "rake" and parsed.has("-e", "-p", "-r", "--execute")):
        call.doubt(tr("It runs a recipe given on the command line."))
    given = parsed.values("-f", "-C", "-I", "--file", "--directory", "--makefile", "--justfile")
    for value in given:
        call.read(value)
        if value.text == "-" or value.text.startswith("/dev/"):
            call.doubt(_COMPUTED, value)
    for recipe in [*given, *(Field(name, call.span) for name in _RECIPES)]:
        path = call.recorder.resolve(recipe, call.state, call.name)
        if path is not None and call.recorder.disk.written(str(path)):
            call.doubt(tr("It runs recipes that the same command writes."), recipe)
    for operand in parsed.operands:
        name, equals, given_value = operand.text.partition("=")
        if equals and (name.rstrip(":?+!") in {"SHELL", "MAKEFLAGS", ".SHELLFLAGS"} or re.search(r"[;|&$`()<>#\n]", given_value)):
            call.doubt(tr("It gives the recipes another command."), operand)
        if (
            "clean" in operand.text
            or "clobber" in operand.text
            or operand.text in {"uninstall", "purge", "nuke", "reset", "wipe"}
        ):
            call.lose(tr("{call} {text} removes something.").format(call=call.name, text=operand.text), operand)
        elif operand.text in {"install", "deploy", "publish", "release", "push"}:
            call.doubt(tr("It installs or publishes something."), operand)
        maybe(call, operand)
    commands_within(call)
    return [call.state]


SHELLS = (
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "yash", "posh", "osh", "ysh", "oksh",
    "loksh", "hush", "bosh", "rzsh", "ksh93",
)  # fmt: skip

HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(SHELLS, _shell),
    **dict.fromkeys(("python", "pypy", "pythonw", "ipython"), _python),
    **dict.fromkeys(_CODE_OPTIONS, _interpreter),
    **dict.fromkeys(("make", "gmake", "bmake", "just", "task", "ninja", "rake", "invoke", "nox", "tox"), _make),
}
