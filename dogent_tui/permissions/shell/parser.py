"""Shell text → syntax tree, by shfmt (mvdan/sh): the same grammar as bash, and an error where bash would be in doubt."""

import functools
import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, TypeAlias

Node: TypeAlias = dict[str, Any]
"""A node of shfmt's "typed JSON" tree: `Type`, `Pos`, `End` and the fields of mvdan.cc/sh/v3/syntax."""

_TIME_LIMIT = 5.0
"""Seconds that a parse may take; a usual one takes three milliseconds."""
_LONGEST = 100_000
"""Characters. A longer command is not one that a person could judge by reading."""


class ShellSyntaxError(Exception):
    """The text is not a shell program that can be understood."""


class ParserMissingError(Exception):
    """shfmt is not installed."""


@functools.cache
def find_shfmt() -> str | None:
    """Return the path of the shfmt program: beside this Python (the `shfmt-py` wheel puts it there), or on PATH."""
    for folder in (str(Path(sys.executable).parent), sysconfig.get_path("scripts")):
        if found := shutil.which("shfmt", path=folder):
            return found
    return shutil.which("shfmt")


def parse(text: str) -> list[Node]:
    """Return the statements of a shell program.

    Raises:
        ShellSyntaxError: it does not parse, is too long, or took too long.
        ParserMissingError: there is no shfmt to parse it with.
    """
    program = find_shfmt()
    if program is None:
        raise ParserMissingError
    if len(text) > _LONGEST:
        raise ShellSyntaxError("the command is too long")
    if "#\\\n" in text:  # shfmt joins the lines, bash ends the comment
        raise ShellSyntaxError("a line break after #\\")
    return list(_parse(program, text))


_FOREIGN_DELIMITER = re.compile(r"<<-?[ \t]*(['\"])([^'\"\n$`\\]*[^\x00-\x7f'\"\n$`\\][^'\"\n$`\\]*)\1")


def _with_plain_delimiters(text: str) -> str:
    """Return the same program with ASCII here-document delimiters, each character at the byte where it was.

    shfmt does not find the end of a here-document whose delimiter is quoted and not ASCII (`<<'结束'`).
    """
    for name in dict.fromkeys(match[2] for match in _FOREIGN_DELIMITER.finditer(text)):
        length = len(name.encode())
        plain = next((char * length for char in "EFGHJKLMNQ" if char * length not in text), None)
        if plain is None:
            return text
        quoted = re.compile(rf"(<<-?[ \t]*)(['\"]){re.escape(name)}\2")
        text = quoted.sub(rf"\g<1>\g<2>{plain}\g<2>", text)
        text = re.sub(rf"(?m)^(\t*){re.escape(name)}$", rf"\g<1>{plain}", text)
    return text


@functools.lru_cache(maxsize=256)
def _parse(program: str, text: str) -> tuple[Node, ...]:
    command = [program, "--to-json", "-ln", "bash"]
    try:
        source = _with_plain_delimiters(text).encode()
        done = subprocess.run(command, input=source, capture_output=True, timeout=_TIME_LIMIT, check=False)
        if done.returncode != 0:
            raise ShellSyntaxError(done.stderr.decode(errors="replace").strip())
        return tuple(json.loads(done.stdout).get("Stmts") or ())
    except (subprocess.TimeoutExpired, UnicodeEncodeError, json.JSONDecodeError, RecursionError) as error:
        raise ShellSyntaxError(str(error)) from error
