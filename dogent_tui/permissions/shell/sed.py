"""sed: its scripts are read for the commands that touch files or run programs."""

import re
from dataclasses import dataclass

from dogent_tui.language import tr
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.words import Field

_IN_PLACE = re.compile(r"-[nErsuzb]*[iI].*|--i(n(-(p(l(a(ce?)?)?)?)?)?)?(=.*)?")
_ADDRESS = re.compile(r"\s*(?:\d+~?\d*|\$|\+\d+|~\d+)")
_EVERY_LINE = {"", ".", "^", "$", ".*", "^.*", ".*$", "^.*$", "1,$", "0,$", "1~1", "0~1", "0~0", "$!", "1,+0"}


class ScriptError(Exception):
    """The script is not one that can be followed."""


@dataclass
class _Reader:
    """Reads a sed script from left to right (POSIX sed, and GNU's additions)."""

    text: str
    place: int = 0

    def peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def take(self) -> str:
        char = self.peek()
        self.place += 1
        return char

    def skip(self, chars: str) -> None:
        while self.peek() and self.peek() in chars:
            self.place += 1

    def line(self) -> str:
        """Take the rest of the line; a backslash before its end continues it."""
        start = self.place
        while self.peek() and self.peek() != "\n":
            self.place += 2 if self.peek() == "\\" else 1
        return self.text[start : self.place]

    def until(self, delimiter: str) -> str:
        """Take text up to an unescaped delimiter, and the delimiter."""
        start = self.place
        while (char := self.take()) != delimiter:
            if not char:
                raise ScriptError
            if char == "\\":
                self.place += 1
        return self.text[start : self.place - 1]

    def address(self) -> str:
        """Take an address, "" if there is none."""
        start = self.place
        self._one_address()
        self.skip(" \t")
        if self.place > start and self.peek() == ",":
            self.take()
            self.skip(" \t")
            self._one_address()
        return self.text[start : self.place].strip()

    def _one_address(self) -> None:
        if match := _ADDRESS.match(self.text, self.place):
            self.place = match.end()
        elif self.peek() == "/":
            self.take()
            self.until("/")
            self.skip("IM")
        elif self.peek() == "\\" and self.place + 1 < len(self.text):
            self.take()
            self.until(self.take())
            self.skip("IM")


def _sed(call: Call) -> None:
    call.execute()
    in_place = any(_IN_PLACE.fullmatch(arg.text) for arg in call.args)
    for arg in call.args:
        if _IN_PLACE.fullmatch(arg.text) and "/" in arg.text:
            call.doubt(tr("A file name is only known when it runs."), arg)  # where the copies go
    args = [arg for arg in call.args if not _IN_PLACE.fullmatch(arg.text)]
    parsed = parse(args, {"-e", "--expression", "-f", "--file", "-l", "--line-length"})
    operands = parsed.operands
    if in_place and len(operands) > 2 and not operands[0].text:
        operands = operands[1:]  # BSD: -i '' is "no backup"
    scripts = parsed.values("-e", "--expression")
    for file in parsed.values("-f", "--file"):
        _script_file(call, file)
    if not parsed.has("-e", "--expression", "-f", "--file"):
        scripts, operands = operands[:1], operands[1:]
    quiet = any(re.match(r"-[Ersuz]*n", arg.text) or arg.text in {"--quiet", "--silent"} for arg in call.args)
    empties = True in [_script(call, script, quiet) for script in scripts]
    for operand in operands:
        if not in_place:
            call.read(operand)
        elif empties:
            call.output(operand)
        else:
            call.rewrite(operand)


def _script_file(call: Call, file: Field) -> None:
    if file.text == "-" or file.text.startswith("/dev/"):
        if call.state.script is None:
            call.doubt(tr("Its script is only known when it runs."), file)
        else:
            _script(call, Field(call.state.script, file.span), quiet=False)
        return
    call.read(file)
    path = call.recorder.resolve(file, call.state, call.name)
    text = None if path is None else call.recorder.disk.text(str(path), 100_000)
    if path is not None and call.recorder.disk.written(str(path)):
        call.doubt(tr("It runs a script that the same command writes."), file)
    elif text is not None:
        _script(call, Field(text, file.span), quiet=False)


def _script(call: Call, script: Field, quiet: bool) -> bool:
    """Judge a script. Returns whether it leaves nothing of the text it is applied to."""
    if script.dynamic:
        call.doubt(tr("Its script is only known when it runs."), script)
        return False
    reader = _Reader(script.text)
    empties, prints = False, False
    blocks: list[bool] = []
    try:
        while True:
            reader.skip(" \t\n;")
            if reader.peek() == "}":
                reader.take()
                blocks = blocks[:-1]
                continue
            if not reader.peek():
                break
            address = reader.address()
            reader.skip(" \t")
            negated = reader.peek() == "!"
            reader.skip("! \t")
            command = reader.take()
            every = not negated and (address in _EVERY_LINE or address.strip("/") in _EVERY_LINE)
            if command == "{":
                blocks = [*blocks, every]
            every = every and all(blocks)
            empties = _command(call, reader, command, script, every) or empties
            prints = prints or (command in "pPwlaic=")
    except ScriptError:
        call.doubt(tr("Its script cannot be followed."), script)
    return empties or (quiet and not prints)


def _command(call: Call, reader: _Reader, command: str, script: Field, every: bool) -> bool:
    if command in {"s", "y"}:
        return _substitution(call, reader, command, script, every)
    if command in {"d", "Q"}:
        reader.skip("0123456789" if command == "Q" else "")
        return every
    if command in {"w", "W"}:
        call.output(Field(reader.line().strip(), script.span))
    elif command in {"r", "R"}:
        call.read(Field(reader.line().strip(), script.span))
    elif command == "e":
        reader.line()
        call.doubt(tr("Its script runs a command."), script)
    elif command in {"a", "i", "c", "#"}:
        reader.line()
    elif command and command in ":btTvqlL":
        while reader.peek() and reader.peek() not in ";\n}":
            reader.take()
    elif not command or command not in "{}=DgGhHnNpPxzF":
        raise ScriptError
    return False


def _substitution(call: Call, reader: _Reader, command: str, script: Field, every: bool) -> bool:
    delimiter = reader.take()
    pattern, replacement = reader.until(delimiter), reader.until(delimiter)
    flags = ""
    while command == "s" and reader.peek() and reader.peek() in "gpiImMe0123456789":
        flags += reader.take()
    if reader.peek() == "w" and command == "s":
        reader.take()
        call.output(Field(reader.line().strip(), script.span))
    if "e" in flags:
        call.doubt(tr("Its script runs what it matches as a command."), script)
    return command == "s" and every and not replacement and pattern in {".*", "^.*$", "^.*", ".*$", ".\\+"}


HANDLERS: dict[str, Handler] = {"sed": _sed, "ssed": _sed}
