"""What a command may print, where that can be told: it is the input of the next one in a pipe, or part of a word."""

import os
import re
import time
from collections.abc import Callable

from dogent_tui.permissions.shell.call import Call
from dogent_tui.permissions.shell.listing import below
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.state import Lines
from dogent_tui.permissions.shell.text import ANY, DYNAMIC
from dogent_tui.permissions.shell.words import Field

_SILENT = {"rm", "mv", "cp", "ln", "mkdir", "touch", "chmod", "rmdir", "true", "false", ":", "sleep", "wait", "exit", "return"}
_NUMBERS = {"nproc", "id", "uname", "arch", "hostname"}


def printed(call: Call) -> Lines:
    """Return what the command may print: each line is one of these; `None` if it could be anything."""
    if call.name in _SILENT:
        return None if any(re.match(r"-\w*v|--v", arg.text) for arg in call.args) else ()
    if call.name in _NUMBERS:
        return (ANY,)
    printer = _PRINTERS.get(call.name)
    return printer(call) if printer else None


def formatted(args: list[Field]) -> Lines:
    """Return what `printf` prints, for formats made of text, `%s`, `%d`, `\\n`, `\\t` and `\\0`."""
    if not args or any(arg.dynamic for arg in args):
        return None
    if args[0].text == "--":
        return formatted(args[1:])
    pattern, values = args[0].text, [arg.text for arg in args[1:]]
    if re.search(r"%([^sd%]|$)", pattern) or re.search(r"\\([^nt0\\]|0[0-7]|$)", pattern.replace("\\\\", "")):
        return None
    holes = len(re.findall(r"%[sd]", pattern.replace("%%", "")))
    text = ""
    while True:
        taken, values = values[:holes], values[holes:]
        text += _filled(pattern, taken)
        if not values or not holes:
            break
    return tuple(text.split("\n")[:-1] if text.endswith("\n") else text.split("\n"))


def _filled(pattern: str, values: list[str]) -> str:
    rest = iter(values)
    plain = {"%%": "%", "\\n": "\n", "\\t": "\t", "\\0": "\n", "\\\\": "\\"}
    return re.sub(r"%[sd%]|\\[nt0\\]", lambda m: plain[m[0]] if m[0] in plain else next(rest, ""), pattern)


def _echo(call: Call) -> Lines:
    """Some shells interpret backslashes without being told to (dash, zsh; bash with `xpg_echo`)."""
    words = [arg.text for arg in call.args]
    while words and re.fullmatch(r"-[neE]+", words[0]):
        words.pop(0)
    text = " ".join(words)
    return None if "\\" in text else tuple(text.split("\n"))


def _location(call: Call, operand: Field) -> str | None:
    if operand.dynamic or call.state.cwd is None:
        return None
    return str(call.recorder.rule.resolve(operand.text if operand.text.startswith("/") else f"{call.state.cwd}/{operand.text}"))


def _ls(call: Call) -> Lines:
    parsed = parse(call.args, {"-I", "--ignore", "--hide"})
    if parsed.has("-m", "-Q", "-x", "--format", "--quoting-style", "--quote-name", "--zero"):
        return None
    if parsed.has("-l", "-R", "-s", "-i", "-o", "-g", "-d", "--recursive") and not parsed.has("-1"):
        return None
    lines: list[str] = []
    for operand in parsed.operands or [Field(".")]:
        names = _names(call, operand, hidden=parsed.has("-a", "-A", "--all", "--almost-all"))
        if names is None:
            return None
        lines += [".", "..", *names] if parsed.has("-a", "--all") else names
    return tuple(lines)


def _names(call: Call, operand: Field, hidden: bool) -> list[str] | None:
    path = _location(call, operand)
    if path is None:
        return None
    entry = call.recorder.disk.entry(path)
    if entry is None or entry.kind != "folder":
        return [operand.text]
    return [name for name in call.recorder.disk.names(path) if hidden or not name.startswith(".")]


def _grep(call: Call) -> Lines:
    parsed = parse(call.args, {"-e", "-f", "-A", "-B", "-C", "-m", "--include", "--exclude", "--exclude-dir", "-g", "-t"})
    named = call.name == "rg" and parsed.has("--files")
    if parsed.has("--label", "--replace") or (call.name == "rg" and parsed.has("-r")):
        return None  # it prints text of the caller's choice
    operands = parsed.operands if named or parsed.has("-e", "-f", "--regexp", "--file") else parsed.operands[1:]
    if parsed.has("-c", "--count") and len(operands) < 2:
        return (ANY,)
    if not operands and not parsed.has("-r", "-R") and call.name != "rg":
        return None if parsed.has("-o", "-n", "-b", "-H", "--only-matching", "--byte-offset") else call.state.stdin
    if not named and not parsed.has("-l", "-L", "--files-with-matches", "--files-without-match"):
        return None
    return _files_below(call, operands or [Field(".")])


