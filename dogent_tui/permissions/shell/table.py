"""Judges a command by its line in `programs`, and one that has no line by what its words look like."""

import re
from collections.abc import Callable
from dataclasses import replace

from dogent_tui.language import tr
from dogent_tui.permissions.model import Effect, EffectKind
from dogent_tui.permissions.paths import PROGRAM_FOLDERS
from dogent_tui.permissions.shell.call import Call
from dogent_tui.permissions.shell.options import Parsed, parse
from dogent_tui.permissions.shell.programs import PROGRAMS, Program, looks_like_path
from dogent_tui.permissions.shell.text import ANY
from dogent_tui.permissions.shell.words import Field

_CLEANS = {"clean", "distclean", "mrproper", "clobber"}
_DELETES = {"drop", "destroy", "delete", "remove", "purge", "flush"}
"""Second operands that say so (`manage db drop`)."""
_LOSES = {
    "rm", "rmi", "remove", "delete", "destroy", "prune", "purge", "uninstall", "unlink", "revert", "abandon", "restore",
    "discard", "strip", "wipe", "nuke", "drop", "reset", "remove_directory", "rename", "mv", "move", "trash", "erase", *_CLEANS,
}  # fmt: skip
"""First operands by which a program that is not known says that it removes something (`cargo clean`)."""
_FETCHES = {
    "sync", "download", "install", "upgrade", "self-update", "fetch", "pull", "push", "publish", "deploy", "gh-deploy", "upload",
    "login",
}  # fmt: skip
"""First operands by which it says that it exchanges data with other machines."""
_LOSING_OPTION = re.compile(r"--(delete|remove|purge|prune|wipe|destroy|erase)\b")
_RUNNABLE = {
    *(name for name, program in PROGRAMS.items() if program.rest in {"DELETE", "MOVE"}), "mv", "dd", "truncate",
    "sh", "bash", "zsh", "dash", "ksh", "fish", "sudo", "doas", "xargs", "eval",
} - {"gio", "rip", "trash", "rename", "wipe", "erase"}  # fmt: skip
"""Names that hardly stand for anything but the program: as an argument they begin a command."""
_WITH_FILES = {"cp", "tee", "ln", "rsync", "curl", "wget", "scp", "ssh", "nc"}
"""The same where arguments follow."""
_WITH_CODE = {"python", "python3", "perl", "ruby", "node", "php", "env", "awk", "sed"}
_GIT_LOSES = {"clean", "reset", "checkout", "restore", "rm", "mv", "stash", "push"}
_MESSAGES = {"-m", "--message", "-t", "--title", "-b", "--body", "-d", "--description", "--text", "--pattern", "-e"}
_COMMAND_IN_TEXT = re.compile(r"(^|[;|&(`\"'\n]\s*)(sudo\s+)?(rm|rmdir|unlink|shred|mv|dd|truncate|(ba|z|da|k)?sh)\s")


def by_table(call: Call) -> bool:
    """Judge a command that the table knows. Returns whether it does."""
    program = PROGRAMS.get(call.name)
    if program is None:
        return False
    call.execute()
    if program.rest != "DELETE" and _only_asks_for_help(call):
        return True
    words = any(len(name) > 2 and name[1] != "-" for name in program.options)
    parsed = parse(call.args, program.options, words=words)
    stands_in = parsed.has("--files")
    for name, value in parsed.options:
        role = _role(name, program)
        stands_in = stands_in or role.endswith("!")
        if value is not None:
            _option(call, role, value, parsed)
        elif role == "OUT" or program.options.get(f"{name}?") == "ASK":
            _ask(call, Field(name, call.span))
    named = len(parsed.operands) > 1 if call.name == "split" else parsed.has("-f", "--prefix")
    if call.name in _PREFIXES and not named:
        _prefix(call, Field(_PREFIXES[call.name], call.span))
    if not parsed.operands and program.rest in {"DELETE", "ASK", "MOVE", "DEVICE"}:
        _ROLES[program.rest](call, Field("", call.span))
    for index, operand in enumerate(parsed.operands):
        _ROLES[program.role(index + stands_in)](call, operand)
    return True


