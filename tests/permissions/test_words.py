"""Shell text taken apart: words, redirections, what is nested, and that nothing raises anything
but one error.
"""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.permissions.shell.words import Reader, UnclosedError

HOME = "/home/u"


def commands(text):
    found = []
    Reader(text, "/w", HOME, lambda command, _reader: found.append(command)).read()
    return found


def words(text):
    return [[word.text for word in command.words] for command in commands(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -l a.md", [["ls", "-l", "a.md"]]),
        ("a;b&&c||d|e&f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("'r'\"m\" a\\ b 'c d'", [["rm", "a b", "c d"]]),
        ('echo "a \\" $ b" ${', None),
        ("echo 'a", None),
        ('echo "a', None),
        ("echo $(ls", None),
        ("# don't\nrm x", [["rm", "x"]]),
        ("a#b #c", [["a#b"]]),
        ("cat ~/x $HOME/y ~u/z", [["cat", f"{HOME}/x", f"{HOME}/y", "/home/u/z"]]),
        ("cat <<E > o\n$(rm x)\nit's\nE\nls", [["cat"], ["ls"]]),
        ("cat <<'E N'\na\nE N\nls", [["cat"], ["ls"]]),
        ("cat <<-E\n\ta\n\tE\nls", [["cat"], ["ls"]]),
        (
            'echo $(rm x) `rm y` "$(rm z)"',
            [["rm", "x"], ["rm", "y"], ["rm", "z"], ["echo", "", "", ""]],
        ),
        ("if a; then b; else c; fi", [["a"], ["b"], ["c"]]),
        ('while read -r f; do rm "$f"; done < l', [["read", "-r", "f"], ["rm", ""], []]),
        ("f() { a; }; f", [["a"], ["f"]]),
        ("(cd x && ls) | wc", [["cd", "x"], ["ls"], ["wc"]]),
        ("[[ -f a && ! b > c ]] && d", [["d"]]),
        ("case $x in a|b) c ;; *) d;; esac", [["case", "", "in", "a"], ["c"], ["d"]]),
        ("a=(b 'c d' $(e)); f", [["a="], ["f"]]),
        ("echo $((1+(2*3))) ${x:-'}'} \"${x%\\}}\"", [["echo", "", "", ""]]),
        ("diff <(sort a) <(sort b)", [["sort", "a"], ["sort", "b"], ["diff", "", ""]]),
        ("echo a \\\n  b", [["echo", "a", "b"]]),
        ("echo $'a b'", [["echo", "a b"]]),
        ("x=1 y='a b' ls", [["x=1", "y=a b", "ls"]]),
        ("for ((i=0; i<3; i++)); do a; done", [["for"], ["a"]]),
    ],
)
def test_commands(text, expected):
    if expected is None:
        with pytest.raises(UnclosedError):
            commands(text)
    else:
        assert words(text) == expected


def test_redirections_are_not_words():
    (command,) = commands("2>/dev/null cat >> out < in 2>&1 &> both <<< text n3>x")
    assert [word.text for word in command.words] == ["cat", "n3"]
    signs = [(sign, word.text) for sign, word in command.redirections]
    assert signs == [
        (">", "/dev/null"),
        (">>", "out"),
        ("<", "in"),
        (">&", "1"),
        ("&>", "both"),
        ("<<<", "text"),
        (">", "x"),
    ]


@pytest.mark.parametrize(
    "word",
    ["$x", "${x:-a}", "$(a)", "`a`", "{a,b}", "{1..3}", "$'\\x41'", "$1", "$((1))", "~+/x", "a$x"],
)
def test_what_only_running_tells_is_not_literal(word):
    assert not commands(f"cat {word}")[-1].words[1].literal


@pytest.mark.parametrize(
    "word", ["a", "'$x'", "\\$x", '"a b"', "a{b}c", "{}", "'{a,b}'", "$HOME", "a=b", "$'x'", "~"]
)
def test_what_says_what_it_is_is_literal(word):
    assert commands(f"cat {word}")[-1].words[1].literal


def test_spans_are_places_in_the_text():
    text = "ls; cat `head 中文.md` \"$(wc 'a b')\""
    spelled = {text[slice(*word.span)] for command in commands(text) for word in command.words}
    assert {"ls", "cat", "head", "中文.md", "wc", "'a b'"} <= spelled


@pytest.mark.parametrize("text", ["rm a", "ls && rm a", "(cd x; rm a)", "true; rm a | cat"])
def test_what_runs_for_sure_is_plain(text):
    assert all(command.plain for command in commands(text))


@pytest.mark.parametrize(
    "text",
    [
        "a || rm a",
        "if x; then rm a; fi",
        "f() { rm a; }",
        "for f in x; do rm a; done",
        "echo $(rm a)",
    ],
)
def test_what_may_not_run_is_not(text):
    assert not next(
        command for command in commands(text) if command.words and command.words[0].text == "rm"
    ).plain


_SYNTAX = """a 'b' "c" $x ${x:-y} $(d) `e` <<E E > >> < | & ; && || ( ) { } if then fi for in do done case esac [[ ]] $(( ))
    \\ # = * ~ ' \" """  # noqa: E501


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(_SYNTAX.split(" ")), max_size=15).map(" ".join),
    )
)
def test_no_text_is_more_than_unclosed(text):
    with contextlib.suppress(UnclosedError):
        commands(text)


def test_a_deep_or_a_long_text_ends():
    for text in ("echo " + "$(" * 5000, "ls " * 60_000, "(" * 5000, "`" * 9999):
        with contextlib.suppress(UnclosedError, RecursionError):
            commands(text)
