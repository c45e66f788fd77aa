"""Assignments, `export`, `declare` and friends; and the variables that make other programs run something."""

import re
from typing import TYPE_CHECKING

from dogent_tui.language import tr
from dogent_tui.permissions.shell.parser import Node
from dogent_tui.permissions.shell.state import State, Value
from dogent_tui.permissions.shell.text import DYNAMIC

if TYPE_CHECKING:
    from dogent_tui.permissions.shell.walk import Walk

_COMMANDS = {
    "PAGER", "GIT_PAGER", "MANPAGER", "BAT_PAGER", "DELTA_PAGER", "AWS_PAGER", "GH_PAGER", "SYSTEMD_PAGER", "PSQL_PAGER",
    "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "FCEDIT", "BROWSER",
}  # fmt: skip
"""Variables whose text another program runs as a command; a harmless one is let through."""

_HARMLESS = {
    "cat",
    "less",
    "more",
    "head",
    "bat",
    "true",
    ":",
    "",
    "less -R",
    "less -FRX",
    "less -FX",
    "cat -",
    "col -b",
    "vi",
    "vim",
    "nano",
}

_DANGEROUS = re.compile(
    r"PATH|CDPATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|BASH_(FUNC\w*|ALIASES|CMDS)|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|SHELL|GLOBIGNORE|EXECIGNORE"
    r"|GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND|DIR|WORK_TREE|CONFIG\w*|EXEC_PATH|TEMPLATE_DIR|INDEX_FILE|COMMON_DIR"
    r"|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES)"
    r"|LESSOPEN|LESSCLOSE|LESSEDIT|LESSKEY|MANOPT|PYTHON(STARTUP|HOME|INSPECT|BREAKPOINT|EXECUTABLE|USERBASE|WARNINGS)"
    r"|PERL5(OPT|LIB|DB)|PERLLIB|RUBY(OPT|LIB)|NODE_(OPTIONS|PATH)|\w*JAVA_(TOOL_)?OPTIONS|CLASSPATH|AWK(PATH|LIBPATH)|LUA_(INIT|PATH|CPATH)"
    r"|R_PROFILE\w*|R_ENVIRON\w*|MAKEFLAGS|MAKEFILES|TAR_OPTIONS|GREP_OPTIONS|RIPGREP_CONFIG_PATH|ZIPOPT|UNZIP|RSYNC_\w+|(SSH|SUDO)_ASKPASS"
    r"|TEXMF\w*|\w+_proxy|\w+_PROXY|NPM_CONFIG_\w+|npm_config_\w+|PIP_\w+|HISTFILE|INPUTRC|TERMINFO|HOSTALIASES|XDG_CONFIG_\w+"
    r"|RUSTC(_WRAPPER)?|CARGO_\w*(RUSTC\w*|RUNNER|LINKER)|GOFLAGS|PYTEST_(ADDOPTS|PLUGINS)|OPENSSL_CONF|CURL_HOME|WGETRC|SUDO_EDITOR"
    r"|FZF_DEFAULT_COMMAND|VIMINIT|EXINIT|PANDOC_\w+|MAGICK_\w+|CLAUDE_\w+|ANTHROPIC_\w+|DOGENT_\w+"
)


def assign(walk: "Walk", node: Node, state: State, exported: bool = False) -> None:
    """Carry out `NAME=value`, `NAME+=value`, `NAME=(…)` or `NAME[i]=value`."""
    name = str((node.get("Name") or {}).get("Value", ""))
    value = _value(walk, node, state)
    if index := node.get("Index"):
        walk.expander.arithmetic(index, state)
        value = (DYNAMIC,)
    elif node.get("Append"):
        value = _appended(state.variables.get(name, ""), value)
    state.put(name, value)
    if exported:
        state.options |= {f"export {name}"}
    if f"integer {name}" in state.options:
        walk.expander.evaluate("".join(value), node, state)
    check(walk, name, value, node, exported)


def check(walk: "Walk", name: str, value: Value, node: Node, exported: bool) -> None:
    """Doubt a value that makes other programs run something, or look elsewhere for what they run."""
    if note := warning(name, value if isinstance(value, str) else " ".join(value), exported):
        walk.doubt(note, node)