def _files_below(call: Call, operands: list[Field]) -> Lines:
    lines: list[str] = []
    for operand in operands:
        path = _location(call, operand)
        if path is None:
            return None
        entry = call.recorder.disk.entry(path)
        if entry is None or entry.kind != "folder":
            lines.append(operand.text)
            continue
        found = below(call.recorder.rule, call.recorder.disk, path, lambda _name, kind: kind != "folder")
        if found is None:
            return None
        lines += [f"{operand.text.rstrip('/')}/{name}" for name in found]
    return tuple(lines)


_FILTER_OPTIONS = {"head": {"-n", "-c"}, "tail": {"-n", "-c"}, "sort": {"-k", "-t", "-S"}, "uniq": {"-f", "-s", "-w"}}


def _filter(call: Call) -> Lines:
    """A program that passes on some of the lines that come in, or nothing that can be told if it reads files."""
    parsed = parse(call.args, _FILTER_OPTIONS.get(call.name, set()))
    cuts = call.name in {"head", "tail"} and parsed.has("-c", "--bytes")
    marks = call.name == "uniq" and parsed.has("-c", "-D", "--count", "--all-repeated", "--group")
    shows = call.name == "cat" and any(name != "-u" for name, _ in parsed.options)
    return None if parsed.operands or cuts or marks or shows else call.state.stdin


def _basename(call: Call) -> Lines:
    parsed = parse(call.args, {"-s", "--suffix"})
    operands = [field.text for field in parsed.operands]
    if not operands or any(DYNAMIC in text for text in operands):
        return None
    if call.name == "dirname":
        return tuple("/" if not text.strip("/") else os.path.dirname(text.rstrip("/")) or "." for text in operands)  # noqa: PTH120 — text, not a path
    suffixes = [field.text for field in parsed.values("-s", "--suffix")] or operands[1:2]
    names = operands if parsed.has("-a", "-s") else operands[:1]
    return tuple(_last_name(text, suffixes[0] if suffixes else "") for text in names)


def _last_name(text: str, suffix: str) -> str:
    name = text.rstrip("/").rpartition("/")[2]
    if text and not name:
        return "/"
    return name if name == suffix else name.removesuffix(suffix)


def _seq(call: Call) -> Lines:
    words = [arg.text for arg in call.args]
    if not all(re.fullmatch(r"-?\d+", word) for word in words) or not 1 <= len(words) <= 3:
        return (ANY,) if all(re.fullmatch(r"-w|-?[\d.]*", word) for word in words) else None
    numbers = [int(word) for word in words]
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    last = numbers[-1]
    if step == 0 or abs(last - first) // abs(step) > 300:
        return (ANY,)
    return tuple(str(number) for number in range(first, last + (1 if step > 0 else -1), step))


def _pwd(call: Call) -> Lines:
    return None if call.state.cwd is None else (call.state.cwd,)


_DATE_FORMAT = re.compile(r"(%-?[YmdFHMSTsNyjuVUWGgaAbBeIpkl]|[\w:., -])+")
"""Formats whose letters stand for digits, names of days and months, and what joins them."""


def _date(call: Call) -> Lines:
    """What `date` prints: exactly, where it is asked for nothing but the present."""
    formats = [arg.text[1:] for arg in call.args if arg.text.startswith("+")]
    if not all(_DATE_FORMAT.fullmatch(text) and ".." not in text and text[0] == "%" for text in formats):
        return None
    if len(formats) == len(call.args) == 1 and "TZ" not in call.state.variables and "N" not in formats[0]:
        return (time.strftime(formats[0]),)
    return (ANY,)


def _wc(call: Call) -> Lines:
    return None if parse(call.args).operands else (ANY,)


def _real_path(call: Call) -> Lines:
    operands = call.args if not any(arg.text.startswith("-") for arg in call.args) else []
    path = _location(call, operands[0]) if len(operands) == 1 else None
    return None if path is None else (path,)


_PRINTERS: dict[str, Callable[[Call], Lines]] = {
    "echo": _echo,
    "ls": _ls,
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg"), _grep),
    **dict.fromkeys(("head", "tail", "sort", "uniq", "cat", "tac"), _filter),
    "tee": lambda call: call.state.stdin,
    "basename": _basename,
    "dirname": _basename,
    "seq": _seq,
    "pwd": _pwd,
    "date": _date,
    "wc": _wc,
    "realpath": _real_path,
}
