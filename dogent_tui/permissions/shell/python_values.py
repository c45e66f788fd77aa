"""Which texts an expression in inline Python may stand for, so that the files it names can be judged."""

import ast
import re
from collections.abc import Callable
from itertools import product

from dogent_tui.permissions.shell.call import Call
from dogent_tui.permissions.shell.globs import expand_glob
from dogent_tui.permissions.shell.text import ANY, SOME

_MOST = 400
_SAME = {"Path", "pathlib.Path", "str", "sorted", "list", "set", "os.fspath", "reversed", "iter", "tuple"}
"""Calls of one argument that keep the text, or the texts, as they are."""


class Values:
    """Evaluates what can be evaluated without running anything: literals, names, paths, patterns, `sys.argv`."""

    def __init__(self, tree: ast.AST, call: Call, arguments: list[str]) -> None:
        self._call = call
        self._arguments = arguments
        self._assigned: dict[str, list[ast.expr | None]] = {}
        self._depth = 0
        self._open: list[str] = []
        known = _parameters(tree)
        for parameter, values in known.items():
            self._assigned.setdefault(parameter.arg, []).extend(values)
        for node in ast.walk(tree):
            if not isinstance(node, ast.arg) or node not in known:
                self._note(node)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._bind(node.target, node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            self._bind(node.target, node.iter)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind(node.optional_vars, None)
        elif isinstance(node, ast.AugAssign):
            self._bind(node.target, None)
        elif isinstance(node, ast.arg):
            self._assigned.setdefault(node.arg, []).append(None)
        elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name:
            self._assigned.setdefault(node.name, []).append(None)

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self._assigned.setdefault(target.id, []).append(value)
            return
        parts: list[ast.expr | None] = [None]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Call) and value.args:
            name = ast.unparse(value.func)
            if name == "os.walk" and len(target.elts) == 3:
                somewhere = ast.BinOp(value.args[0], ast.Div(), ast.Constant(SOME))
                parts = [somewhere, ast.Constant(SOME), ast.Constant(SOME)]
            elif name == "enumerate" and len(target.elts) == 2:
                parts = [ast.Constant(ANY), value.args[0]]
        for index, element in enumerate(target.elts if isinstance(target, ast.Tuple) else [target]):
            for part in ast.walk(element):
                if isinstance(part, ast.Name):
                    self._assigned.setdefault(part.id, []).append(parts[index] if len(parts) > 1 else None)

    def strings(self, node: ast.expr) -> list[str] | None:
        """Return every text that an expression may be (or may hold, for a list), `None` if that cannot be known.

        `SOME` in a text stands for the name of anything that lies below the folder before it.
        """
        self._depth += 1
        try:
            found = self._strings(node) if self._depth < 20 else None
        finally:
            self._depth -= 1
        return found if found is None or len(found) <= _MOST else None

    def _strings(self, node: ast.expr) -> list[str] | None:
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return self._union(list(node.elts))
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return self.strings(node.elt)
        if isinstance(node, ast.JoinedStr):
            return None if "/" in _specs(node) else self._joined(list(map(_inner, node.values)), "")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
            return self._joined([node.left, node.right], "/" if isinstance(node.op, ast.Div) else "")
        return self._derived(node)

    def _derived(self, node: ast.expr) -> list[str] | None:
        if isinstance(node, ast.Subscript):
            return self._element(node)
        if isinstance(node, ast.Attribute) and node.attr in _PARTS:
            return self._changed(node.value, _PARTS[node.attr])
        return self._called(node) if isinstance(node, ast.Call) else None

    def _named(self, name: str) -> list[str] | None:
        """Return what a variable may hold: the union of all that is assigned to it; itself adds nothing."""
        if name in self._open:
            return None
        self._open.append(name)
        try:
            nodes = self._assigned.get(name, [None])
            return self._union([node for node in nodes if not (isinstance(node, ast.Name) and node.id in self._open)])
        finally:
            self._open.pop()

    def _changed(self, node: ast.expr, change: Callable[[str], str]) -> list[str] | None:
        values = self.strings(node)
        return None if values is None else [change(value) for value in values]

    def _union(self, nodes: list[ast.expr | None]) -> list[str] | None:
        found: list[str] = []
        for node in nodes:
            values = None if node is None else self.strings(node)
            if values is None:
                return None
            found += values
        return found

    def _joined(self, nodes: list[ast.expr], between: str) -> list[str] | None:
        parts: list[list[str]] = []
        for node in nodes:
            number = isinstance(node, ast.Constant) and isinstance(node.value, int)
            values = [ANY] if number else self.strings(node)
            if values is None:
                return None
            parts.append(values)
        return [_path_join(choice) if between else "".join(choice) for choice in product(*parts)]

    def _element(self, node: ast.Subscript) -> list[str] | None:
        """`sys.argv[1]`, or an element of a list that is known, or a part of a split name."""
        if ast.unparse(node.value) == "sys.argv":
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int) and node.slice.value > 0:
                return self._arguments[node.slice.value - 1 : node.slice.value]
            return list(self._arguments) if isinstance(node.slice, ast.Slice) else None
        if (
            isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func) == "os.path.splitext"
            and ast.unparse(node.slice) == "0"
        ):
            return self._changed(node.value.args[0], _without_suffix)
        whole = self.strings(node.value)
        return whole if whole is not None and len(whole) > 1 and isinstance(node.slice, ast.Constant | ast.Slice) else None

    def _called(self, node: ast.Call) -> list[str] | None:
        name = ast.unparse(node.func)
        if name in _SAME and len(node.args) == 1:
            return self.strings(node.args[0])
        if name in _PATH_PARTS and len(node.args) == 1:
            return self._changed(node.args[0], _PATH_PARTS[name])
        if name in {"Path", "pathlib.Path", "os.path.join"}:
            return self._joined(list(node.args), "/") if node.args else ["."]
        if name in {"glob.glob", "glob.iglob", "glob"} and len(node.args) == 1:
            return self._globbed(self.strings(node.args[0]))
        if name == "os.listdir" and len(node.args) <= 1:
            return self._listed(node.args)
        if name in {"range", "len"}:
            return [ANY]
        if name in {"Path.cwd", "pathlib.Path.cwd", "os.getcwd"}:
            return None if self._call.state.cwd is None else [self._call.state.cwd]
        if name in {"os.path.abspath", "os.path.realpath"} and len(node.args) == 1:
            return self._absolute(node.args[0])
        return self._method(node, node.func) if isinstance(node.func, ast.Attribute) else None

    def _method(self, node: ast.Call, function: ast.Attribute) -> list[str] | None:
        if function.attr in {"glob", "rglob", "iterdir"}:
            return self._below(node, function)
        given = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if len(given) != len(node.args):
            return None
        if function.attr == "with_suffix" and len(given) == 1:
            return self._changed(function.value, lambda text: _without_suffix(text) + given[0])
        if function.attr == "with_name" and len(given) == 1:
            return self._changed(function.value, lambda text: f"{_PARTS['parent'](text)}/{given[0]}")
        if function.attr == "replace" and len(given) == 2:
            return self._changed(function.value, lambda text: text.replace(given[0], given[1]))
        return self._absolute(function.value) if function.attr in {"resolve", "absolute"} and not given else None

    def _absolute(self, node: ast.expr) -> list[str] | None:
        cwd, rule = self._call.state.cwd, self._call.recorder.rule
        if cwd is None:
            return None
        return self._changed(node, lambda text: str(rule.resolve(text if text.startswith("/") else f"{cwd}/{text}")))

    def _listed(self, arguments: list[ast.expr]) -> list[str] | None:
        folders = self.strings(arguments[0]) if arguments else ["."]
        if folders is None or self._call.state.cwd is None:
            return None
        return [SOME] if any(SOME in folder for folder in folders) else self._names(folders)

    def _names(self, folders: list[str]) -> list[str]:
        recorder, cwd = self._call.recorder, self._call.state.cwd
        places = (recorder.rule.resolve(folder if folder.startswith("/") else f"{cwd}/{folder}") for folder in folders)
        return sorted({name for place in places for name in recorder.disk.names(str(place))})

    def _below(self, node: ast.Call, function: ast.Attribute) -> list[str] | None:
        folders = self.strings(function.value)
        patterns = self.strings(node.args[0]) if node.args else ["*"]
        if folders is None or patterns is None:
            return None
        middle = "**/" if function.attr == "rglob" else ""
        return self._globbed([f"{folder}/{middle}{pattern}" for folder in folders for pattern in patterns])

    def _globbed(self, patterns: list[str] | None) -> list[str] | None:
        """Return what patterns find, hidden names too; `**` also stands for no folder at all. Very many are `SOME`."""
        if patterns is None or self._call.state.cwd is None:
            return None
        found: set[str] = set()
        for pattern in {*patterns, *(pattern.replace("**/", "") for pattern in patterns)}:
            for option in ("globstar", "dotglob"):
                chars = [(char, True) for char in pattern]
                paths = expand_glob(self._call.recorder.disk, chars, self._call.state.cwd, frozenset({option}))
                folder, slash, _ = re.split(r"[*?\[]", pattern)[0].rpartition("/")
                found.update([folder + slash + SOME] if paths is None else paths)
        return sorted(found)


