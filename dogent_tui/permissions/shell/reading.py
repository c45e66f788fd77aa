"""What a command says plainly that it does and that cannot be taken back, or that the wall would refuse."""

import glob
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.model import Effect, EffectKind
from dogent_tui.permissions.paths import Guard, PathRule, Place
from dogent_tui.permissions.shell.network import reached
from dogent_tui.permissions.shell.repositories import read_call
from dogent_tui.permissions.shell.words import Command, Reader, State, UnclosedError, Word
from dogent_tui.permissions.text import names

PROGRAM = "Bash"
"""The program of every effect of a command: which one of those that it starts did it cannot be known."""

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_DEEPEST = 8
_MOST_FOUND = 1000
"""Files that a pattern is looked up for."""

_WRAPPERS: Mapping[str, tuple[str, int]] = {
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p", 0),
    "timeout": ("-k -s --kill-after --signal", 1),
    "stdbuf": ("-i -o -e", 0),
    "time": ("-o -f", 0),
    "xargs": ("-a -d -E -I -L -n -P -s", 0),
    "exec": ("-a", 0),
    "env": ("-u -C --unset --chdir", 0),
    **dict.fromkeys(("command", "builtin", "nohup", "setsid", "chronic", "caffeinate", "busybox", "toybox"), ("", 0)),
}
"""Commands that run the command given to them → options with a value, and how many operands come first."""


_TEXT = names(
    "echo printf test [ expr basename dirname seq date true false : alias unalias trap export declare local readonly typeset"
    " unset set shift type which hash wait jobs sleep let return exit break continue read mapfile readarray numfmt factor"
    " getopts shopt ulimit umask cal man history yes printenv id tr kill for case select"
)
"""Programs whose words are no paths."""
_FILES = names(
    "cat head tail less more wc nl od xxd hexdump strings base64 md5sum sha1sum sha256sum sort uniq cut paste join comm diff cmp"
    " ls tree du stat file source . tac rev fold cp tar unzip zip zcat gzip gunzip shuf find cd pushd grep egrep fgrep rg sed"
    " awk jq python python3 node perl ruby bash sh zsh"
)
"""Programs whose words are paths, whether there is something or not."""
_LISTS = names("ls find tree du rg")
_PATTERN_FIRST = names("grep egrep fgrep rg ag ack sed awk gawk mawk nawk jq yq perl")
_PATTERN_OPTIONS = {"-e", "--regexp", "--expression", "-E", "-f", "--file"}
_NOT_PATHS = names("-e --regexp --expression -E -m --message -v --arg --argjson -d -F --title --label -g")
"""Options whose value is text, for programs of which some words are patterns."""
_DELETES = names("rm rmdir unlink shred trash trash-put srm wipe del")
_LAST_IS_WRITTEN = {"cp", "mv", "install", "ln", "rsync"}
_ALL_ARE_WRITTEN = {"tee", "touch", "mkdir", "truncate", "mkfifo"}
_OUTPUT_OPTIONS = {"-t", "--target-directory", "-o", "--output", "-O", "--output-document"}
_VALUE = re.compile(r"(--?[\w-]+|if|of)=(.+)", re.DOTALL)
_ZERO = {"-s0", "--size=0", "0"}

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/snap")
"""Places of the system that every command sees behind the wall."""
_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 — names to compare with
"""Places that are private and empty behind the wall."""


def early_effects(
    text: str, rule: PathRule, cwd: str, visible: Sequence[Path] = (), taken_back: bool = False
) -> tuple[Effect, ...]:
    """Return what has to be asked about before a command runs behind the wall, as far as it is plain.

    `visible` are further places that it sees there. `taken_back`: what it changes in the workspace is not held back there but
    taken back, so that every deletion and every write to a protected file counts.
    """
    early = _Early(rule, visible, taken_back)
    early.read(text, State(cwd, {"HOME": str(rule.home), "PWD": cwd}))
    return tuple(early.found)


