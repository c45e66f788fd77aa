"""find and xargs: what they pick, and what they do with it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dogent_tui.language import tr
from dogent_tui.permissions.model import EffectKind
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.listing import below, name_test
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.programs import PROGRAMS
from dogent_tui.permissions.shell.state import State
from dogent_tui.permissions.shell.table import by_table
from dogent_tui.permissions.shell.text import DYNAMIC, SOME
from dogent_tui.permissions.shell.words import Field

_ONE_VALUE = {
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-type", "-xtype", "-maxdepth",
    "-mindepth", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-user", "-group", "-uid", "-gid", "-perm",
    "-links", "-inum", "-fstype", "-printf", "-used", "-regextype", "-lname", "-ilname", "-context", "-D", "-newermt", "-newerat",
}  # fmt: skip
_FILES = {"-newer", "-anewer", "-cnewer", "-samefile"}
_OUTPUTS = {"-fprint", "-fprint0", "-fls", "-fprintf"}
_RUNS = {"-exec", "-execdir", "-ok", "-okdir"}
_UNORDERED = {"-o", "-or", "(", ")", ",", "-prune"}
_MOST_RUNS = 200


@dataclass(frozen=True)
class _Command:
    """A command that is run on what is found: on each or (`together`) on all, there or (`beside`) in the folder of each."""

    words: list[Field]
    together: bool
    beside: bool


@dataclass
class _Search:
    """What the expression of `find` says. `plain`: all tests must hold, so that they narrow what is found."""

    starts: list[Field] = field(default_factory=list)
    tests: list[Callable[[str, str], bool]] = field(default_factory=list)
    plain: bool = True
    runs: list["_Command"] = field(default_factory=list)
    deletes: Field | None = None
    silent: bool = False


def _find(call: Call) -> None:
    call.execute()
    search = _Search()
    args = [arg for arg in call.args if arg.text not in {"-H", "-P", "-L"} and not arg.text.startswith("-O")]
    while args and not args[0].text.startswith("-") and args[0].text not in {"(", "!"}:
        search.starts.append(args.pop(0))
    search.starts = search.starts or [Field(".", call.span)]
    for start in search.starts:
        call.read(start)
    _expression(call, args, search)
    found = _matches(call, search)
    if search.deletes is not None:
        _delete(call, search.deletes, found)
    for command in search.runs:
        _run(call, command, found)
    if not search.silent:
        call.printed = None if found is None else tuple(found)
    elif search.runs:
        call.printed = True


def _expression(call: Call, args: list[Field], search: _Search) -> None:
    index, negated = 0, False
    while index < len(args):
        if args[index].text in {"!", "-not"}:
            negated = not negated
            index += 1
        else:
            index = _part(call, args, index, negated, search) + 1
            negated = False


def _part(call: Call, args: list[Field], index: int, negated: bool, search: _Search) -> int:
    """Take one test or action; returns the index of its last word."""
    text = args[index].text
    value = args[index + 1] if index + 1 < len(args) else Field("")
    if text in _RUNS:
        return _command(args, index, search)
    if text in _ONE_VALUE:
        _test(text, value.text, negated, search)
        search.silent = search.silent or text == "-printf"
        return index + 1
    if text in _FILES or text.startswith("-newer"):
        call.read(value)
        return index + 1
    if text in _OUTPUTS:
        call.output(value)
        search.silent = True
        return index + (2 if text == "-fprintf" else 1)
    _word(call, args[index], search)
    return index


def _word(call: Call, arg: Field, search: _Search) -> None:
    if arg.text == "-delete":
        search.deletes = arg
    elif arg.text == "-ls":
        search.silent = True
    elif arg.text in _UNORDERED:
        search.plain = False
    elif arg.dynamic or arg.text.startswith(("-files0", "-f")):
        call.doubt(tr("A part of what it looks for is only known when it runs."), arg)


def _command(args: list[Field], index: int, search: _Search) -> int:
    """Take the command of an `-exec`, and return the index of what ends it."""
    end = index + 1
    while end < len(args) and args[end].text != ";" and not (args[end].text == "+" and args[end - 1].text == "{}"):
        end += 1
    together = end < len(args) and args[end].text == "+"
    search.runs.append(_Command(args[index + 1 : end], together, args[index].text in {"-execdir", "-okdir"}))
    search.silent = True
    return end


def _test(name: str, value: str, negated: bool, search: _Search) -> None:
    if any(char in value for char in "\\["):
        return  # escapes and bracket expressions are not the same everywhere: all that is there may match
    if name in {"-name", "-iname"}:
        matches = name_test(value, name == "-iname")
        search.tests.append(lambda path, _kind: matches(path.rpartition("/")[2]) is not negated)
    elif name in {"-path", "-wholename"} and len(search.starts) == 1:
        fits, start = name_test(value), search.starts[0].text.rstrip("/")
        search.tests.append(lambda path, _kind: fits(f"{start}/{path}" if path else start) is not negated)
    elif name == "-type" and not negated:
        kinds = {"f": "file", "d": "folder", "l": "link"}
        wanted = {kinds.get(letter, "other") for letter in value.split(",")}
        search.tests.append(lambda _path, kind: kind in wanted)
    elif name == "-maxdepth" and value.isdigit():
        search.tests.append(lambda path, _kind: (path.count("/") + 1 if path else 0) <= int(value))


def _matches(call: Call, search: _Search) -> list[str] | None:
    """Return the paths that it finds, spelled as it prints them; `None` if they cannot be known."""
    tests = search.tests if search.plain else []
    found: list[str] = []
    for start in search.starts:
        if start.dynamic or call.state.cwd is None:
            return None
        folder = call.recorder.rule.resolve(start.text if start.text.startswith("/") else f"{call.state.cwd}/{start.text}")
        if not call.recorder.rule.inside(folder):
            return None
        names = below(call.recorder.rule, call.recorder.disk, str(folder), lambda path, kind: all(t(path, kind) for t in tests))
        if names is None:
            return None
        entry = call.recorder.disk.entry(str(folder))
        if entry is not None and all(test("", entry.kind) for test in tests):
            found.append(start.text)
        found += [f"{start.text.rstrip('/')}/{name}" for name in names]
    return found or [f"{start.text.rstrip('/')}/{SOME}" for start in search.starts]


def _delete(call: Call, where: Field, found: list[str] | None) -> None:
    call.lose(tr("It deletes everything that it finds."), where)
    for path in (found or [])[:_MOST_RUNS]:
        if path.strip("./") and SOME not in path:
            call.touch(EffectKind.DELETE, replace(where, text=path, wildcard=True))


def _run(call: Call, command: _Command, found: list[str] | None) -> None:
    paths = [DYNAMIC] if found is None else found
    if command.beside:
        for path in paths if len(paths) <= _MOST_RUNS else [DYNAMIC]:
            _run_beside(call, command.words, path)
    elif command.together:
        call.runner.run_fields([new for arg in command.words for new in _filled(arg, paths)], call.state.copy())
    else:
        for path in paths if len(paths) <= _MOST_RUNS else [DYNAMIC]:
            call.runner.run_fields([new for arg in command.words for new in _filled(arg, [path])], call.state.copy())


def _run_beside(call: Call, words: list[Field], path: str) -> None:
    """Run a command in the folder of what was found, with `./NAME` in place of the path."""
    state = call.state.copy()
    folder, _, name = path.rpartition("/")
    if DYNAMIC in path:
        state.cwd = None
    elif state.cwd is not None and folder:
        state.cwd = folder if path.startswith("/") else f"{state.cwd}/{folder}"
    value = path if DYNAMIC in path else f"./{name}"
    call.runner.run_fields([new for arg in words for new in _filled(arg, [value])], state)


def _filled(arg: Field, values: list[str], hole: str = "{}") -> list[Field]:
    if hole not in arg.text:
        return [arg]
    if arg.text != hole and len(values) > 1:
        return [replace(arg, text=arg.text.replace(hole, DYNAMIC))]
    return [replace(arg, text=arg.text.replace(hole, value), wildcard=True) for value in values]


_XARGS_VALUED = {
    "-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "-J", "-R", "-S",
    "--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars", "--process-slot-var", "--max-lines?", "--replace?",
}  # fmt: skip


def _detached(arg: Field) -> Field:
    """Return `-iX` as `--replace=X`: a value that may only be attached."""
    return replace(arg, text=f"--replace={arg.text[2:]}") if arg.text.startswith("-i") and len(arg.text) > 2 else arg


def _xargs(call: Call) -> list[State]:
    call.printed = True
    parsed = parse([_detached(arg) for arg in call.args], _XARGS_VALUED, stop_at_operand=True)
    for file in parsed.values("-a", "--arg-file"):
        call.read(file)
    lines = None if parsed.has("-a", "--arg-file") else call.state.stdin
    whole = parsed.has("-0", "-d", "--null", "--delimiter")
    ends = {value.text for value in parsed.values("-d", "--delimiter")} - {"\\n", "\n", "\\0"}
    if lines == ():
        lines = (SOME,)
    elif lines is not None and (ends or (not whole and any(char in line for line in lines for char in "'\"\\"))):
        lines = None  # taken apart in another way than by lines and spaces
    command = parsed.operands or [Field("echo", call.span)]
    holes = [value.text for value in parsed.values("-I", "--replace", "-J")] or (["{}"] if parsed.has("-i", "--replace") else [])
    inner = replace(call.state.copy(), stdin=(), script=None)
    if holes:
        for line in lines if lines is not None and len(lines) <= 300 else [DYNAMIC]:
            call.runner.run_fields(
                [new for arg in command for new in _filled(arg, [line if whole else line.lstrip()], holes[0] or "{}")],
                inner.copy(),
            )
    else:
        words = [DYNAMIC] if lines is None else [word for line in lines for word in ([line] if whole else line.split())]
        call.runner.run_fields([*command, *(Field(word, command[-1].span, wildcard=True) for word in words)], inner)
    return [call.state]


_FD_VALUED = set(PROGRAMS["fd"].options)
_FD_LETTERS = {name[1] for name in _FD_VALUED if len(name) == 2}
_FD_RUNS = re.compile(
    r"(?P<before>-[a-zA-Z]*?)(?P<letter>[xX])(?P<short>.*)|--(?P<long>exec|exec-batch)(=(?P<value>.*))?", re.DOTALL
)
_FD_HOLES = ("{}", "{/}", "{//}", "{.}", "{/.}")


def _fd(call: Call) -> None:
    """fd: as the table says, and a command after `-x` or `-X` is run on any of the files below."""
    start, found = len(call.args), None
    for index, arg in enumerate(call.args):
        taken = index > 0 and call.args[index - 1].text in _FD_VALUED
        if not taken and (found := _FD_RUNS.fullmatch(arg.text)) is not None and not set(found["before"] or "") & _FD_LETTERS:
            start = index
            break
    by_table(replace(call, args=call.args[:start]))
    attached = (found["short"] or found["value"] or "") if found is not None and start < len(call.args) else ""
    words = [arg for arg in call.args[start + 1 :] if arg.text != ";"]
    if attached:
        words = [replace(call.args[start], text=attached), *words]
    if not words:
        return
    call.printed = True
    search = _Search(starts=[*parse(call.args[:start], _FD_VALUED).operands[1:]] or [Field(".", call.span)])
    if not any(hole in arg.text for arg in words for hole in _FD_HOLES):
        words = [*words, Field("{}", words[-1].span)]
    if any(hole in arg.text for arg in words for hole in _FD_HOLES[1:]):
        call.runner.run_fields([_fd_hole(arg) for arg in words], call.state.copy())
        return
    _run(
        call,
        _Command(
            words,
            together=found is not None and "X" in (found["letter"] or "") + (found["long"] or "").replace("-batch", "X"),
            beside=False,
        ),
        _matches(call, search),
    )


def _fd_hole(arg: Field) -> Field:
    text = arg.text
    for hole in _FD_HOLES:
        text = text.replace(hole, DYNAMIC)
    return replace(arg, text=text)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("fd", "fdfind"), _fd),
    "find": _find,
    "bfs": _find,
    "xargs": _xargs,
    "gxargs": _xargs,
}
