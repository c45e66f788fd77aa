"""The command line as a user or a script uses it: real processes, no terminal."""

import os
import pwd
import subprocess
import sys
from pathlib import Path
from signal import SIGINT, raise_signal

import pytest

from dogent_tui import __version__
from dogent_tui.cli import _parsed, main
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.session_log import SessionHold
from dogent_tui.storage.sessions import list_sessions, open_log

ROOT = Path(__file__).parents[1]


def dogent(*arguments: str, stdin: str = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    argv = [
        sys.executable,
        "-c",
        (
            f"import sys; sys.path.insert(0, {str(ROOT)!r}); from dogent_tui.cli import main;"
            " sys.exit(main())"
        ),
    ]
    return subprocess.run(
        [*argv, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=60,
        check=False,
    )


def test_version():
    done = dogent("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"dogent-tui {__version__}\n", "")


def test_without_a_home_or_current_folder_a_sentence_says_so(monkeypatch, capsys, tmp_path):
    def nobody(number: int) -> pwd.struct_passwd:
        raise KeyError(number)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for home in (None, "", "relative"):
        monkeypatch.delenv("HOME", raising=False)
        if home is not None:
            monkeypatch.setenv("HOME", home)
        for arguments in (["doctor"], ["-p", "hello", "--profile", "offline"], ["read", "x.md"]):
            assert main(arguments) == 1
            assert "export HOME=" in capsys.readouterr().err
        with pytest.raises(SystemExit):
            main(["doctor", "--help"])
        assert "Show the engines" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
    tmp_path.rmdir()
    assert main(["read", "x.md"]) == 1
    assert "folder you are in was deleted" in capsys.readouterr().err


def test_help_names_every_option_and_the_exit_statuses():
    done = dogent("--help")
    assert done.returncode == 0
    for word in (
        "FOLDER",
        "--sample",
        "--profile",
        "--continue",
        "--resume",
        "--print",
        "--output-format",
        "--version",
        "14 interrupted",
        "use:TOOL",
    ):
        assert word in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "arguments", [["--no-such-option"], ["one", "two"], ["-p", "x", "--output-format", "yaml"]]
)
def test_what_cannot_be_understood_is_a_usage_error(arguments):
    done = dogent(*arguments)
    assert done.returncode == 2
    assert "usage: dogent-tui" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_cannot_be_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port", "65536"])
    assert ended.value.code == 2
    assert "from 0 to 65535" in capsys.readouterr().err


def test_without_a_terminal_the_screen_is_refused_with_a_way_out(tmp_path):
    done = dogent(cwd=tmp_path)
    assert done.returncode == 2
    assert "-p" in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_prompt_is_needed_in_print_mode(tmp_path):
    done = dogent("-p", cwd=tmp_path, stdin="  \n")
    assert done.returncode == 2
    assert "prompt" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("-p", "--output-format", "json", "Say hello"),
        ("--output-format", "json", "-p", "Say hello"),
        ("FOLDER", "-p", "--output-format", "json", "Say hello"),
        ("-p", "Say hello", "--output-format", "json", "FOLDER"),
    ],
)
def test_the_prompt_is_found_wherever_it_is(tmp_path, arguments, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = _parsed([str(tmp_path) if word == "FOLDER" else word for word in arguments])
    assert (options.print, options.output_format) == ("Say hello", "json")
    assert Path(options.workspace).resolve() == tmp_path.resolve()


def test_a_folder_before_a_prompt_on_standard_input_stays_one(tmp_path):
    assert _parsed(["-p", "--output-format", "json", str(tmp_path)]).workspace == str(tmp_path)
    assert _parsed(["-p", "--output-format", "json", "no/such"]).workspace == "no/such"


@pytest.mark.parametrize("named", ["@@no-such-template", "@@built-in:no-such"])
def test_an_unknown_template_is_a_usage_error(home, tmp_path, capsys, monkeypatch, named):
    monkeypatch.setattr("sys.stdin", None)
    assert main([str(tmp_path), "-p", f"Write it with {named}", "--profile", "offline"]) == 2
    assert f"There is no template {named}." in capsys.readouterr().err


def test_a_folder_that_is_not_there(tmp_path):
    done = dogent("-p", "Hello", "--", str(tmp_path / "missing"))
    assert done.returncode != 0
    assert "missing" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_script_gets_no_answer_of_another_than_it_named(home, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert main([str(tmp_path), "-p", "Hello", "--profile", "NOPE"]) == 2
    said = capsys.readouterr()
    assert "There is no profile NOPE." in said.err
    assert "deepseek, glm, offline" in said.err
    # a stub, without a key
    assert main([str(tmp_path), "-p", "Hello", "--profile", "deepseek"]) == 1
    said = capsys.readouterr()
    assert "The profile deepseek has no key" in said.err
    # /settings is no help where there is no screen to type it
    assert "/settings or claude.json" in said.err
    assert said.err.rstrip().endswith("those of the application: run dogent-tui.")
    assert main([str(tmp_path), "-p", "Hello", "--profile", "environment"]) == 1
    assert "There is no usable key in the environment" in capsys.readouterr().err
    assert said.out == ""
    assert list_sessions(Workspace(tmp_path)) == []


def test_a_conversation_is_named_by_its_id_and_nothing_else_is_opened(
    home, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("sys.stdin", None)
    assert main(["-p", "Hello", "--resume"]) == 2
    assert "needs the id" in capsys.readouterr().err
    assert main(["-p", "Hello", "--resume", "12345"]) == 2
    assert "There is no conversation 12345." in capsys.readouterr().err
    open_log(Workspace(tmp_path), "12345678").append("{}")
    assert main([str(home), "-p", "Hello", "--resume", "12345"]) == 2
    assert f"belongs to {tmp_path}" in capsys.readouterr().err
    hold = SessionHold()
    hold.take(list_sessions(Workspace(tmp_path))[0].path)
    assert main(["-p", "Hello", "--resume", "12345"]) == 1
    assert "open in another window" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_defect(tmp_path, closed):
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from dogent_tui.cli import main"
    for arguments, status in ((["read", "a.md"], 0), (["read", "b.md"], 2), ([], 2)):
        argv = [sys.executable, "-c", f"{program}; sys.exit(main({arguments!r}))"]
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *argv],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == status


def test_the_chinese_usage_names_the_program(monkeypatch):
    monkeypatch.setenv("DOGENT_LANGUAGE", "zh_CN")
    assert dogent("--help").stdout.startswith("用法：dogent-tui [-h]")


def test_answers_that_cannot_be_read_are_told_with_a_true_remedy(tmp_path):
    for name, what in (("no.json", "Check the name"), (str(tmp_path), "Specify a file")):
        done = dogent("-p", "hello", "--answers", name, cwd=tmp_path)
        assert done.returncode == 2
        assert what in done.stderr
        assert "Errno" not in done.stderr


@pytest.mark.slow
def test_readers_that_have_enough_end_it_without_a_word(tmp_path):
    (tmp_path / "a.md").write_text("tea", encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    argv = [sys.executable, "-m", "dogent_tui", str(tmp_path), "-p", "List files"]
    argv += ["--profile", "offline"]
    done = subprocess.run(argv, stdout=writing, stderr=writing, cwd=ROOT, timeout=60, check=False)
    os.close(writing)
    assert done.returncode == 1


def test_ctrl_c_before_the_agent_is_there_is_no_traceback(monkeypatch):
    # Not `os.kill`: another thread may take that signal, and hand it on a moment later.
    monkeypatch.setattr("dogent_tui.cli._must_have_folders", lambda: raise_signal(SIGINT))
    assert main(["-p", "hello"]) == 14


@pytest.mark.parametrize("origin", ["notes.example", "http://[bad", "https://notes.example/page"])
def test_serve_refuses_what_is_no_origin(capsys, origin):
    assert main(["serve", "--origin", origin]) == 2
    assert "is not an origin. Write it as https://" in capsys.readouterr().err
