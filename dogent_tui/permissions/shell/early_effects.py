"""What a command plainly does that cannot be undone, or that the wall would refuse.

Anything else is not guessed: it runs behind the wall, and what it did is judged afterwards.
"""

import glob
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dogent_tui.language import tr
from dogent_tui.permissions.model import Effect, EffectKind
from dogent_tui.permissions.paths import Guard, PathRule, Place
from dogent_tui.permissions.shell.network import OWN, reached
from dogent_tui.permissions.shell.repositories import asked_by_git, lost_by_git
from dogent_tui.permissions.shell.words import Command, Reader, UnclosedError, Word
from dogent_tui.permissions.text import names

PROGRAM = "Bash"
"""The program of every effect of a command: which of the programs it starts caused it cannot be
known.
"""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/snap")
"""System places that every command sees behind the wall."""
_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 — names to compare with
"""Places that are private and initially empty behind the wall."""

_WRAPPERS = names(
    "nice ionice timeout stdbuf time xargs exec env command builtin nohup setsid chronic caffeinate"
    " busybox toybox"
)
"""Commands that run the command given to them."""
_SHELLS = {"sh", "bash", "zsh", "dash", "ksh"}
_OTHER_USER = names("sudo doas su pkexec runuser gosu run0")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_BEFORE_THE_COMMAND = re.compile(r"(-.*|\w+=.*|[\d.]+[smhd]?|[A-Z_]+|\{\})?", re.DOTALL)
"""What may come between a wrapper and its command: options and their values."""
_TEXT = names(
    "echo printf test [ expr basename dirname seq date true false : alias unalias trap export"
    " declare local readonly typeset unset set shift type which hash wait jobs sleep let return"
    " exit break continue read mapfile readarray numfmt factor getopts shopt ulimit umask cal man"
    " history yes printenv id tr for case select"
)
"""Programs whose words are not paths."""
_WALKERS = names("ls find tree du rg grep cp")
"""Programs that read a folder given to them with all that is in it."""
_PATTERN_FIRST = names("grep egrep fgrep rg ag ack sed awk gawk mawk nawk jq yq perl")
_PATTERN_OPTIONS = {"-e", "--regexp", "--expression", "-E", "-f", "--file"}
_NOT_PATHS = names("-e --regexp --expression -E -m --message -v --arg --argjson -d -F --title -g")
"""Options with text as value, of programs for which some words are patterns."""
_UNSURE = names("-i --interactive -n --dry-run --cached")
"""Options with which a program asks first or only tells: nothing is plain then."""
_DELETES = names("rm rmdir unlink shred trash trash-put srm wipe del")
_LAST_IS_WRITTEN = {"cp", "mv", "install", "ln", "rsync"}
_ALL_ARE_WRITTEN = {"tee", "touch", "mkdir", "truncate", "mkfifo"}
_TARGETS = {"-t", "--target-directory"}
_OUTPUT_OPTIONS = {"-o", "--output", "-O", "--output-document", "of"}
_VALUE = re.compile(r"(--?[\w-]+|if|of)=(.+)", re.DOTALL)
_GIT_VALUED = names("-C -c --git-dir --work-tree --namespace --exec-path --config-env")
_GIT_TEXT = names("commit grep config remote tag log")
"""Git commands whose words are not paths."""
_MOST_FOUND = 1000
"""The number of files to match a pattern against."""


def early_effects(
    text: str, rule: PathRule, cwd: str, visible: Sequence[Path] = (), taken_back: bool = False
) -> tuple[Effect, ...]:
    """Return what must be asked about before a command runs behind the wall, as far as it is plain.

    `visible` are further places that it sees there. `taken_back`: what it changes in the workspace
    is taken back instead of held back, so every deletion and every write to a protected file
    counts.
    """
    early = _Early(rule, visible, taken_back)
    early.read(text, cwd)
    return tuple(early.found)


