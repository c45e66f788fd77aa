"""Commands that copy, move, link and overwrite files."""

from dataclasses import replace
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.disk import walk
from dogent_tui.permissions.model import EffectKind
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import Parsed, parse
from dogent_tui.permissions.shell.text import SOME
from dogent_tui.permissions.shell.words import Field

_COPY_VALUED = {"-t", "-S", "--target-directory", "--suffix"}
_LARGEST_TREE = 500


def _sources_and_target(call: Call, parsed: Parsed) -> tuple[list[Field], Field | None, bool]:
    """Return what is copied, where to, and whether that is surely a folder."""
    folders = parsed.values("-t", "--target-directory")
    if folders:
        return parsed.operands, folders[-1], True
    if len(parsed.operands) < 2:
        call.doubt(tr("It does not say where to."))
        return parsed.operands, None, False
    return parsed.operands[:-1], parsed.operands[-1], len(parsed.operands) > 2 and not parsed.has("-T", "--no-target-directory")


def _is_folder(call: Call, path: Path) -> bool:
    entry = call.recorder.disk.entry(str(path))
    return entry is not None and entry.kind == "folder"


def _target(call: Call, source: Field, target: Field, in_folder: bool) -> Field | None:
    """Return the place that one source goes to: the target, or its own name in it."""
    path = call.recorder.resolve(target, call.state, call.name)
    if path is None:
        return None
    if not in_folder and not _is_folder(call, path) and not target.text.endswith("/"):
        return target
    name = source.text.rstrip("/").rpartition("/")[2]
    if name in {"", ".", ".."} or source.text.endswith("/."):
        return target
    return replace(target, text=f"{target.text.rstrip('/')}/{name}")


def _cp(call: Call) -> None:
    parsed = parse(call.args, _COPY_VALUED)
    sources, target, in_folder = _sources_and_target(call, parsed)
    recursive = parsed.has("-r", "-R", "-a", "--recursive", "--archive")
    follows = not (recursive or parsed.has("-P", "-d", "--no-dereference")) or parsed.has("-L", "--dereference", "-H")
    exact = parsed.has("-T", "--no-target-directory")
    for source in sources:
        path = call.recorder.resolve(source, call.state, call.name)
        call.read(source)
        if target is None or path is None:
            continue
        goal = target if exact else _target(call, source, target, in_folder)
        if parsed.has("--parents"):
            goal = replace(target, text=f"{target.text}/{source.text}")
        if goal is not None and not (parsed.has("-n", "--no-clobber") and _exists(call, goal)):
            _copy(call, source, path, goal, follows, links=parsed.has("-s", "-l", "--link", "--symbolic-link"))


def _exists(call: Call, field: Field) -> bool:
    path = call.recorder.resolve(field, call.state, call.name)
    return path is not None and call.recorder.rule.exists(path) and not _is_folder(call, path)


def _copy(call: Call, source: Field, path: Path, goal: Field, follows: bool, links: bool = False) -> None:
    disk = call.recorder.disk
    target = call.recorder.resolve(goal, call.state, call.name)
    if target is None:
        return
    literal = call.recorder.resolve(source, call.state, call.name, follow=False)
    entry = None if literal is None else disk.entry(str(literal))
    if _is_folder(call, path):
        _copy_tree(call, path, target, goal, follows)
    elif links or (entry is not None and entry.kind == "link" and not follows):
        call.recorder.write_path(target, goal, call.name)
        disk.add_link(str(target), str(path))
    else:
        call.output(goal)


def _copy_tree(call: Call, path: Path, target: Path, goal: Field, follows: bool) -> None:
    disk, rule = call.recorder.disk, call.recorder.rule
    names = walk(disk, str(path), _LARGEST_TREE)
    linked = names is None or any((entry := disk.entry(name)) is not None and entry.kind == "link" for name in names)
    for name in (names or []) if follows else []:
        if not rule.inside(rule.resolve(name)):
            call.read(replace(goal, text=name))
    if not _is_folder(call, target):
        call.recorder.write_path(target, goal, call.name)
        if linked:
            disk.add_link(str(target), str(path))
        else:
            disk.add_folder(str(target))
        return
    if names is None:
        call.doubt(tr("It copies more files over others than can be looked at."), goal)
    for name in names or []:
        entry = disk.entry(name)
        if entry is not None and entry.kind != "folder":
            call.recorder.write_path(rule.resolve(f"{target}/{name[len(str(path)) + 1 :]}"), goal, call.name)