_PREFIXES = {"split": "x", "csplit": "xx"}
"""What the names begin with that these programs give to what they write, where nothing else is said."""


def _only_asks_for_help(call: Call) -> bool:
    return [arg.text for arg in call.args] in (["--help"], ["--version"])


def _role(name: str, program: Program) -> str:
    if name in program.options:
        return program.options[name]
    return next((role for known, role in program.options.items() if len(name) > 3 and known.startswith(name)), "MAYBE")


def _option(call: Call, role: str, value: Field, parsed: Parsed) -> None:
    if role == "SORTED":
        same = any(operand.text == value.text for operand in parsed.operands)
        _ROLES["EDIT" if same else "OUT"](call, value)
    elif role == "TEXT":
        _suspect(call, value)
    else:
        _ROLES[role.rstrip("!")](call, value)


def _suspect(call: Call, value: Field) -> None:
    """Read a value that is text by the manual as a path where it names something that lies outside.

    Some other version of the program may take this option without a value.
    """
    if value.dynamic or len(value.text) < 3 or call.state.cwd is None:
        return
    rule = call.recorder.rule
    path = rule.resolve(value.text if value.text.startswith("/") else f"{call.state.cwd}/{value.text}")
    if rule.disk.entry(str(path)) is not None and not rule.inside(path):
        call.read(value)


def _run(call: Call, operand: Field) -> None:
    if operand.dynamic:
        call.doubt(tr("It runs a command that is only known when it runs."), operand)
    else:
        call.runner.run_text(operand.text, call.state.copy(), operand.span)


def _ask(call: Call, operand: Field) -> None:
    call.doubt(
        tr("What {call} does cannot be judged from its arguments.").format(call=call.name),
        replace(operand, span=operand.span or call.span),
    )


def _read(call: Call, operand: Field) -> None:
    if "://" in operand.text:
        call.network(tr("{call} is given a web address.").format(call=call.name))
    else:
        call.read(operand)


def _sets(call: Call, operand: Field) -> None:
    if not operand.text.startswith("+"):
        _ask(call, operand)


def _folder(call: Call, operand: Field) -> None:
    path = call.recorder.resolve(operand, call.state, call.name)
    if path is None:
        return
    disk = call.recorder.disk
    if disk.entry(str(path)) is None:
        call.touch(EffectKind.CREATE, operand)
        for folder in (path, *path.parents):
            if disk.entry(str(folder)) is None:
                disk.add_folder(str(folder))
    elif not call.recorder.rule.inside(path):
        call.touch(EffectKind.CREATE, operand)


def _prefix(call: Call, operand: Field) -> None:
    """The names begin like this; where they would meet something that is there is not known."""
    path = call.recorder.resolve(replace(operand, text=operand.text + ANY), call.state, call.name)
    if path is None:
        return
    start = path.name.rstrip(ANY)
    for name in call.recorder.disk.names(str(path.parent)) if start else []:
        if name.startswith(start):
            call.recorder.write_path(path.parent / name, operand, call.name)
    call.output(replace(operand, text=operand.text + ANY))


def _delete(call: Call, operand: Field) -> None:
    if operand.text:
        call.touch(EffectKind.DELETE, operand)
    else:
        call.lose(tr("It deletes what it is given."), operand)


def _move(call: Call, operand: Field) -> None:
    if operand.text:
        call.touch(EffectKind.MOVE, operand)
    else:
        call.lose(tr("It moves what it is given."), operand)


def _device(call: Call, operand: Field) -> None:
    call.touch(EffectKind.WRITE, operand)
    _ask(call, operand)


def maybe(call: Call, operand: Field) -> None:
    """Note a word that a program which is not known may take for a path, and may change what lies there."""
    if operand.dynamic:
        call.doubt(tr("An argument of {call} is only known when it runs.").format(call=call.name), operand)
        return
    if "://" in operand.text:
        call.network(tr("{call} is given a web address.").format(call=call.name))
        return
    name, equals, value = operand.text.partition("=")
    if equals and "/" not in name:
        operand = replace(operand, text=value)
    operand = replace(operand, text=operand.text.removeprefix("@"))
    if operand.text and operand.text != "-":
        _maybe_path(call, operand)
        for piece in re.split(r"[,:;|]", operand.text)[1:]:
            _suspect(call, replace(operand, text=piece))
            if piece.startswith("../"):
                _maybe_path(call, replace(operand, text=piece))


