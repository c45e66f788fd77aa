"""Which texts an expression in inline Python may stand for, so that the files it names can be judged."""

import ast
from itertools import product

from dogent_tui.permissions.shell.call import Call
from dogent_tui.permissions.shell.globs import expand_glob
from dogent_tui.permissions.shell.text import ANY

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
        for node in ast.walk(tree):
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

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self._assigned.setdefault(target.id, []).append(value)
            return
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                self._assigned.setdefault(part.id, []).append(None)

    def strings(self, node: ast.expr) -> list[str] | None:
        """Return every text that an expression may be (or may hold, for a list), `None` if that cannot be known."""
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
            return self._union(self._assigned.get(node.id, [None]))
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return self._union(list(node.elts))
        if isinstance(node, ast.JoinedStr):
            return self._joined([part.value if isinstance(part, ast.FormattedValue) else part for part in node.values], "")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
            return self._joined([node.left, node.right], "/" if isinstance(node.op, ast.Div) else "")
        if isinstance(node, ast.Subscript):
            return self._argument(node)
        return self._called(node) if isinstance(node, ast.Call) else None

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

    def _argument(self, node: ast.Subscript) -> list[str] | None:
        """`sys.argv[1]`, or an element of a list that is known."""
        if ast.unparse(node.value) == "sys.argv":
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int) and node.slice.value > 0:
                return self._arguments[node.slice.value - 1 : node.slice.value]
            return list(self._arguments) if isinstance(node.slice, ast.Slice) else None
        whole = self.strings(node.value)
        return whole if whole is not None and len(whole) > 1 and isinstance(node.slice, ast.Constant) else None

    def _called(self, node: ast.Call) -> list[str] | None:
        name = ast.unparse(node.func)
        if name in _SAME and len(node.args) == 1:
            return self.strings(node.args[0])
        if name in {"Path", "pathlib.Path", "os.path.join"}:
            return self._joined(list(node.args), "/") if node.args else ["."]
        if name in {"glob.glob", "glob.iglob", "glob"} and len(node.args) == 1:
            return self._globbed(self.strings(node.args[0]))
        if name in {"range", "len"}:
            return [ANY]
        if name in {"Path.cwd", "pathlib.Path.cwd", "os.getcwd"}:
            return ["."]
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"glob", "rglob", "iterdir"}:
            return self._below(node, node.func)
        return None

    def _below(self, node: ast.Call, function: ast.Attribute) -> list[str] | None:
        folders = self.strings(function.value)
        patterns = self.strings(node.args[0]) if node.args else ["*"]
        if folders is None or patterns is None:
            return None
        middle = "**/" if function.attr == "rglob" else ""
        return self._globbed([f"{folder}/{middle}{pattern}" for folder in folders for pattern in patterns])

    def _globbed(self, patterns: list[str] | None) -> list[str] | None:
        """Return what patterns find, hidden names too; `**` also stands for no folder at all."""
        if patterns is None or self._call.state.cwd is None:
            return None
        found: set[str] = set()
        for pattern in {*patterns, *(pattern.replace("**/", "") for pattern in patterns)}:
            for option in ("globstar", "dotglob"):
                chars = [(char, True) for char in pattern]
                paths = expand_glob(self._call.recorder.disk, chars, self._call.state.cwd, frozenset({option}))
                if paths is None:
                    return None
                found.update(paths)
        return sorted(found)


def _path_join(parts: tuple[str, ...]) -> str:
    """Join as `os.path.join` does: an absolute part starts anew."""
    start = max((index for index, part in enumerate(parts) if part.startswith("/")), default=0)
    return "/".join(parts[start:])
