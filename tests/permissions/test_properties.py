"""What holds for every command: wrapping changes nothing, nothing raises, and `rm` is never let through."""

import json
import random
import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dogent_tui.permissions.model import ToolCall
from dogent_tui.permissions.policy import decide
from dogent_tui.permissions.shell.parser import ShellSyntaxError, parse

CORPUS = Path(__file__).parent / "corpus"
WRAPPERS = {
    "and": "true && {}",
    "subshell": "( {}\n)",
    "bash": "bash -c {quoted}",
    "if": "if true; then {}\nfi",
    "substitution": "x=$( {}\n)",
    "cd": "cd . && {}",
}


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    root = tmp_path_factory.mktemp("wrapped")
    (root / "home").mkdir()
    for name in (
        "notes.md",
        "draft.txt",
        "README.md",
        "chapters/ch1.md",
        "chapters/ch2.md",
        "data/data.csv",
        "script.py",
        ".dogent/dogent.md",
    ):
        path = root / "ws" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("placeholder\n")
    return root / "ws"


def verdict(command, workspace):
    return decide(ToolCall("Bash", {"command": command}), workspace, workspace.parent / "home").verdict


def sample():
    """Commands of the corpus, the same ones in every run; not those about where the shell was before."""
    lines = (line for path in sorted(CORPUS.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines())
    commands = [row["input"]["command"] for row in map(json.loads, lines) if row["tool"] == "Bash" and "setup" not in row]
    plain = [command for command in commands if "OLDPWD" not in command and "@" not in command and "~-" not in command]
    return random.Random(7).sample(plain, 40)


def understood(command):
    try:
        parse(command)
    except ShellSyntaxError:
        return False
    return True


@pytest.mark.parametrize("command", sample())
def test_a_verdict_does_not_change_when_a_command_is_wrapped(command, workspace):
    if not understood(command):
        assert verdict(command, workspace) == "ask"
        return
    plain = verdict(command, workspace)
    wrapped = {name: form.format(command, quoted=shlex.quote(command)) for name, form in WRAPPERS.items()}
    assert {name: verdict(text, workspace) for name, text in wrapped.items()} == dict.fromkeys(WRAPPERS, plain)


_COMMANDS = 'ls cat notes.md echo \'a "$x" $x $(ls) `pwd` find . git sed -i awk {print} python3 -c eval xargs -exec chapters/*.md'
_SYNTAX = """>o.txt <notes.md | && ; & ( ) { } if then fi for f in * do done while x=1 a=(b c) [[ -f x ]] [ ] <<< ? {a,b} ~ $((1))
    \\ ' " case esac x) ;; function f() \\; ${x:-y} ${x%.*} .. / - -- 中文 é ! # 2>&1 \x1b \u202e"""
WORDS = st.sampled_from([*_COMMANDS.split(), *_SYNTAX.split()])
TEXTS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=60))
TOOLS = st.sampled_from(["Bash", "Read", "Write", "Glob", "Grep", "WebFetch", "mcp__a__b", "mcp__dogent__export_document", "New"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
)
KEYS = st.sampled_from(["command", "file_path", "path", "pattern", "url", "content", "md_path", "paths", "x"])
LIMITS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@LIMITS
@given(tool=TOOLS, tool_input=st.dictionaries(KEYS, VALUES, max_size=4))
def test_no_call_raises(tool, tool_input, workspace):
    assert decide(ToolCall(tool, tool_input), workspace, workspace.parent / "home").verdict in {"allow", "ask", "deny"}


_BEFORE = (
    "|ls; |ls && |true @@ |ls @ |( |{ |! |if true; then |x=$( |echo `|A=1 |env |nice |command |exec |>o |sudo |f() { |while "
)
BEFORE = st.sampled_from([text.replace("@", "|") for text in _BEFORE.split("|")])
RM = st.sampled_from(["rm", "r\\m", "'rm'", '"rm"', "/bin/rm", "r''m", "$'rm'", "$'\\x72m'", "RM"])


@LIMITS
@given(before=st.lists(BEFORE, max_size=3).map("".join), rm=RM, target=WORDS, after=TEXTS)
def test_rm_in_the_place_of_a_command_is_never_let_through(before, rm, target, after, workspace):
    called = "; f" if "f() {" in before else ""
    closers = {"( ": ")", "{ ": "; }", "then ": "; fi", "$( ": ")", "`": "`", "while ": "; do :; done", "f() { ": "; }"}
    ends = "".join(end for start, end in closers.items() if start in before)
    for command in (f"{before}{rm} {target}{ends}{called}", f"{before}{rm} {target} {after}"):
        if "f() {" in before and called not in command:
            continue
        assert verdict(command, workspace) != "allow" or _is_text(command, rm)


def _is_text(command, rm):
    """A quote or a comment that the random text opens can make the whole a string; a function may never be called."""
    tree = json.dumps(parse(command), ensure_ascii=False)
    return '"FuncDecl"' in tree or ('"CallExpr"' in tree and not _calls(parse(command), rm))


def _calls(node, rm):
    if isinstance(node, list):
        return any(_calls(part, rm) for part in node)
    if not isinstance(node, dict):
        return False
    first = (node.get("Args") or [{}])[0] if node.get("Type") == "CallExpr" else {}
    text = "".join(str(part.get("Value", "")) for part in first.get("Parts") or []) if isinstance(first, dict) else ""
    return text in {rm, rm.strip("'\"")} or any(_calls(part, rm) for part in node.values())