class _Early:
    """Judges one command after another. `_cwd` and `_plain` belong to the current command."""

    def __init__(self, rule: PathRule, visible: Sequence[Path], taken_back: bool) -> None:
        self._rule = rule
        self._taken_back = taken_back
        self._visible = (*map(Path, (*SYSTEM, "/proc", "/sys")), *visible)
        self._written: set[Path] = set()
        self._cwd: str | None = None
        self._plain = True
        self.found: dict[Effect, None] = {}
        self._special: Mapping[str, Callable[[Sequence[Word]], None]] = {
            **dict.fromkeys(("cd", "pushd", "chdir"), self._changes_folder),
            **dict.fromkeys(names("kill pkill killall xkill skill fuser"), self._ends),
            "git": self._git,
        }

    def read(self, text: str, cwd: str) -> None:
        try:
            Reader(text, cwd, str(self._rule.home), self._command).read()
        except (UnclosedError, RecursionError):
            whole = Word("", (0, len(text)))
            self._doubt(whole, tr("It is not a shell command that can be understood."))

    def _add(self, kind: EffectKind, path: Path | None, word: Word, **more: Any) -> None:
        self.found[Effect(kind, path, word.text, word.span, PROGRAM, **more)] = None

    def _doubt(self, word: Word, note: str) -> None:
        self._add(EffectKind.UNKNOWN, None, word, note=note)

    def _command(self, command: Command, reader: Reader) -> None:
        self._cwd, self._plain = reader.cwd, command.plain
        words = _from_where(command.words, _ASSIGNMENT)
        empties = " ".join(word.text for word in words) in {"", ":", "true", "cat /dev/null"}
        for sign, target in command.redirections:
            if match := re.match(r"/dev/(?:tcp|udp)/([^/]+)", target.text):
                self._network(() if OWN.fullmatch(match[1]) else (match[1],), target, target.text)
            elif sign == "<":
                self._reads(target)
            elif sign[0] != "<" and not (sign == ">&" and re.fullmatch(r"\d*-?", target.text)):
                self._writes(target, empties and ">>" not in sign)
        self._run(words)
        reader.cwd = self._cwd

    def _run(self, words: Sequence[Word]) -> None:
        """Judge a command without its redirections."""
        while words:
            name = words[0].text.rpartition("/")[2] if words[0].literal else ""
            if "/" in words[0].text:
                self._reads(words[0], EffectKind.EXECUTE)
            if name in _OTHER_USER:
                self._doubt(words[0], tr("It runs a command with another user's permissions."))
            elif name not in _WRAPPERS or [word.text for word in words[1:2]] in (["-v"], ["-V"]):
                break
            self._plain = self._plain and name != "xargs"
            words = _from_where(words[1:], _BEFORE_THE_COMMAND)
        if not words or name in _TEXT:
            return
        self._plain = self._plain and not _UNSURE & {word.text for word in words}
        if name in self._special:
            self._special[name](words)
            return
        if name not in _PATTERN_FIRST:
            first = words[1].text if len(words) > 1 else ""
            installed = self._rule.disk.entry(f"{self._cwd}/node_modules/.bin/{first}") is not None
            if name not in {"npx", "bunx"} or not (installed or first.startswith("--no")):
                self._network(reached(name, words[1:]), words[0], f"{name} {first}".rstrip())
        if name in _SHELLS:
            self._nested(words)
        self._operands(name, words[1:])

    def _nested(self, words: Sequence[Word]) -> None:
        """Judge the text given to a shell to run."""
        for option, text in itertools.pairwise(words):
            if option.text.startswith("-") and option.text.endswith("c") and text.literal:
                cwd, home, shift = self._cwd, str(self._rule.home), text.span[0] + 1
                Reader(text.text, cwd, home, self._command, shift, odd=not self._plain).read()
                self._cwd = cwd

    def _operands(self, name: str, args: Sequence[Word]) -> None:
        """Judge the words of a program by the files they name."""
        texts = [arg.text for arg in args]
        patterns, copies = name in _PATTERN_FIRST, name in _LAST_IS_WRITTEN
        outputs = set() if patterns else _OUTPUT_OPTIONS | (_TARGETS if copies else set())
        targeted = copies and any(text.partition("=")[0] in _TARGETS for text in texts)
        text_options = _NOT_PATHS if patterns or name in {"pandoc", "diff"} else frozenset()
        own = () if name in _WALKERS else _SCRATCH  # where a program puts its files
        operands = []
        for before, arg in zip(("", *texts), args, strict=False):
            match = _VALUE.fullmatch(arg.text)
            option, word = (match[1], replace(arg, text=match[2])) if match else (before, arg)
            if option in outputs or word.text.rstrip("/") in own:
                self._writes(word)
            elif match:
                beside = name == "rsync" and option.endswith(("-dest", "-dir"))
                if not beside or word.text[:1] == "/":  # else it is relative to the destination
                    self._reads(word)
            elif not arg.text.startswith("-") and before not in text_options:
                operands.append(arg)
        if name == "find" and "-delete" in texts and self._taken_back:
            note = tr("It deletes the files it finds.")
            self._add(EffectKind.DELETE, None, args[0], note=note, wildcard=True)
        first = patterns and not _PATTERN_OPTIONS & set(texts)
        self._files(name, operands[1:] if first else operands, texts, copies and not targeted)

    def _files(self, name: str, files: Sequence[Word], texts: Sequence[str], onto: bool) -> None:
        """Judge the files that a program names. `onto`: the last one is the destination of the
        others.
        """
        in_place = name == "sed" and any(text.startswith(("-i", "--in-place")) for text in texts)
        # these texts are relative to the link's folder, and where they lead is seen later
        links = name == "ln" and any(re.match("-[a-zA-Z]*s", text) for text in texts)
        last = files[-1] if onto and len(files) > 1 else None
        empties = texts[:-1] == ["/dev/null"] or (
            name == "truncate" and bool({"0", "-s0"} & set(texts))
        )
        for file in files:
            if name == "mv" and file is not last:
                self._goes(EffectKind.MOVE, file)
            elif name in _DELETES:
                self._goes(EffectKind.DELETE, file)
            elif name in _ALL_ARE_WRITTEN or file is last or in_place:
                self._writes(file, empties)
            elif (file.text[:1] == "/" or not links) and (file.text != "/" or name in _WALKERS):
                self._reads(file)

    def _place(self, word: Word, follow: bool = True) -> Path | None:
        """Return where a literal word leads, None if unknown."""
        text, base = word.text, "" if word.text.startswith("/") else self._cwd
        if not word.literal or not text or len(text) > 4096 or "\0" in text or base is None:
            return None
        try:
            return self._rule.resolve(f"{base}/{text}" if base else text, follow)
        except (ValueError, OSError):
            return None

    def _hidden(self, path: Path) -> bool:
        """Return whether the wall hides a place."""
        visible = any(path.is_relative_to(place) for place in self._visible)
        return not visible and self._rule.place(path) is Place.OUTSIDE

    def _scratch(self, path: Path) -> bool:
        """Return whether a place is private to the session's commands. Siblings of the workspace
        never are.
        """
        root = Path(self._rule.root)
        for top in (*map(Path, _SCRATCH), Path(self._rule.home, ".cache")):
            depth = len(top.parts) + 1 if root.is_relative_to(top) else 0
            beside = depth and path.parts[:depth] == root.parts[:depth]
            if path.is_relative_to(top) and not beside:
                return True
        return False

    def _reads(self, word: Word, kind: EffectKind = EffectKind.READ) -> None:
        """Record a read of a place that exists or might: its parent folder exists."""
        wildcard = word.wildcard
        if wildcard:
            head, slash, _ = re.split(r"[*?\[]", word.text, maxsplit=1)[0].rpartition("/")
            word = replace(word, text=head or slash, wildcard=False)
        path = self._place(word)
        if path is None or path in self._written or not self._hidden(path):
            return
        held = path.is_relative_to(self._rule.home) or (
            path.parent != Path("/") and self._rule.exists(path.parent)
        )
        might_be = kind is EffectKind.READ and held and not self._scratch(path)
        if might_be or self._rule.exists(path):
            self._add(kind, path, word, wildcard=wildcard)

    def _writes(self, word: Word, empties: bool = False) -> None:
        path = None if word.wildcard else self._place(word)
        if path is None or self._rule.place(path) is Place.STREAM:
            return
        self._written.add(path)
        entry = self._rule.disk.entry(str(path))
        holds = entry is not None and entry.kind == "file" and entry.size > 0
        empties = empties and self._plain and holds
        guarded = self._taken_back and self._rule.guard(path) not in {Guard.NONE, Guard.SCRATCH}
        if empties or guarded or not (self._rule.inside(path) or self._scratch(path)):
            kind = EffectKind.WRITE if self._rule.exists(path) else EffectKind.CREATE
            self._add(kind, path, word, replaces=empties)

    def _goes(self, kind: EffectKind, word: Word) -> None:
        """Record that a place is deleted or moved away. Inside the workspace, only plain deletions
        are asked about in advance.
        """
        spelled: Iterable[str] = [word.text]
        if word.wildcard and word.literal and self._cwd is not None:
            found = glob.iglob(word.text, root_dir=self._cwd)  # noqa: PTH207 — text in, text out
            spelled = itertools.islice(found, _MOST_FOUND)
        sure = self._plain or self._taken_back
        for name in spelled:
            path = self._place(replace(word, text=name), follow=False)
            if path is None or self._scratch(path):
                continue
            there = sure and self._rule.disk.entry(str(path)) is not None
            if there if self._rule.inside(path) else self._hidden(path):
                self._add(kind, path, word, wildcard=word.wildcard)

    def _network(self, hosts: Iterable[str], word: Word, what: str) -> None:
        for host in hosts:
            note = tr("{program} exchanges data with other machines.", program=what)
            note = tr("It reaches {host}.", host=host) if host else note
            address = f"https://{f'[{host}]' if ':' in host else host}" if host else ""
            self._add(EffectKind.NETWORK, None, replace(word, text=address), note=note)

    def _git(self, words: Sequence[Word]) -> None:
        rest, outer = [*words[1:]], self._cwd
        while rest and rest[0].text.startswith("-"):
            option = rest.pop(0)
            value = replace(option, text=option.text.partition("=")[2])
            value = rest.pop(0) if option.text in _GIT_VALUED and rest else value
            if option.text.startswith(("-C", "--git-dir", "--work-tree")):
                self._reads(value)
            if option.text == "-C":
                place = self._place(value)
                self._cwd = None if place is None else str(place)
        command, args = rest[0].text if rest else "", rest[1:]
        texts = [arg.text for arg in args]
        hosts = asked_by_git(command, args, self._rule, self._cwd)
        self._network(hosts, words[0], f"git {command}")
        if command not in _GIT_TEXT:
            self._operands(command if command in {"mv", "rm"} else "git", args)
        if (loss := lost_by_git(command, texts)) and self._plain:
            self._add(EffectKind.DELETE, None, replace(words[0], text=f"git {command}"), note=loss)
        self._cwd = outer

    def _changes_folder(self, words: Sequence[Word]) -> None:
        targets = [arg for arg in words[1:] if not arg.text.startswith("-") or arg.text == "-"]
        target = [*targets, replace(words[0], text=str(self._rule.home))][0]
        path = None if target.text == "-" or target.wildcard else self._place(target)
        if path is not None and not self._scratch(path):
            self._reads(target)
        self._cwd = None if path is None else str(path)

    def _ends(self, words: Sequence[Word]) -> None:
        others = [arg.text for arg in words[1:] if arg.literal and arg.text[:1] not in set("-%0")]
        processes = others if words[0].text != "kill" else [one for one in others if one.isdigit()]
        if processes and not any(arg.text in {"-l", "-L", "-0"} for arg in words):
            note = tr("It terminates other processes: {names}.", names=" ".join(others))
            self._doubt(words[0], note)


def _from_where(words: Sequence[Word], pattern: re.Pattern[str]) -> Sequence[Word]:
    """Return the words from the first one on that does not match."""
    return [*itertools.dropwhile(lambda word: pattern.fullmatch(word.text), words)]
