"""Archivers and compressors: what they pack, what they unpack over, and which of them take the original away."""

import re
from dataclasses import replace

from dogent_tui.language import tr
from dogent_tui.permissions.model import EffectKind
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import Parsed, parse
from dogent_tui.permissions.shell.table import unknown_program
from dogent_tui.permissions.shell.text import ANY
from dogent_tui.permissions.shell.words import Field

_TAR_VALUED = {
    "-f", "-C", "-T", "-X", "-b", "-I", "-g", "-K", "-L", "-N", "-V", "-H", "-F", "--file", "--directory", "--files-from",
    "--exclude",
    "--exclude-from", "--use-compress-program", "--to-command", "--checkpoint-action", "--transform", "--xform",
    "--strip-components",
    "--owner", "--group", "--mode", "--mtime", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script",
    "--format",
    "--one-top-level", "--volno-file", "--index-file", "--listed-incremental", "--sort", "--warning", "--exclude-ignore",
    "--add-file", "--label",
}  # fmt: skip
_TAR_RUNS = (
    "-I", "-F", "--use-compress-program", "--to-command", "--checkpoint-action", "--rsh-command", "--rmt-command",
    "--info-script", "--new-volume-script",
)  # fmt: skip
_COMPRESSORS = {"gzip", "xz", "lzma", "bzip2", "lz4", "zstd", "brotli", "lzip", "pigz", "pbzip2"}


def _tar(call: Call) -> None:
    call.execute()
    parsed = parse(_dashed(call.args), _TAR_VALUED)
    for value in parsed.values(*_TAR_RUNS):
        if value.text not in {"gzip", "xz", "zstd", "bzip2", "pigz", "lz4"}:
            call.doubt(tr("It runs another program."), value)
    for file in parsed.values("-T", "--files-from"):
        call.doubt(tr("The files it takes are only known when it runs."), file)
    archives = parsed.values("-f", "--file")
    if any(":" in archive.text for archive in archives) and not parsed.has("--force-local"):
        call.network(tr("Its archive lies on another machine."))
    scope = _in_folder(call, parsed)
    _tar_files(call, parsed)
    if parsed.has("-x", "--extract", "--get"):
        for archive in archives:
            call.read(archive)
        if not parsed.has("-O", "--to-stdout"):
            _into(scope, Field(".", call.span), keeps=parsed.has("-k", "--keep-old-files", "--skip-old-files"))
    elif parsed.has("-t", "--list", "-d", "--diff", "--compare"):
        for archive in archives:
            call.read(archive)
    else:
        _pack(call, scope, parsed, archives)


def _tar_files(call: Call, parsed: Parsed) -> None:
    """Note the files that tar keeps records in, and those that it takes lists from."""
    for record in parsed.values("-g", "--listed-incremental", "--index-file", "--volno-file"):
        call.output(record)
    for patterns in parsed.values("-X", "--exclude-from", "--add-file"):
        call.read(patterns)
    renames = any("/" in value.text or ".." in value.text for value in parsed.values("--transform", "--xform"))
    if parsed.has("-x", "--extract", "--get") and (renames or parsed.has("-P", "--absolute-names")):
        call.doubt(tr("The files it takes or writes are only known when it runs."))


def _pack(call: Call, scope: Call, parsed: Parsed, archives: list[Field]) -> None:
    for archive in archives:
        if parsed.has("-c", "--create"):
            call.output(archive)
        else:
            call.edit(archive)
    for operand in parsed.operands:
        scope.read(replace(operand, text=operand.text.removeprefix("@")))  # bsdtar takes the files of an archive so
        if parsed.has("--remove-files"):
            scope.touch(EffectKind.DELETE, operand)
    if parsed.has("--delete"):
        call.lose(tr("It deletes files from the archive."))


def _dashed(args: list[Field]) -> list[Field]:
    """Turn `tar czf x y` into `tar -c -z -f x y`: in the old style, values follow in the order of the letters."""
    if not args or args[0].text.startswith("-") or args[0].dynamic:
        return args
    rest = args[1:]
    found: list[Field] = []
    for letter in args[0].text:
        found.append(replace(args[0], text=f"-{letter}"))
        if f"-{letter}" in _TAR_VALUED and rest:
            found.append(rest.pop(0))
    return [*found, *rest]


def _in_folder(call: Call, parsed: Parsed) -> Call:
    """Return the call as it stands after `-C`."""
    inner = replace(call, state=call.state.copy())
    for folder in parsed.values("-C", "--directory"):
        path = inner.recorder.resolve(folder, inner.state, call.name)
        inner.read(folder)
        inner.state.cwd = None if path is None else str(path)
    for folder in parsed.values("--one-top-level"):
        inner.edit(folder)
    return inner


def _into(call: Call, folder: Field, keeps: bool) -> None:
    """Note that files with names that only the archive knows are written to a folder."""
    path = call.recorder.resolve(folder, call.state, call.name)
    if path is None:
        return
    if not call.recorder.rule.inside(path) or call.recorder.disk.entry(str(path)) is None:
        call.edit(folder)
    elif not keeps and call.recorder.disk.names(str(path)):
        call.doubt(tr("It may replace files that are already there."), folder)
    elif call.recorder.rule.guarded_below(path) is not None:
        call.doubt(tr("It may write files that change what the agent may do."), folder)