def _maybe_path(call: Call, operand: Field) -> None:
    disk, rule = call.recorder.disk, call.recorder.rule
    if call.state.cwd is not None and not looks_like_path(operand) and disk.entry(f"{call.state.cwd}/{operand.text}") is None:
        return
    path = call.recorder.resolve(operand, call.state, call.name)
    if path is not None:
        kind = EffectKind.WRITE if rule.exists(path) and rule.inside(path) else EffectKind.READ
        note = tr("It may read or change this.")
        call.recorder.add(Effect(kind, path, operand.text, operand.span, call.name, note, wildcard=operand.wildcard))


_ROLES: dict[str, Callable[[Call, Field], object]] = {
    "TEXT": lambda _call, _operand: None,
    "READ": _read,
    "EDIT": Call.edit,
    "REWRITE": Call.rewrite,
    "OUT": Call.output,
    "TRUNCATE": Call.output,
    "FOLDER": _folder,
    "DELETE": _delete,
    "MOVE": _move,
    "RUN": _run,
    "ASK": _ask,
    "DEVICE": _device,
    "PREFIX": _prefix,
    "MAYBE": maybe,
    "SETS": _sets,
}


def unknown_program(call: Call) -> None:
    """Judge a program that nothing is known of: it runs, and may change every path that it is given."""
    call.execute()
    if _only_asks_for_help(call):
        return
    says(call)
    for operand in parse(call.args).operands:
        maybe(call, operand)
    for arg in call.args:
        if arg.text.startswith("-"):
            attached(call, arg)
            if _LOSING_OPTION.match(arg.text):
                call.lose(tr("{call} {text} removes something.").format(call=call.name, text=arg.text), arg)
    commands_within(call)


def says(call: Call) -> None:
    """Note what the words of a program say that it does: it removes something, or goes to the network."""
    for index, operand in enumerate(parse(call.args).operands):
        if operand.text in (_LOSES if index == 0 else _CLEANS) or (index < 2 and operand.text in _DELETES):
            call.lose(tr("{call} {text} removes something.").format(call=call.name, text=operand.text), operand)
        elif index == 0 and operand.text in _FETCHES and call.recorder.lenient == 0:
            call.network("")


def commands_within(call: Call) -> None:
    """Look at a command that a program which is not known is given, and may well run (`direnv exec . rm x`)."""
    for index, arg in enumerate(call.args):
        if _begins_command(arg.text, [other.text for other in call.args[index + 1 :]]):
            call.runner.run_fields(call.args[index:], call.state.copy())
            return
        before = call.args[index - 1].text if index else ""
        if before not in _MESSAGES and _COMMAND_IN_TEXT.search(arg.text.partition("=")[2] or arg.text):
            call.doubt(tr("{call} may run the command in this text.").format(call=call.name), arg)


def _begins_command(word: str, following: list[str]) -> bool:
    """Return whether an argument is the name of a program that what follows makes one to be run."""
    name = word.rpartition("/")[2] if word.startswith(PROGRAM_FOLDERS) else word
    if name in _RUNNABLE or (name in _WITH_FILES and following):
        return True
    if name == "git":
        return following[:1] != [] and following[0] in _GIT_LOSES
    if name == "find":
        return any(text.startswith("-") for text in following)
    return name in _WITH_CODE and following[:1] != [] and following[0].startswith("-")


def attached(call: Call, arg: Field) -> None:
    """Look at a path that is written into an option: `--out=/x`, `-o/x`, `-I../x`."""
    name, equals, value = arg.text.partition("=")
    if equals:
        maybe(call, replace(arg, text=value))
        return
    if arg.dynamic:
        call.doubt(tr("An argument of {call} is only known when it runs.").format(call=call.name), arg)
        return
    start = min((place for mark in ("/", "..", "~") if (place := name.find(mark)) > 0), default=-1)
    if start > 0:
        maybe(call, replace(arg, text=name[start:]))