class _Early:
    def __init__(self, rule: PathRule, visible: Sequence[Path], taken_back: bool) -> None:
        self._rule = rule
        self._taken_back = taken_back
        self._visible = (*map(Path, (*SYSTEM, "/proc", "/sys")), *visible)
        self._written: set[Path] = set()
        self._depth = 0
        self._span: tuple[int, int] | None = None
        self.found: dict[Effect, None] = {}

    def read(self, text: str, state: State, plain: bool = True) -> None:
        reader = Reader(text, state, self._command)
        reader.odd = not plain
        try:
            reader.read()
        except (UnclosedError, RecursionError):
            note = tr("It is not a shell command that can be understood.")
            self._add(EffectKind.UNKNOWN, None, Word("", (0, len(text))), note)

    def _within(self, word: Word, state: State, plain: bool, text: str) -> None:
        """Read a command that is given as text."""
        self._depth += 1
        outer, self._span = self._span, self._span or word.span
        if self._depth < _DEEPEST:
            self.read(text, state.copy(), plain)
        self._span = outer
        self._depth -= 1

    def _add(self, kind: EffectKind, path: Path | None, word: Word, note: str = "", **more: bool) -> None:
        self.found[Effect(kind, path, word.text, self._span or word.span, PROGRAM, note, **more)] = None

    def _command(self, command: Command, state: State) -> None:
        words = list(command.words)
        while words and (match := _ASSIGNMENT.fullmatch(words[0].text)):
            word = words.pop(0)
            if not words:
                _assign(state, match, word)
        texts = [word.text for word in words]
        prints_nothing = not texts or texts in ([":"], ["true"], ["cat", "/dev/null"])
        for sign, target in command.redirections:
            if sign.startswith("<<") or (sign in {">&", "<&"} and re.fullmatch(r"\d*-?", target.text)):
                continue
            if match := re.match(r"/dev/(?:tcp|udp)/([^/]+)", target.text):
                self._network((match[1],), target)
            elif sign in {"<", "<&"}:
                self._reads(target, state, sure=True)
            else:
                self._writes(target, state, command.plain and prints_nothing and ">>" not in sign)
        self._run(words, state, command.plain)

    def _run(self, words: list[Word], state: State, plain: bool) -> None:
        """Judge a command without its redirections."""
        for _ in range(_DEEPEST):
            if not words:
                return
            name = words[0].text.rpartition("/")[2] if words[0].literal else ""
            if "/" in words[0].text:
                self._reads(words[0], state, kind=EffectKind.EXECUTE)
            if name not in _WRAPPERS or [word.text for word in words[1:2]] in (["-v"], ["-V"]):
                break
            plain = plain and name != "xargs"
            words = self._unwrapped(name, words[1:], state, plain)
        args = words[1:]
        if name in {"python", "python3"} and [arg.text for arg in args[:2]] == ["-m", "pip"]:
            name, args = "pip", args[2:]
        if name in _SPECIAL:
            getattr(self, _SPECIAL[name])(words[0], args, state, plain)
        elif name not in _TEXT:
            hosts = () if name in _PATTERN_FIRST or self._is_installed(name, args, state) else reached(name, args)
            self._network(hosts, words[0], " ".join((name, *(arg.text for arg in args[:1]))))
            self._operands(name, args, state, plain)

    def _is_installed(self, name: str, args: list[Word], state: State) -> bool:
        """Return whether what `npx` runs lies in the project."""
        program = next((arg.text for arg in args if not arg.text.startswith("-")), "")
        found = self._rule.disk.entry(f"{state.cwd}/node_modules/.bin/{program}")
        return name in {"npx", "bunx"} and (found is not None or bool({"--no", "--no-install"} & {arg.text for arg in args}))

    def _unwrapped(self, name: str, words: list[Word], state: State, plain: bool) -> list[Word]:
        """Return the command in one that runs it."""
        valued, operands = _WRAPPERS[name]
        while words:
            text = words[0].text
            if name == "env" and text.startswith(("-S", "--split-string")):
                rest = [text.removeprefix("--split-string").removeprefix("-S").removeprefix("=")]
                self._within(words[0], state, plain, " ".join([*rest, *(word.text for word in words[1:])]))
                return []
            if text.startswith("-") and text != "-":
                words = words[2 if text in valued.split() else 1 :]
            elif operands or (name == "env" and _ASSIGNMENT.fullmatch(text)):
                words, operands = words[1:], operands - (name != "env")
            else:
                break
        return words

    def _operands(self, name: str, args: list[Word], state: State, plain: bool) -> None:
        texts = [arg.text for arg in args]
        pattern = name in _PATTERN_FIRST and not _PATTERN_OPTIONS & set(texts)
        operands = []
        for before, arg in zip(("", *texts), args, strict=False):
            if (match := _VALUE.fullmatch(arg.text)) and (match[1][0] == "-" or name == "dd"):
                part = replace(arg, text=match[2])
                writes = match[1] == "of" or match[1] in _OUTPUT_OPTIONS
                self._writes(part, state) if writes else self._reads(part, state, match[1] == "if")
            elif arg.text.startswith("-") or (before in _NOT_PATHS and name in _PATTERN_FIRST | {"pandoc", "diff"}):
                continue
            elif before in _OUTPUT_OPTIONS and name not in _PATTERN_FIRST and (before != "-t" or name in _LAST_IS_WRITTEN):
                self._writes(arg, state)
            elif pattern:
                pattern = False
            else:
                operands.append(arg)
        self._files(name, operands, texts, state, plain)

    def _files(self, name: str, operands: list[Word], texts: list[str], state: State, plain: bool) -> None:
        """Judge operands by what programs do to the files that they name."""
        targeted = any(text.startswith(("-t", "--target-d")) for text in texts)
        last = operands[-1:] if name in _LAST_IS_WRITTEN and not targeted and len(operands) > 1 else []
        empties = operands[:1] != last and [one.text for one in operands[:-1]] == ["/dev/null"]
        for operand in operands:
            if name in _DELETES or (name == "mv" and operand not in last):
                self._goes(EffectKind.MOVE if name == "mv" else EffectKind.DELETE, operand, state, plain)
            elif name == "truncate":
                self._writes(operand, state, plain and bool(_ZERO & set(texts)))
            elif name in _ALL_ARE_WRITTEN or operand in last:
                self._writes(operand, state, plain and empties)
            elif name == "sed" and any(text.startswith(("-i", "--in-place")) for text in texts):
                self._writes(operand, state)
            else:
                self._reads(operand, state, sure=name in (_LISTS if operand.text == "/" else _FILES))

    def _place(self, word: Word, state: State, follow: bool = True) -> Path | None:
        """Return where a literal word leads, None where that is not known."""
        text = word.text
        if not word.literal or not text or len(text) > 4096 or "\0" in text or (state.cwd is None and text[0] != "/"):
            return None
        try:
            return self._rule.resolve(text if text[0] == "/" else f"{state.cwd}/{text}", follow)
        except (ValueError, OSError):
            return None

    def _hidden(self, path: Path) -> bool:
        """Return whether the wall hides a place."""
        seen = any(path == place or place in path.parents for place in self._visible)
        return self._rule.place(path) is Place.OUTSIDE and not seen

    def _scratch(self, path: Path) -> bool:
        """Return whether a place is private to the session's commands. What lies beside the workspace never counts."""
        root = Path(self._rule.root)
        for top in (*map(Path, _SCRATCH), Path(self._rule.home, ".cache")):
            depth = len(top.parts)
            beside = top in root.parents and path.parts[: depth + 1] == root.parts[: depth + 1]
            if path.parts[:depth] == top.parts and not beside:
                return True
        return False

    def _reads(self, word: Word, state: State, sure: bool = False, kind: EffectKind = EffectKind.READ) -> None:
        """A place is read. Where it is not `sure` that a word is a path, something has to lie there."""
        wildcard = word.wildcard
        if wildcard:
            head, slash, _ = re.split(r"[*?\[]", word.text, maxsplit=1)[0].rpartition("/")
            word = replace(word, text=head or slash, wildcard=False)
        path = self._place(word, state)
        if path is None or path in self._written or (word.text == "/" and not sure) or not self._hidden(path):
            return
        if self._rule.exists(path) or (sure and not self._scratch(path)):
            self._add(kind, path, word, wildcard=wildcard)

    def _writes(self, word: Word, state: State, empties: bool = False) -> None:
        path = None if word.wildcard else self._place(word, state)
        if path is None or self._rule.place(path) is Place.STREAM:
            return
        self._written.add(path)
        entry = self._rule.disk.entry(str(path))
        inside = self._rule.inside(path)
        empties = empties and entry is not None and entry.kind == "file" and entry.size > 0
        guarded = self._taken_back and self._rule.guard(path) not in {Guard.NONE, Guard.SCRATCH}
        if empties or guarded or not (inside or self._scratch(path)):
            kind = EffectKind.WRITE if self._rule.exists(path) else EffectKind.CREATE
            self._add(kind, path, word, replaces=empties)

    def _goes(self, kind: EffectKind, word: Word, state: State, plain: bool) -> None:
        """A place is deleted or moved away. Inside it is only asked about early where it is plain that something goes."""
        spelled = [word.text]
        if word.wildcard and word.literal and state.cwd is not None:
            base = "" if word.text.startswith("/") else f"{state.cwd}/"
            spelled = list(itertools.islice(glob.iglob(base + word.text), _MOST_FOUND))  # noqa: PTH207 — text in, text out
        for name in spelled:
            path = self._place(replace(word, text=name), state, follow=False)
            if path is None or self._scratch(path):
                continue
            there = (plain or self._taken_back) and self._rule.disk.entry(str(path)) is not None
            if there if self._rule.inside(path) else self._hidden(path):
                self._add(kind, path, word, wildcard=word.wildcard)

    def _network(self, hosts: Sequence[str], word: Word, what: str = "") -> None:
        for host in hosts:
            note = tr("{program} exchanges data with other machines.").format(program=what or word.text)
            note = tr("It reaches {host}.").format(host=host) if host else note
            address = f"https://{f'[{host}]' if ':' in host else host}" if host else ""
            self._add(EffectKind.NETWORK, None, replace(word, text=address), note)

    def git(self, word: Word, args: list[Word], state: State, plain: bool) -> None:
        """A command of Git."""
        call = read_call(args, self._rule, state.cwd)
        for folder in call.folders:
            self._reads(folder, state, sure=True)
        inner = State(call.cwd, state.variables)
        self._network(call.hosts, word, f"git {call.command}")
        gone = call.operands[: -1 if call.command == "mv" else None]
        for operand in call.operands:
            if call.command in {"mv", "rm"} and operand in gone:
                self._goes(EffectKind.MOVE if call.command == "mv" else EffectKind.DELETE, operand, inner, plain and call.acts)
            elif call.command not in {"commit", "grep", "config", "remote", "tag", "log"}:
                self._reads(operand, inner, sure=operand.text.startswith(("/", "../")))
        if call.loses and plain:
            self._add(EffectKind.DELETE, None, replace(word, text=f"git {call.command}"), call.loses)

    def changes_folder(self, word: Word, args: list[Word], state: State, _plain: bool) -> None:
        """A `cd`: what comes after it is elsewhere."""
        home = Word(str(self._rule.home), word.span)
        target = next((arg for arg in args if not arg.text.startswith("-") or arg.text == "-"), home)
        path = None if target.text == "-" or target.wildcard else self._place(target, state)
        if path is not None and not self._scratch(path):
            self._reads(target, state)
        state.cwd = None if path is None else str(path)

    def sets(self, _word: Word, args: list[Word], state: State, _plain: bool) -> None:
        """Variables are given a value."""
        for arg in args:
            if match := _ASSIGNMENT.fullmatch(arg.text):
                _assign(state, match, arg)
            elif arg is args[0]:
                state.variables.pop(arg.text, None)

    def other_user(self, word: Word, args: list[Word], state: State, plain: bool) -> None:
        """A command runs with the rights of somebody else."""
        self._add(EffectKind.UNKNOWN, None, word, tr("It runs a command with another user's rights."))
        self._run(self._unwrapped("nice", args, state, plain), state, plain)

    def ends(self, word: Word, args: list[Word], _state: State, _plain: bool) -> None:
        """Processes are ended."""
        others = [arg.text for arg in args if arg.literal and not arg.text.startswith(("-", "%", "0"))]
        only_asks = any(arg.text in {"-l", "-L", "-0"} for arg in args)
        if not only_asks and (any(map(str.isdigit, others)) if word.text == "kill" else others):
            note = tr("It ends other processes: {names}.").format(names=" ".join(others))
            self._add(EffectKind.UNKNOWN, None, word, note)

    def shell(self, word: Word, args: list[Word], state: State, plain: bool) -> None:
        """A shell runs a text or a file."""
        for option, text in itertools.pairwise(args):
            if re.fullmatch(r"-[a-z]*c[a-z]*", option.text):
                if text.literal:
                    self._within(text, state, plain, text.text)
                return
        self._operands(word.text.rpartition("/")[2], args, state, plain)

    def evaluates(self, _word: Word, args: list[Word], state: State, plain: bool) -> None:
        """A text runs as a command."""
        if args and all(arg.literal for arg in args):
            self._within(args[0], state, plain, " ".join(arg.text for arg in args))

    def finds(self, word: Word, args: list[Word], state: State, _plain: bool) -> None:
        """A search that may run commands."""
        tests = next((n for n, arg in enumerate(args) if arg.text[:1] in set("-(!") and len(arg.text) != 2), len(args))
        for start in args[:tests]:
            if not start.text.startswith("-"):
                self._reads(start, state, sure=True)
        for index, arg in enumerate(args[tests:], tests + 1):
            if arg.text == "-delete" and self._taken_back:
                self._add(EffectKind.DELETE, None, word, tr("It deletes what it finds."), wildcard=True)
            elif arg.text in {"-exec", "-execdir", "-ok", "-okdir"}:
                inner = itertools.takewhile(lambda one: one.text not in {";", "+"}, args[index:])
                self._run(list(inner), state, False)


def _assign(state: State, match: re.Match[str], word: Word) -> None:
    if word.literal:
        state.variables[match[1]] = match[2]
    else:
        state.variables.pop(match[1], None)


_SPECIAL: Mapping[str, str] = {
    **dict.fromkeys(("cd", "pushd", "chdir"), "changes_folder"),
    **dict.fromkeys(names("export declare local readonly typeset for select read"), "sets"),
    **dict.fromkeys(names("sudo doas su pkexec runuser gosu run0"), "other_user"),
    **dict.fromkeys(names("kill pkill killall xkill skill fuser"), "ends"),
    **dict.fromkeys(names("sh bash zsh dash ksh"), "shell"),
    "eval": "evaluates",
    "find": "finds",
    "git": "git",
}
"""Programs that are looked at in their own way, by which method."""