def _zip(call: Call) -> None:
    call.execute()
    args = [replace(arg, text="--logfile-path") if arg.text in {"-lf", "-la"} else arg for arg in call.args]
    parsed = parse(args, {"-b", "-n", "-t", "-tt", "-x", "-i", "-P", "-s", "-O", "--out", "--unzip-command", "--logfile-path"})
    if parsed.has("--unzip-command") or any(re.match(r"-[a-zA-Z]*TT", arg.text) for arg in call.args):
        call.doubt(tr("It runs another program."))
    if any(arg.text == "-@" or re.match(r"-[ix]@", arg.text) for arg in call.args):
        call.doubt(tr("The files it takes or writes are only known when it runs."))
    for log in parsed.values("-lf", "--logfile-path"):
        call.output(log)
    for archive in parsed.operands[:1]:
        call.edit(archive)
    for operand in parsed.operands[1:]:
        call.read(operand)
        if parsed.has("-m", "--move"):
            call.touch(EffectKind.DELETE, operand)
    if parsed.has("-d", "--delete", "--filesync") or any(re.match(r"-[a-zA-Z]*FS", arg.text) for arg in call.args):
        call.lose(tr("It deletes files from the archive."))
    for out in parsed.values("-O", "--out"):
        call.output(out)


def _unzip(call: Call) -> None:
    call.execute()
    parsed = parse(call.args, {"-d", "-x", "-P", "-I", "-O"})
    for archive in parsed.operands[:1]:
        call.read(archive)
    if parsed.has("-:"):
        call.doubt(tr("The files it takes or writes are only known when it runs."))
    if not parsed.has("-l", "-t", "-v", "-p", "-Z", "-c", "-z"):
        _into(call, (parsed.values("-d") or [Field(".", call.span)])[-1], keeps=parsed.has("-n"))


def _seven_zip(call: Call) -> None:
    call.execute()
    parsed = parse([arg for arg in call.args if not arg.text.startswith("-o")])
    outputs = [replace(arg, text=arg.text[2:]) for arg in call.args if arg.text.startswith("-o")]
    command = parsed.operands[0].text if parsed.operands else "l"
    for archive in parsed.operands[1:2]:
        if command in {"a", "u"}:
            call.edit(archive)
        else:
            call.read(archive)
    for operand in parsed.operands[2:]:
        call.read(operand)
    if any(re.match(r"@|-spf|-[ix][r0-]*[@!]", arg.text) for arg in call.args):
        call.doubt(tr("The files it takes or writes are only known when it runs."))
    if command in {"x", "e"}:
        _into(call, (outputs or [Field(".", call.span)])[-1], keeps="-aos" in [arg.text for arg in call.args])
    if command in {"d", "rn"} or any(arg.text == "-sdel" for arg in call.args):
        call.lose(tr("It deletes files."))


def _compress(call: Call) -> None:
    """gzip and its like replace the file that they are given; zstd, lz4 and brotli leave it, unless told otherwise."""
    call.execute()
    parsed = parse(call.args, {"-S", "-o", "--suffix", "-T", "-b", "-D", "--output", "--dictionary"})
    for dictionary in parsed.values("-D", "--dictionary", "--patch-from"):
        call.read(dictionary)
    for folder in parsed.values("--output-dir-flat", "--output-dir-mirror"):
        call.output(replace(folder, text=f"{folder.text}/{ANY}"))
    if parsed.has("--files", "--files0", "--filelist"):
        call.doubt(tr("The files it takes or writes are only known when it runs."))
    leaves = call.name in {"zstd", "lz4", "brotli", "unzstd", "unlz4"} and not parsed.has("--rm", "-j")
    keeps = leaves or parsed.has("-c", "-k", "-l", "-t", "--stdout", "--keep", "--list", "--test", "--to-stdout")
    for operand in parsed.operands:
        call.read(operand)
        if not keeps:
            call.touch(EffectKind.MOVE, operand, tr("It is replaced by its packed or unpacked form."))
        elif not parsed.has("-c", "-l", "-t", "--stdout", "--list", "--test", "-o"):
            packed = operand.text + ".gz" if call.name in _COMPRESSORS else operand.text.rpartition(".")[0]
            call.output(replace(operand, text=packed))
    for out in parsed.values("-o", "--output"):
        call.output(out)


def _duplicates(call: Call) -> None:
    if parse(call.args).has("-d", "--delete"):
        call.lose(tr("It deletes files that are there twice."))
    unknown_program(call)


def _cannot_tell(call: Call) -> None:
    call.doubt(tr("The files it takes or writes are only known when it runs."))


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("tar", "bsdtar"), _tar),
    **dict.fromkeys(("fdupes", "jdupes"), _duplicates),
    "zip": _zip,
    "unzip": _unzip,
    **dict.fromkeys(("7z", "7za", "7zz", "7zr"), _seven_zip),
    **dict.fromkeys(_COMPRESSORS, _compress),
    **dict.fromkeys(("gunzip", "bunzip2", "unxz", "unlzma", "unlz4", "unzstd", "unpigz"), _compress),
    **dict.fromkeys(("cpio", "pax", "ar", "unar", "unrar", "rar", "ditto"), _cannot_tell),
}