def _path_join(parts: tuple[str, ...]) -> str:
    """Join as `os.path.join` does: an absolute part starts anew."""
    start = max((index for index, part in enumerate(parts) if part.startswith("/")), default=0)
    return "/".join(parts[start:])


def _inner(part: ast.expr) -> ast.expr:
    return part.value if isinstance(part, ast.FormattedValue) else part


def _specs(node: ast.JoinedStr) -> str:
    """Return the format specifications in an f-string; one of them may fill up with slashes."""
    specs = [part.format_spec for part in node.values if isinstance(part, ast.FormattedValue) and part.format_spec]
    return "".join(
        "/" if any(isinstance(part, ast.FormattedValue) for part in ast.walk(spec)) else ast.unparse(spec) for spec in specs
    )


def _without_suffix(text: str) -> str:
    head, slash, name = text.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    return head + slash + (stem if dot and stem else name)


_PARTS: dict[str, Callable[[str], str]] = {
    "stem": lambda text: _without_suffix(text.rpartition("/")[2]),
    "name": lambda text: text.rpartition("/")[2],
    "path": lambda text: text,
    "parent": lambda text: text.rpartition("/")[0] or ("/" if text.startswith("/") else "."),
    "suffix": lambda text: text[len(_without_suffix(text)) :],
}
"""Attributes of a path, worked out on its text."""