def _mv(call: Call) -> None:
    parsed = parse(call.args, _COPY_VALUED)
    sources, target, in_folder = _sources_and_target(call, parsed)
    if not sources:
        call.lose(tr("It moves what it is given."))
    for source in sources:
        if not source.text:
            call.lose(tr("It moves what it is given."), source)
        call.touch(EffectKind.MOVE, source)
        goal = _target(call, source, target, in_folder) if target is not None else None
        if goal is not None:
            call.output(goal)


def _ln(call: Call) -> None:
    parsed = parse(call.args, _COPY_VALUED)
    if parsed.has("-t", "--target-directory") or len(parsed.operands) > 1:
        sources, target, in_folder = _sources_and_target(call, parsed)
    else:
        sources, target, in_folder = parsed.operands, Field(".", call.span), True
    as_named = parsed.has("-n", "-T", "--no-dereference", "--no-target-directory") and _is_link(call, target)
    for source in sources:
        goal = target if target is None or as_named else _target(call, source, target, in_folder)
        if goal is not None:
            _link(call, source, goal, parsed.has("-s", "--symbolic"), forced=parsed.has("-f", "--force"))


def _is_link(call: Call, field: Field | None) -> bool:
    path = None if field is None else call.recorder.resolve(field, call.state, call.name, follow=False)
    entry = None if path is None else call.recorder.disk.entry(str(path))
    return entry is not None and entry.kind == "link"


def _link(call: Call, source: Field, goal: Field, symbolic: bool, forced: bool) -> None:
    path = call.recorder.resolve(goal, call.state, call.name, follow=False)
    if path is None or source.dynamic:
        call.doubt(tr("What the link points to is only known when it runs."), source)
        return
    place = replace(source, text=f"{path.parent}/{source.text}") if symbolic and not source.text.startswith("/") else source
    call.touch(EffectKind.READ, place)
    if forced or not call.recorder.rule.exists(path):
        call.recorder.write_path(path, goal, call.name)
        leads = source.text if symbolic else str(call.recorder.resolve(place, call.state, call.name) or "/")
        call.recorder.disk.add_link(str(path), leads)


def _install(call: Call) -> None:
    parsed = parse(call.args, _COPY_VALUED | {"-m", "-o", "-g", "--mode", "--owner", "--group", "--strip-program"})
    if parsed.has("-d", "--directory"):
        for folder in parsed.operands:
            call.edit(folder)
        return
    if parsed.has("--strip-program"):
        call.doubt(tr("It runs a program of the caller's choice."))
    sources, target, in_folder = _sources_and_target(call, parsed)
    for source in sources:
        call.read(source)
        goal = _target(call, source, target, in_folder) if target is not None else None
        if goal is not None:
            call.output(goal)


_RSYNC_VALUED = {
    "-e", "--rsh", "--rsync-path", "-f", "--filter", "--exclude", "--include", "--exclude-from", "--include-from", "--files-from",
    "--log-file", "--backup-dir", "--suffix", "--link-dest", "--compare-dest", "--copy-dest", "--partial-dir", "-T", "--temp-dir",
    "--max-size", "--min-size", "--bwlimit", "--timeout", "--port", "--chmod", "--chown", "-B", "--block-size", "-M", "--info",
    "--out-format", "--log-file-format", "--password-file", "--max-delete", "--iconv", "--modify-window", "--write-batch",
}  # fmt: skip


