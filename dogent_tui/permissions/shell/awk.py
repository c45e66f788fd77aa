"""awk: its programs are read for output redirections, pipes, `getline` and `system`."""

import re
from dataclasses import replace

from dogent_tui.language import tr
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.text import DYNAMIC
from dogent_tui.permissions.shell.words import Field

_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:\\.|[^\]\n])*\])*/")
_BEFORE_PATTERN = re.compile(r"(^|[{};(,!~&|?:=<>+*%^-]|\b(return|print|printf|case)|(?<!\\)\n)[ \t]*\Z")
_COMMENT = re.compile(r"#[^\n]*")
_VALUED = {
    "-f",
    "-v",
    "-F",
    "--file",
    "--assign",
    "--field-separator",
    "-i",
    "--include",
    "-l",
    "--load",
    "-E",
    "--exec",
    "-e",
    "--source",
}
_WRITES = re.compile(r"(?:-[dpoD]|--(?:dump-v\w*(?:-\w*)?|prof\w*|pretty-p\w*|debug)(?:=|$))(.*)", re.DOTALL)
"""gawk's options that write a file, its name attached or a default one (gawk manual, 2.2)."""
_PRINT = re.compile(r"\b(?:print|printf)\b([^;}\n]*)")
_RUNS = re.compile(
    r"\bsystem\s*\(|@(load|include)|\bARGV\b(?!\s*\[[^\]]*\]\s*([,;})]|$))|(split|sub|match|getline)\b[^;}\n]*\bARGV|@\w+\s*\("
)


def _awk(call: Call) -> None:
    call.execute()
    parsed = parse(_without_records(call), _VALUED)
    operands, programs = parsed.operands, parsed.values("-e", "--source")
    for file in parsed.values("-f", "--file", "-E", "--exec"):
        programs = [*programs, _program_file(call, file)]
    if not programs:
        programs, operands = operands[:1], operands[1:]
    includes = [value.text for value in parsed.values("-i", "--include")]
    if parsed.has("-l", "--load") or any(name != "inplace" for name in includes):
        call.doubt(tr("It loads code from elsewhere."))
    for program in programs:
        _program(call, program)
        for operand in operands if "inplace" in includes and _drops_all(program.text) else []:
            call.output(operand)
    for operand in operands:
        if re.match(r"[A-Za-z_]\w*=", operand.text):
            continue
        if "inplace" in includes:
            call.rewrite(operand)
        else:
            call.read(operand)


def _without_records(call: Call) -> list[Field]:
    """Note the files that gawk's own options write, and return the other arguments."""
    for arg in call.args:
        if match := _WRITES.match(arg.text):
            call.output(replace(arg, text=match[1] or "awkvars.out"))
        elif re.match(r"-W\s*(e|i|l|$)", arg.text):
            call.doubt(tr("It loads code from elsewhere."), arg)
    return [arg for arg in call.args if not _WRITES.match(arg.text)]


def _drops_all(program: str) -> bool:
    """Return whether a program may well print nothing of what it reads."""
    if program.strip() in {"", "0", "!1"}:
        return True
    return "{" in program and "print" not in program and not re.search(r"(^|[};])\s*[1-9]\d*\s*;?$", program)


def _program_file(call: Call, file: Field) -> Field:
    if file.text == "-" or file.text.startswith("/dev/"):
        return Field(DYNAMIC if call.state.script is None else call.state.script, file.span)
    call.read(file)
    path = call.recorder.resolve(file, call.state, call.name)
    text = None if path is None else call.recorder.disk.text(str(path), 100_000)
    if path is not None and text is None and call.recorder.disk.written(str(path)):
        call.doubt(tr("It runs a program that the same command writes."), file)
    return Field(text or "", file.span)


def _program(call: Call, program: Field) -> None:
    if program.dynamic:
        call.doubt(tr("Its program is only known when it runs."), program)
        return
    strings: list[str] = []

    def keep(match: re.Match[str]) -> str:
        strings.append(match[1])
        return f'"{len(strings) - 1}"'

    code = _COMMENT.sub("", _without_patterns(_STRING.sub(keep, program.text)))
    if _RUNS.search(code):
        call.doubt(tr("Its program runs a command, or chooses its own files."), program)
    _pipes(call, code, strings, program)
    _reads(call, code, strings, program)
    for statement in _PRINT.findall(code):
        _redirection(call, _without_parentheses(statement), strings, program)


def _without_patterns(code: str) -> str:
    """Return the code without its regular expressions: a slash begins one where no value stands before it to be divided."""
    kept, place = "", 0
    while place < len(code):
        match = _REGEX.match(code, place) if code[place] == "/" and _BEFORE_PATTERN.search(code, 0, place) else None
        kept += code[place] if match is None else " re "
        place = place + 1 if match is None else match.end()
    return kept


def _pipes(call: Call, code: str, strings: list[str], program: Field) -> None:
    for match in re.finditer(r"(?<!\|)\|&?(?!\|)\s*(?:\"(\d+)\"(?!\s*[\w\"$(])|(getline))?", code):
        if match[1] is not None:
            _run(call, strings[int(match[1])], program)
        elif match[2] is not None and (command := re.search(r'(?<![\w"$) ])\s*"(\d+)"\s*$', code[: match.start()])):
            _run(call, strings[int(command[1])], program)
        else:
            call.doubt(tr("Its program runs a command that is only known when it runs."), program)


def _run(call: Call, text: str, program: Field) -> None:
    if "\\" in text or DYNAMIC in text:
        call.doubt(tr("Its program runs a command."), program)
    else:
        call.runner.run_text(text, replace(call.state.copy(), stdin=None, script=None), program.span)


def _reads(call: Call, code: str, strings: list[str], program: Field) -> None:
    for match in re.finditer(r'\bgetline\b[^<;}\n]*<\s*(?:"(\d+)")?', code):
        if match[1] is None:
            call.doubt(tr("Its program reads a file that is only known when it runs."), program)
        else:
            call.read(Field(strings[int(match[1])], program.span))


def _without_parentheses(text: str) -> str:
    while (shorter := re.sub(r"\([^()]*\)", " ", text)) != text:
        text = shorter
    return text


def _redirection(call: Call, statement: str, strings: list[str], program: Field) -> None:
    match = re.search(r'(>>?)\s*(?:"(\d+)"\s*$)?', statement)
    if match is None:
        return
    if match[2] is None:
        call.doubt(tr("Its program writes a file that is only known when it runs."), program)
    else:
        call.output(Field(strings[int(match[2])], program.span), append=match[1] == ">>")


HANDLERS: dict[str, Handler] = dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), _awk)