_PATH_PARTS = {"os.path.basename": _PARTS["name"], "os.path.dirname": _PARTS["parent"]}


def _parameters(tree: ast.AST) -> dict[ast.arg, list[ast.expr | None]]:
    """Return what is passed for the parameters of functions that are only ever called by their name."""
    methods = {id(part) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in ast.walk(node)}
    defined = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    names = [node.name for node in defined]
    functions = {node.name: node for node in defined if names.count(node.name) == 1 and id(node) not in methods}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    called = {id(node.func) for node in calls}
    passed = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
    found: dict[ast.arg, list[ast.expr | None]] = {}
    for name, function in functions.items():
        ours = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]
        spec = function.args
        if not ours or name in passed or function.decorator_list or spec.vararg or spec.kwarg or spec.posonlyargs:
            continue
        defaults = [None] * (len(spec.args) - len(spec.defaults)) + list(spec.defaults)
        for index, (arg, default) in enumerate(zip(spec.args, defaults, strict=True)):
            found[arg] = [_given(call, index, arg.arg, default) for call in ours]
    return found


def _given(call: ast.Call, index: int, name: str, default: ast.expr | None) -> ast.expr | None:
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(keyword.arg is None for keyword in call.keywords):
        return None
    if index < len(call.args):
        return call.args[index]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), default)