def _rsync(call: Call) -> None:
    parsed = parse(call.args, _RSYNC_VALUED)
    if parsed.has("-e", "--rsh", "--rsync-path", "-M", "--write-batch", "--files-from"):
        call.doubt(tr("It runs another program, or takes its file names from elsewhere."))
    if parsed.has("--daemon") or any(":" in operand.text.partition("/")[0] for operand in parsed.operands):
        call.network(tr("It copies to or from another machine."))
        return
    for file in parsed.values(
        "--exclude-from", "--include-from", "--link-dest", "--compare-dest", "--copy-dest", "--password-file"
    ):
        call.read(file)
    for file in parsed.values("--log-file", "--backup-dir", "--partial-dir", "-T", "--temp-dir"):
        call.output(file)
    sources = parsed.operands[:-1] or parsed.operands
    target = parsed.operands[-1] if len(parsed.operands) > 1 and not parsed.has("-n", "--dry-run") else None
    for source in sources:
        _synchronize(call, parsed, source, target, several=len(sources) > 1)
    if target is not None and any(name.startswith("--del") for name, _ in parsed.options):
        call.lose(tr("It deletes what is not in the source."), target)


def _synchronize(call: Call, parsed: Parsed, source: Field, target: Field | None, several: bool) -> None:
    call.read(source)
    path = call.recorder.resolve(source, call.state, call.name)
    if target is None or path is None:
        return
    if parsed.has("--remove-source-files", "--remove-sent-files"):
        call.touch(EffectKind.MOVE, source)
    goal = target if source.text.endswith("/") else _target(call, source, target, in_folder=several)
    if goal is not None:
        _copy(call, source, path, goal, follows=parsed.has("-L", "--copy-links"))


def _dd(call: Call) -> None:
    for arg in call.args:
        name, _, value = arg.text.partition("=")
        if name == "if":
            call.read(replace(arg, text=value))
        elif name == "of":
            call.output(replace(arg, text=value))
        elif arg.dynamic:
            call.doubt(tr("What it writes to is only known when it runs."), arg)


def _tee(call: Call) -> None:
    parsed = parse(call.args)
    append = parsed.has("-a", "--append")
    lines = call.state.stdin
    text = None if lines is None else "".join(f"{line}\n" for line in lines)
    for operand in parsed.operands:
        call.output(operand, append, text)


def _sponge(call: Call) -> None:
    parsed = parse(call.args)
    for operand in parsed.operands:
        call.output(operand, append=parsed.has("-a"))


def _chmod(call: Call) -> None:
    """A mode may look like options (`chmod -x file`)."""
    words = [arg for arg in call.args if not arg.text.startswith("--")]
    names = [arg for arg in words if not arg.text.startswith("-")]
    removes = any(arg.text.startswith("-") and set(arg.text[1:]) & set("rwxst") for arg in words)
    given = any(arg.text.startswith("--reference") for arg in call.args)
    for operand in names if removes or given else names[1:]:
        call.edit(operand)
    modes = [arg.text for arg in names[:1]]
    if any((len(mode) == 4 and mode[0] in "2467") or ("s" in mode and "+" in mode) for mode in modes):
        call.doubt(tr("It gives a program the rights of its owner."))


def _mktemp(call: Call) -> None:
    parsed = parse(call.args, {"-p", "--tmpdir", "--suffix"})
    folders = parsed.values("-p", "--tmpdir")
    if parsed.has("-u", "--dry-run"):
        return
    if not folders and (not parsed.operands or parsed.has("-t", "--tmpdir")):
        call.touch(EffectKind.CREATE, Field("/tmp/tmp.XXXXXX", call.span))  # noqa: S108 — what mktemp does
        return
    for folder in folders:
        call.touch(EffectKind.CREATE, replace(folder, text=f"{folder.text}/{SOME}"))
    for operand in [] if folders else parsed.operands:
        call.touch(EffectKind.CREATE, operand)


HANDLERS: dict[str, Handler] = {
    "cp": _cp,
    "copy": _cp,
    "mv": _mv,
    "move": _mv,
    "ren": _mv,
    "ln": _ln,
    "link": _ln,
    "install": _install,
    "ginstall": _install,
    "rsync": _rsync,
    "dd": _dd,
    "tee": _tee,
    "sponge": _sponge,
    "chmod": _chmod,
    "mktemp": _mktemp,
}
