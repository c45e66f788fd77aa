"""git: which of its commands lose work, reach the network, run other programs, or change how git itself behaves."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from dogent_tui.language import tr
from dogent_tui.permissions.model import EffectKind
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.listing import below
from dogent_tui.permissions.shell.options import Parsed, parse
from dogent_tui.permissions.shell.words import Field

_Judge: TypeAlias = Callable[[Call, list[Field]], None]

_GLOBAL_VALUED = {
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
    "--config-env",
    "--attr-source",
}
_SAFE_SETTINGS = re.compile(
    r"(user\.(name|email)|color\..*|core\.(quotepath|autocrlf|safecrlf|abbrev|ignorecase|precomposeunicode)|advice\..*|init\.defaultbranch"
    r"|diff\.(renames|context|algorithm|wserrorhighlight|colormoved)|log\..*|commit\.gpgsign|tag\.gpgsign|column\..*|grep\..*number"
    r"|merge\.conflictstyle|status\..*|blame\..*)=[^|;&`$!]*",
    re.IGNORECASE,
)

_READS = {
    "status", "log", "show", "blame", "annotate", "shortlog", "describe", "ls-files", "ls-tree", "cat-file", "rev-parse",
    "rev-list", "name-rev", "grep", "merge-base", "cherry", "show-ref", "for-each-ref", "count-objects", "diff-tree",
    "diff-index",
    "diff-files", "whatchanged", "var", "version", "help", "check-ignore", "check-attr", "range-diff", "show-branch", "fsck",
    "verify-commit", "verify-tag", "stripspace", "interpret-trailers", "merge-tree", "check-ref-format", "column",
    "check-mailmap", "get-tar-commit-id", "hash-object", "write-tree", "commit-tree",
}  # fmt: skip
_CHANGES = {
    "add", "stage", "commit", "merge", "cherry-pick", "revert", "apply", "notes", "update-index", "gc", "repack", "pack-refs",
    "maintenance", "mktag", "mktree", "rerere", "init", "commit-graph", "multi-pack-index", "pack-objects",
}  # fmt: skip
_NETWORK = {
    "push", "pull", "fetch", "clone", "ls-remote", "send-email", "request-pull", "svn", "p4", "daemon", "instaweb", "lfs",
    "fetch-pack", "send-pack", "http-fetch", "http-push", "upload-pack", "receive-pack", "imap-send", "cvsimport", "archimport",
}  # fmt: skip
_LOSES = {
    "filter-branch": tr("It rewrites the history."),
    "filter-repo": tr("It rewrites the history."),
    "prune": tr("It deletes objects."),
    "prune-packed": tr("It deletes objects."),
    "replace": tr("It replaces objects."),
    "read-tree": tr("It overwrites the index or the files."),
    "checkout-index": tr("It overwrites files."),
    "update-ref": tr("It moves or deletes branches."),
    "am": tr("It applies patches from elsewhere."),
    "quiltimport": tr("It applies patches from elsewhere."),
    "fast-import": tr("It rewrites branches."),
    "sparse-checkout": tr("It removes files from the working tree."),
    "unpack-objects": tr("It writes objects."),
}
_TEXT_VALUED = {
    "-m", "--message", "-n", "--max-count", "--since", "--until", "--after", "--before", "--author", "--committer", "--grep",
    "-S", "-G",
    "-L", "--format", "--pretty", "--date", "-U", "--unified", "--diff-filter", "-e", "--skip", "--cleanup", "--fixup",
    "--squash",
    "-C", "--reuse-message", "--trailer", "--initial-branch", "--object-format", "--points-at", "--contains", "--merged",
    "--sort",
    "--abbrev", "--strategy-option", "--strategy",
}  # fmt: skip
_READ_VALUED = {"-F", "--file", "--template", "--pathspec-from-file", "--exclude-from", "--ignore-revs-file"}
_OUT_VALUED = {"--output", "-o", "--output-directory"}


def _git(call: Call) -> None:
    parsed = parse(call.args, _GLOBAL_VALUED, stop_at_operand=True)
    inner = replace(call, state=call.state.copy())
    for name, value in parsed.options:
        _global_option(inner, name, value)
    call.execute()
    if not parsed.operands:
        return
    command, args = parsed.operands[0], parsed.operands[1:]
    if command.dynamic:
        call.doubt(tr("The git command is only known when it runs."), command)
        return
    inner.name = f"git {command.text}"
    _judge(inner, command.text, args)
    call.printed = _printed(inner, command.text, [arg.text for arg in args])


_NAMES_ONLY = {
    "--name-only", "-z", "-c", "--cached", "-m", "--modified", "-o", "--others", "-d", "--deleted", "--exclude-standard",
    "--staged", "--diff-filter=AM", "--diff-filter=ACM", "--diff-filter=M", "--diff-filter=A", "--diff-filter=ACMR", "--",
    "--relative",
}  # fmt: skip


def _printed(call: Call, command: str, words: list[str]) -> tuple[str, ...] | None:
    plain = all(not word.startswith("-") or word in _NAMES_ONLY for word in words)
    if plain and (command == "ls-files" or (command == "diff" and "--name-only" in words)):
        return _tracked(call)
    return _top_level(call) if command == "rev-parse" and words == ["--show-toplevel"] else None


def _top_level(call: Call) -> tuple[str, ...] | None:
    """Return what `git rev-parse --show-toplevel` prints: the nearest folder upwards that has a `.git`."""
    if call.state.cwd is None:
        return None
    here = call.recorder.rule.resolve(call.state.cwd)
    found = [str(folder) for folder in (here, *here.parents) if call.recorder.disk.entry(f"{folder}/.git") is not None]
    return tuple(found[:1])


def _global_option(call: Call, name: str, value: Field | None) -> None:
    if name.startswith("--exec-path") and value is None:
        return
    if value is None:
        return
    if name == "-C":
        path = call.recorder.resolve(value, call.state, "git")
        if path is not None:
            call.read(value)
        call.state.cwd = None if path is None else str(path)
    elif (name == "--git-dir" and value.text.rstrip("/") == ".git") or (name == "--work-tree" and value.text.rstrip("/") == "."):
        call.read(value)
    elif name != "-c":
        call.doubt(tr("This option changes which programs git runs."), value)
    elif value.dynamic or not _SAFE_SETTINGS.fullmatch(value.text):
        call.doubt(tr("This setting changes what git runs or where it writes."), value)


def _judge(call: Call, name: str, args: list[Field]) -> None:
    special = _SPECIAL.get(name)
    if special is not None:
        special(call, args)
    elif name in _NETWORK:
        call.network(tr("It exchanges data with another repository."))
    elif name in _LOSES:
        call.lose(_LOSES[name])
    elif name in _READS or name in _CHANGES:
        _files(call, args)
    else:
        call.doubt(tr("{call} is not known; it may be an alias for anything.").format(call=call.name))


def _files(call: Call, args: list[Field]) -> Parsed:
    """Look at options and paths as most commands take them."""
    parsed = parse(args, _TEXT_VALUED | _READ_VALUED | _OUT_VALUED | {"--exec"})
    for value in parsed.values(*_READ_VALUED):
        call.read(value)
    for value in parsed.values(*_OUT_VALUED):
        call.output(value)
    if parsed.has("--open-files-in-pager", "--exec", "--ext-diff", "--textconv") or (
        call.name == "git grep" and parsed.has("-O")
    ):
        call.doubt(tr("It runs another program."))
    for name, given in parsed.options:
        if given is not None and name.startswith("--") and name not in _TEXT_VALUED and given.text.startswith(("/", "../", "~")):
            call.read(given)
    _losses(call, parsed)
    _paths(call, parsed.operands)
    return parsed


def _losses(call: Call, parsed: Parsed) -> None:
    """Note by which options and first words a command that is harmless otherwise loses something."""
    skips = call.name in {"git cherry-pick", "git revert", "git merge"} and parsed.has("--skip")
    if skips or parsed.has("--abort", "--quit"):
        call.lose(tr("It discards what was not committed."))
    first = parsed.operands[0].text if parsed.operands else ""
    if (call.name == "git rerere" and first in {"clear", "forget"}) or (
        call.name == "git repack" and parsed.has("-a", "-A", "-d")
    ):
        call.lose(tr("It deletes objects."))
    if call.name == "git notes" and first in {"remove", "prune"}:
        call.lose(tr("It deletes notes."))
    if call.name == "git maintenance" and first != "run":
        call.doubt(tr("It changes how git behaves."))
    if call.name == "git apply" and parsed.has("--unsafe-paths"):
        call.doubt(tr("A file name is only known when it runs."))
    if call.name == "git gc" and any(name.startswith("--prune") for name, _ in parsed.options):
        call.lose(tr("It deletes objects."))


def _paths(call: Call, operands: list[Field]) -> None:
    """Note operands that name files; what looks like a revision is none."""
    takes_files = call.name in {"git add", "git commit", "git apply", "git init", "git stage"}
    up = re.compile(r"(/|~|\.\.(/|$))|.*[/:]\.\.(/|$)")
    for operand in operands:
        if operand.dynamic and takes_files:
            call.doubt(tr("A file name is only known when it runs."), operand)
        elif not operand.dynamic and (takes_files or up.match(operand.text)):
            revision, colon, path = operand.text.rpartition(":")
            call.read(replace(operand, text=path) if colon and "/" not in revision and path.startswith("..") else operand)


def _names_file(call: Call, operand: Field) -> bool:
    if operand.dynamic or operand.wildcard or call.state.cwd is None:
        return True
    if (
        operand.text.startswith(":")
        or operand.text in {".", ".."}
        or any(char in operand.text for char in "*?[")
        or operand.text.endswith("/")
    ):
        return True
    path = operand.text if operand.text.startswith("/") else f"{call.state.cwd}/{operand.text}"
    return call.recorder.disk.entry(path) is not None


_DISCARDS = tr("It discards changes that were not committed.")


def _checkout(call: Call, args: list[Field]) -> None:
    parsed = parse(args, {"-b", "-B", "--orphan", "--conflict", "--pathspec-from-file"})
    made = parsed.has("-b", "--orphan")
    forced = parsed.has("-f", "--force", "-B", "-p", "--patch", "--ours", "--theirs", "-m", "--merge", "--pathspec-from-file")
    files = [] if made else [operand for operand in parsed.operands if _names_file(call, operand)]
    if forced or files or any(arg.text == "--" for arg in args) or (len(parsed.operands) > 1 and not made):
        call.lose(_DISCARDS)
    for operand in files:
        call.touch(EffectKind.DELETE, operand, tr("Its changes are discarded."))


def _switch(call: Call, args: list[Field]) -> None:
    parsed = parse(args, {"-c", "-C", "--orphan", "--create", "--force-create"})
    if parsed.has("-f", "--force", "--discard-changes", "-C", "--force-create", "-m", "--merge", "--orphan"):
        call.lose(_DISCARDS)


def _restore(call: Call, args: list[Field]) -> None:
    parsed = parse(args, {"-s", "--source"})
    if parsed.has("-S", "--staged") and not parsed.has("-W", "--worktree"):
        return
    call.lose(_DISCARDS)
    for operand in parsed.operands:
        call.touch(EffectKind.DELETE, operand, tr("Its changes are discarded."))


def _reset(call: Call, args: list[Field]) -> None:
    if parse(args).has("--hard", "--merge", "--keep"):
        call.lose(_DISCARDS)


def _rm(call: Call, args: list[Field]) -> None:
    parsed = parse(args)
    if parsed.has("-n", "--dry-run", "--cached"):
        return
    for operand in parsed.operands:
        call.touch(EffectKind.DELETE, operand)
    if not parsed.operands or parsed.has("--pathspec-from-file"):
        call.lose(tr("It deletes files."))


def _mv(call: Call, args: list[Field]) -> None:
    parsed = parse(args)
    if parsed.has("-n", "--dry-run"):
        return
    for operand in parsed.operands[:-1]:
        call.touch(EffectKind.MOVE, operand)
    if len(parsed.operands) < 2:
        call.lose(tr("It moves files."))
    for operand in parsed.operands[-1:]:
        call.edit(operand)


def _clean(call: Call, args: list[Field]) -> None:
    if not parse(args, {"-e", "--exclude"}).has("-n", "--dry-run"):
        call.lose(tr("It deletes files that git does not track."))


def _stash(call: Call, args: list[Field]) -> None:
    first = args[0].text if args and not args[0].text.startswith("-") else "push"
    if first in {"drop", "clear"}:
        call.lose(tr("It deletes stashed changes."))
    elif first not in {"list", "show", "apply", "pop", "create"}:
        call.lose(tr("It takes changes out of the working tree."))


def _branch(call: Call, args: list[Field]) -> None:
    parsed = parse(
        args,
        {
            "-u",
            "--set-upstream-to",
            "--contains",
            "--no-contains",
            "--merged",
            "--no-merged",
            "--sort",
            "--format",
            "--points-at",
        },
    )
    if parsed.has("-d", "-D", "--delete", "-f", "--force", "-M", "-C"):
        call.lose(tr("It deletes or replaces a branch."))


def _tag(call: Call, args: list[Field]) -> None:
    parsed = parse(
        args, {"-m", "--message", "-F", "--file", "-u", "--local-user", "--sort", "--format", "-n", "--contains", "--points-at"}
    )
    if parsed.has("-d", "--delete", "-f", "--force"):
        call.lose(tr("It deletes or replaces a tag."))
    for value in parsed.values("-F", "--file"):
        call.read(value)


_CONFIG_READS = {
    "-f", "--file", "--blob", "--type", "--default", "--url", "--global", "--local", "--system", "--worktree", "-z", "--null",
    "--bool", "--int", "--path", "--name-only", "--show-origin", "--show-scope", "--includes", "--no-includes", "--bool-or-int",
    "--expiry-date",
}  # fmt: skip


def _config(call: Call, args: list[Field]) -> None:
    parsed = parse(args, {"-f", "--file", "--blob", "--type", "--default", "--url"})
    for value in parsed.values("-f", "--file"):
        call.read(value)
    words = [operand.text for operand in parsed.operands]
    reads = parsed.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list") or words[:1] in (["get"], ["list"])
    one_name = len(words) == 1 and words[0] not in {"edit", "unset"} and all(name in _CONFIG_READS for name, _ in parsed.options)
    if not reads and not one_name:
        call.doubt(tr("It changes how git behaves."))


def _remote(call: Call, args: list[Field]) -> None:
    words = [arg.text for arg in args if not arg.text.startswith("-")]
    if words[:1] in (["show"], ["update"], ["prune"]):
        call.network(tr("It asks another repository."))
    elif words and words[0] != "get-url":
        call.doubt(tr("It changes where git sends data."))


def _reflog(call: Call, args: list[Field]) -> None:
    if any(arg.text in {"expire", "delete", "drop"} for arg in args):
        call.lose(tr("It deletes the record that lost commits are found by."))


def _symbolic_ref(call: Call, args: list[Field]) -> None:
    parsed = parse(args, {"-m"})
    if len(parsed.operands) > 1 or parsed.has("-d", "--delete"):
        call.lose(tr("It moves HEAD."))


def _worktree(call: Call, args: list[Field]) -> None:
    words = parse(args, {"-b", "-B", "--reason"}).operands
    first = words[0].text if words else "list"
    if first in {"remove", "prune", "move"} or any(arg.text in {"-B", "-f", "--force"} for arg in args):
        call.lose(tr("It removes a working tree."))
    elif first == "add":
        for folder in words[1:2]:
            call.edit(folder)
    elif first not in {"list", "lock", "unlock"}:
        call.doubt(tr("It changes how git behaves."))


def _submodule(call: Call, args: list[Field]) -> None:
    words = [arg.text for arg in args if not arg.text.startswith("-")]
    if words[:1] == ["foreach"]:
        call.runner.run_text(" ".join(words[1:]), call.state.copy(), call.span)
    elif words[:1] == ["deinit"]:
        call.lose(tr("It removes the files of a submodule."))
    elif words and words[0] not in {"status", "summary"}:
        call.network(tr("It exchanges data with another repository."))


def _bisect(call: Call, args: list[Field]) -> None:
    words = [arg for arg in args if not arg.text.startswith("-")]
    if words and words[0].text == "run":
        call.runner.run_fields(args[1:], call.state.copy())
    elif words and words[0].text not in {"log", "view", "visualize"}:
        call.doubt(tr("It checks out another commit."))


def _diff(call: Call, args: list[Field]) -> None:
    parsed = _files(call, args)
    for operand in parsed.operands if parsed.has("--no-index") else []:
        call.read(operand)


def _grep(call: Call, args: list[Field]) -> None:
    """The first operand is a pattern, unless an option gives it."""
    parsed = parse(args, _TEXT_VALUED | {"-f", "-O"})
    pattern = [] if parsed.has("-e", "-f") else parsed.operands[:1]
    for value in parsed.values("-f"):
        call.read(value)
    _files(call, [arg for arg in args if arg not in pattern and arg not in parsed.values("-e", "-f")])


def _archive(call: Call, args: list[Field]) -> None:
    parsed = parse(args, {"-o", "--output", "--format", "--prefix", "--remote", "--exec", "--add-file"})
    for value in parsed.values("-o", "--output"):
        call.output(value)
    for value in parsed.values("--add-file"):
        call.read(value)
    if parsed.has("--remote", "--exec"):
        call.network(tr("It asks another repository."))


def _bundle(call: Call, args: list[Field]) -> None:
    operands = parse(args).operands
    for file in operands[1:2]:
        if operands[0].text == "create":
            call.output(file)
        else:
            call.read(file)


def _format_patch(call: Call, args: list[Field]) -> None:
    parsed = _files(call, args)
    if not parsed.has("--stdout", "-o", "--output-directory"):
        call.touch(EffectKind.CREATE, Field("0001-*.patch", call.span))


def _tool(call: Call, _args: list[Field]) -> None:
    call.doubt(tr("It runs another program on the files."))


def _rebase(call: Call, args: list[Field]) -> None:
    for value in parse(args, {"-x", "--exec", "--onto", "-s", "-X"}).values("-x", "--exec"):
        call.runner.run_text(value.text, call.state.copy(), value.span)
    call.lose(tr("It rewrites commits."))


def _tracked(call: Call) -> tuple[str, ...] | None:
    if call.state.cwd is None:
        return None
    folder = call.recorder.rule.resolve(call.state.cwd)
    if not call.recorder.rule.inside(folder):
        return None
    names = below(
        call.recorder.rule, call.recorder.disk, str(folder), lambda path, kind: kind != "folder" and not path.startswith(".git/")
    )
    return None if names is None else tuple(names)


_SPECIAL: dict[str, _Judge] = {
    "checkout": _checkout,
    "switch": _switch,
    "restore": _restore,
    "reset": _reset,
    "rm": _rm,
    "mv": _mv,
    "clean": _clean,
    "stash": _stash,
    "branch": _branch,
    "tag": _tag,
    "config": _config,
    "remote": _remote,
    "reflog": _reflog,
    "symbolic-ref": _symbolic_ref,
    "worktree": _worktree,
    "submodule": _submodule,
    "bisect": _bisect,
    "diff": _diff,
    "archive": _archive,
    "bundle": _bundle,
    "format-patch": _format_patch,
    "grep": _grep,
    "difftool": _tool,
    "mergetool": _tool,
    "rebase": _rebase,
}

HANDLERS: dict[str, Handler] = {"git": _git}
