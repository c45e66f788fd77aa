"""What a git command plainly does: which host it reaches, and what it deletes."""

import re
from collections.abc import Sequence
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.git_config import host_of, remote_address
from dogent_tui.permissions.paths import PathRule
from dogent_tui.permissions.shell.words import Word
from dogent_tui.permissions.text import names
from dogent_tui.undo.git_data import git_folders, settings_of

_LARGEST = 200_000
_REMOTE = names("push send-pack fetch pull ls-remote clone")
_ELSEWHERE = names("send-email svn p4 lfs fetch-pack http-fetch http-push imap-send cvsimport")
_REMOTE_VALUED = names(
    "-o --push-option --depth -b --branch --origin -j --jobs -u --upload-pack --reference"
)


def asked_by_git(
    command: str, words: Sequence[Word], rule: PathRule, cwd: str | None
) -> tuple[str, ...]:
    """Return the hosts that a Git command reaches, like `network.reached`."""
    befores = ("", *(word.text for word in words))
    if {"--help", "-h"} & set(befores):
        return ()
    pairs = zip(befores, words, strict=False)
    operands = [
        word for before, word in pairs if word.text[:1] != "-" and before not in _REMOTE_VALUED
    ]
    first, *more = [word.text if word.literal else "$" for word in operands] or [""]
    if command == "remote" and first in {"update", "show", "prune"}:
        return _remote(more[0] if more else "", rule, cwd, pushes=False)
    if command == "submodule" and first in {"add", "update"}:
        is_folder = first == "add" and more and "$" not in more
        return tuple(filter(None, map(host_of, more))) or (() if is_folder else ("",))
    if command == "archive":
        return ("",) if any(text.startswith("--remote") for text in befores) else ()
    if command in _ELSEWHERE:
        return ("",) if command != "lfs" or first in _REMOTE else ()
    if command not in _REMOTE:
        return ()
    if command == "clone" or re.search(r"[:/$]|^\.", first):
        host = host_of(first) if first not in {"", "$"} else ""
        return () if host is None else (host,)
    return _remote(first, rule, cwd, pushes=command in {"push", "send-pack"})


def _remote(remote: str, rule: PathRule, cwd: str | None, pushes: bool) -> tuple[str, ...]:
    """Return the host of a remote, read from the repository's own file; empty if it is a folder."""
    own, common = _git_folders(rule, cwd) or ("", "")
    settings = settings_of(rule.disk.text(f"{common}/config", _LARGEST), rule.root)
    if not common or settings is None:
        return ("",)
    branch = (rule.disk.text(f"{own}/HEAD", 1000) or "").strip().removeprefix("ref: refs/heads/")
    address = remote_address(settings, remote, branch, pushes)
    if not address and remote and f"remote.{remote}.url" not in settings:
        return ()  # a folder, which the command may make itself
    host = host_of(address) if address else ""
    return () if host is None else (host,)


def _git_folders(rule: PathRule, cwd: str | None) -> tuple[str, ...]:
    """Return the folders of the repository that contains `cwd`, like `git_folders`."""
    here = rule.resolve(cwd) if cwd is not None else Path("/")
    for folder in (here, *here.parents):
        if (found := git_folders(str(folder))) or str(folder) == rule.root:
            return found
    return ()


def lost_by_git(command: str, texts: Sequence[str]) -> str:
    """Describe what a Git command would lose."""
    flags = {char for text in texts if re.fullmatch(r"-\w+", text) for char in text[1:]}
    first = next((text for text in texts if not text.startswith("-")), "")
    deletes = flags & {"d", "D"} or "--delete" in texts
    if command == "clean" and "n" not in flags:
        return tr("It deletes files that git does not track.")
    if command == "reset" and "--hard" in texts:
        return tr("It discards uncommitted changes.")
    if command == "stash" and first in {"drop", "clear"}:
        return tr("It deletes stashed changes.")
    if deletes and command in {"branch", "tag"}:
        tag = tr("It deletes or replaces a tag.")
        return tr("It deletes or replaces a branch.") if command == "branch" else tag
    return ""
