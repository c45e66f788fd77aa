"""The help of command lines: in the language of the interface, and no wider than the terminal."""

import json
import os
import subprocess
import sys

import pytest

from dogent_tui.arguments import CommandLine
from dogent_tui.plain import columns_of

COMMANDS = ("", "read", "export", "analyze", "search", "fetch", "doctor", "schema", "explain")
CHINESE = (
    "把文档写成 Markdown：pdf、docx、odt、rtf、pptx、epub、html、ipynb、xlsx、csv，或任何文本。" * 3
)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_of_the_help_is_wider_than_the_terminal(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    parser = CommandLine(prog="read", description=CHINESE)
    parser.add_argument("file", help=CHINESE)
    parser.add_argument(
        "--pages", metavar="PAGES", help="pages of a pdf, for example 3-7,12 (default: all) " * 4
    )
    lines = parser.format_help().splitlines()
    assert all(columns_of(line) < width for line in lines)
    assert not any(line.lstrip().startswith(("，", "。", "：", "、", "）")) for line in lines)
    shown = "".join("".join(lines).split())
    assert shown.count("".join(CHINESE.split())) == 2


def test_the_help_speaks_the_language_of_the_settings(tmp_path):
    (tmp_path / "dogent.json").write_text('{"language": "zh_CN"}', encoding="utf-8")
    environment = {**os.environ, "DOGENT_HOME": str(tmp_path), "PYTHONUTF8": "1"}
    environment.pop("DOGENT_LANGUAGE", None)
    command = [sys.executable, "-m", "dogent_tui", "--help"]
    shown = subprocess.run(
        command, env=environment, capture_output=True, check=True, text=True
    ).stdout
    assert "文档" in shown


@pytest.fixture(scope="module")
def helps():
    """The help of each command in Chinese, by one process: the language is settled when the
    messages are imported.
    """
    script = """if True:
        import contextlib, io, json, sys
        from dogent_tui.cli import main
        shown = {}
        for command in sys.argv[1:]:
            with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.suppress(SystemExit):
                main([command, "--help"] if command else ["--help"])
            shown[command] = output.getvalue()
        print(json.dumps(shown))
    """  # noqa: E501
    environment = {**os.environ, "DOGENT_LANGUAGE": "zh_CN", "PYTHONUTF8": "1"}
    command = [sys.executable, "-c", script, *COMMANDS]
    return json.loads(
        subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_is_chinese(helps, command):
    shown = helps[command]
    assert "usage" not in shown
    assert "options" not in shown
    described = shown.split("\n\n")[1]
    assert any("\u4e00" <= character <= "\u9fff" for character in described)


def test_errors_are_chinese_whatever_the_language_of_the_system():
    environment = {**os.environ, "DOGENT_LANGUAGE": "zh_CN", "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "dogent_tui", "export", "a.md", "--to", "rtf"]
    failed = subprocess.run(command, env=environment, capture_output=True, check=False, text=True)
    assert failed.returncode == 2
    error = "dogent-tui export：错误：参数 --to：无效的选择：'rtf'（可选：'pdf', 'docx'）"
    assert failed.stderr.splitlines()[-1] == error
