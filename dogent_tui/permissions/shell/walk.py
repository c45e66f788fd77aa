"""Walks the syntax tree of a shell program, keeping every state that the shell may be in, and notes the effects."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.disk import Disk
from dogent_tui.permissions.model import EffectKind
from dogent_tui.permissions.shell import assignments, conditions, redirections
from dogent_tui.permissions.shell.dispatch import run_command
from dogent_tui.permissions.shell.parser import Node, ShellSyntaxError, parse
from dogent_tui.permissions.shell.recorder import Recorder
from dogent_tui.permissions.shell.state import Lines, State, Value, blur, changed, merge
from dogent_tui.permissions.shell.text import ANY, DYNAMIC, SOME, deceptive_character, without_stand_ins
from dogent_tui.permissions.shell.words import Expander, Field

_MOST_STATES = 12
_MOST_STEPS = 4000
"""Simple commands that are looked at, loops unrolled; a command with more is asked about."""
_DEEPEST = 24
_MOST_ROUNDS = 300
_LARGEST_SCRIPT = 200_000


class TooMuchError(Exception):
    """The command unrolls into more than is worth looking at."""


class Walk:
    """One look at one command. Everything found goes to `recorder`."""

    def __init__(self, recorder: Recorder, home: str) -> None:
        self.recorder = recorder
        self.home = home
        self.expander = Expander(self)
        self._steps = 0
        self._depth = 0
        self._offsets: list[int] | None = None
        self._fixed: tuple[int, int] | None = None
        self._sinks: list[list[Lines]] = [[]]
        self._loops: list[list[State]] = []
        self._returns: list[State] = []
        self._locals: list[dict[str, Value | None]] = []
        self._handlers: dict[str, Callable[[Node, State], list[State]]] = {
            "CallExpr": self._simple,
            "Block": lambda node, state: self.statements(node.get("Stmts"), [state]),
            "Subshell": self._subshell,
            "IfClause": self._if,
            "WhileClause": self._while,
            "ForClause": self._for,
            "CaseClause": self._case,
            "BinaryCmd": self._binary,
            "FuncDecl": self._function,
            "ArithmCmd": self._arithmetic,
            "LetClause": self._arithmetic,
            "TestClause": self._test,
            "DeclClause": self._declare,
            "TimeClause": lambda node, state: self._optional(node.get("Stmt"), state),
            "CoprocClause": self._coproc,
        }

    # ── Entrances ───────────────────────────────────────────────────────────────────────────────────

    def command(self, text: str, state: State) -> None:
        """Look at the whole text of a call.

        Raises:
            ShellSyntaxError, ParserMissingError, TooMuchError, RecursionError: it cannot be understood.
        """
        if not text.isascii():
            self._offsets = [index for index, char in enumerate(text) for _ in char.encode("utf-8", "surrogatepass")] + [
                len(text)
            ]
        self.statements(parse(text), [state])

    def run_text(self, text: str, state: State, span: tuple[int, int] | None) -> list[State]:
        """Look at shell text that is an argument of a command; `span` is where that stands in the whole."""
        if warning := deceptive_character(without_stand_ins(text)):
            self.recorder.doubt(warning, span)
        with self._nested(span):
            return self.statements(parse(text), [state])

    def run_fields(self, fields: list[Field], state: State) -> list[State]:
        """Look at a command that is given as the arguments of another one, which starts it as a program."""
        child = "child" in state.options
        with self._deeper():
            after = run_command(self, fields, state.outside())
        return [replace(one, options=one.options if child else one.options - {"child"}) for one in after]

    def run_script(self, field: Field, path: Path, args: list[Field], state: State) -> list[State]:
        """Look at a script file. One that this command wrote is looked at as closely as the command itself."""
        disk = self.recorder.disk
        mine = disk.written(str(path))
        text = disk.text(str(path), _LARGEST_SCRIPT)
        if text is None:
            if mine:
                self.recorder.doubt(tr("It runs a file that the same command writes."), field.span, written=field.text)
            return [state]
        inner = state.copy()
        inner.arguments = tuple(arg.text for arg in args)
        self.recorder.lenient += not mine
        try:
            with self._nested(field.span), self._apart() as returned:
                return [*self.statements(parse(text), [inner]), *returned]
        except ShellSyntaxError:
            if mine:
                raise
            return [state]
        finally:
            self.recorder.lenient -= not mine

    def call_function(self, body: Node, args: list[Field], state: State) -> list[State]:
        """Run the body of a function with these arguments."""
        before = state.arguments
        state.arguments = tuple(arg.text for arg in args)
        self._locals.append({})
        try:
            with self._deeper(), self._apart() as returned:
                after = [*self.statement(body, state), *returned]
        finally:
            hidden = self._locals.pop()
        return merge([replace(one, arguments=before, variables=_uncovered(one, hidden)) for one in after], _MOST_STATES)

    def localize(self, names: Iterable[str], state: State) -> None:
        """Note variables that are declared within a function, where they hide those of the same name outside."""
        for name in names if self._locals else ():
            value = state.variables.get(name)
            if self._locals[-1].setdefault(name, value) != value:
                self._locals[-1][name] = DYNAMIC

    def leave_loops(self, state: State, count: int) -> None:
        """Note that the shell may leave (or begin anew) so many loops in this state."""
        for left in self._loops[-count:]:
            left.append(state.copy())

    def leave_function(self, state: State) -> None:
        """Note that the shell may return from a function or a script in this state."""
        self._returns.append(state.copy())

    @contextmanager
    def _apart(self) -> Iterator[list[State]]:
        """Keep what leaves loops and functions within: in a function, a script or a subshell. Yields what returned."""
        loops, returns = self._loops, self._returns
        self._loops, self._returns = [], []
        try:
            yield self._returns
        finally:
            self._loops, self._returns = loops, returns

    def _body(self, nodes: list[Node] | None, states: list[State], left: list[State]) -> list[State]:
        """Run the body of a loop once; the states in which it may be left at a `break` or `continue` go to `left` as well."""
        before = len(left)
        self._loops.append(left)
        try:
            after = self.statements(nodes, states)
        finally:
            self._loops.pop()
        again = [one.copy() for one in left[before:]]
        return merge([*after, *again], _MOST_STATES) if again else after

    # ── What expansions need ────────────────────────────────────────────────────────────────────────

    @property
    def disk(self) -> Disk:
        """The disk as the command has left it so far."""
        return self.recorder.disk

    def substitute(self, statements: list[Node], state: State) -> Lines:
        """Walk a command substitution and return what it may print."""
        with self._deeper(), self.captured() as sink, self._apart():
            self.statements(statements, [state.copy()])
        return joined(sink)

    def doubt(self, note: str, node: Node) -> None:
        """Note that something cannot be judged."""
        self.recorder.doubt(note, self.span(node))

    def searched(self, folder: Field, state: State) -> None:
        """Note that a pattern looks for names in a folder, if there is one outside the workspace."""
        path = self.recorder.resolve(folder, state, "this")
        if path is not None and self.disk.entry(str(path)) is not None and not self.recorder.rule.inside(path):
            self.recorder.touch(EffectKind.READ, folder, state, "this")

    def span(self, node: Node) -> tuple[int, int] | None:
        """Return the character offsets of a node in the command that the person sees."""
        if self._fixed is not None or "Pos" not in node:
            return self._fixed
        start, end = (int((node.get(key) or {}).get("Offset", 0)) for key in ("Pos", "End"))
        if self._offsets is not None:
            last = len(self._offsets) - 1
            return self._offsets[min(start, last)], self._offsets[min(end, last)]
        return start, end

    def prints(self, lines: Lines) -> None:
        """Note what a command prints to the standard output."""
        self._sinks[-1].append(lines)

    @contextmanager
    def captured(self) -> Iterator[list[Lines]]:
        """Collect what is printed meanwhile."""
        self._sinks.append([])
        try:
            yield self._sinks[-1]
        finally:
            self._sinks.pop()

    @contextmanager
    def _nested(self, span: tuple[int, int] | None) -> Iterator[None]:
        before = self._fixed
        self._fixed = self._fixed or span or (0, 0)
        try:
            with self._deeper():
                yield
        finally:
            self._fixed = before

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise TooMuchError(tr("It is nested too deeply."))
            yield
        finally:
            self._depth -= 1

    # ── Statements ──────────────────────────────────────────────────────────────────────────────────

    def statements(self, nodes: list[Node] | None, states: list[State]) -> list[State]:
        """Run statements one after the other in every state."""
        for node in nodes or []:
            states = merge([after for state in states for after in self.statement(node, state)], _MOST_STATES)
        return states

    def statement(self, node: Node, state: State) -> list[State]:
        """Run one statement with its redirections."""
        command = node.get("Cmd")
        if node.get("Background") or node.get("Coprocess"):
            with self._apart():
                self.statement({**node, "Background": False, "Coprocess": False}, state.copy())
            return [state]
        if command is None and "Type" in node:
            self.doubt(tr("The shell construct cannot be followed."), node)
            return [state]
        redirects = node.get("Redirs") or []
        after = self._redirected(command, redirects, state) if redirects else self._command(command, state)
        if node.get("Negated"):
            after = [replace(one, status=None if one.status is None else not one.status) for one in after]
        return after

    def _redirected(self, command: Node | None, redirects: list[Node], state: State) -> list[State]:
        before, script = state.stdin, state.script
        variables = dict(state.variables)
        plan = redirections.plan(self, redirects, state)
        if plan.stdin_known:
            state.stdin = plan.stdin
        with self.captured() as sink:
            after = self._command(command, state)
            if command is None and any(node.get("Op") == "<" for node in redirects):
                self.prints(None)  # $(< file) is what the file holds
        for one in after:
            if one.variables != variables:  # the words of a command are expanded before its redirections
                redirections.again(self, redirects, one)
        redirections.finish(self, plan, joined(sink))
        return [
            replace(one, stdin=before, script=script, status=None if plan.may_fail and one.status else one.status)
            for one in after
        ]

    def _command(self, command: Node | None, state: State) -> list[State]:
        if command is None:
            return [state]
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooMuchError(tr("It does more than can be looked at."))
        handler = self._handlers.get(str(command.get("Type")))
        if handler is None:
            self.doubt(tr("The shell construct {type} is not known.").format(type=command.get("Type")), command)
            return [state]
        return handler(command, state)

    def _simple(self, node: Node, state: State) -> list[State]:
        args, assigns = node.get("Args") or [], node.get("Assigns") or []
        if not args:
            for assignment in assigns:
                assignments.assign(self, assignment, state)
            self.prints(())
            return [replace(state, status=None if "CmdSubst" in str(node) else True)]
        fields = [field for word in args for field in self.expander.fields(word, state)]
        scope = state.copy() if assigns else state
        for assignment in assigns:
            assignments.assign(self, assignment, scope, exported=True)
        after = run_command(self, fields, scope)
        if assigns:
            given = {option for option in scope.options - state.options if option.startswith("export ")}
            after = [
                replace(one, variables=assignments.restored(assigns, state, one), options=one.options - given) for one in after
            ]
        return after

    def _subshell(self, node: Node, state: State) -> list[State]:
        with self._apart():
            after = self.statements(node.get("Stmts"), [state.copy()])
        return [replace(state, status=_common([one.status for one in after]))]

    def _optional(self, node: Node | None, state: State) -> list[State]:
        return self.statement(node, state) if node else [state]

    def _if(self, node: Node, state: State) -> list[State]:
        tested = self.statements(node.get("Cond"), [state]) if node.get("Cond") else [state]
        after = self.statements(node.get("Then"), [one.copy() for one in tested])
        if other := node.get("Else"):
            after = after + [end for one in tested for end in self._if(other, one)]
        elif node.get("Cond") and not all(one.status is True for one in tested):
            after = after + tested
        return merge(after, _MOST_STATES)

    def _binary(self, node: Node, state: State) -> list[State]:
        left, right, operator = node["X"], node["Y"], node.get("Op")
        if operator in {"|", "|&"}:
            with self.captured() as sink, self._apart():
                self.statement(left, state.copy())
            with self._apart():
                after = self.statement(right, replace(state.copy(), stdin=joined(sink), script=None))
            stays = [replace(one, stdin=state.stdin, script=state.script) for one in after if "lastpipe" in state.options]
            return merge([replace(one, status=None) for one in (state, *stays)], _MOST_STATES)
        after = []
        for one in self.statement(left, state):
            if one.status is not (operator == "&&"):
                after.append(one.copy())
            after += self.statement(right, one)
        return merge(after, _MOST_STATES)

    def _function(self, node: Node, state: State) -> list[State]:
        name, body = str((node.get("Name") or {}).get("Value", "")), node.get("Body") or {}
        state.functions[name] = body
        if name in {"command_not_found_handle", "command_not_found_handler"}:
            self.statement(body, state.copy())  # the shell calls it for a command that is not there
        self.prints(())
        return [state]

    def _coproc(self, node: Node, state: State) -> list[State]:
        with self._apart():
            self._optional(node.get("Stmt"), state.copy())
        return [state]

    def _arithmetic(self, node: Node, state: State) -> list[State]:
        expression = node.get("X") or node.get("Exprs")
        self.expander.arithmetic(expression, state)
        for name in assignments.arithmetic_targets(expression):
            state.put(name, ANY)
        self.prints(())
        return [replace(state, status=None)]

    def _test(self, node: Node, state: State) -> list[State]:
        conditions.test_clause(self, node.get("X") or {}, state)
        self.prints(())
        return [replace(state, status=None)]

    def _declare(self, node: Node, state: State) -> list[State]:
        assignments.declare(self, node, state)
        self.prints(())
        return [state]

    def _case(self, node: Node, state: State) -> list[State]:
        self.expander.text(node.get("Word"), state)
        after = [state.copy()]
        falls: list[State] = []
        for item in node.get("Items") or []:
            for pattern in item.get("Patterns") or []:
                self.expander.text(pattern, state)
            ends = self.statements(item.get("Stmts"), [state.copy(), *falls])
            falls = [one.copy() for one in ends] if item.get("Op") in {";&", ";;&"} else []
            after += ends
        return merge(after, _MOST_STATES)

    # ── Loops ───────────────────────────────────────────────────────────────────────────────────────

    def _for(self, node: Node, state: State) -> list[State]:
        loop = node.get("Loop") or {}
        if loop.get("Type") != "WordIter":
            for part in ("Init", "Cond", "Post"):
                self._arithmetic({"X": loop.get(part)}, state)
            return self._rounds(lambda states: self._body(node.get("Do"), states, []), [state])
        items = loop.get("Items")
        if items is None and not (loop.get("InPos") or {}).get("Offset"):
            values = list(state.arguments)
        else:
            values = [field.text for word in items or [] for field in self.expander.fields(word, state)]
        name = str((loop.get("Name") or {}).get("Value", ""))
        states = [state]
        left = [] if values else [state.copy()]
        for value in _rounds_over(values):
            for one in states:
                one.put(name, value)
                if node.get("Select"):
                    one.put("REPLY", DYNAMIC)
            states = self._body(node.get("Do"), states, left)
        return merge([*states, *left], _MOST_STATES)

    def _while(self, node: Node, state: State) -> list[State]:
        lines = state.stdin
        if lines is not None and _reads(node.get("Cond")):
            states = [state]
            left: list[State] = []
            for line in _rounds_over(lines):
                states = [replace(one, stdin=(line,)) for one in states]
                states = self._body(node.get("Do"), self.statements(node.get("Cond"), states), left)
            return merge([replace(one, stdin=lines) for one in [*states, *left]], _MOST_STATES)
        return self._rounds(lambda states: self._body(node.get("Do"), self.statements(node.get("Cond"), states), []), [state])

    def _rounds(self, body: Callable[[list[State]], list[State]], states: list[State]) -> list[State]:
        """Run a loop's body until nothing new comes of it; what still changes then is unknown, and seen once more so."""
        seen = [one.copy() for one in states]
        for _ in range(2):
            after = body([one.copy() for one in seen])
            if not changed(seen, after):
                return merge(seen + after, _MOST_STATES)
            seen = merge(seen + after, _MOST_STATES)
        last = blur([one.copy() for one in seen])
        return merge([last, *body([last.copy()])], _MOST_STATES)


def _uncovered(state: State, hidden: dict[str, Value | None]) -> dict[str, Value]:
    """Return the variables after a function: its own are gone, and those that they hid are there again."""
    variables = {name: value for name, value in state.variables.items() if name not in hidden}
    return variables | {name: value for name, value in hidden.items() if value is not None}


def joined(sink: list[Lines]) -> Lines:
    """Return what several commands print together."""
    lines: list[str] = []
    for part in sink:
        if part is None:
            return None
        lines += part
    return tuple(lines)


def _rounds_over(values: Sequence[str]) -> Sequence[str]:
    """Return the values that a loop's body is looked at with. One that would not run now may do so when it comes to it."""
    return (values or [SOME]) if len(values) <= _MOST_ROUNDS else [DYNAMIC]


def _common(values: list[bool | None]) -> bool | None:
    return values[0] if values and all(value is values[0] for value in values) else None


def _reads(condition: list[Node] | None) -> bool:
    """Return whether a loop's condition is `read`, so that its body sees one line at a time."""
    if not condition or len(condition) != 1:
        return False
    args = (condition[0].get("Cmd") or {}).get("Args") or []
    parts = (args[0].get("Parts") or []) if args else []
    return len(parts) == 1 and parts[0].get("Value") == "read"
