"""Finds out what a command is (function, builtin, program, file) and has the family that knows it judge it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.language import tr
from dogent_tui.permissions.model import Effect, EffectKind
from dogent_tui.permissions.paths import PROGRAM_FOLDERS, fold
from dogent_tui.permissions.shell import (
    archives,
    awk,
    builtins,
    files,
    find,
    git,
    interpreters,
    media,
    network,
    outputs,
    sed,
    text_tools,
    wrappers,
)
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.state import State
from dogent_tui.permissions.shell.table import by_table, unknown_program
from dogent_tui.permissions.shell.text import ANY
from dogent_tui.permissions.shell.words import Field

if TYPE_CHECKING:
    from dogent_tui.permissions.shell.walk import Walk

_HANDLERS: dict[str, Handler] = {
    **builtins.HANDLERS,
    **files.HANDLERS,
    **text_tools.HANDLERS,
    **media.HANDLERS,
    **sed.HANDLERS,
    **awk.HANDLERS,
    **find.HANDLERS,
    **git.HANDLERS,
    **wrappers.HANDLERS,
    **interpreters.HANDLERS,
    **archives.HANDLERS,
    **network.HANDLERS,
}

_STATUS = {"true": True, ":": True, "echo": True, "false": False}
"""Commands whose exit status can be told beforehand, near enough."""

_GNU_ON_MAC = {"sed", "awk", "find", "xargs", "rm", "mv", "cp", "ln", "tar", "dd", "grep", "truncate"}
_NUMBERED = {"python", "pypy", "ruby", "perl", "php", "lua", "node", "pip", "tclsh"}


def run_command(walk: "Walk", fields: list[Field], state: State) -> list[State]:
    """Judge a command: a function or alias of that name if there is one, else the program."""
    if not fields or (len(fields) == 1 and not fields[0].text):
        walk.prints(())
        return [state]
    head, args = fields[0], fields[1:]
    if head.dynamic or ANY in head.text:
        walk.recorder.doubt(tr("The name of a command is only known when it runs."), head.span)
        return [state]
    if head.wildcard:
        walk.recorder.doubt(tr("The name of a command comes out of a pattern."), head.span, written=head.text)
    if head.text.startswith("-") or any(char.isspace() for char in head.text):
        walk.recorder.doubt(tr("The name of a command is not one of a program."), head.span, written=head.text)
    if head.text in state.functions:
        if "child" not in state.options:
            return walk.call_function(state.functions[head.text], args, state)
        walk.call_function(state.functions[head.text], args, state.copy())
    if head.text in state.aliases:  # a shell that runs a script does not heed them, unless it is told to
        return [*_alias(walk, head, args, state), *_program(walk, head, args, state.copy())]
    return _program(walk, head, args, state)


def _program(walk: "Walk", head: Field, args: list[Field], state: State) -> list[State]:
    if "/" in head.text:
        return _by_path(walk, head, args, state)
    return _named(walk, fold(head.text), head, args, state)


def _alias(walk: "Walk", head: Field, args: list[Field], state: State) -> list[State]:
    inner = state.copy()
    value = inner.aliases.pop(head.text)
    quoted = " ".join("'" + arg.text.replace("'", "'\\''") + "'" for arg in args)
    return [replace(one, aliases=state.aliases) for one in walk.run_text(f"{value} {quoted}", inner, head.span)]


def _by_path(walk: "Walk", head: Field, args: list[Field], state: State) -> list[State]:
    path = walk.recorder.resolve(head, state, "a command")
    if path is None:
        return [state]
    folder, name = head.text.rsplit("/", 1)
    if folder in PROGRAM_FOLDERS:
        return _named(walk, fold(name), head, args, state)
    if str(path.parent) in PROGRAM_FOLDERS:
        return _named(walk, fold(path.name), head, args, state)
    walk.recorder.add(Effect(EffectKind.EXECUTE, path, head.text, head.span, path.name))
    if walk.recorder.rule.inside(path):
        _script(walk, path, head, args, state)
        unknown_program(Call(path.name, args, state, head.span, walk))
    return [state]


def _script(walk: "Walk", path: Path, head: Field, args: list[Field], state: State) -> None:
    """Look into a file of the workspace that is run by its path."""
    first = (walk.recorder.disk.text(str(path), 200_000) or "").partition("\n")[0]
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    names = [word.rpartition("/")[2] for word in words]
    if names[:1] == ["env"]:
        names = [name for name in names[1:] if not name.startswith("-") and "=" not in name]
    if names and names[0] not in interpreters.SHELLS:
        options = [replace(head, text=word) for word in words[1:] if word.startswith("-") and word != "-S"]
        given = [*options, replace(head, text=str(path)), *args]
        _named(walk, fold(names[0]), replace(head, text=names[0]), given, state.outside())
    else:
        walk.run_script(head, path, args, state.copy())


def _named(walk: "Walk", name: str, head: Field, args: list[Field], state: State) -> list[State]:
    call = Call(_family(name), args, state, head.span, walk)
    if not name.isascii() or name.startswith("="):
        call.doubt(tr("The name of the command is not one of a program."), head)
    handler = _HANDLERS.get(call.name)
    status = _status(call)
    after: list[State] | None = None
    if handler is not None:
        after = handler(call)
    elif not by_table(call):
        unknown_program(call)
    if call.printed is False:
        call.printed = outputs.printed(call)
    if not isinstance(call.printed, bool):
        walk.prints(call.printed)
    return [replace(state, status=status)] if after is None else after


def _status(call: Call) -> bool | None:
    """Return whether the command will succeed, `None` where that cannot be told beforehand."""
    if call.name == "printf":
        return True if outputs.formatted(call.args) is not None and "%d" not in call.args[0].text else None
    if call.name == "mkdir":
        parsed = parse(call.args, {"-m", "--mode"})
        parents = parsed.has("-p", "--parents")
        return True if all(_can_be_made(call, folder, parents) for folder in parsed.operands) else None
    return _STATUS.get(call.name)


def _can_be_made(call: Call, folder: Field, parents: bool) -> bool:
    path = call.recorder.resolve(folder, call.state, call.name)
    if path is None:
        return False
    above = [call.recorder.disk.entry(str(one)) for one in (path.parents if parents else path.parents[:1])]
    there = call.recorder.disk.entry(str(path))
    return all(one.kind == "folder" if one is not None else parents for one in above) and (
        there is None or (parents and there.kind == "folder")
    )


def _family(name: str) -> str:
    """Return the name under which a program is known: `python3.11` is `python`, `gsed` is `sed`."""
    stem = name.removesuffix(".exe")
    if stem.startswith("g") and stem[1:] in _GNU_ON_MAC:
        return stem[1:]
    if stem.startswith("mkfs."):
        return "mkfs"
    base = stem.rstrip("0123456789.")
    return base if base in _NUMBERED else stem