def warning(name: str, text: str, exported: bool) -> str:
    """Return what is wrong with setting a variable to `text`, "" if nothing is."""
    if name in _COMMANDS:
        harmless = text in _HARMLESS
    elif name in {"PYTHONPATH", "TEXINPUTS", "BIBINPUTS"}:
        harmless = not re.search(r"(^|:)(/|\.\.|~)", text) and DYNAMIC not in text
    elif name in {"LESS", "MORE"}:
        harmless = "!" not in text and DYNAMIC not in text
    elif name.startswith("GIT_TRACE"):
        harmless = "/" not in text and DYNAMIC not in text
    elif name == "HOME":
        harmless = not exported
    else:
        harmless = not _DANGEROUS.fullmatch(name)
    return "" if harmless else tr("The variable {name} changes what other programs do.").format(name=name)


def restored(assigns: list[Node], before: State, after: State) -> dict[str, Value]:
    """Return the variables after `NAME=value command`: those assignments were for the command alone."""
    variables = dict(after.variables)
    for node in assigns:
        name = str((node.get("Name") or {}).get("Value", ""))
        variables.pop(name, None)
        if name in before.variables:
            variables[name] = before.variables[name]
    return variables


def declare(walk: "Walk", node: Node, state: State) -> None:
    """Carry out `export`, `declare`, `local`, `readonly` or `typeset`."""
    variant = str((node.get("Variant") or {}).get("Value"))
    parts = node.get("Args") or []
    names = [str(part["Name"].get("Value", "")) for part in parts if part.get("Name")]
    letters = {letter for part in parts for letter in _letters(part)}
    exported = variant == "export" or "x" in letters
    if variant not in {"export", "readonly"} and "g" not in letters:
        walk.localize(names, state)
    meanings = [meaning for meaning, given in (("integer", "i"), ("cased", "luc")) if letters & set(given)]
    state.options |= {f"{meaning} {name}" for meaning in [*meanings, *(["export"] if exported else [])] for name in names}
    for part in parts:
        if part.get("Name") and not part.get("Naked"):
            assign(walk, part, state, exported)
        elif part.get("Name"):
            name = str(part["Name"].get("Value", ""))
            if name in state.variables:
                check(walk, name, state.variables[name], part, exported)
        elif word := part.get("Value"):
            _declared_word(walk, word, state, exported)
    if variant == "readonly" or "r" in letters:
        state.options |= {f"readonly {name}" for name in names}


def _letters(part: Node) -> set[str]:
    """Return the letters of an option of `declare`, as it is spelled."""
    pieces = (part.get("Value") or {}).get("Parts") or []
    text = "".join(str(piece.get("Value", "")) for piece in pieces)
    return set(text[1:]) if not part.get("Name") and text.startswith("-") else set()


def _declared_word(walk: "Walk", word: Node, state: State, exported: bool) -> None:
    for field in walk.expander.fields(word, state):
        if field.text.startswith("-"):
            if "n" in field.text or ("i" in field.text and not _letters({"Value": word})):
                walk.doubt(tr("It gives a variable another meaning (a reference, or arithmetic)."), word)
            continue
        name, equals, value = field.text.partition("=")
        if field.dynamic and not (equals and re.fullmatch(r"\w+", name)):
            walk.doubt(tr("The name of a variable is only known when it runs."), word)
        elif equals:
            walk.localize([name], state)
            state.put(name, value)
            check(walk, name, value, word, exported)


def _value(walk: "Walk", node: Node, state: State) -> Value:
    if array := node.get("Array"):
        values: list[str] = []
        keyed = False
        for element in array.get("Elems") or []:
            if index := element.get("Index"):
                keyed = True
                walk.expander.arithmetic(index, state)
            values += [field.text for field in walk.expander.fields(element.get("Value") or {}, state)]
        return (DYNAMIC,) if keyed else tuple(values)
    return () if "Array" in node else walk.expander.text(node.get("Value"), state)


def _appended(old: Value, new: Value) -> Value:
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    head = (old,) if isinstance(old, str) else old
    if isinstance(new, str):
        return ((head[0] if head else "") + new, *head[1:])
    return (*(part for part in head if part), *new)


def arithmetic_targets(node: object) -> list[str]:
    """Return the names that an arithmetic expression assigns to."""
    if isinstance(node, list):
        return [name for part in node for name in arithmetic_targets(part)]
    if not isinstance(node, dict):
        return []
    found = arithmetic_targets([value for key, value in node.items() if key not in {"Pos", "End", "OpPos"}])
    operator = str(node.get("Op", ""))
    assigns = operator in {"++", "--"} or (operator.endswith("=") and operator not in {"==", "!=", "<=", ">="})
    target = node.get("X")
    if assigns and isinstance(target, dict):
        found += [str(part.get("Value")) for part in target.get("Parts") or [] if part.get("Type") == "Lit"]
    return found
