"""What a git command says plainly: which machine it reaches, and what it deletes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.git_config import host_of, read_settings, remote_address
from dogent_tui.permissions.paths import PathRule
from dogent_tui.permissions.shell.words import Word

_LARGEST = 200_000
_VALUED = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}
_PUSHES = {"push", "send-pack"}
_FETCHES = {"fetch", "pull", "ls-remote", "clone"}
_ELSEWHERE = {"send-email", "svn", "p4", "lfs", "fetch-pack", "http-fetch", "http-push", "imap-send", "cvsimport"}
_FETCH_VALUED = {
    "-o",
    "--push-option",
    "--depth",
    "-b",
    "--branch",
    "--origin",
    "-j",
    "--jobs",
    "-u",
    "--upload-pack",
    "--reference",
}


@dataclass(frozen=True)
class GitCall:
    """A git command. `hosts` as in `network.reached`; `loses` says what it would lose; `acts`: it does not only try.

    `folders` are those that the options before the command name.
    """

    command: str
    operands: tuple[Word, ...]
    cwd: str | None
    hosts: tuple[str, ...] = ()
    loses: str = ""
    folders: tuple[Word, ...] = ()
    acts: bool = True


def read_call(args: Sequence[Word], rule: PathRule, cwd: str | None) -> GitCall:
    """Return what the words after ``git`` say."""
    rest = list(args)
    folders: tuple[Word, ...] = ()
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if option.startswith(("--git-dir=", "--work-tree=")):
            folders = (*folders, Word(option.partition("=")[2], rest[0].span if rest else (0, 0)))
        elif option in _VALUED and rest:
            value = rest.pop(0)
            if option in {"-C", "--git-dir", "--work-tree"}:
                folders = (*folders, value)
            if option == "-C":
                path = value.text if value.text.startswith("/") else f"{cwd}/{value.text}"
                cwd = path if value.literal and (cwd is not None or path == value.text) else None
    if not rest or not rest[0].literal:
        return GitCall("", (), cwd, (), "", folders)
    command, words = rest[0].text, rest[1:]
    operands = tuple(word for word in words if not word.text.startswith("-"))
    acts = not any(word.text in {"-n", "--dry-run", "--cached"} for word in words)
    return GitCall(command, operands, cwd, _hosts(command, words, rule, cwd), _loses(command, words), folders, acts)


def _hosts(command: str, words: Sequence[Word], rule: PathRule, cwd: str | None) -> tuple[str, ...]:
    texts = [word.text for word in words]
    if any(text in {"--help", "-h"} for text in texts):
        return ()
    operands = [
        word for before, word in zip(["", *texts], words, strict=False)
        if not word.text.startswith("-") and before not in _FETCH_VALUED
    ]  # fmt: skip
    first = operands[0] if operands else None
    if (command, first.text if first else "") in {("remote", "update"), ("remote", "show"), ("remote", "prune")}:
        return _remotes(operands[1].text if operands[1:] else "", rule, cwd, False)
    if command == "submodule" and first is not None and first.text in {"add", "update", "sync"}:
        named = [host for word in operands[1:] if (host := host_of(word.text))]
        return tuple(named) or ("",)
    if command == "archive" and any(text.startswith("--remote") for text in texts):
        return ("",)
    if command in _ELSEWHERE:
        return ("",) if command != "lfs" or (first and first.text in {"pull", "push", "fetch", "clone"}) else ()
    if command not in _PUSHES | _FETCHES:
        return ()
    if first is not None and not first.literal:
        return ("",)
    if command == "clone" or (first is not None and (re.search(r"[:/]|^\.", first.text) is not None)):
        host = host_of(first.text) if first is not None else ""
        return () if host is None else (host,)
    return _remotes(first.text if first else "", rule, cwd, command in _PUSHES)


def _remotes(remote: str, rule: PathRule, cwd: str | None, pushes: bool) -> tuple[str, ...]:
    """Return the machine of a remote, read from the repository's own file."""
    folder = _git_folder(rule, cwd)
    if folder is None:
        return ("",)
    settings = read_settings(rule.disk.text(f"{folder}/config", _LARGEST) or "")
    head = (rule.disk.text(f"{folder}/HEAD", 1000) or "").strip().removeprefix("ref: refs/heads/")
    address = remote_address(settings, remote, head, pushes)
    host = host_of(address) if address else ""
    return () if host is None else (host,)


def _git_folder(rule: PathRule, cwd: str | None) -> str | None:
    """Return the folder of the repository that holds `cwd`, through the file that stands for it in a worktree or submodule."""
    if cwd is None:
        return None
    for folder in (here := rule.resolve(cwd), *here.parents):
        entry = rule.disk.entry(f"{folder}/.git")
        if entry is not None and entry.kind == "folder":
            return f"{folder}/.git"
        if entry is not None:
            target = (rule.disk.text(f"{folder}/.git", 5000) or "").strip().removeprefix("gitdir: ")
            found = rule.resolve(str(Path(folder, target)))
            common = (rule.disk.text(f"{found}/commondir", 5000) or "").strip()
            return str(rule.resolve(str(found / common))) if common else str(found)
        if str(folder) == rule.root:
            break
    return None


def _loses(command: str, words: Sequence[Word]) -> str:
    texts = {word.text for word in words}
    flags = {char for text in texts if re.fullmatch(r"-\w+", text) for char in text[1:]}
    first = next((word.text for word in words if not word.text.startswith("-")), "")
    if command == "clean" and not ("n" in flags or "--dry-run" in texts):
        return tr("It deletes files that git does not track.")
    if command == "reset" and texts & {"--hard"}:
        return tr("It discards changes that were not committed.")
    if command == "branch" and (flags & {"d", "D"} or "--delete" in texts):
        return tr("It deletes or replaces a branch.")
    if command == "tag" and ("d" in flags or "--delete" in texts):
        return tr("It deletes or replaces a tag.")
    if command == "stash" and first in {"drop", "clear"}:
        return tr("It deletes stashed changes.")
    return ""
